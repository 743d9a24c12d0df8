// EX-3: multiplies n times, subtracts m times, and asks for one result.
// UNSAFE: 2^10 - 2 * 12 is 1000.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ex3-target.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  int m = __VERIFIER_nondet_int();
  if (n > 29 || m > 1000000)
    return 0;
  int x = 2;
  while (n > 0) {
    x = 2 * x;
    n = n - 1;
  }
  while (m > 0) {
    x = x - 12;
    m = m - 1;
  }
  if (x == 1000)
    reach_error();
  return 0;
}
