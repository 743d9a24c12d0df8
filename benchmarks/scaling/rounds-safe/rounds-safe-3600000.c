// EX-1: counts the lines of a request whose length is an input.
// SAFE: lines equals i, which stops at n, and requests that are too long were turned away.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "rounds-safe-3600000.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n >= 3600000)
    return 0;
  int i = 0;
  int lines = 0;
  while (i < n) {
    lines = lines + 1;
    i = i + 1;
  }
  if (lines >= 3600000)
    reach_error();
  return 0;
}
