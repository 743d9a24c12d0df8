// A search that may find nothing; with -D BUG nobody looks whether it did.
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);

struct entry {
  int key, value;
} entries[3] = {{3, 30}, {5, 50}, {7, 70}};

static struct entry *find(int key) {
  for (int i = 0; i < 3; i++)
    if (entries[i].key == key)
      return &entries[i];
  return NULL;
}

int main(void) {
  struct entry *found = find(__VERIFIER_nondet_int());
#ifndef BUG
  if (found == NULL)
    return 0;
#endif
  return found->value > 100;
}
