// A machine with 60 states that takes one word letter by letter.
// UNSAFE: the letters round by round.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "abracadabra-5-abra-slowly.c", 1, "reach_error"); }

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
    if (state == 22 && c == 'a')
      state = 23;
    if (state == 23 && c == 'b')
      state = 24;
    if (state == 24 && c == 'r')
      state = 25;
    if (state == 25 && c == 'a')
      state = 26;
    if (state == 26 && c == 'c')
      state = 27;
    if (state == 27 && c == 'a')
      state = 28;
    if (state == 28 && c == 'd')
      state = 29;
    if (state == 29 && c == 'a')
      state = 30;
    if (state == 30 && c == 'b')
      state = 31;
    if (state == 31 && c == 'r')
      state = 32;
    if (state == 32 && c == 'a')
      state = 33;
    if (state == 33 && c == 'a')
      state = 34;
    if (state == 34 && c == 'b')
      state = 35;
    if (state == 35 && c == 'r')
      state = 36;
    if (state == 36 && c == 'a')
      state = 37;
    if (state == 37 && c == 'c')
      state = 38;
    if (state == 38 && c == 'a')
      state = 39;
    if (state == 39 && c == 'd')
      state = 40;
    if (state == 40 && c == 'a')
      state = 41;
    if (state == 41 && c == 'b')
      state = 42;
    if (state == 42 && c == 'r')
      state = 43;
    if (state == 43 && c == 'a')
      state = 44;
    if (state == 44 && c == 'a')
      state = 45;
    if (state == 45 && c == 'b')
      state = 46;
    if (state == 46 && c == 'r')
      state = 47;
    if (state == 47 && c == 'a')
      state = 48;
    if (state == 48 && c == 'c')
      state = 49;
    if (state == 49 && c == 'a')
      state = 50;
    if (state == 50 && c == 'd')
      state = 51;
    if (state == 51 && c == 'a')
      state = 52;
    if (state == 52 && c == 'b')
      state = 53;
    if (state == 53 && c == 'r')
      state = 54;
    if (state == 54 && c == 'a')
      state = 55;
    if (state == 55 && c == 'a')
      state = 56;
    if (state == 56 && c == 'b')
      state = 57;
    if (state == 57 && c == 'r')
      state = 58;
    if (state == 58 && c == 'a')
      state = 59;
    if (state == 59)
      reach_error();
  }
}
