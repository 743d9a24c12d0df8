// Figure 9: waits for the letters D, O, G one after the other, and for C, A, T at once. The number
// of rounds is an input, as if the program ran on gas.
// UNSAFE: gas for three rounds, and the right letters.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "fig9-gas.c", 1, "reach_error"); }

int main(void) {
  int gas = __VERIFIER_nondet_int();
  int state = 0;
  while (gas > 0) {
    gas = gas - 1;
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
  return 0;
}
