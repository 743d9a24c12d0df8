// An array as long as the user says; with -D BUG that may be less than nothing.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int rows = __VERIFIER_nondet_int();
#ifdef BUG
  if (rows > 10)
#else
  if (rows < 1 || rows > 10)
#endif
    return 0;
  int sums[rows];
  return sizeof sums > 1000;
}
