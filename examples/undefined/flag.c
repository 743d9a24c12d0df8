// A flag out of a byte that comes from outside; with -D BUG any byte is taken for one.
#include <string.h>
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  unsigned char byte = __VERIFIER_nondet_uchar();
#ifndef BUG
  byte = byte != 0;
#endif
  _Bool flag;
  memcpy(&flag, &byte, sizeof flag);
  return flag;
}
