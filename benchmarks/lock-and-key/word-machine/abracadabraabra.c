// A machine with 16 states that takes the letters of one word, each from a place of its own.
// UNSAFE: with all letters in their places, one round is enough; otherwise it never ends.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "abracadabraabra.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (;;) {
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    int s3 = __VERIFIER_nondet_int();
    int s4 = __VERIFIER_nondet_int();
    int s5 = __VERIFIER_nondet_int();
    int s6 = __VERIFIER_nondet_int();
    int s7 = __VERIFIER_nondet_int();
    int s8 = __VERIFIER_nondet_int();
    int s9 = __VERIFIER_nondet_int();
    int s10 = __VERIFIER_nondet_int();
    int s11 = __VERIFIER_nondet_int();
    int s12 = __VERIFIER_nondet_int();
    int s13 = __VERIFIER_nondet_int();
    int s14 = __VERIFIER_nondet_int();
    if (state == 0 && s0 == 'a')
      state = 1;
    if (state == 1 && s1 == 'b')
      state = 2;
    if (state == 2 && s2 == 'r')
      state = 3;
    if (state == 3 && s3 == 'a')
      state = 4;
    if (state == 4 && s4 == 'c')
      state = 5;
    if (state == 5 && s5 == 'a')
      state = 6;
    if (state == 6 && s6 == 'd')
      state = 7;
    if (state == 7 && s7 == 'a')
      state = 8;
    if (state == 8 && s8 == 'b')
      state = 9;
    if (state == 9 && s9 == 'r')
      state = 10;
    if (state == 10 && s10 == 'a')
      state = 11;
    if (state == 11 && s11 == 'a')
      state = 12;
    if (state == 12 && s12 == 'b')
      state = 13;
    if (state == 13 && s13 == 'r')
      state = 14;
    if (state == 14 && s14 == 'a')
      state = 15;
    if (state == 15)
      reach_error();
  }
}
