// A machine that wants 32 letters in succession, one in each round.
// SAFE: the state is at most the number of rounds, whatever the number of letters is.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "states-safe-32.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (int round = 0; round < 31; round++) {
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
    case 8:
      state = c == 'e' ? 9 : 0;
      break;
    case 9:
      state = c == 'l' ? 10 : 0;
      break;
    case 10:
      state = c == 's' ? 11 : 0;
      break;
    case 11:
      state = c == 'z' ? 12 : 0;
      break;
    case 12:
      state = c == 'g' ? 13 : 0;
      break;
    case 13:
      state = c == 'n' ? 14 : 0;
      break;
    case 14:
      state = c == 'u' ? 15 : 0;
      break;
    case 15:
      state = c == 'b' ? 16 : 0;
      break;
    case 16:
      state = c == 'i' ? 17 : 0;
      break;
    case 17:
      state = c == 'p' ? 18 : 0;
      break;
    case 18:
      state = c == 'w' ? 19 : 0;
      break;
    case 19:
      state = c == 'd' ? 20 : 0;
      break;
    case 20:
      state = c == 'k' ? 21 : 0;
      break;
    case 21:
      state = c == 'r' ? 22 : 0;
      break;
    case 22:
      state = c == 'y' ? 23 : 0;
      break;
    case 23:
      state = c == 'f' ? 24 : 0;
      break;
    case 24:
      state = c == 'm' ? 25 : 0;
      break;
    case 25:
      state = c == 't' ? 26 : 0;
      break;
    case 26:
      state = c == 'a' ? 27 : 0;
      break;
    case 27:
      state = c == 'h' ? 28 : 0;
      break;
    case 28:
      state = c == 'o' ? 29 : 0;
      break;
    case 29:
      state = c == 'v' ? 30 : 0;
      break;
    case 30:
      state = c == 'c' ? 31 : 0;
      break;
    case 31:
      state = c == 'j' ? 32 : 0;
      break;
    }
    if (state == 32)
      reach_error();
  }
  return 0;
}
