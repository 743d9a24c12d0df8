// A cursor moves through a buffer; with -D BUG the cursor is freed, which points somewhere else by then.
#include <stdlib.h>

int main(void) {
  char *buffer = malloc(4), *cursor = buffer;
  if (!buffer)
    return 1;
  *cursor++ = 'a';
#ifdef BUG
  free(cursor);
#else
  free(buffer);
#endif
  return 0;
}
