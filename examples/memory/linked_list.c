// Append, delete and sum of a singly linked list; with -D BUG the last element is not deleted.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

static void append(struct node **list, int value) {
  while (*list)
    list = &(*list)->next;
  *list = malloc(sizeof **list);
  if (!*list)
    exit(1);
  (*list)->value = value;
  (*list)->next = 0;
}

static void delete(struct node **list, int value) {
#ifdef BUG
  for (; *list && (*list)->next; list = &(*list)->next)
#else
  for (; *list; list = &(*list)->next)
#endif
    if ((*list)->value == value) {
      struct node *gone = *list;
      *list = gone->next;
      free(gone);
      return;
    }
}

static int sum(const struct node *list) {
  int sum = 0;
  for (; list; list = list->next)
    sum += list->value;
  return sum;
}

int main(void) {
  struct node *list = 0;
  int expected = 0;
  for (int i = 1; i <= 4; i++) {
    append(&list, i);
    expected += i;
  }
  int value = __VERIFIER_nondet_int();
  delete(&list, value);
  if (value >= 1 && value <= 4)
    expected -= value;
  assert(sum(list) == expected);
  return 0;
}
