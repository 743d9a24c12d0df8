// EX-3: multiplies n times, subtracts m times, and asks for one result.
// SAFE: modulo 7 the value is 1 or 6 and the target is 3; the limits keep x within an int.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ex3-seven.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  int m = __VERIFIER_nondet_int();
  if (n > 11 || m > 1000000)
    return 0;
  int x = 1;
  while (n > 0) {
    x = 6 * x;
    n = n - 1;
  }
  while (m > 0) {
    x = x - 7;
    m = m - 1;
  }
  if (x == 1004)
    reach_error();
  return 0;
}
