// Passes an amount through 32 loops, unit by unit.
// UNSAFE: a unit is lost before every loop.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "sequence-unsafe-32.c", 1, "reach_error"); }

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
  if (__VERIFIER_nondet_int() && v8 > 0)
    v8 = v8 - 1;
  int v9 = 0;
  while (v8 > 0) {
    v8 = v8 - 1;
    v9 = v9 + 1;
  }
  if (__VERIFIER_nondet_int() && v9 > 0)
    v9 = v9 - 1;
  int v10 = 0;
  while (v9 > 0) {
    v9 = v9 - 1;
    v10 = v10 + 1;
  }
  if (__VERIFIER_nondet_int() && v10 > 0)
    v10 = v10 - 1;
  int v11 = 0;
  while (v10 > 0) {
    v10 = v10 - 1;
    v11 = v11 + 1;
  }
  if (__VERIFIER_nondet_int() && v11 > 0)
    v11 = v11 - 1;
  int v12 = 0;
  while (v11 > 0) {
    v11 = v11 - 1;
    v12 = v12 + 1;
  }
  if (__VERIFIER_nondet_int() && v12 > 0)
    v12 = v12 - 1;
  int v13 = 0;
  while (v12 > 0) {
    v12 = v12 - 1;
    v13 = v13 + 1;
  }
  if (__VERIFIER_nondet_int() && v13 > 0)
    v13 = v13 - 1;
  int v14 = 0;
  while (v13 > 0) {
    v13 = v13 - 1;
    v14 = v14 + 1;
  }
  if (__VERIFIER_nondet_int() && v14 > 0)
    v14 = v14 - 1;
  int v15 = 0;
  while (v14 > 0) {
    v14 = v14 - 1;
    v15 = v15 + 1;
  }
  if (__VERIFIER_nondet_int() && v15 > 0)
    v15 = v15 - 1;
  int v16 = 0;
  while (v15 > 0) {
    v15 = v15 - 1;
    v16 = v16 + 1;
  }
  if (__VERIFIER_nondet_int() && v16 > 0)
    v16 = v16 - 1;
  int v17 = 0;
  while (v16 > 0) {
    v16 = v16 - 1;
    v17 = v17 + 1;
  }
  if (__VERIFIER_nondet_int() && v17 > 0)
    v17 = v17 - 1;
  int v18 = 0;
  while (v17 > 0) {
    v17 = v17 - 1;
    v18 = v18 + 1;
  }
  if (__VERIFIER_nondet_int() && v18 > 0)
    v18 = v18 - 1;
  int v19 = 0;
  while (v18 > 0) {
    v18 = v18 - 1;
    v19 = v19 + 1;
  }
  if (__VERIFIER_nondet_int() && v19 > 0)
    v19 = v19 - 1;
  int v20 = 0;
  while (v19 > 0) {
    v19 = v19 - 1;
    v20 = v20 + 1;
  }
  if (__VERIFIER_nondet_int() && v20 > 0)
    v20 = v20 - 1;
  int v21 = 0;
  while (v20 > 0) {
    v20 = v20 - 1;
    v21 = v21 + 1;
  }
  if (__VERIFIER_nondet_int() && v21 > 0)
    v21 = v21 - 1;
  int v22 = 0;
  while (v21 > 0) {
    v21 = v21 - 1;
    v22 = v22 + 1;
  }
  if (__VERIFIER_nondet_int() && v22 > 0)
    v22 = v22 - 1;
  int v23 = 0;
  while (v22 > 0) {
    v22 = v22 - 1;
    v23 = v23 + 1;
  }
  if (__VERIFIER_nondet_int() && v23 > 0)
    v23 = v23 - 1;
  int v24 = 0;
  while (v23 > 0) {
    v23 = v23 - 1;
    v24 = v24 + 1;
  }
  if (__VERIFIER_nondet_int() && v24 > 0)
    v24 = v24 - 1;
  int v25 = 0;
  while (v24 > 0) {
    v24 = v24 - 1;
    v25 = v25 + 1;
  }
  if (__VERIFIER_nondet_int() && v25 > 0)
    v25 = v25 - 1;
  int v26 = 0;
  while (v25 > 0) {
    v25 = v25 - 1;
    v26 = v26 + 1;
  }
  if (__VERIFIER_nondet_int() && v26 > 0)
    v26 = v26 - 1;
  int v27 = 0;
  while (v26 > 0) {
    v26 = v26 - 1;
    v27 = v27 + 1;
  }
  if (__VERIFIER_nondet_int() && v27 > 0)
    v27 = v27 - 1;
  int v28 = 0;
  while (v27 > 0) {
    v27 = v27 - 1;
    v28 = v28 + 1;
  }
  if (__VERIFIER_nondet_int() && v28 > 0)
    v28 = v28 - 1;
  int v29 = 0;
  while (v28 > 0) {
    v28 = v28 - 1;
    v29 = v29 + 1;
  }
  if (__VERIFIER_nondet_int() && v29 > 0)
    v29 = v29 - 1;
  int v30 = 0;
  while (v29 > 0) {
    v29 = v29 - 1;
    v30 = v30 + 1;
  }
  if (__VERIFIER_nondet_int() && v30 > 0)
    v30 = v30 - 1;
  int v31 = 0;
  while (v30 > 0) {
    v30 = v30 - 1;
    v31 = v31 + 1;
  }
  if (__VERIFIER_nondet_int() && v31 > 0)
    v31 = v31 - 1;
  int v32 = 0;
  while (v31 > 0) {
    v31 = v31 - 1;
    v32 = v32 + 1;
  }
  if (v32 + 32 == n)
    reach_error();
  return 0;
}
