// The mean of two numbers, the way it is often written: the sum overflows, which is found, though the assertion holds wherever it doesn't.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int average(int a, int b) { return (a + b) / 2; }

int main(void) {
  int a = __VERIFIER_nondet_int();
  int b = __VERIFIER_nondet_int();
  if (a <= b) {
    int mean = average(a, b);
    assert(a <= mean && mean <= b);
  }
  return 0;
}
