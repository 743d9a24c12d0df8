/* The input values of a run: given in the order of the calls, 0 when they are used up. */
#ifndef RHUMB_INPUTS_H
#define RHUMB_INPUTS_H

/* 128 bits of a value in two's complement. */
struct rhumb_input {
    unsigned long long low, high;
};

/* The inputs of the current run and how many of them were asked for. */
extern const struct rhumb_input *rhumb_inputs;
extern unsigned rhumb_input_count;
extern unsigned *rhumb_inputs_used;

struct rhumb_input rhumb_next_input(void);

/* Conversions as C's from a wide integer; floating values are given by their bits. */
unsigned long long rhumb_next_bits(void);
_Bool rhumb_next_bool(void);
float rhumb_next_float(void);
double rhumb_next_double(void);

#endif
