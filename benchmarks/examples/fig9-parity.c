// Figure 9 with a clock: a wrong letter starts the word again, and each letter counts in odd or in
// even rounds only.
// SAFE: D and O are taken in neighbouring rounds, so G would have to come in an even one, where it
// does not count.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "fig9-parity.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  int odd = 0;
  while (1) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    int next = 0;
    if (state == 0 && c == 'D' && odd == 0)
      next = 1;
    if (state == 1 && c == 'O' && odd == 1)
      next = 2;
    if (state == 2 && c == 'G' && odd == 1)
      next = 3;
    state = next;
    odd = 1 - odd;
    if (state == 3 && s0 == 'C' && s1 == 'A' && s2 == 'T')
      reach_error();
  }
}
