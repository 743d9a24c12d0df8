// A ring buffer in a file of its own, with its user in examples/ring_user.c: `rhumb check examples/ring.c examples/ring_user.c`
#include "ring.h"

static int cells[SIZE];
static unsigned first, count;

int put(int value) {
  if (count == SIZE)
    return 0;
  cells[(first + count) % SIZE] = value;
  count++;
  return 1;
}

int take(int *value) {
  if (count == 0)
    return 0;
  *value = cells[first];
  first = (first + 1) % SIZE;
  count--;
  return 1;
}
