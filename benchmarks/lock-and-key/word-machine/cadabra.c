// A machine with 8 states that takes the letters of one word, each from a place of its own.
// UNSAFE: with all letters in their places, one round is enough; otherwise it never ends.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "cadabra.c", 1, "reach_error"); }

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
    if (state == 0 && s0 == 'c')
      state = 1;
    if (state == 1 && s1 == 'a')
      state = 2;
    if (state == 2 && s2 == 'd')
      state = 3;
    if (state == 3 && s3 == 'a')
      state = 4;
    if (state == 4 && s4 == 'b')
      state = 5;
    if (state == 5 && s5 == 'r')
      state = 6;
    if (state == 6 && s6 == 'a')
      state = 7;
    if (state == 7)
      reach_error();
  }
}
