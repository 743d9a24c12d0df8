// Passes an amount through 16 loops, unit by unit.
// SAFE: in each loop the sum of the two amounts is n, and the first of them ends as 0.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "sequence-safe-16.c", 1, "reach_error"); }

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
  int v5 = 0;
  while (v4 > 0) {
    v4 = v4 - 1;
    v5 = v5 + 1;
  }
  int v6 = 0;
  while (v5 > 0) {
    v5 = v5 - 1;
    v6 = v6 + 1;
  }
  int v7 = 0;
  while (v6 > 0) {
    v6 = v6 - 1;
    v7 = v7 + 1;
  }
  int v8 = 0;
  while (v7 > 0) {
    v7 = v7 - 1;
    v8 = v8 + 1;
  }
  int v9 = 0;
  while (v8 > 0) {
    v8 = v8 - 1;
    v9 = v9 + 1;
  }
  int v10 = 0;
  while (v9 > 0) {
    v9 = v9 - 1;
    v10 = v10 + 1;
  }
  int v11 = 0;
  while (v10 > 0) {
    v10 = v10 - 1;
    v11 = v11 + 1;
  }
  int v12 = 0;
  while (v11 > 0) {
    v11 = v11 - 1;
    v12 = v12 + 1;
  }
  int v13 = 0;
  while (v12 > 0) {
    v12 = v12 - 1;
    v13 = v13 + 1;
  }
  int v14 = 0;
  while (v13 > 0) {
    v13 = v13 - 1;
    v14 = v14 + 1;
  }
  int v15 = 0;
  while (v14 > 0) {
    v14 = v14 - 1;
    v15 = v15 + 1;
  }
  int v16 = 0;
  while (v15 > 0) {
    v15 = v15 - 1;
    v16 = v16 + 1;
  }
  if (v16 != n)
    reach_error();
  return 0;
}
