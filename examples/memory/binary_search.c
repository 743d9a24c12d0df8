// Binary search in a sorted table finds what is there; with -D BUG it never looks at the last element.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define SIZE 8

static int find(const int *table, int wanted) {
  int low = 0;
#ifdef BUG
  int high = SIZE - 1;
#else
  int high = SIZE;
#endif
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (table[middle] == wanted)
      return middle;
    if (table[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

int main(void) {
  int table[SIZE];
  for (int i = 0; i < SIZE; i++) {
    table[i] = __VERIFIER_nondet_int();
    if (i > 0 && table[i] <= table[i - 1])
      return 0;
  }
  int place = __VERIFIER_nondet_int();
  if (place < 0 || place >= SIZE)
    return 0;
  assert(find(table, table[place]) == place);
  return 0;
}
