// A ring buffer in an array; the assertion says that what goes in first comes out first.
#include <assert.h>

#define SIZE 4

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);

struct queue {
  int items[SIZE];
  unsigned head, count;
};

static void put(struct queue *q, int item) {
  if (q->count < SIZE)
    q->items[(q->head + q->count++) % SIZE] = item;
}

static int get(struct queue *q) {
  int item = q->items[q->head];
  q->head = (q->head + 1) % SIZE;
  q->count--;
  return item;
}

int main(void) {
  struct queue q = {.head = 0, .count = 0};
  int next_in = 0, next_out = 0;
  while (next_in < 1000) {
    if (q.count < SIZE && __VERIFIER_nondet_bool())
      put(&q, next_in++);
    else if (q.count > 0)
      assert(get(&q) == next_out++);
    else
      break;
  }
  return 0;
}
