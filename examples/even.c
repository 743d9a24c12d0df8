// Safe: an even number stays even, however long the loop runs.
#include <assert.h>

extern unsigned int __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned int n = __VERIFIER_nondet_uint();
  unsigned int x = 0;
  for (unsigned int i = 0; i < n; i++)
    x += 2;
  assert(x % 2 == 0);
  return 0;
}
