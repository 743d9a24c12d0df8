// Passes an amount through 2 loops, unit by unit.
// UNSAFE: a unit is lost before every loop.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "sequence-unsafe-2.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000)
    return 0;
  int v0 = n;
  if (__VERIFIER_nondet_int() && v0 > 0)
    v0 = v0 - 1;
  int v1 = 0;
  while (v0 > 0) {
    v0 = v0 - 1;
    v1 = v1 + 1;
  }
  if (__VERIFIER_nondet_int() && v1 > 0)
    v1 = v1 - 1;
  int v2 = 0;
  while (v1 > 0) {
    v1 = v1 - 1;
    v2 = v2 + 1;
  }
  if (v2 + 2 == n)
    reach_error();
  return 0;
}
