// What goes into a ring buffer comes out in the same order; with -D BUG it takes one more than it has room for.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

#define ROOM 4

struct ring {
  int items[ROOM];
  unsigned first, count;
};

static int put(struct ring *r, int item) {
#ifdef BUG
  if (r->count > ROOM)
#else
  if (r->count == ROOM)
#endif
    return 0;
  r->items[(r->first + r->count) % ROOM] = item;
  r->count++;
  return 1;
}

static int take(struct ring *r) {
  int item = r->items[r->first];
  r->first = (r->first + 1) % ROOM;
  r->count--;
  return item;
}

int main(void) {
  struct ring r = {.first = 0, .count = 0};
  int in = 0, out = 0;
  for (int step = 0; step < 8; step++) {
    if (__VERIFIER_nondet_int() > 0)
      in += put(&r, in);
    else if (r.count > 0)
      assert(take(&r) == out++);
  }
  return 0;
}
