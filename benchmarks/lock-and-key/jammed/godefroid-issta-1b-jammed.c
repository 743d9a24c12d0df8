// Counts down from an input and asks behind the loop for one exact count.
// SAFE: rounds stays even and within an int, and the count asked for is odd.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "godefroid-issta-1b-jammed.c", 1, "reach_error"); }

int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 1000000000)
    return 0;
  int rounds = 0;
  unsigned int sum = 0;
  while (x > 0) {
    rounds = rounds + 2;
    sum = sum + rounds;
    x = x - 1;
  }
  if (rounds == 10001)
    reach_error();
  return 0;
}
