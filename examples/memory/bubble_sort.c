// Five numbers, sorted; with -D BUG one pass is missing.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 5

#ifdef BUG
#define PASSES (SIZE - 2)
#else
#define PASSES (SIZE - 1)
#endif

int main(void) {
  int a[SIZE];
  for (int i = 0; i < SIZE; i++)
    a[i] = __VERIFIER_nondet_int();
  for (int pass = 0; pass < PASSES; pass++)
    for (int i = 0; i + 1 < SIZE; i++)
      if (a[i] > a[i + 1]) {
        int other = a[i];
        a[i] = a[i + 1];
        a[i + 1] = other;
      }
  for (int i = 0; i + 1 < SIZE; i++)
    assert(a[i] <= a[i + 1]);
  return 0;
}
