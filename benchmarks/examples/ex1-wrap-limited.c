// EX-1 with another step: only one exact sum opens the lock.
// SAFE: the step is odd, so sums repeat only after as many rounds as the type has values; the first
// round that meets the target is the one after the limit.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex1-wrap-limited.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  if (n > 49999)
    return 0;
  unsigned int sum = 0;
  for (unsigned int i = 0; i < n; i++)
    sum = sum + 100003;
  if (sum == 705182704)
    reach_error();
  return 0;
}
