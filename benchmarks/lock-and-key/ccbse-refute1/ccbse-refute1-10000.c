// Scans numbers from 0 on; the number m is examined together with n, and examination never ends.
// UNSAFE: m = 10000, and n with its six low bits clear.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "ccbse-refute1-10000.c", 1, "reach_error"); }

static int low_bits(int n) {
  int set = 0;
  for (int k = 0; k < 6; k++) {
    if (n % 2 != 0)
      set = set + 1;
    n = n / 2;
  }
  return set;
}

static void examine(int m, int n) {
  int set = low_bits(n);
  for (;;) {
    if (set == 0 && m == 10000)
      reach_error();
  }
}

static void scan(int m, int n) {
  for (int i = 0; i < 30000; i++) {
    if (i == m)
      examine(m, n);
  }
}

int main(void) {
  int m = __VERIFIER_nondet_int();
  int n = __VERIFIER_nondet_int();
  scan(m, n);
  return 0;
}
