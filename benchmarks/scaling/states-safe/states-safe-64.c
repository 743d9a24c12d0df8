// A machine that wants 64 letters in succession, one in each round.
// SAFE: the state is at most the number of rounds, whatever the number of letters is.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "states-safe-64.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (int round = 0; round < 63; round++) {
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
    case 32:
      state = c == 'q' ? 33 : 0;
      break;
    case 33:
      state = c == 'x' ? 34 : 0;
      break;
    case 34:
      state = c == 'e' ? 35 : 0;
      break;
    case 35:
      state = c == 'l' ? 36 : 0;
      break;
    case 36:
      state = c == 's' ? 37 : 0;
      break;
    case 37:
      state = c == 'z' ? 38 : 0;
      break;
    case 38:
      state = c == 'g' ? 39 : 0;
      break;
    case 39:
      state = c == 'n' ? 40 : 0;
      break;
    case 40:
      state = c == 'u' ? 41 : 0;
      break;
    case 41:
      state = c == 'b' ? 42 : 0;
      break;
    case 42:
      state = c == 'i' ? 43 : 0;
      break;
    case 43:
      state = c == 'p' ? 44 : 0;
      break;
    case 44:
      state = c == 'w' ? 45 : 0;
      break;
    case 45:
      state = c == 'd' ? 46 : 0;
      break;
    case 46:
      state = c == 'k' ? 47 : 0;
      break;
    case 47:
      state = c == 'r' ? 48 : 0;
      break;
    case 48:
      state = c == 'y' ? 49 : 0;
      break;
    case 49:
      state = c == 'f' ? 50 : 0;
      break;
    case 50:
      state = c == 'm' ? 51 : 0;
      break;
    case 51:
      state = c == 't' ? 52 : 0;
      break;
    case 52:
      state = c == 'a' ? 53 : 0;
      break;
    case 53:
      state = c == 'h' ? 54 : 0;
      break;
    case 54:
      state = c == 'o' ? 55 : 0;
      break;
    case 55:
      state = c == 'v' ? 56 : 0;
      break;
    case 56:
      state = c == 'c' ? 57 : 0;
      break;
    case 57:
      state = c == 'j' ? 58 : 0;
      break;
    case 58:
      state = c == 'q' ? 59 : 0;
      break;
    case 59:
      state = c == 'x' ? 60 : 0;
      break;
    case 60:
      state = c == 'e' ? 61 : 0;
      break;
    case 61:
      state = c == 'l' ? 62 : 0;
      break;
    case 62:
      state = c == 's' ? 63 : 0;
      break;
    case 63:
      state = c == 'z' ? 64 : 0;
      break;
    }
    if (state == 64)
      reach_error();
  }
  return 0;
}
