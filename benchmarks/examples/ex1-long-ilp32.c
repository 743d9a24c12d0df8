// EX-1 over a long, cut into slices: 43 of them are more than a long of 32 bits can hold.
// SAFE under ILP32: the largest value makes one slice less than asked for.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern long __VERIFIER_nondet_long(void);

void reach_error(void) { __assert_fail("0", "ex1-long-ilp32.c", 1, "reach_error"); }

int main(void) {
  long n = __VERIFIER_nondet_long();
  int slices = 0;
  while (n > 0) {
    n = n - 50000000;
    slices = slices + 1;
  }
  if (slices >= 44)
    reach_error();
  return 0;
}
