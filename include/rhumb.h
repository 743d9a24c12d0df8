/* What a program says to Rhumb: its inputs, what it assumes and what it asserts.
 *
 * `rhumb check` knows this header without a path. With gcc (`-I include`) every function has a definition of its own that yields to that of a
 * harness (`rhumb check --harness`): inputs are 0, a run in which an assumption fails ends, and one in which an assertion fails aborts. */
#ifndef RHUMB_H
#define RHUMB_H

/* A condition that has to hold, one under which runs count, and the error itself. */
#define rhumb_assert(condition) ((condition) ? (void)0 : reach_error())
#define rhumb_assume(condition) __VERIFIER_assume(!!(condition))
#define rhumb_fail() reach_error()

/* Any value of a type: rhumb_any(int), rhumb_any(uchar). Any contents of an object. */
#define rhumb_any(type) __VERIFIER_nondet_##type()
#define rhumb_any_contents(pointer, size) __VERIFIER_nondet_memory(pointer, size)

#ifdef __RHUMB__
void reach_error(void);
void __VERIFIER_assume(int);
void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);
#define RHUMB_INPUT(type, name) type __VERIFIER_nondet_##name(void);
#else
void abort(void);
void exit(int);
__attribute__((weak)) void reach_error(void) { abort(); }
__attribute__((weak)) void __VERIFIER_assume(int condition) {
  if (!condition) exit(0);
}
__attribute__((weak)) void __VERIFIER_nondet_memory(void *object, __SIZE_TYPE__ size) {
  for (__SIZE_TYPE__ i = 0; i < size; i++) ((char *)object)[i] = 0;
}
#define RHUMB_INPUT(type, name) \
  __attribute__((weak)) type __VERIFIER_nondet_##name(void) { return 0; }
#endif

RHUMB_INPUT(_Bool, bool)
RHUMB_INPUT(char, char)
RHUMB_INPUT(signed char, schar)
RHUMB_INPUT(unsigned char, uchar)
RHUMB_INPUT(short, short)
RHUMB_INPUT(unsigned short, ushort)
RHUMB_INPUT(int, int)
RHUMB_INPUT(unsigned int, uint)
RHUMB_INPUT(long, long)
RHUMB_INPUT(unsigned long, ulong)
RHUMB_INPUT(long long, longlong)
RHUMB_INPUT(unsigned long long, ulonglong)
RHUMB_INPUT(__SIZE_TYPE__, size_t)
RHUMB_INPUT(float, float)
RHUMB_INPUT(double, double)

#undef RHUMB_INPUT
#endif
