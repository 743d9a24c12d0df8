#include "inputs.h"

static unsigned unshared_count;

const struct rhumb_input *rhumb_inputs;
unsigned rhumb_input_count;
unsigned *rhumb_inputs_used = &unshared_count;

struct rhumb_input rhumb_next_input(void)
{
    struct rhumb_input none = {0, 0};
    unsigned index = (*rhumb_inputs_used)++;
    return index < rhumb_input_count ? rhumb_inputs[index] : none;
}

unsigned long long rhumb_next_bits(void) { return rhumb_next_input().low; }

_Bool rhumb_next_bool(void)
{
    struct rhumb_input input = rhumb_next_input();
    return (input.low | input.high) != 0;
}

float rhumb_next_float(void)
{
    union {
        unsigned bits;
        float value;
    } both = {(unsigned)rhumb_next_bits()};
    return both.value;
}

double rhumb_next_double(void)
{
    union {
        unsigned long long bits;
        double value;
    } both = {rhumb_next_bits()};
    return both.value;
}
