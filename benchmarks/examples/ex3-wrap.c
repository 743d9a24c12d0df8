// EX-3: multiplies n times, subtracts m times, and asks for one result.
// UNSAFE: 6^32 is 0 modulo 2^32, and 100 times 7 below that lies the target; modulo 7 no value that
// didn't wrap is equal to it.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex3-wrap.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  unsigned int m = __VERIFIER_nondet_uint();
  unsigned int x = 1;
  while (n > 0) {
    x = 6 * x;
    n = n - 1;
  }
  while (m > 0) {
    x = x - 7;
    m = m - 1;
  }
  if (x == 4294966596u)
    reach_error();
  return 0;
}
