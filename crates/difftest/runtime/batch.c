/* Runs several programs, each in a process of its own, and reports what they printed and how they
   ended.

   The inputs come on standard input: per program a count and then 16 bytes per value. For each
   program one line "<wait status> <bytes>" is written, followed by that many bytes of its output. */
#include "inputs.h"
#include "platform.h"

int printf(const char *, ...);

extern int (*const rhumb_programs[])(void);
extern const unsigned rhumb_program_count;
extern const unsigned rhumb_cpu_limit;

/* More output than this is cut: a program that prints so much is broken anyway. */
enum { OUTPUT_LIMIT = 4 << 20 };

static char *output;

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

static void write_all(const char *bytes, unsigned long count)
{
    while (count) {
        int done = rt_write(1, bytes, count);
        if (done <= 0)
            rt_exit_now(3);
        bytes += done;
        count -= (unsigned long)done;
    }
}

static void write_number(unsigned long value, char end)
{
    char text[24];
    unsigned at = sizeof text;
    text[--at] = end;
    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    write_all(text + at, sizeof text - at);
}

static void run(int (*program)(void), const int *ends)
{
    rt_close(0);
    rt_dup2(ends[1], 1);
    rt_close(ends[0]);
    rt_close(ends[1]);
    rt_line_buffered();
    rt_cpu_limit(rhumb_cpu_limit);
    rt_exit(program());
}

int main(void)
{
    output = rt_memory(OUTPUT_LIMIT);
    for (unsigned i = 0; i < rhumb_program_count; i++) {
        struct rhumb_input *inputs = 0;
        unsigned count = 0;
        if (!read_exactly(&count, sizeof count))
            return 2;
        if (count) {
            inputs = rt_memory(count * sizeof *inputs);
            if (!inputs || !read_exactly(inputs, count * sizeof *inputs))
                return 2;
        }
        rhumb_inputs = inputs;
        rhumb_input_count = count;

        int ends[2];
        if (!output || rt_pipe(ends) < 0)
            return 3;
        int child = rt_fork();
        if (child < 0)
            return 3;
        if (child == 0)
            run(rhumb_programs[i], ends);
        rt_close(ends[1]);
        unsigned long length = 0;
        for (;;) {
            int got = rt_read(ends[0], output + length, OUTPUT_LIMIT - length);
            if (got <= 0)
                break;
            length += (unsigned long)got;
        }
        /* A full buffer ends the reading; closing the pipe then ends the writer. */
        rt_close(ends[0]);
        int status = rt_wait(child);
        write_number((unsigned long)status, ' ');
        write_number(length, '\n');
        write_all(output, length);
    }
    return 0;
}
