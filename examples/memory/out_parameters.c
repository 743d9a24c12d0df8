// A quotient and a remainder through pointers to a structure; with -D BUG the remainder of a negative number stays negative.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

struct division {
  int quotient, remainder;
};

static void divide(int number, int by, struct division *result, int *was_exact) {
  result->quotient = number / by;
  result->remainder = number % by;
#ifndef BUG
  if (result->remainder < 0) {
    result->remainder += by;
    result->quotient--;
  }
#endif
  *was_exact = result->remainder == 0;
}

int main(void) {
  struct division d;
  int was_exact;
  int number = __VERIFIER_nondet_int();
  divide(number, 7, &d, &was_exact);
  assert(d.remainder >= 0 && d.remainder < 7);
  assert(was_exact == (number % 7 == 0));
  assert((long)d.quotient * 7 + d.remainder == number);
  return 0;
}
