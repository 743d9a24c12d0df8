// A machine with 23 states that takes one word letter by letter.
// UNSAFE: the letters round by round.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "abracadabraabracadabra-slowly.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (;;) {
    int c = __VERIFIER_nondet_int();
    if (state == 0 && c == 'a')
      state = 1;
    if (state == 1 && c == 'b')
      state = 2;
    if (state == 2 && c == 'r')
      state = 3;
    if (state == 3 && c == 'a')
      state = 4;
    if (state == 4 && c == 'c')
      state = 5;
    if (state == 5 && c == 'a')
      state = 6;
    if (state == 6 && c == 'd')
      state = 7;
    if (state == 7 && c == 'a')
      state = 8;
    if (state == 8 && c == 'b')
      state = 9;
    if (state == 9 && c == 'r')
      state = 10;
    if (state == 10 && c == 'a')
      state = 11;
    if (state == 11 && c == 'a')
      state = 12;
    if (state == 12 && c == 'b')
      state = 13;
    if (state == 13 && c == 'r')
      state = 14;
    if (state == 14 && c == 'a')
      state = 15;
    if (state == 15 && c == 'c')
      state = 16;
    if (state == 16 && c == 'a')
      state = 17;
    if (state == 17 && c == 'd')
      state = 18;
    if (state == 18 && c == 'a')
      state = 19;
    if (state == 19 && c == 'b')
      state = 20;
    if (state == 20 && c == 'r')
      state = 21;
    if (state == 21 && c == 'a')
      state = 22;
    if (state == 22)
      reach_error();
  }
}
