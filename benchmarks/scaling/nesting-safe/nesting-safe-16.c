// A nest of 16 loops; each is told by an input how often to run.
// SAFE: at the head of the loop on level k, exactly k - 1 loops are open.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "nesting-safe-16.c", 1, "reach_error"); }

int main(void) {
  int open = 0;
  int n1 = __VERIFIER_nondet_int();
  for (int i1 = 0; i1 < n1 && i1 < 1000; i1++) {
    open = open + 1;
    int n2 = __VERIFIER_nondet_int();
    for (int i2 = 0; i2 < n2 && i2 < 1000; i2++) {
      open = open + 1;
      int n3 = __VERIFIER_nondet_int();
      for (int i3 = 0; i3 < n3 && i3 < 1000; i3++) {
        open = open + 1;
        int n4 = __VERIFIER_nondet_int();
        for (int i4 = 0; i4 < n4 && i4 < 1000; i4++) {
          open = open + 1;
          int n5 = __VERIFIER_nondet_int();
          for (int i5 = 0; i5 < n5 && i5 < 1000; i5++) {
            open = open + 1;
            int n6 = __VERIFIER_nondet_int();
            for (int i6 = 0; i6 < n6 && i6 < 1000; i6++) {
              open = open + 1;
              int n7 = __VERIFIER_nondet_int();
              for (int i7 = 0; i7 < n7 && i7 < 1000; i7++) {
                open = open + 1;
                int n8 = __VERIFIER_nondet_int();
                for (int i8 = 0; i8 < n8 && i8 < 1000; i8++) {
                  open = open + 1;
                  int n9 = __VERIFIER_nondet_int();
                  for (int i9 = 0; i9 < n9 && i9 < 1000; i9++) {
                    open = open + 1;
                    int n10 = __VERIFIER_nondet_int();
                    for (int i10 = 0; i10 < n10 && i10 < 1000; i10++) {
                      open = open + 1;
                      int n11 = __VERIFIER_nondet_int();
                      for (int i11 = 0; i11 < n11 && i11 < 1000; i11++) {
                        open = open + 1;
                        int n12 = __VERIFIER_nondet_int();
                        for (int i12 = 0; i12 < n12 && i12 < 1000; i12++) {
                          open = open + 1;
                          int n13 = __VERIFIER_nondet_int();
                          for (int i13 = 0; i13 < n13 && i13 < 1000; i13++) {
                            open = open + 1;
                            int n14 = __VERIFIER_nondet_int();
                            for (int i14 = 0; i14 < n14 && i14 < 1000; i14++) {
                              open = open + 1;
                              int n15 = __VERIFIER_nondet_int();
                              for (int i15 = 0; i15 < n15 && i15 < 1000; i15++) {
                                open = open + 1;
                                int n16 = __VERIFIER_nondet_int();
                                for (int i16 = 0; i16 < n16 && i16 < 1000; i16++) {
                                  open = open + 1;
                                  if (open != 16)
                                    reach_error();
                                  open = open - 1;
                                }
                                open = open - 1;
                              }
                              open = open - 1;
                            }
                            open = open - 1;
                          }
                          open = open - 1;
                        }
                        open = open - 1;
                      }
                      open = open - 1;
                    }
                    open = open - 1;
                  }
                  open = open - 1;
                }
                open = open - 1;
              }
              open = open - 1;
            }
            open = open - 1;
          }
          open = open - 1;
        }
        open = open - 1;
      }
      open = open - 1;
    }
    open = open - 1;
  }
  if (open != 0)
    reach_error();
  return 0;
}
