/* The platform layer on top of the C library. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

int rt_fork(void) { return fork(); }

int rt_wait(int child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        ;
    return status;
}

int rt_pipe(int ends[2]) { return pipe(ends); }
int rt_dup2(int from, int to) { return dup2(from, to); }
int rt_close(int file) { return close(file); }
int rt_open_null(void) { return open("/dev/null", O_RDWR); }
int rt_read(int file, void *bytes, unsigned long count) { return (int)read(file, bytes, count); }
int rt_write(int file, const void *bytes, unsigned long count) { return (int)write(file, bytes, count); }

void rt_cpu_limit(unsigned milliseconds)
{
    struct itimerval timer = {{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_PROF, &timer, 0);
}

void rt_exit_now(int code) { _exit(code); }
void rt_exit(int code) { exit(code); }
void rt_line_buffered(void) { setvbuf(stdout, 0, _IOLBF, 1 << 16); }

void *rt_shared(unsigned long bytes)
{
    void *memory = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? 0 : memory;
}

void *rt_memory(unsigned long bytes) { return calloc(1, bytes); }
