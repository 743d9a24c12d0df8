// A clock that waits for its next tick in assembly: `rhumb check examples/clock.c` can't look into that, and says so.
#include <assert.h>

unsigned tick(unsigned now) {
  __asm__("hlt");
  return now + 1;
}

int main(void) {
  unsigned now = 0;
  for (int i = 0; i < 1000; i++)
    now = tick(now);
  assert(now == 1000);
  return 0;
}
