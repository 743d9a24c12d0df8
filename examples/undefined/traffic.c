// Three lights and nothing else, says the author; with -D BUG the number is not reduced to three.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
#ifdef BUG
  unsigned light = __VERIFIER_nondet_uint() % 4;
#else
  unsigned light = __VERIFIER_nondet_uint() % 3;
#endif
  switch (light) {
  case 0:
    return 10;
  case 1:
    return 20;
  case 2:
    return 30;
  }
  __builtin_unreachable();
}
