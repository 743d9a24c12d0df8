// A lock that opens for one key only. The key has as many digits as the loop asks for, and nothing but the right sequence of inputs
// reaches the error: random testing has no chance.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
  int position = 0;
  int sum = 0;
  while (position < 8) {
    int digit = __VERIFIER_nondet_int();
    if (digit < 0 || digit > 9)
      return 0;
    sum = sum + (position % 2 ? 3 * digit : digit);
    position = position + 1;
  }
  if (sum == 100)
    reach_error();
  return 0;
}
