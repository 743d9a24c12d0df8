// A hash table with chains finds what was put in last for a key; with -D BUG only the head of a chain is looked at.
#include <assert.h>
#include <stdlib.h>

extern unsigned __VERIFIER_nondet_uint(void);

#define BUCKETS 2

struct entry {
  unsigned key;
  int value;
  struct entry *next;
};

static struct entry *table[BUCKETS];

static void put(unsigned key, int value) {
  struct entry *entry = malloc(sizeof *entry);
  if (!entry)
    exit(1);
  entry->key = key;
  entry->value = value;
  entry->next = table[key % BUCKETS];
  table[key % BUCKETS] = entry;
}

static int get(unsigned key) {
  struct entry *entry = table[key % BUCKETS];
#ifdef BUG
  return entry && entry->key == key ? entry->value : -1;
#else
  for (; entry; entry = entry->next)
    if (entry->key == key)
      return entry->value;
  return -1;
#endif
}

int main(void) {
  unsigned first = __VERIFIER_nondet_uint(), second = __VERIFIER_nondet_uint();
  if (first == second)
    return 0;
  put(first, 1);
  put(second, 2);
  assert(get(first) == 1);
  assert(get(second) == 2);
  return 0;
}
