/* Text from values, and values from text. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const char *format, ...)
{
    static const int rooms[] = {0, 1, 2, 7, 19, 100};
    for (int i = 0; i < 6; i++) {
        char text[104];
        va_list list;
        memset(text, '#', sizeof text);
        va_start(list, format);
        int n = vsnprintf(text, (size_t)rooms[i], format, list);
        va_end(list);
        printf("%d ", n);
        for (int j = 0; j < 20; j++)
            putchar(text[j] ? text[j] : '.');
        putchar('\n');
    }
}

static void scan(const char *text, const char *format)
{
    union {
        long long number;
        char text[24];
    } a, b, c;
    memset(&a, 7, sizeof a);
    memset(&b, 7, sizeof b);
    memset(&c, 7, sizeof c);
    int n = sscanf(text, format, &a, &b, &c);
    printf("[%s] [%s] %d %llx %llx %llx\n", text, format, n, a.number, b.number, c.number);
}

int main(void)
{
    show("hello %% %d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    show("%d %i %u %o %x %X %#x %#o %#X %#x", -5, 0, 7u, 8u, 255u, 255u, 255u, 8u, 10u, 0u);
    show("%.0d|%.0x|%#.0o|%5.0d|%+.0d", 0, 0u, 0u, 0, 0);
    show("%ld %lld %lu %llx %zu %jd", -1L, -2LL, 3UL, 4ULL, (size_t)5, (intmax_t)6);
    show("%hd %hhd %hu %hhu", 70000, 300, 70000, 300);
    show("%c|%5c|%-5c|%s|%8s|%-8s|%.2s|%8.1s", 'a', 'b', 'c', "str", "right", "left", "cut", "one");
    show("%*d|%-*d|%*d|%.*d|%.*s|%.*d", 6, 1, 6, 2, -6, 3, 4, 5, 2, "abc", -1, 9);
    show("%08.3d|%-08d|%+05d|% 05d|%#08x|%#-8x|", 1, 2, 3, 4, 5u, 6u);
    show("%lld %d", LLONG_MIN, INT_MIN);
    char text[40], *made;
    int middle = 0;
    int length = sprintf(text, "%s=%d%n;", "key", -17, &middle);
    printf("%d %d %s\n", length, middle, text);
    length = asprintf(&made, "%03d/%s", 5, text);
    printf("%d %s\n", length, made);
    free(made);
    static const char *texts[] = {"", " ", "12", "12 34", "-5,6", "0x1f zz", "abc def", "+", "--5", "99999999999", "12abc", "08", "%5", "  x y"};
    static const char *formats[] = {"%d", "%d %d", "%d%d", "%d,%d", "%i %s", "%x", "%s", "%3s%s", "%c", "%c%c%c", "%*d%d", "%2d%d", "%[a-c]%s",
                                    "%[^,],%d", "%u", "%ld %hd", "%hhd", "%lld", "abc%d", " %c", "%%%d", "%d%n", "%o"};
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        for (unsigned j = 0; j < sizeof formats / sizeof *formats; j++)
            scan(texts[i], formats[j]);
    static const char *sets[] = {"%[z-a]%c", "%[a-c-e]", "%[-a]", "%[a-]", "%[]a]", "%[^]a]", "%[^-]", "%[a--]", "%[!--]", "%[+--]", "%[---]%c", "%[--a]", "%[^^]",
                                 "%[]-a]", "%[^a-]%s", "%[0-9]%[a-zA-Z]", "%*[a-b]%c"};
    static const char *members[] = {"z-a", "abd-e", "a-b", "]a]b", "xx]", "!-,.", "+,-.", "-a", "ab^", "]^_`ab", "12aZ_"};
    for (unsigned i = 0; i < sizeof members / sizeof *members; i++)
        for (unsigned j = 0; j < sizeof sets / sizeof *sets; j++)
            scan(members[i], sets[j]);
    return 0;
}
