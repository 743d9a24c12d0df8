// Orders in a list of any length: what is checked when they come in holds of all of them when they go out; with -D BUG
// it is checked wrongly.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct order {
  int amount;
  int open;
  struct order *next;
};

int main(void) {
  struct order *orders = 0;
  while (__VERIFIER_nondet_int()) {
    int amount = __VERIFIER_nondet_int();
#ifdef BUG
    if (amount < 0)
#else
    if (amount <= 0)
#endif
      continue;
    struct order *order = malloc(sizeof *order);
    if (!order)
      exit(1);
    order->amount = amount;
    order->open = 1;
    order->next = orders;
    orders = order;
  }
  while (orders) {
    struct order *order = orders;
    orders = order->next;
    assert(order->open == 1);
    assert(order->amount > 0);
    free(order);
  }
  return 0;
}
