// The copy of a string is as long as the string and has the same characters; with -D BUG a copy that just fits has no end.
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define ROOM 6

static unsigned length(const char *s) {
  unsigned n = 0;
  while (s[n])
    n++;
  return n;
}

static void copy(char *to, const char *from, unsigned room) {
  unsigned i = 0;
  while (i + 1 < room && from[i]) {
    to[i] = from[i];
    i++;
  }
#ifdef BUG
  if (i + 1 < room)
#endif
    to[i] = 0;
}

int main(void) {
  char from[ROOM], to[ROOM + 1];
  for (int i = 0; i + 1 < ROOM; i++)
    from[i] = __VERIFIER_nondet_char();
  from[ROOM - 1] = 0;
  for (int i = 0; i < ROOM; i++)
    to[i] = 'x';
  to[ROOM] = 0;
  copy(to, from, ROOM);
  unsigned i = 0;
  while (to[i] && to[i] == from[i])
    i++;
  assert(i == length(from) && i == length(to));
  return 0;
}
