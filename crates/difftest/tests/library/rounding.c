/* Floating-point arithmetic in every direction of rounding. */
#include <stdio.h>
#include <string.h>

int fesetround(int);
int fegetround(void);

/* One value at a time: the order of evaluation is nobody's question here. */
static void show(double x)
{
    unsigned long long n;
    memcpy(&n, &x, sizeof n);
    printf("%llx\n", n);
}

static void show_f(float x)
{
    unsigned n;
    memcpy(&n, &x, sizeof n);
    printf("%x\n", n);
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
        printf("set %d\n", set);
        printf("get %d\n", fegetround());
        for (int x = 0; x < 10; x++)
            for (int y = 0; y < 10; y++) {
                double p = a[x], q = a[y];
                show(p + q);
                show(p - q);
                show(p * q);
                show(p / q);
            }
        for (int x = 0; x < 6; x++)
            for (int y = 0; y < 6; y++) {
                float p = f[x], q = f[y];
                show_f(p + q);
                show_f(p - q);
                show_f(p * q);
                show_f(p / q);
            }
        for (int x = 0; x < 3; x++)
            for (int y = 0; y < 3; y++) {
                long double p = w[x], q = w[y];
                printf("%d\n", p / q * q == p);
                show((double)(p / q));
                show_f((float)(p + q));
            }
        for (int x = 0; x < 10; x++) {
            double p = a[x];
            show(p < 1 ? 0 : __builtin_rint(p));
            show_f((float)p);
        }
        show((double)i);
        show_f((float)k);
        show((double)u);
        show_f((float)u);
        show(1.0 / 3.0);
        show(0.1 + 0.2);
        show((double)9007199254740993);
        volatile double two = 2, tenth = 0.1;
        double p = two, q = tenth, early = p / q / 3;
        fesetround(0);
        double late = p / q / 3;
        show(early);
        show(late);
    }
    return 0;
}
