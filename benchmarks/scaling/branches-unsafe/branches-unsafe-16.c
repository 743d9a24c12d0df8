// Takes 16 independent decisions in each round and counts them.
// UNSAFE: the right number of rounds, and always up.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "branches-unsafe-16.c", 1, "reach_error"); }

int main(void) {
  int rounds = __VERIFIER_nondet_int();
  if (rounds < 0 || rounds > 100)
    return 0;
  int up = 0;
  int down = 0;
  for (int i = 0; i < rounds; i++) {
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
    if (__VERIFIER_nondet_int())
      up = up + 1;
    else
      down = down + 1;
  }
  if (rounds == 10 && down == 0)
    reach_error();
  return 0;
}
