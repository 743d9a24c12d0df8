// A buffer that is given back on an error; with -D BUG it is given back at the end once more.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  char *buffer = malloc(16);
  if (!buffer)
    return 1;
  if (__VERIFIER_nondet_int() < 0) {
    free(buffer);
#ifndef BUG
    return 1;
#endif
  }
  free(buffer);
  return 0;
}
