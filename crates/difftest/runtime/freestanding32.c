/* A tiny C library for i386 Linux without any library installed: process start, system calls,
   output, memory, strings. 64-bit arithmetic is in arithmetic32.c. */
#include "platform.h"

typedef __builtin_va_list va_list;
#define va_start(list, last) __builtin_va_start(list, last)
#define va_arg(list, type) __builtin_va_arg(list, type)
#define va_end(list) __builtin_va_end(list)

void abort(void) __attribute__((noreturn));

/* Process start: the stack must be aligned to 16 bytes at the call of main. */
__asm__(".globl _start\n"
        "_start:\n"
        "    xorl %ebp, %ebp\n"
        "    movl (%esp), %eax\n"
        "    leal 4(%esp), %edx\n"
        "    andl $-16, %esp\n"
        "    subl $8, %esp\n"
        "    pushl %edx\n"
        "    pushl %eax\n"
        "    call main\n"
        "    movl %eax, (%esp)\n"
        "    call exit\n"
        "    hlt\n");

static int syscall6(int number, int a, int b, int c, int d, int e, int f)
{
    int result;
    int arguments[2] = {number, f};
    /* The sixth argument travels in ebp, which the compiler keeps for itself. */
    __asm__ volatile("pushl %%ebp\n"
                     "movl 4(%%eax), %%ebp\n"
                     "movl (%%eax), %%eax\n"
                     "int $0x80\n"
                     "popl %%ebp\n"
                     : "=a"(result)
                     : "a"(arguments), "b"(a), "c"(b), "d"(c), "S"(d), "D"(e)
                     : "memory");
    return result;
}

static int syscall3(int number, int a, int b, int c) { return syscall6(number, a, b, c, 0, 0, 0); }

enum {
    NUMBER_EXIT_GROUP = 252,
    NUMBER_FORK = 2,
    NUMBER_READ = 3,
    NUMBER_WRITE = 4,
    NUMBER_OPEN = 5,
    NUMBER_CLOSE = 6,
    NUMBER_WAITPID = 7,
    NUMBER_GETPID = 20,
    NUMBER_KILL = 37,
    NUMBER_PIPE = 42,
    NUMBER_DUP2 = 63,
    NUMBER_SETITIMER = 104,
    NUMBER_MMAP2 = 192,
    SIGNAL_ABORT = 6,
};

int rt_fork(void) { return syscall3(NUMBER_FORK, 0, 0, 0); }

int rt_wait(int child)
{
    int status = 0;
    while (syscall3(NUMBER_WAITPID, child, (int)&status, 0) < 0)
        ;
    return status;
}

int rt_pipe(int ends[2]) { return syscall3(NUMBER_PIPE, (int)ends, 0, 0); }
int rt_dup2(int from, int to) { return syscall3(NUMBER_DUP2, from, to, 0); }
int rt_close(int file) { return syscall3(NUMBER_CLOSE, file, 0, 0); }
int rt_open_null(void) { return syscall3(NUMBER_OPEN, (int)"/dev/null", 2, 0); }
int rt_read(int file, void *bytes, unsigned long count) { return syscall3(NUMBER_READ, file, (int)bytes, (int)count); }
int rt_write(int file, const void *bytes, unsigned long count)
{
    return syscall3(NUMBER_WRITE, file, (int)bytes, (int)count);
}

void rt_cpu_limit(unsigned milliseconds)
{
    long timer[4] = {0, 0, milliseconds / 1000, milliseconds % 1000 * 1000};
    syscall3(NUMBER_SETITIMER, 2 /* ITIMER_PROF */, (int)timer, 0);
}

void rt_exit_now(int code)
{
    for (;;)
        syscall3(NUMBER_EXIT_GROUP, code, 0, 0);
}

static void *map(unsigned long bytes, int sharing)
{
    int result = syscall6(NUMBER_MMAP2, 0, (int)bytes, 3 /* read, write */, sharing | 0x20 /* anonymous */, -1, 0);
    return result < 0 && result > -4096 ? 0 : (void *)result;
}

void *rt_shared(unsigned long bytes) { return map(bytes, 1); }
void *rt_memory(unsigned long bytes) { return map(bytes, 2); }

/* Output. Whole lines are written at once. */
static char output[1 << 12];
static unsigned output_length;

static void flush(void)
{
    unsigned done = 0;
    while (done < output_length) {
        int written = rt_write(1, output + done, output_length - done);
        if (written <= 0)
            break;
        done += written;
    }
    output_length = 0;
}

void rt_line_buffered(void) {}

int putchar(int character)
{
    output[output_length++] = (char)character;
    if (character == '\n' || output_length == sizeof output)
        flush();
    return (unsigned char)character;
}

int puts(const char *text)
{
    while (*text)
        putchar(*text++);
    putchar('\n');
    return 1;
}

void exit(int code)
{
    flush();
    rt_exit_now(code);
}

void rt_exit(int code) { exit(code); }
void _exit(int code) { rt_exit_now(code); }

void abort(void)
{
    flush();
    syscall3(NUMBER_KILL, syscall3(NUMBER_GETPID, 0, 0, 0), SIGNAL_ABORT, 0);
    rt_exit_now(134);
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    (void)what, (void)file, (void)line, (void)function;
    abort();
}

struct style {
    unsigned width;
    char fill;
    char sign;
    int left;
};

static int put_padded(const char *text, unsigned length, struct style style)
{
    unsigned padding = style.width > length ? style.width - length : 0;
    int count = 0;
    if (style.fill == '0' && length && (*text == '-' || *text == '+')) {
        putchar(*text++);
        length--;
        count++;
    }
    for (; padding && !style.left; padding--, count++)
        putchar(style.fill);
    for (; length; length--, count++)
        putchar(*text++);
    for (; padding; padding--, count++)
        putchar(' ');
    return count;
}

static int put_number(unsigned long long value, int negative, unsigned base, const char *digits, struct style style)
{
    char text[32];
    unsigned at = sizeof text;
    do {
        text[--at] = digits[value % base];
        value /= base;
    } while (value);
    if (negative)
        text[--at] = '-';
    else if (style.sign)
        text[--at] = style.sign;
    return put_padded(text + at, sizeof text - at, style);
}

/* Flags 0 - + and space, a width, the lengths hh h l ll z j t, and d i u x X o c s p %. */
static int print(const char *format, va_list arguments)
{
    int count = 0;
    for (; *format; format++) {
        if (*format != '%') {
            putchar(*format);
            count++;
            continue;
        }
        struct style style = {0, ' ', 0, 0};
        int length = 0;
        for (format++;; format++) {
            if (*format == '0')
                style.fill = '0';
            else if (*format == '-')
                style.left = 1;
            else if (*format == '+' || *format == ' ')
                style.sign = *format;
            else
                break;
        }
        for (; *format >= '0' && *format <= '9'; format++)
            style.width = style.width * 10 + (*format - '0');
        for (;; format++) {
            if (*format == 'l')
                length++;
            else if (*format == 'h')
                length--;
            else if (*format == 'j')
                length = 2;
            else if (*format != 'z' && *format != 't')
                break;
        }
        unsigned long long value;
        switch (*format) {
        case 'd':
        case 'i': {
            long long number = length >= 2 ? va_arg(arguments, long long) : va_arg(arguments, int);
            if (length == -1)
                number = (short)number;
            else if (length == -2)
                number = (signed char)number;
            value = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
            count += put_number(value, number < 0, 10, "0123456789", style);
            break;
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            value = length >= 2 ? va_arg(arguments, unsigned long long) : va_arg(arguments, unsigned);
            if (length == -1)
                value = (unsigned short)value;
            else if (length == -2)
                value = (unsigned char)value;
            style.sign = 0;
            count += put_number(value, 0, *format == 'u' ? 10 : *format == 'o' ? 8 : 16,
                                *format == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", style);
            break;
        case 'p':
            style.sign = 0;
            count += put_number((unsigned)va_arg(arguments, void *), 0, 16, "0123456789abcdef", style);
            break;
        case 'c': {
            char character = (char)va_arg(arguments, int);
            style.fill = ' ';
            count += put_padded(&character, 1, style);
            break;
        }
        case 's': {
            const char *text = va_arg(arguments, const char *);
            unsigned size = 0;
            while (text[size])
                size++;
            style.fill = ' ';
            count += put_padded(text, size, style);
            break;
        }
        case '%':
            putchar('%');
            count++;
            break;
        default:
            /* A format that this library does not know must not pass for output. */
            abort();
        }
    }
    return count;
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = print(format, arguments);
    va_end(arguments);
    return count;
}

int vprintf(const char *format, va_list arguments) { return print(format, arguments); }

/* Strings and memory. */
void *memcpy(void *to, const void *from, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, unsigned long count)
{
    if ((unsigned long)to <= (unsigned long)from)
        return memcpy(to, from, count);
    while (count-- > 0)
        ((char *)to)[count] = ((const char *)from)[count];
    return to;
}

void *memset(void *to, int byte, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        ((char *)to)[i] = (char)byte;
    return to;
}

int memcmp(const void *left, const void *right, unsigned long count)
{
    const unsigned char *a = left, *b = right;
    for (; count; a++, b++, count--)
        if (*a != *b)
            return *a < *b ? -1 : 1;
    return 0;
}

unsigned long strlen(const char *text)
{
    unsigned long length = 0;
    while (text[length])
        length++;
    return length;
}

int strcmp(const char *left, const char *right)
{
    while (*left && *left == *right)
        left++, right++;
    return (unsigned char)*left - (unsigned char)*right;
}

int strncmp(const char *left, const char *right, unsigned long count)
{
    for (; count; left++, right++, count--)
        if (!*left || *left != *right)
            return (unsigned char)*left - (unsigned char)*right;
    return 0;
}

char *strcpy(char *to, const char *from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strchr(const char *text, int character)
{
    for (;; text++) {
        if (*text == (char)character)
            return (char *)text;
        if (!*text)
            return 0;
    }
}

int abs(int value) { return value < 0 ? -value : value; }

/* Memory is handed out and never taken back: the processes are short. */
static char *heap_next;
static unsigned long heap_left;

void *malloc(unsigned long size)
{
    unsigned long needed = ((size + 15) & ~15ul) + 16;
    if (needed < size)
        return 0;
    if (needed > heap_left) {
        unsigned long chunk = needed > (1ul << 20) ? needed : 1ul << 20;
        heap_next = map(chunk, 2);
        heap_left = heap_next ? chunk : 0;
        if (!heap_next)
            return 0;
    }
    char *block = heap_next;
    heap_next += needed;
    heap_left -= needed;
    *(unsigned long *)block = size;
    return block + 16;
}

void free(void *block) { (void)block; }

void *calloc(unsigned long count, unsigned long size)
{
    if (size && count > ~0ul / size)
        return 0;
    void *block = malloc(count * size);
    return block ? memset(block, 0, count * size) : 0;
}

void *realloc(void *block, unsigned long size)
{
    void *larger = malloc(size);
    if (larger && block) {
        unsigned long old = *(unsigned long *)((char *)block - 16);
        memcpy(larger, block, old < size ? old : size);
    }
    return larger;
}
