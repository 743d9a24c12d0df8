// Like figure 9, but one character at a time: looks for RHUMB anywhere in an endless stream.
// UNSAFE: the five letters in succession.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern char __VERIFIER_nondet_char(void);

void reach_error(void) { __assert_fail("0", "fig9-stream.c", 1, "reach_error"); }

int main(void) {
  int matched = 0;
  for (;;) {
    char c = __VERIFIER_nondet_char();
    switch (matched) {
    case 0:
      matched = c == 'R';
      break;
    case 1:
      matched = c == 'H' ? 2 : c == 'R';
      break;
    case 2:
      matched = c == 'U' ? 3 : c == 'R';
      break;
    case 3:
      matched = c == 'M' ? 4 : c == 'R';
      break;
    default:
      matched = c == 'B' ? 5 : c == 'R';
    }
    if (matched == 5)
      reach_error();
  }
}
