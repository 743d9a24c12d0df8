/* The input functions of SV-COMP with their usual types. */
#include "inputs.h"

int __VERIFIER_nondet_int(void) { return (int)rhumb_next_bits(); }
unsigned __VERIFIER_nondet_uint(void) { return (unsigned)rhumb_next_bits(); }
char __VERIFIER_nondet_char(void) { return (char)rhumb_next_bits(); }
unsigned char __VERIFIER_nondet_uchar(void) { return (unsigned char)rhumb_next_bits(); }
short __VERIFIER_nondet_short(void) { return (short)rhumb_next_bits(); }
unsigned short __VERIFIER_nondet_ushort(void) { return (unsigned short)rhumb_next_bits(); }
long __VERIFIER_nondet_long(void) { return (long)rhumb_next_bits(); }
unsigned long __VERIFIER_nondet_ulong(void) { return (unsigned long)rhumb_next_bits(); }
long long __VERIFIER_nondet_longlong(void) { return (long long)rhumb_next_bits(); }
unsigned long long __VERIFIER_nondet_ulonglong(void) { return rhumb_next_bits(); }
_Bool __VERIFIER_nondet_bool(void) { return rhumb_next_bool(); }
float __VERIFIER_nondet_float(void) { return rhumb_next_float(); }
double __VERIFIER_nondet_double(void) { return rhumb_next_double(); }
