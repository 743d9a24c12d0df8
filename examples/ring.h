// For examples/ring.c and examples/ring_user.c.
#define SIZE 4

int put(int value);
int take(int *value);
