/* Prints results of 64-bit arithmetic: on i386 by the functions of the runtime, elsewhere by the
   compiler's own code. */
int printf(const char *, ...);

typedef unsigned long long u64;
typedef long long s64;

#if __SIZEOF_LONG__ == 4
u64 __udivdi3(u64, u64);
u64 __umoddi3(u64, u64);
s64 __divdi3(s64, s64);
s64 __moddi3(s64, s64);
u64 __muldi3(u64, u64);
u64 __ashldi3(u64, int);
u64 __lshrdi3(u64, int);
s64 __ashrdi3(s64, int);
s64 __negdi2(s64);
int __cmpdi2(s64, s64);
int __ucmpdi2(u64, u64);
float __floatundisf(u64);
float __floatdisf(s64);
double __floatundidf(u64);
double __floatdidf(s64);
u64 __fixunsdfdi(double);
u64 __fixunssfdi(float);
s64 __fixdfdi(double);
s64 __fixsfdi(float);
int __popcountdi2(u64);
int __clzdi2(u64);
int __ctzdi2(u64);
#else
#define __udivdi3(a, b) ((a) / (b))
#define __umoddi3(a, b) ((a) % (b))
#define __divdi3(a, b) ((s64)(a) / (s64)(b))
#define __moddi3(a, b) ((s64)(a) % (s64)(b))
#define __muldi3(a, b) ((a) * (b))
#define __ashldi3(a, n) ((a) << (n))
#define __lshrdi3(a, n) ((a) >> (n))
#define __ashrdi3(a, n) ((s64)(a) >> (n))
#define __negdi2(a) ((s64)(0 - (a)))
#define __cmpdi2(a, b) ((s64)(a) < (s64)(b) ? 0 : (s64)(a) > (s64)(b) ? 2 : 1)
#define __ucmpdi2(a, b) ((a) < (b) ? 0 : (a) > (b) ? 2 : 1)
#define __floatundisf(a) ((float)(a))
#define __floatdisf(a) ((float)(s64)(a))
#define __floatundidf(a) ((double)(a))
#define __floatdidf(a) ((double)(s64)(a))
#define __fixunsdfdi(x) ((u64)(x))
#define __fixunssfdi(x) ((u64)(x))
#define __fixdfdi(x) ((s64)(x))
#define __fixsfdi(x) ((s64)(x))
#define __popcountdi2(a) __builtin_popcountll(a)
#define __clzdi2(a) __builtin_clzll(a)
#define __ctzdi2(a) __builtin_ctzll(a)
#endif

static unsigned float_bits(float value)
{
    union {
        float value;
        unsigned bits;
    } both = {value};
    return both.bits;
}

static u64 double_bits(double value)
{
    union {
        double value;
        u64 bits;
    } both = {value};
    return both.bits;
}

static void conversions(u64 a)
{
    printf("%llx: %x %x %llx %llx\n", a, float_bits(__floatundisf(a)), float_bits(__floatdisf(a)),
           double_bits(__floatundidf(a)), double_bits(__floatdidf(a)));
    /* The same by whatever the compiler does itself. */
    printf("%x %x %llx %llx %x\n", float_bits((float)a), float_bits((float)(s64)a), double_bits((double)a),
           double_bits((double)(s64)a), float_bits((float)(unsigned)a));
    double wide = (double)(a >> 1), small = (double)(s64)a / 1024.75;
    float narrow = (float)(a >> 2), tiny = (float)(s64)a / 3e9f;
    printf("%llx %llx %llx %llx\n", __fixunsdfdi(wide), __fixdfdi(small), __fixunssfdi(narrow), __fixsfdi(tiny));
    printf("%llx %llx %llx %llx\n", (u64)wide, (u64)(s64)small, (u64)narrow, (u64)(s64)tiny);
    if (a)
        printf("%d %d %d\n", __popcountdi2(a), __clzdi2(a), __ctzdi2(a));
}

static void pairs(u64 a, u64 b)
{
    printf("%llx %lld %d %d\n", __muldi3(a, b), (s64)__negdi2(a), __cmpdi2(a, b), __ucmpdi2(a, b));
    if (b) {
        printf("%llx %llx\n", __udivdi3(a, b), __umoddi3(a, b));
        if ((s64)b != -1)
            printf("%lld %lld\n", (s64)__divdi3(a, b), (s64)__moddi3(a, b));
    }
}

int main(void)
{
    static u64 values[160];
    unsigned count = 0;
    for (int bit = 0; bit < 64; bit += 3) {
        u64 power = 1ULL << bit;
        values[count++] = power - 1;
        values[count++] = power;
        values[count++] = power + 1;
        values[count++] = 0 - power;
    }
    /* Ties, and their neighbours, at the precision of float and of double. */
    values[count++] = (1ULL << 24) + 1;
    values[count++] = (3ULL << 23) + 1;
    values[count++] = ((1ULL << 24) + 1) << 20;
    values[count++] = (((1ULL << 24) + 1) << 20) + 1;
    values[count++] = (((1ULL << 24) + 3) << 20) - 1;
    values[count++] = (1ULL << 53) + 1;
    values[count++] = (1ULL << 53) + 3;
    values[count++] = ((1ULL << 53) + 1) << 8;
    values[count++] = (((1ULL << 53) + 1) << 8) - 1;
    u64 state = 12345;
    while (count < 150)
        values[count++] = state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    for (unsigned i = 0; i < count; i++) {
        conversions(values[i]);
        for (unsigned j = i % 7; j < count; j += 7)
            pairs(values[i], values[j]);
        for (int n = 0; n < 64; n += 5)
            printf("%llx %llx %llx\n", __ashldi3(values[i], n), __lshrdi3(values[i], n),
                   (u64)__ashrdi3(values[i], n));
    }
    return 0;
}
