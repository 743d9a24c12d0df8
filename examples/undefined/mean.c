// The mean of some measurements; with -D BUG there may be none.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int count = __VERIFIER_nondet_int(), sum = __VERIFIER_nondet_int();
#ifdef BUG
  if (count < 0 || count > 100)
#else
  if (count < 1 || count > 100)
#endif
    return 0;
  return sum / count > 10;
}
