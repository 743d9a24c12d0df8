// Runs a program on the inputs that stand on the standard input, as in `100,1*30,-5`. The exit status says how the run ended.
//
// 32-bit code is linked without a C library, because few 64-bit machines have one for it.

enum ending { ERROR_REACHED = 10, ERROR_REACHED_EARLY = 11, INPUTS_USED_UP = 12, RETURNED = 13, BAD_INPUTS = 14 };

int main(void);

#ifdef __i386__
static int system_call(int number, int first, void *second, int third) {
  int result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(first), "c"(second), "d"(third)
                   : "memory");
  return result;
}

static void finish(enum ending ending) {
  system_call(1, ending, 0, 0);
  __builtin_unreachable();
}

static int read_some(char *to, int most) { return system_call(3, 0, to, most); }

// The kernel does not align the stack as calls of functions expect it.
__attribute__((force_align_arg_pointer)) void _start(void) {
  main();
  finish(RETURNED);
}
#else
extern void _exit(int);
extern long read(int, void *, unsigned long);

static void finish(enum ending ending) { _exit(ending); }

static int read_some(char *to, int most) { return read(0, to, most); }

// Runs when main has returned.
__attribute__((destructor)) static void returned(void) { finish(RETURNED); }
#endif

// The text of the inputs that were not read yet. It ends with a zero.
static char text[1 << 16];
static char *rest;

// The value that comes next, and how many times more.
static long long value;
static unsigned int times;

static unsigned long long number(void) {
  if (*rest < '0' || *rest > '9')
    finish(BAD_INPUTS);
  unsigned long long result = 0;
  for (; *rest >= '0' && *rest <= '9'; rest++)
    result = 10 * result + (*rest - '0');
  return result;
}

// Takes the next `value` or `value*count` off the text, if there is one.
static void next_run(void) {
  if (rest == 0) {
    int length = 0, more;
    while ((more = read_some(text + length, sizeof text - 1 - length)) > 0)
      length += more;
    if (more < 0 || length == sizeof text - 1)
      finish(BAD_INPUTS);
    rest = text;
  }
  if (*rest == 0)
    return;
  int negative = *rest == '-';
  rest += negative;
  value = number();
  if (negative)
    value = -value;
  times = 1;
  if (*rest == '*') {
    rest++;
    times = number();
  }
  if (*rest == ',')
    rest++;
}

static long long next_input(void) {
  if (times == 0)
    next_run();
  if (times == 0)
    finish(INPUTS_USED_UP);
  times--;
  return value;
}

void __assert_fail(const char *test, const char *file, unsigned int line, const char *function) {
  if (times == 0)
    next_run();
  finish(times == 0 ? ERROR_REACHED : ERROR_REACHED_EARLY);
}

char __VERIFIER_nondet_char(void) { return next_input(); }
int __VERIFIER_nondet_int(void) { return next_input(); }
long __VERIFIER_nondet_long(void) { return next_input(); }
short __VERIFIER_nondet_short(void) { return next_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return next_input(); }
unsigned int __VERIFIER_nondet_uint(void) { return next_input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return next_input(); }
unsigned short __VERIFIER_nondet_ushort(void) { return next_input(); }
