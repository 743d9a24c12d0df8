// Passes an amount through 8 loops, unit by unit.
// UNSAFE: a unit is lost before every loop.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "sequence-unsafe-8.c", 1, "reach_error"); }

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
  if (__VERIFIER_nondet_int() && v2 > 0)
    v2 = v2 - 1;
  int v3 = 0;
  while (v2 > 0) {
    v2 = v2 - 1;
    v3 = v3 + 1;
  }
  if (__VERIFIER_nondet_int() && v3 > 0)
    v3 = v3 - 1;
  int v4 = 0;
  while (v3 > 0) {
    v3 = v3 - 1;
    v4 = v4 + 1;
  }
  if (__VERIFIER_nondet_int() && v4 > 0)
    v4 = v4 - 1;
  int v5 = 0;
  while (v4 > 0) {
    v4 = v4 - 1;
    v5 = v5 + 1;
  }
  if (__VERIFIER_nondet_int() && v5 > 0)
    v5 = v5 - 1;
  int v6 = 0;
  while (v5 > 0) {
    v5 = v5 - 1;
    v6 = v6 + 1;
  }
  if (__VERIFIER_nondet_int() && v6 > 0)
    v6 = v6 - 1;
  int v7 = 0;
  while (v6 > 0) {
    v6 = v6 - 1;
    v7 = v7 + 1;
  }
  if (__VERIFIER_nondet_int() && v7 > 0)
    v7 = v7 - 1;
  int v8 = 0;
  while (v7 > 0) {
    v7 = v7 - 1;
    v8 = v8 + 1;
  }
  if (v8 + 8 == n)
    reach_error();
  return 0;
}
