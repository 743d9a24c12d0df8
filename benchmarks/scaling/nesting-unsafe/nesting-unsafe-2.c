// A nest of 2 loops; each is told by an input how often to run.
// UNSAFE: every loop runs twice each time.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "nesting-unsafe-2.c", 1, "reach_error"); }

int main(void) {
  int visits = 0;
  int n1 = __VERIFIER_nondet_int();
  for (int i1 = 0; i1 < n1 && i1 < 2; i1++) {
    int n2 = __VERIFIER_nondet_int();
    for (int i2 = 0; i2 < n2 && i2 < 2; i2++) {
      visits = visits + 1;
    }
  }
  if (visits == 4)
    reach_error();
  return 0;
}
