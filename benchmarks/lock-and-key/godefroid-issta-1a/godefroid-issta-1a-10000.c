// Counts down from an input, counts the rounds, and adds up their numbers.
// UNSAFE: the countdown has a round number 10000 if it starts above 10000.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "godefroid-issta-1a-10000.c", 1, "reach_error"); }

int main(void) {
  int x = __VERIFIER_nondet_int();
  int rounds = 0;
  unsigned int sum = 0;
  while (x > 0) {
    if (rounds == 10000)
      reach_error();
    rounds = rounds + 1;
    sum = sum + rounds;
    x = x - 1;
  }
  return 0;
}
