// EX-1 with another step: only one exact sum opens the lock.
// UNSAFE: 6000 steps of 7 make 42000.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ex1-step.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 100000)
    return 0;
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum + 7;
  if (sum == 42000)
    reach_error();
  return 0;
}
