// Uses examples/ring.c: what goes in first comes out first, also when the ring has gone around.
#include <assert.h>

#include "ring.h"

int main(void) {
  for (int i = 0; i < 3; i++)
    put(i);
  int value;
  for (int i = 0; i < 3; i++) {
    assert(take(&value) && value == i);
    assert(put(i + 3));
  }
  return 0;
}
