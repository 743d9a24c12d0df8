// EX-2: adds up n, n - 1, ..., 1 and asks for one sum.
// SAFE: the sum is 0, 1, 3 or more; the limit keeps it below 2^31.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ex2.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 60000)
    return 0;
  int r = 0;
  while (n > 0) {
    r = r + n;
    n = n - 1;
  }
  if (r == 2)
    reach_error();
  return 0;
}
