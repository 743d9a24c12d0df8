// A clock that is advanced by a line of assembly: `rhumb check examples/clock.c` can't look into it, and says so.
#include <assert.h>

unsigned tick(unsigned now) {
  __asm__("incl %0" : "+r"(now));
  return now;
}

int main(void) {
  unsigned now = 0;
  for (int i = 0; i < 1000; i++)
    now = tick(now);
  assert(now == 1000);
  return 0;
}
