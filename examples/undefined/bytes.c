// A number out of four bytes; with -D BUG the last one gets into the sign.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  int number = 0;
  for (int i = 0; i < 4; i++) {
    unsigned char byte = __VERIFIER_nondet_uchar();
#ifdef BUG
    number |= byte << i * 8;
#else
    number |= (int)((unsigned)byte << i * 8);
#endif
  }
  return number == 7;
}
