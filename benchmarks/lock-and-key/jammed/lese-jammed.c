// Stores items without looking at the room that is left.
// SAFE: room and stored add up to the room at the start, and fewer items than that are let in.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "lese-jammed.c", 1, "reach_error"); }

int main(void) {
  int items = __VERIFIER_nondet_int();
  if (items > 9999)
    return 0;
  int room = 10000;
  int stored = 0;
  while (stored < items) {
    stored = stored + 1;
    room = room - 1;
  }
  if (room <= 0)
    reach_error();
  return 0;
}
