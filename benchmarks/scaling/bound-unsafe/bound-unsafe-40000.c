// Sends each of a fixed number of items left or right.
// UNSAFE: a quarter of the items, rounded down, goes right.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "bound-unsafe-40000.c", 1, "reach_error"); }

int main(void) {
  int left = 0;
  int right = 0;
  int i = 0;
  while (i < 40000) {
    if (__VERIFIER_nondet_int())
      left = left + 1;
    else
      right = right + 1;
    i = i + 1;
  }
  if (right == 10000)
    reach_error();
  return 0;
}
