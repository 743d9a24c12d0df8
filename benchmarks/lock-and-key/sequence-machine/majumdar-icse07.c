// A machine with 10 states that takes one word letter by letter and then another one at once.
// UNSAFE: the letters of the first word round by round, and the second word in the last round.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "majumdar-icse07.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (;;) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    int s3 = __VERIFIER_nondet_int();
    int s4 = __VERIFIER_nondet_int();
    int s5 = __VERIFIER_nondet_int();
    if (state == 0 && c == '[')
      state = 1;
    if (state == 1 && c == '(')
      state = 2;
    if (state == 2 && c == '{')
      state = 3;
    if (state == 3 && c == '~')
      state = 4;
    if (state == 4 && c == 'a')
      state = 5;
    if (state == 5 && c == 'x')
      state = 6;
    if (state == 6 && c == '}')
      state = 7;
    if (state == 7 && c == ')')
      state = 8;
    if (state == 8 && c == ']')
      state = 9;
    if (state == 9 && s0 == 'r' && s1 == 'e' && s2 == 's' && s3 == 'e' && s4 == 't' && s5 == 0)
      reach_error();
  }
}
