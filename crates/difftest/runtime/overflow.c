/* The arithmetic that -ftrapv leaves to a library: traps on overflow, like the sanitizer's checks.
   Together with the sanitizer the option keeps gcc from simplifying `x + 1 > 0` to something that can
   not overflow any more. */
#define DEFINE(suffix, type)                                                                                 \
    type __addv##suffix##3(type left, type right)                                                            \
    {                                                                                                        \
        type result;                                                                                         \
        if (__builtin_add_overflow(left, right, &result))                                                    \
            __builtin_trap();                                                                                \
        return result;                                                                                       \
    }                                                                                                        \
    type __subv##suffix##3(type left, type right)                                                            \
    {                                                                                                        \
        type result;                                                                                         \
        if (__builtin_sub_overflow(left, right, &result))                                                    \
            __builtin_trap();                                                                                \
        return result;                                                                                       \
    }                                                                                                        \
    type __mulv##suffix##3(type left, type right)                                                            \
    {                                                                                                        \
        type result;                                                                                         \
        if (__builtin_mul_overflow(left, right, &result))                                                    \
            __builtin_trap();                                                                                \
        return result;                                                                                       \
    }                                                                                                        \
    type __negv##suffix##2(type value) { return __subv##suffix##3(0, value); }                               \
    type __absv##suffix##2(type value) { return value < 0 ? __subv##suffix##3(0, value) : value; }

DEFINE(si, int)
DEFINE(di, long long)
#ifdef __SIZEOF_INT128__
DEFINE(ti, __int128)
#endif
