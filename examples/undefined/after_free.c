// A message that is sent and freed; with -D BUG its length is read afterwards.
#include <stdlib.h>

struct message {
  int length;
};

int main(void) {
  struct message *message = malloc(sizeof *message);
  if (!message)
    return 1;
  message->length = 12;
#ifdef BUG
  free(message);
  int length = message->length;
#else
  int length = message->length;
  free(message);
#endif
  return length > 100;
}
