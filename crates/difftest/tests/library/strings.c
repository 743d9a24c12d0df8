/* Strings: searching, cutting, sorting, numbers. */
#define _GNU_SOURCE
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static int compared;
static int by_tens(const void *a, const void *b)
{
    int x = *(const int *)a / 10, y = *(const int *)b / 10;
    compared++;
    return x < y ? -1 : x > y;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void last(void) { printf("last\n"); }
static void first(void) { printf("first\n"); }

int main(void)
{
    static const char *numbers[] = {"", "0", "12", "-12", "+7x", "  42 ", "0x1F", "0x", "0xg", "-0x10", "077", "08",
                                    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
                                    "18446744073709551615", "18446744073709551616", "-1", "zz", "- 1", "2147483648"};
    static const int bases[] = {0, 2, 8, 10, 16, 36};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (unsigned b = 0; b < sizeof bases / sizeof *bases; b++) {
            char *end;
            errno = 0;
            long l = strtol(numbers[i], &end, bases[b]);
            printf("%s/%d: %ld %d %d", numbers[i], bases[b], l, (int)(end - numbers[i]), errno);
            errno = 0;
            unsigned long u = strtoul(numbers[i], &end, bases[b]);
            printf(" %lu %d", u, errno);
            printf(" %lld %llu\n", strtoll(numbers[i], 0, bases[b]), strtoull(numbers[i], 0, bases[b]));
        }
    static const char *texts[] = {"", "a", "abc", "aabaab", "ABC", "hello, world,again"};
    static const char *parts[] = {"", "a", "ab", "aab", "B", "lo", ",", ", "};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 8; j++) {
            const char *s = texts[i], *p = parts[j];
            char *f = strcasestr(s, p), *m = memmem(s, strlen(s), p, strlen(p));
            printf("%d %d %d %d|", f ? (int)(f - s) : -1, m ? (int)(m - s) : -1, (int)(strchrnul(s, *p) - s), strcoll(s, p) < 0);
            char copy[32], *rest = copy, *piece;
            strcpy(copy, s);
            while ((piece = strsep(&rest, p)))
                printf("%s;", piece);
            strcpy(copy, s);
            for (piece = strtok(copy, p); piece; piece = strtok(0, p))
                printf("[%s]", piece);
            char out[4] = "###";
            printf("%d %.3s\n", (int)strxfrm(out, s, 3), out);
        }
    int values[] = {57, 3, 91, 55, 12, 8, 99, 51, 14, 2}, key = 58;
    qsort(values, 10, sizeof *values, by_tens);
    for (int i = 0; i < 10; i++)
        printf("%d ", values[i]);
    size_t count = 10;
    int *found = bsearch(&key, values, 10, sizeof *values, by_tens), *linear = lfind(&key, values, &count, sizeof *values, by_tens);
    printf("%d %d %d\n", (int)(found - values), (int)(linear - values), compared > 0);
    char *names[] = {"pear", "apple", "fig", "banana", "cherry"};
    qsort(names, 5, sizeof *names, by_name);
    for (int i = 0; i < 5; i++)
        printf("%s ", names[i]);
    char swapped[8] = "abcdefg";
    swab("12345", swapped, 5);
    printf("%s %s %s %d\n", swapped, index("hello", 'l'), rindex("hello", 'l'), bcmp("ab", "ac", 2) != 0);
    void *p = 0;
    printf("%d %d\n", posix_memalign(&p, 64, 100), posix_memalign(&p, 3, 100));
    free(p);
    atexit(last);
    atexit(first);
    return 7;
}
