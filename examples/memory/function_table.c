// Operations by a table of functions; with -D BUG two entries are exchanged.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int larger(int a, int b) { return a > b ? a : b; }
static int smaller(int a, int b) { return a < b ? a : b; }

#ifdef BUG
static int (*const table[])(int, int) = {add, subtract, smaller, larger};
#else
static int (*const table[])(int, int) = {add, subtract, larger, smaller};
#endif

int main(void) {
  int op = __VERIFIER_nondet_int(), a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  if (op < 0 || op > 3 || a < -1000 || a > 1000 || b < -1000 || b > 1000)
    return 0;
  int result = table[op](a, b);
  if (op == 2)
    assert(result >= a && result >= b);
  if (op == 3)
    assert(result <= a && result <= b);
  return 0;
}
