// A union is read by the member that its tag says; with -D BUG a number is taken for a character when it looks like one.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

enum kind { NUMBER, CHARACTER };

struct value {
  enum kind kind;
  union {
    int number;
    unsigned char character;
  } as;
};

static struct value number(int n) {
  struct value v = {.kind = NUMBER};
  v.as.number = n;
#ifdef BUG
  if (n >= 'a')
    v.kind = CHARACTER;
#endif
  return v;
}

static int code(const struct value *v) {
  return v->kind == NUMBER ? v->as.number : v->as.character;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  struct value v = number(n);
  assert(code(&v) == n);
  return 0;
}
