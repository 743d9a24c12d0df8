// Runs a program on all sequences of inputs from given domains.
//
// Arguments: the most inputs of a run, how many domains stand for the first inputs, these domains, and the domains of all further inputs
// (over and over). A domain is a list `1,5,-3` or a range `-3..12`.
//
// Prints how many runs came to their end and how many were cut, or the inputs of the first run that reached the error (exit status 10).

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 64, MOST_DOMAINS = 64, MOST_VALUES = 64 };
enum ending { RETURNED, ERROR_REACHED, CUT };

struct domain {
  long long size;
  long long low;                 // of a range
  long long values[MOST_VALUES]; // of a list
  int is_list;
};

// The program's main, renamed.
int task_main(void);

static struct domain domains[MOST_DOMAINS];
static int domain_count, first_count, most_reads;

// The sequence of this run: for each input, which value of its domain it takes.
static long long choices[MOST_INPUTS];
static int known, used;
static jmp_buf run_ends;

static void bad(const char *complaint) {
  fprintf(stderr, "%s\n", complaint);
  exit(2);
}

static struct domain *domain_of(int input) {
  int repeated = domain_count - first_count;
  if (input < first_count)
    return &domains[input];
  if (repeated == 0)
    bad("an input has no domain");
  return &domains[first_count + (input - first_count) % repeated];
}

static long long value_of(int input) {
  struct domain *domain = domain_of(input);
  return domain->is_list ? domain->values[choices[input]] : domain->low + choices[input];
}

static long long next_input(void) {
  if (used == most_reads)
    longjmp(run_ends, CUT);
  if (used == known)
    choices[known++] = 0;
  return value_of(used++);
}

void __assert_fail(const char *test, const char *file, unsigned int line, const char *function) {
  longjmp(run_ends, ERROR_REACHED);
}

char __VERIFIER_nondet_char(void) { return next_input(); }
int __VERIFIER_nondet_int(void) { return next_input(); }
long __VERIFIER_nondet_long(void) { return next_input(); }
short __VERIFIER_nondet_short(void) { return next_input(); }
unsigned char __VERIFIER_nondet_uchar(void) { return next_input(); }
unsigned int __VERIFIER_nondet_uint(void) { return next_input(); }
unsigned long __VERIFIER_nondet_ulong(void) { return next_input(); }
unsigned short __VERIFIER_nondet_ushort(void) { return next_input(); }

static void read_domain(struct domain *domain, char *text) {
  char *dots = strstr(text, "..");
  if (dots) {
    domain->low = strtoll(text, NULL, 10);
    domain->size = strtoll(dots + 2, NULL, 10) - domain->low + 1;
    return;
  }
  domain->is_list = 1;
  for (char *item = strtok(text, ","); item; item = strtok(NULL, ",")) {
    if (domain->size == MOST_VALUES)
      bad("a list of values is too long");
    domain->values[domain->size++] = strtoll(item, NULL, 10);
  }
}

// The next sequence in lexical order; 0 when there is none.
static int next_sequence(void) {
  known = used;
  while (known > 0 && choices[known - 1] + 1 == domain_of(known - 1)->size)
    known--;
  if (known == 0)
    return 0;
  choices[known - 1]++;
  return 1;
}

int main(int count, char **arguments) {
  if (count < 4 || count - 3 > MOST_DOMAINS)
    bad("wrong number of arguments");
  most_reads = atoi(arguments[1]);
  first_count = atoi(arguments[2]);
  if (most_reads > MOST_INPUTS)
    bad("too many inputs");
  for (int i = 3; i < count; i++)
    read_domain(&domains[domain_count++], arguments[i]);

  static long long returned, cut;
  do {
    used = 0;
    switch (setjmp(run_ends)) {
    case RETURNED:
      task_main();
      returned++;
      break;
    case CUT:
      cut++;
      break;
    case ERROR_REACHED:
      for (int i = 0; i < used; i++)
        printf("%lld%s", value_of(i), i + 1 < used ? "," : "\n");
      return 10;
    }
  } while (next_sequence());
  printf("%lld %lld\n", returned, cut);
  return 0;
}
