/* What the functions that are generated for a verification task may call. */
#ifndef RHUMB_TASK_H
#define RHUMB_TASK_H

#include "inputs.h"

/* The target function was called. */
void rhumb_target_reached(void) __attribute__((noreturn));
/* A failed assumption ends the run. */
void rhumb_assume(int holds);

#endif
