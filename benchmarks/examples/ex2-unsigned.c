// EX-2: adds up n, n - 1, ..., 1 and asks for one sum.
// SAFE: every term is even, and wrapping around keeps that; the target is odd.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex2-unsigned.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  unsigned int r = 0;
  while (n > 0) {
    r = r + 2 * n;
    n = n - 1;
  }
  if (r == 7)
    reach_error();
  return 0;
}
