// A structure that a function fills in through a pointer, and a tagged union: memory that is used like variables, and is taken for variables.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct range {
  int low, high;
};

enum tag { NUMBER, POINTER };
struct value {
  enum tag tag;
  union {
    int number;
    int *pointer;
  } as;
};

static int order(int a, int b, struct range *result) {
  if (a < b) {
    result->low = a;
    result->high = b;
  } else {
    result->low = b;
    result->high = a;
  }
  return a != b;
}

static int get(const struct value *value) { return value->tag == NUMBER ? value->as.number : *value->as.pointer; }

int main(void) {
  struct range range;
  int differ = order(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), &range);
  if (range.low > range.high || (differ && range.low == range.high))
    reach_error();
  int cell = range.high;
  struct value value;
  value.tag = POINTER;
  value.as.pointer = &cell;
  if (get(&value) < range.low)
    reach_error();
  return 0;
}
