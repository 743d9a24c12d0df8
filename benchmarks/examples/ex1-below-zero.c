// EX-1 downwards: an unsigned counter steps below zero and goes on from the largest value.
// SAFE: after n rounds x is 2^32 - n, and n is at most the limit; a tool that lets x become
// negative sees an error.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex1-below-zero.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  if (n < 1 || n > 1000)
    return 0;
  unsigned int x = 0;
  while (n > 0) {
    x = x - 1;
    n = n - 1;
  }
  if (x < 4294966296u)
    reach_error();
  return 0;
}
