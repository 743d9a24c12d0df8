// The middle between two indices; with -D BUG the sum of two large ones overflows.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int middle(int low, int high) {
#ifdef BUG
  return (low + high) / 2;
#else
  return low + (high - low) / 2;
#endif
}

int main(void) {
  int low = __VERIFIER_nondet_int(), high = __VERIFIER_nondet_int();
  if (0 <= low && low <= high)
    assert(low <= middle(low, high));
  return 0;
}
