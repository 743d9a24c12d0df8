// A nest of 16 loops; each is told by an input how often to run.
// UNSAFE: every loop runs twice each time.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "nesting-unsafe-16.c", 1, "reach_error"); }

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
                  int n9 = __VERIFIER_nondet_int();
                  for (int i9 = 0; i9 < n9 && i9 < 2; i9++) {
                    int n10 = __VERIFIER_nondet_int();
                    for (int i10 = 0; i10 < n10 && i10 < 2; i10++) {
                      int n11 = __VERIFIER_nondet_int();
                      for (int i11 = 0; i11 < n11 && i11 < 2; i11++) {
                        int n12 = __VERIFIER_nondet_int();
                        for (int i12 = 0; i12 < n12 && i12 < 2; i12++) {
                          int n13 = __VERIFIER_nondet_int();
                          for (int i13 = 0; i13 < n13 && i13 < 2; i13++) {
                            int n14 = __VERIFIER_nondet_int();
                            for (int i14 = 0; i14 < n14 && i14 < 2; i14++) {
                              int n15 = __VERIFIER_nondet_int();
                              for (int i15 = 0; i15 < n15 && i15 < 2; i15++) {
                                int n16 = __VERIFIER_nondet_int();
                                for (int i16 = 0; i16 < n16 && i16 < 2; i16++) {
                                  visits = visits + 1;
                                }
                              }
                            }
                          }
                        }
                      }
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
  if (visits == 65536)
    reach_error();
  return 0;
}
