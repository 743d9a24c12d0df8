// A share in percent; with -D BUG it may be too large for an int.
extern double __VERIFIER_nondet_double(void);

int main(void) {
  double share = __VERIFIER_nondet_double();
#ifdef BUG
  if (!(share >= 0.0))
#else
  if (!(share >= 0.0 && share <= 1.0))
#endif
    return 0;
  int percent = (int)(share * 100.0);
  return percent > 200;
}
