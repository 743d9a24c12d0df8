// A table of eight prices; with -D BUG the last index is one too far.
extern int __VERIFIER_nondet_int(void);

int price[8];

int main(void) {
  int item = __VERIFIER_nondet_int();
#ifdef BUG
  if (item >= 0 && item <= 8)
#else
  if (item >= 0 && item < 8)
#endif
    price[item] = 5;
  return 0;
}
