// A shift register of 16 bits and a counter of the ones in it.
// UNSAFE: as many ones as bits, in as many rounds.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "variables-unsafe-16.c", 1, "reach_error"); }

int main(void) {
  int rounds = __VERIFIER_nondet_int();
  if (rounds < 0 || rounds > 10000)
    return 0;
  int x0 = 0;
  int x1 = 0;
  int x2 = 0;
  int x3 = 0;
  int x4 = 0;
  int x5 = 0;
  int x6 = 0;
  int x7 = 0;
  int x8 = 0;
  int x9 = 0;
  int x10 = 0;
  int x11 = 0;
  int x12 = 0;
  int x13 = 0;
  int x14 = 0;
  int x15 = 0;
  int ones = 0;
  while (rounds > 0) {
    int bit = __VERIFIER_nondet_int() != 0;
    ones = ones + bit - x15;
    x15 = x14;
    x14 = x13;
    x13 = x12;
    x12 = x11;
    x11 = x10;
    x10 = x9;
    x9 = x8;
    x8 = x7;
    x7 = x6;
    x6 = x5;
    x5 = x4;
    x4 = x3;
    x3 = x2;
    x2 = x1;
    x1 = x0;
    x0 = bit;
    rounds = rounds - 1;
  }
  if (ones == 16)
    reach_error();
  return 0;
}
