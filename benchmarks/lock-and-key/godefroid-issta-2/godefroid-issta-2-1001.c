// Counts the cells of rows of length y; the rows end when x or z is used up.
// UNSAFE: 1001 rows, so x = 1001 and z at least 1001 - 1.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "godefroid-issta-2-1001.c", 1, "reach_error"); }

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  int z = __VERIFIER_nondet_int();
  if (x > 1000000 || y < 1 || y > 1000)
    return 0;
  int cells = 0;
  while (x > 0) {
    int rest = y;
    while (rest > 0) {
      cells = cells + 1;
      rest = rest - 1;
    }
    if (z <= 0)
      break;
    x = x - 1;
    z = z - 1;
  }
  if (cells == y * 1001)
    reach_error();
  return 0;
}
