// EX-2: adds up n, n - 1, ..., 1 and asks for one sum.
// UNSAFE: sums of 16 bits wrap, and modulo 2^16 every value is a triangular number.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern unsigned short __VERIFIER_nondet_ushort(void);

void reach_error(void) { __assert_fail("0", "ex2-ushort.c", 1, "reach_error"); }

int main(void) {
  unsigned short n = __VERIFIER_nondet_ushort();
  unsigned short r = 0;
  while (n > 0) {
    r = r + n;
    n = n - 1;
  }
  if (r == 2)
    reach_error();
  return 0;
}
