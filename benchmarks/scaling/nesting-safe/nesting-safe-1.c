// A nest of 1 loops; each is told by an input how often to run.
// SAFE: at the head of the loop on level k, exactly k - 1 loops are open.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "nesting-safe-1.c", 1, "reach_error"); }

int main(void) {
  int open = 0;
  int n1 = __VERIFIER_nondet_int();
  for (int i1 = 0; i1 < n1 && i1 < 1000; i1++) {
    open = open + 1;
    if (open != 1)
      reach_error();
    open = open - 1;
  }
  if (open != 0)
    reach_error();
  return 0;
}
