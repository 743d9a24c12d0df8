// A machine that wants 8 letters in succession, one in each round.
// SAFE: the state is at most the number of rounds, whatever the number of letters is.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "states-safe-8.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (int round = 0; round < 7; round++) {
    int c = __VERIFIER_nondet_int();
    switch (state) {
    case 0:
      state = c == 'a' ? 1 : 0;
      break;
    case 1:
      state = c == 'h' ? 2 : 0;
      break;
    case 2:
      state = c == 'o' ? 3 : 0;
      break;
    case 3:
      state = c == 'v' ? 4 : 0;
      break;
    case 4:
      state = c == 'c' ? 5 : 0;
      break;
    case 5:
      state = c == 'j' ? 6 : 0;
      break;
    case 6:
      state = c == 'q' ? 7 : 0;
      break;
    case 7:
      state = c == 'x' ? 8 : 0;
      break;
    }
    if (state == 8)
      reach_error();
  }
  return 0;
}
