// EX-1: counts the lines of a request whose length is an input.
// UNSAFE: five million lines are enough.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned int __VERIFIER_nondet_uint(void);

void reach_error(void) { __assert_fail("0", "ex1-unsigned.c", 1, "reach_error"); }

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  unsigned int i = 0;
  unsigned int lines = 0;
  while (i < n) {
    lines = lines + 1;
    i = i + 1;
  }
  if (lines >= 5000000)
    reach_error();
  return 0;
}
