/* The arithmetic that gcc leaves to a library on i386: 64-bit division and conversions between
   64-bit integers and floating values, rounded to nearest, ties to even. */
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned u32;

u64 __udivmoddi4(u64 dividend, u64 divisor, u64 *remainder)
{
    u64 quotient = 0, rest = 0;
    if (divisor == 0)
        __builtin_trap();
    /* Schoolbook division in base two. */
    for (int bit = 63; bit >= 0; bit--) {
        u32 carry = (u32)(rest >> 63);
        rest = rest << 1 | (dividend >> bit & 1);
        if (carry || rest >= divisor) {
            rest -= divisor;
            quotient |= (u64)1 << bit;
        }
    }
    if (remainder)
        *remainder = rest;
    return quotient;
}

u64 __udivdi3(u64 dividend, u64 divisor) { return __udivmoddi4(dividend, divisor, 0); }

u64 __umoddi3(u64 dividend, u64 divisor)
{
    u64 rest;
    __udivmoddi4(dividend, divisor, &rest);
    return rest;
}

static u64 magnitude(s64 value) { return value < 0 ? 0 - (u64)value : (u64)value; }

s64 __divmoddi4(s64 dividend, s64 divisor, s64 *remainder)
{
    u64 rest;
    u64 quotient = __udivmoddi4(magnitude(dividend), magnitude(divisor), &rest);
    *remainder = (s64)(dividend < 0 ? 0 - rest : rest);
    return (s64)((dividend < 0) != (divisor < 0) ? 0 - quotient : quotient);
}

s64 __divdi3(s64 dividend, s64 divisor)
{
    s64 rest;
    return __divmoddi4(dividend, divisor, &rest);
}

s64 __moddi3(s64 dividend, s64 divisor)
{
    s64 rest;
    __divmoddi4(dividend, divisor, &rest);
    return rest;
}

u64 __muldi3(u64 left, u64 right)
{
    u32 a = (u32)left, b = (u32)right;
    u32 cross = (u32)(left >> 32) * b + a * (u32)(right >> 32);
    return (u64)a * b + ((u64)cross << 32);
}

s64 __negdi2(s64 value) { return (s64)(0 - (u64)value); }
int __cmpdi2(s64 left, s64 right) { return left < right ? 0 : left > right ? 2 : 1; }
int __ucmpdi2(u64 left, u64 right) { return left < right ? 0 : left > right ? 2 : 1; }

/* Shifts by halves, so that no shift of a 64-bit value is left to a library again. */
u64 __ashldi3(u64 value, int amount)
{
    u32 low = (u32)value, high = (u32)(value >> 32);
    if (amount >= 32)
        return (u64)(low << (amount - 32)) << 32;
    if (amount == 0)
        return value;
    return (u64)(high << amount | low >> (32 - amount)) << 32 | low << amount;
}

u64 __lshrdi3(u64 value, int amount)
{
    u32 low = (u32)value, high = (u32)(value >> 32);
    if (amount >= 32)
        return high >> (amount - 32);
    if (amount == 0)
        return value;
    return (u64)(high >> amount) << 32 | (low >> amount | high << (32 - amount));
}

s64 __ashrdi3(s64 value, int amount)
{
    u32 low = (u32)value;
    int high = (int)((u64)value >> 32);
    if (amount >= 32)
        return high >> (amount - 32);
    if (amount == 0)
        return value;
    return (s64)((u64)(u32)(high >> amount) << 32 | (low >> amount | (u32)high << (32 - amount)));
}

int __clzdi2(u64 value) { return value >> 32 ? __builtin_clz((u32)(value >> 32)) : 32 + __builtin_clz((u32)value); }
int __ctzdi2(u64 value) { return (u32)value ? __builtin_ctz((u32)value) : 32 + __builtin_ctz((u32)(value >> 32)); }
int __ffsdi2(u64 value) { return value ? __ctzdi2(value) + 1 : 0; }

int __popcountdi2(u64 value)
{
    int count = 0;
    for (; value; value &= value - 1)
        count++;
    return count;
}

int __popcountsi2(u32 value) { return __popcountdi2(value); }
int __paritydi2(u64 value) { return __popcountdi2(value) & 1; }

/* Integer to floating: `bits` is the precision including the hidden bit. The result is the encoding
   of the nearest value with `bits - 1` stored fraction bits. */
static u64 rounded(u64 value, int bits, int bias)
{
    if (value == 0)
        return 0;
    int exponent = 63 - __clzdi2(value);
    int excess = exponent - (bits - 1);
    u64 fraction;
    if (excess <= 0) {
        fraction = value << -excess;
    } else {
        u64 lost = value & (((u64)1 << excess) - 1);
        u64 half = (u64)1 << (excess - 1);
        fraction = value >> excess;
        if (lost > half || (lost == half && (fraction & 1)))
            fraction++;
    }
    /* A carry out of the fraction correctly becomes one in the exponent. */
    return ((u64)(exponent + bias - 1) << (bits - 1)) + fraction;
}

union float_bits {
    float value;
    u32 bits;
};

union double_bits {
    double value;
    u64 bits;
};

static float as_float(u64 value, int negative)
{
    union float_bits result;
    result.bits = (u32)rounded(value, 24, 127) | (u32)negative << 31;
    return result.value;
}

static double as_double(u64 value, int negative)
{
    union double_bits result;
    result.bits = rounded(value, 53, 1023) | (u64)negative << 63;
    return result.value;
}

float __floatundisf(u64 value) { return as_float(value, 0); }
double __floatundidf(u64 value) { return as_double(value, 0); }
float __floatdisf(s64 value) { return as_float(magnitude(value), value < 0); }
double __floatdidf(s64 value) { return as_double(magnitude(value), value < 0); }

/* Floating to integer, truncated; what does not fit is the caller's undefined behaviour. */
static u64 truncated(u64 fraction, int exponent, int bits)
{
    int shift = exponent - (bits - 1);
    if (exponent < 0)
        return 0;
    if (exponent > 63)
        return (u64)1 << 63;
    return shift >= 0 ? fraction << shift : fraction >> -shift;
}

u64 __fixunsdfdi(double value)
{
    union double_bits given = {value};
    u64 fraction = (given.bits & (((u64)1 << 52) - 1)) | (u64)1 << 52;
    return truncated(fraction, (int)(given.bits >> 52 & 0x7ff) - 1023, 53);
}

u64 __fixunssfdi(float value)
{
    union float_bits given = {value};
    u64 fraction = (given.bits & ((1u << 23) - 1)) | 1u << 23;
    return truncated(fraction, (int)(given.bits >> 23 & 0xff) - 127, 24);
}

s64 __fixdfdi(double value)
{
    union double_bits given = {value};
    u64 size = __fixunsdfdi(value);
    return (s64)(given.bits >> 63 ? 0 - size : size);
}

s64 __fixsfdi(float value)
{
    union float_bits given = {value};
    u64 size = __fixunssfdi(value);
    return (s64)(given.bits >> 31 ? 0 - size : size);
}
