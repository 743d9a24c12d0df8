// EX-3: multiplies n times, subtracts m times, and asks for one result.
// SAFE: x stays even; wrapping around and becoming 0 keep that.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex3-unsigned.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  unsigned int m = __VERIFIER_nondet_uint();
  unsigned int x = 2;
  while (n > 0) {
    x = 2 * x;
    n = n - 1;
  }
  while (m > 0) {
    x = x - 2;
    m = m - 1;
  }
  if (x == 1)
    reach_error();
  return 0;
}
