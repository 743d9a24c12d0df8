// EX-1 with another step: only one exact sum opens the lock.
// SAFE: the sum stays a multiple of 7 and far from the largest int; the target is none.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ex1-step-off.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 100000)
    return 0;
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum + 7;
  if (sum == 42001)
    reach_error();
  return 0;
}
