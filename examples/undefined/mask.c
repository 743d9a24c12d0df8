// A mask with one bit; with -D BUG the bit may lie behind the last one.
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int bit = __VERIFIER_nondet_int();
#ifdef BUG
  if (bit < 0 || bit > 32)
#else
  if (bit < 0 || bit > 31)
#endif
    return 0;
  unsigned mask = 1u << bit;
  return mask == 0;
}
