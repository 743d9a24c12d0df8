// Passes an amount through 4 loops, unit by unit.
// SAFE: in each loop the sum of the two amounts is n, and the first of them ends as 0.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "sequence-safe-4.c", 1, "reach_error"); }

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0 || n > 1000)
    return 0;
  int v0 = n;
  int v1 = 0;
  while (v0 > 0) {
    v0 = v0 - 1;
    v1 = v1 + 1;
  }
  int v2 = 0;
  while (v1 > 0) {
    v1 = v1 - 1;
    v2 = v2 + 1;
  }
  int v3 = 0;
  while (v2 > 0) {
    v2 = v2 - 1;
    v3 = v3 + 1;
  }
  int v4 = 0;
  while (v3 > 0) {
    v3 = v3 - 1;
    v4 = v4 + 1;
  }
  if (v4 != n)
    reach_error();
  return 0;
}
