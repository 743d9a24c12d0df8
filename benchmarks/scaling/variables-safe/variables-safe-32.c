// A shift register of 32 bits and a counter of the ones in it.
// SAFE: a round adds the new bit to the counter and takes the lost one away.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "variables-safe-32.c", 1, "reach_error"); }

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
  int x16 = 0;
  int x17 = 0;
  int x18 = 0;
  int x19 = 0;
  int x20 = 0;
  int x21 = 0;
  int x22 = 0;
  int x23 = 0;
  int x24 = 0;
  int x25 = 0;
  int x26 = 0;
  int x27 = 0;
  int x28 = 0;
  int x29 = 0;
  int x30 = 0;
  int x31 = 0;
  int ones = 0;
  while (rounds > 0) {
    int bit = __VERIFIER_nondet_int() != 0;
    ones = ones + bit - x31;
    x31 = x30;
    x30 = x29;
    x29 = x28;
    x28 = x27;
    x27 = x26;
    x26 = x25;
    x25 = x24;
    x24 = x23;
    x23 = x22;
    x22 = x21;
    x21 = x20;
    x20 = x19;
    x19 = x18;
    x18 = x17;
    x17 = x16;
    x16 = x15;
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
  if (ones != x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9 + x10 + x11 + x12 + x13 + x14 + x15 + x16 + x17 + x18 + x19 + x20 + x21 + x22 + x23 + x24 + x25 + x26 + x27 + x28 + x29 + x30 + x31)
    reach_error();
  return 0;
}
