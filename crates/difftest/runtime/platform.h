/* What the drivers need of the machine: implemented once with the C library (hosted.c) and once
   with bare system calls (freestanding32.c). */
#ifndef RHUMB_PLATFORM_H
#define RHUMB_PLATFORM_H

int rt_fork(void);
/* Waits for the child; its status in the encoding of waitpid. */
int rt_wait(int child);
int rt_pipe(int ends[2]);
int rt_dup2(int from, int to);
int rt_close(int file);
int rt_open_null(void);
int rt_read(int file, void *bytes, unsigned long count);
int rt_write(int file, const void *bytes, unsigned long count);
/* The process is killed by SIGPROF after this much processor time. */
void rt_cpu_limit(unsigned milliseconds);
/* Ends the process at once, without flushing anything. */
void rt_exit_now(int code) __attribute__((noreturn));
/* Ends the process as `exit` does. */
void rt_exit(int code) __attribute__((noreturn));
/* Makes every printed line visible to the reader of the pipe, even if the process then dies. */
void rt_line_buffered(void);
/* Zero-filled memory that is shared with child processes. */
void *rt_shared(unsigned long bytes);
void *rt_memory(unsigned long bytes);

#endif
