// A machine with 4 states that takes one word letter by letter and then another one at once.
// UNSAFE: the letters of the first word round by round, and the second word in the last round.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "refcomplete-ex.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (;;) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    if (state == 0 && c == 'D')
      state = 1;
    if (state == 1 && c == 'O')
      state = 2;
    if (state == 2 && c == 'G')
      state = 3;
    if (state == 3 && s0 == 'C' && s1 == 'A' && s2 == 'T')
      reach_error();
  }
}
