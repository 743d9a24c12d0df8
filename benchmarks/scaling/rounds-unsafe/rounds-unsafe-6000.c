// EX-1: counts the lines of a request whose length is an input.
// UNSAFE: a request of exactly that length is enough.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "rounds-unsafe-6000.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0;
  int lines = 0;
  while (i < n) {
    lines = lines + 1;
    i = i + 1;
  }
  if (lines >= 6000)
    reach_error();
  return 0;
}
