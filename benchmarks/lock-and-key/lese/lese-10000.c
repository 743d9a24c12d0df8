// Stores items without looking at the room that is left.
// UNSAFE: 10000 items fill the room.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "lese-10000.c", 1, "reach_error"); }

int main(void) {
  int items = __VERIFIER_nondet_int();
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
