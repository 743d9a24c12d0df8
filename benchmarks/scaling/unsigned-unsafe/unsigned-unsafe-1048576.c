// Counts in large steps, as often as an input says.
// UNSAFE: in the last round that is allowed, x wraps around.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "unsigned-unsafe-1048576.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  if (n > 1048576)
    return 0;
  unsigned int x = 0;
  for (unsigned int i = 0; i < n; i++)
    x = x + 4096;
  if (n > 0 && x < 4096)
    reach_error();
  return 0;
}
