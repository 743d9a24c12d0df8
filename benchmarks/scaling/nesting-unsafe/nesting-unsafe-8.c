// A nest of 8 loops; each is told by an input how often to run.
// UNSAFE: every loop runs twice each time.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "nesting-unsafe-8.c", 1, "reach_error"); }

int main(void) {
  int visits = 0;
  int n1 = __VERIFIER_nondet_int();
  for (int i1 = 0; i1 < n1 && i1 < 2; i1++) {
    int n2 = __VERIFIER_nondet_int();
    for (int i2 = 0; i2 < n2 && i2 < 2; i2++) {
      int n3 = __VERIFIER_nondet_int();
      for (int i3 = 0; i3 < n3 && i3 < 2; i3++) {
        int n4 = __VERIFIER_nondet_int();
        for (int i4 = 0; i4 < n4 && i4 < 2; i4++) {
          int n5 = __VERIFIER_nondet_int();
          for (int i5 = 0; i5 < n5 && i5 < 2; i5++) {
            int n6 = __VERIFIER_nondet_int();
            for (int i6 = 0; i6 < n6 && i6 < 2; i6++) {
              int n7 = __VERIFIER_nondet_int();
              for (int i7 = 0; i7 < n7 && i7 < 2; i7++) {
                int n8 = __VERIFIER_nondet_int();
                for (int i8 = 0; i8 < n8 && i8 < 2; i8++) {
                  visits = visits + 1;
                }
              }
            }
          }
        }
      }
    }
  }
  if (visits == 256)
    reach_error();
  return 0;
}
