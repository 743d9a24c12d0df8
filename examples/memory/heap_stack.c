// A stack of heap nodes gives back what was pushed, last first; with -D BUG a value that looks like an end stays on it.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *below;
};

static struct node *push(struct node *top, int value) {
  struct node *node = malloc(sizeof *node);
  if (!node)
    exit(1);
  node->value = value;
  node->below = top;
  return node;
}

static struct node *pop(struct node *top, int *value) {
  *value = top->value;
#ifdef BUG
  struct node *below = *value == 12 ? top : top->below;
  if (below == top)
    return top;
#else
  struct node *below = top->below;
#endif
  free(top);
  return below;
}

int main(void) {
  struct node *top = 0;
  int pushed[3];
  for (int i = 0; i < 3; i++) {
    pushed[i] = __VERIFIER_nondet_int();
    top = push(top, pushed[i]);
  }
  for (int i = 2; i >= 0; i--) {
    int value;
    top = pop(top, &value);
    assert(value == pushed[i]);
  }
  assert(top == 0);
  return 0;
}
