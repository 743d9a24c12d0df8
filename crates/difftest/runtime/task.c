/* Runs one verification task on many input vectors, each in a process of its own, and reports how
   each run ended.

   The task is compiled with -finstrument-functions, so that entering the target is noticed wherever
   it is defined, and with -fsanitize-coverage=trace-pc, which counts basic blocks: a limit of steps
   that is the same on every machine.

   Standard input: the limit of blocks (8 bytes), the limit of processor time in milliseconds (4
   bytes), then per vector a count (4 bytes) and 16 bytes per value. Per vector one line
   "<outcome> <wait status> <blocks> <inputs used>" is written. */
#include "platform.h"
#include "task.h"

enum outcome { ENDED, TARGET_REACHED, ASSUMPTION_FAILED, STEP_LIMIT };

/* Seen by parent and child. */
static struct report {
    unsigned outcome;
    unsigned inputs_used;
    unsigned long long blocks;
} *report;

static unsigned long long block_limit;

/* Where the targets are; one that is not in the task's object is 0. */
extern void (*const rhumb_targets[])(void);
extern const unsigned rhumb_target_count;

static void end(enum outcome outcome)
{
    report->outcome = outcome;
    rt_exit_now(0);
}

void rhumb_target_reached(void)
{
    end(TARGET_REACHED);
    __builtin_unreachable();
}

void rhumb_assume(int holds)
{
    if (!holds)
        end(ASSUMPTION_FAILED);
}

void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)caller;
    for (unsigned i = 0; i < rhumb_target_count; i++)
        if (function == (void *)rhumb_targets[i])
            rhumb_target_reached();
}

void __cyg_profile_func_exit(void *function, void *caller) { (void)function, (void)caller; }

void __sanitizer_cov_trace_pc(void)
{
    if (++report->blocks > block_limit)
        end(STEP_LIMIT);
}

static int read_exactly(void *bytes, unsigned long count)
{
    unsigned long done = 0;
    while (done < count) {
        int got = rt_read(0, (char *)bytes + done, count - done);
        if (got <= 0)
            return 0;
        done += (unsigned long)got;
    }
    return 1;
}

static char *number(char *at, unsigned long long value, char end)
{
    *--at = end;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return at;
}

/* The task's main, whatever its parameters: they are 0. */
int __real_main(int, char **);

int __wrap_main(void)
{
    unsigned milliseconds, count;
    report = rt_shared(sizeof *report);
    if (!report || !read_exactly(&block_limit, sizeof block_limit) ||
        !read_exactly(&milliseconds, sizeof milliseconds))
        return 2;
    rhumb_inputs_used = &report->inputs_used;
    while (read_exactly(&count, sizeof count)) {
        struct rhumb_input *inputs = 0;
        if (count) {
            inputs = rt_memory(count * sizeof *inputs);
            if (!inputs || !read_exactly(inputs, count * sizeof *inputs))
                return 2;
        }
        rhumb_inputs = inputs;
        rhumb_input_count = count;
        *report = (struct report){ENDED, 0, 0};
        int child = rt_fork();
        if (child < 0)
            return 3;
        if (child == 0) {
            int null = rt_open_null();
            rt_dup2(null, 0);
            rt_dup2(null, 1);
            rt_dup2(null, 2);
            rt_cpu_limit(milliseconds);
            rt_exit(__real_main(0, 0));
        }
        int status = rt_wait(child);
        char line[96];
        char *at = line + sizeof line;
        at = number(at, report->inputs_used, '\n');
        at = number(at, report->blocks, ' ');
        at = number(at, (unsigned)status, ' ');
        at = number(at, report->outcome, ' ');
        rt_write(1, at, (unsigned long)(line + sizeof line - at));
    }
    return 0;
}
