/* Floating-point arithmetic in every direction of rounding. */
#include <stdio.h>
#include <string.h>

int fesetround(int);
int fegetround(void);

static unsigned long long bits(double x)
{
    unsigned long long n;
    memcpy(&n, &x, sizeof n);
    return n;
}

static unsigned bits_f(float x)
{
    unsigned n;
    memcpy(&n, &x, sizeof n);
    return n;
}

int main(void)
{
    static const int modes[] = {0, 0x400, 0x800, 0xc00, 0x123, 0};
    volatile double a[] = {1, 3, -1, 0.1, 1e308, 5e-324, 2.5, -2.5, 12.9, 1e16};
    volatile float f[] = {1, 3, -0.1f, 3e38f, 1e-45f, 16777216};
    volatile long double w[] = {1, 3, -0.1L};
    volatile long long i = 9007199254740993, k = -16777217;
    volatile unsigned long long u = 18446744073709551615u;
    for (int m = 0; m < 6; m++) {
        int set = fesetround(modes[m]);
        printf("mode %d %d\n", set, fegetround());
        for (int x = 0; x < 10; x++)
            for (int y = 0; y < 10; y++)
                printf("%llx %llx %llx %llx\n", bits(a[x] + a[y]), bits(a[x] - a[y]), bits(a[x] * a[y]), bits(a[x] / a[y]));
        for (int x = 0; x < 6; x++)
            for (int y = 0; y < 6; y++)
                printf("%x %x %x %x\n", bits_f(f[x] + f[y]), bits_f(f[x] - f[y]), bits_f(f[x] * f[y]), bits_f(f[x] / f[y]));
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++)
                printf("%d %llx %x\n", w[x] / w[y] * w[y] == w[x], bits((double)(w[x] / w[y])), bits_f((float)(w[x] + w[y])));
        for (int x = 0; x < 10; x++)
            printf("%llx %x %lld\n", bits(a[x] < 1 ? 0 : __builtin_rint(a[x])), bits_f((float)a[x]), a[x] < 1e10 ? (long long)a[x] : 0);
        printf("%llx %x %llx %x\n", bits((double)i), bits_f((float)k), bits((double)u), bits_f((float)u));
        printf("%llx %llx %llx\n", bits(1.0 / 3.0), bits(0.1 + 0.2), bits((double)9007199254740993));
        volatile double two = 2, tenth = 0.1;
        double early = two / tenth / 3;
        fesetround(0);
        double late = two / tenth / 3;
        printf("%llx %llx\n", bits(early), bits(late));
    }
    return 0;
}
