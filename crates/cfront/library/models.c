// Library functions in C, for programs that call them without defining them. The engines and the interpreter treat them like any other function.
//
// Each piece starts with a line "//: names"; a program gets the pieces that it calls. A piece that calls another declares it. Names carry a
// prefix so that they can't meet a declaration of the program's own. What C leaves undefined (a string without an end, a null pointer) is undefined here for the same reason.
//
// The front end gives meaning to these: __rhumb_unknown_T (a value that is not known, on which no counterexample may rest; a pointer in memory: bytes that
// are not known), __rhumb_input_bool and __rhumb_input_byte (from outside of the program), __rhumb_stdin (what `stdin` points to), __rhumb_refuse (what is
// not modelled), __rhumb_reads (so many bytes are read there), __rhumb_lose_errno.

//: abs
int __rhumb_model_abs(int x) { return x < 0 ? -x : x; }

//: labs
long __rhumb_model_labs(long x) { return x < 0 ? -x : x; }

//: llabs
long long __rhumb_model_llabs(long long x) { return x < 0 ? -x : x; }

//: ffs
int __rhumb_model_ffs(int x) { return __builtin_ffs(x); }

//: ffsl
int __rhumb_model_ffsl(long x) { return __builtin_ffsl(x); }

//: ffsll
int __rhumb_model_ffsll(long long x) { return __builtin_ffsll(x); }

//: lround
// The nearest integer. Where it doesn't fit the result is open; the ends of the range are powers of two, so they are exact.
long __rhumb_unknown_long(void);
long __rhumb_model_lround(double x) {
  double low = -(double)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_round(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: lroundf
long __rhumb_unknown_long(void);
long __rhumb_model_lroundf(float x) {
  float low = -(float)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_roundf(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: lroundl
long __rhumb_unknown_long(void);
long __rhumb_model_lroundl(long double x) {
  long double low = -(long double)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_roundl(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: lrint
long __rhumb_unknown_long(void);
long __rhumb_model_lrint(double x) {
  double low = -(double)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_rint(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: lrintf
long __rhumb_unknown_long(void);
long __rhumb_model_lrintf(float x) {
  float low = -(float)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_rintf(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: lrintl
long __rhumb_unknown_long(void);
long __rhumb_model_lrintl(long double x) {
  long double low = -(long double)(1ULL << (sizeof(long) * 8 - 1)), near = __builtin_rintl(x);
  return near >= low && near < -low ? (long)near : __rhumb_unknown_long();
}

//: llround
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llround(double x) {
  double low = -(double)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_round(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: llroundf
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llroundf(float x) {
  float low = -(float)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_roundf(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: llroundl
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llroundl(long double x) {
  long double low = -(long double)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_roundl(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: llrint
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llrint(double x) {
  double low = -(double)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_rint(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: llrintf
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llrintf(float x) {
  float low = -(float)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_rintf(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: llrintl
long long __rhumb_unknown_wide(void);
long long __rhumb_model_llrintl(long double x) {
  long double low = -(long double)(1ULL << (sizeof(long long) * 8 - 1)), near = __builtin_rintl(x);
  return near >= low && near < -low ? (long long)near : __rhumb_unknown_wide();
}

//: htonl
unsigned __rhumb_model_htonl(unsigned x) { return __builtin_bswap32(x); }

//: ntohl
unsigned __rhumb_model_ntohl(unsigned x) { return __builtin_bswap32(x); }

//: htons
unsigned short __rhumb_model_htons(unsigned short x) { return __builtin_bswap16(x); }

//: ntohs
unsigned short __rhumb_model_ntohs(unsigned short x) { return __builtin_bswap16(x); }

//: atoll
long long __rhumb_model_atoll(const char *s) {
  long long n = 0;
  int negative = 0;
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  if (*s == '-' || *s == '+')
    negative = *s++ == '-';
  // Summed up below zero, where there is room for one more.
  for (; *s >= '0' && *s <= '9'; s++)
    n = n * 10 - (*s - '0');
  return negative ? n : -n;
}

//: atol
long __rhumb_model_atol(const char *s) {
  long n = 0;
  int negative = 0;
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  if (*s == '-' || *s == '+')
    negative = *s++ == '-';
  for (; *s >= '0' && *s <= '9'; s++)
    n = n * 10 - (*s - '0');
  return negative ? n : -n;
}

//: atoi
int __rhumb_model_atoi(const char *s) {
  int n = 0;
  int negative = 0;
  while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
    s++;
  if (*s == '-' || *s == '+')
    negative = *s++ == '-';
  for (; *s >= '0' && *s <= '9'; s++)
    n = n * 10 - (*s - '0');
  return negative ? n : -n;
}

//: strlen
__typeof__(sizeof(0)) __rhumb_model_strlen(const char *s) {
  __typeof__(sizeof(0)) n = 0;
  while (s[n])
    n++;
  return n;
}

//: strnlen
__typeof__(sizeof(0)) __rhumb_model_strnlen(const char *s, __typeof__(sizeof(0)) max) {
  __typeof__(sizeof(0)) n = 0;
  while (n < max && s[n])
    n++;
  return n;
}

//: strcmp
int __rhumb_model_strcmp(const char *a, const char *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return (*(const unsigned char *)a > *(const unsigned char *)b) - (*(const unsigned char *)a < *(const unsigned char *)b);
}

//: strncmp
int __rhumb_model_strncmp(const char *a, const char *b, __typeof__(sizeof(0)) n) {
  while (n && *a && *a == *b) {
    a++;
    b++;
    n--;
  }
  if (!n)
    return 0;
  return (*(const unsigned char *)a > *(const unsigned char *)b) - (*(const unsigned char *)a < *(const unsigned char *)b);
}

//: strcasecmp
int __rhumb_model_tolower(int c);
int __rhumb_model_strcasecmp(const char *a, const char *b) {
  while (*a && __rhumb_model_tolower(*(const unsigned char *)a) == __rhumb_model_tolower(*(const unsigned char *)b)) {
    a++;
    b++;
  }
  int x = __rhumb_model_tolower(*(const unsigned char *)a), y = __rhumb_model_tolower(*(const unsigned char *)b);
  return (x > y) - (x < y);
}

//: strncasecmp
int __rhumb_model_tolower(int c);
int __rhumb_model_strncasecmp(const char *a, const char *b, __typeof__(sizeof(0)) n) {
  while (n && *a &&
         __rhumb_model_tolower(*(const unsigned char *)a) == __rhumb_model_tolower(*(const unsigned char *)b)) {
    a++;
    b++;
    n--;
  }
  if (!n)
    return 0;
  int x = __rhumb_model_tolower(*(const unsigned char *)a), y = __rhumb_model_tolower(*(const unsigned char *)b);
  return (x > y) - (x < y);
}

//: strcpy
char *__rhumb_model_strcpy(char *to, const char *from) {
  __typeof__(sizeof(0)) i = 0;
  while ((to[i] = from[i]))
    i++;
  return to;
}

//: stpcpy
char *__rhumb_model_stpcpy(char *to, const char *from) {
  while ((*to = *from)) {
    to++;
    from++;
  }
  return to;
}

//: strncpy
char *__rhumb_model_strncpy(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) i = 0;
  while (i < n && from[i]) {
    to[i] = from[i];
    i++;
  }
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to;
}

//: stpncpy
char *__rhumb_model_stpncpy(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) i = 0;
  while (i < n && from[i]) {
    to[i] = from[i];
    i++;
  }
  for (__typeof__(sizeof(0)) rest = i; rest < n; rest++)
    to[rest] = 0;
  return to + i;
}

//: strcat
char *__rhumb_model_strcat(char *to, const char *from) {
  __typeof__(sizeof(0)) end = 0, i = 0;
  while (to[end])
    end++;
  while ((to[end + i] = from[i]))
    i++;
  return to;
}

//: strncat
char *__rhumb_model_strncat(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) end = 0, i = 0;
  while (to[end])
    end++;
  while (i < n && from[i]) {
    to[end + i] = from[i];
    i++;
  }
  to[end + i] = 0;
  return to;
}

//: strchr
char *__rhumb_model_strchr(const char *s, int c) {
  while (*s != (char)c) {
    if (!*s)
      return 0;
    s++;
  }
  return (char *)s;
}

//: strrchr
char *__rhumb_model_strrchr(const char *s, int c) {
  char *found = 0;
  do {
    if (*s == (char)c)
      found = (char *)s;
  } while (*s++);
  return found;
}

//: strstr
char *__rhumb_model_strstr(const char *s, const char *part) {
  for (;;) {
    __typeof__(sizeof(0)) i = 0;
    while (part[i] && s[i] == part[i])
      i++;
    if (!part[i])
      return (char *)s;
    if (!*s)
      return 0;
    s++;
  }
}

//: strspn
__typeof__(sizeof(0)) __rhumb_model_strspn(const char *s, const char *accept) {
  __typeof__(sizeof(0)) n = 0;
  while (s[n]) {
    __typeof__(sizeof(0)) i = 0;
    while (accept[i] && accept[i] != s[n])
      i++;
    if (!accept[i])
      break;
    n++;
  }
  return n;
}

//: strcspn
__typeof__(sizeof(0)) __rhumb_model_strcspn(const char *s, const char *reject) {
  __typeof__(sizeof(0)) n = 0;
  while (s[n]) {
    __typeof__(sizeof(0)) i = 0;
    while (reject[i] && reject[i] != s[n])
      i++;
    if (reject[i])
      break;
    n++;
  }
  return n;
}

//: strpbrk
char *__rhumb_model_strpbrk(const char *s, const char *accept) {
  for (; *s; s++)
    for (__typeof__(sizeof(0)) i = 0; accept[i]; i++)
      if (accept[i] == *s)
        return (char *)s;
  return 0;
}

//: strdup
__typeof__(sizeof(0)) __rhumb_model_strlen(const char *s);
char *__rhumb_model_strdup(const char *s) {
  __typeof__(sizeof(0)) size = __rhumb_model_strlen(s) + 1;
  return __builtin_memcpy(__builtin_malloc(size), s, size);
}

//: strndup
__typeof__(sizeof(0)) __rhumb_model_strnlen(const char *s, __typeof__(sizeof(0)) max);
char *__rhumb_model_strndup(const char *s, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) size = __rhumb_model_strnlen(s, n);
  char *copy = __builtin_malloc(size + 1);
  __builtin_memcpy(copy, s, size);
  copy[size] = 0;
  return copy;
}

//: memcmp
int __rhumb_model_memcmp(const void *a, const void *b, __typeof__(sizeof(0)) n) {
  const unsigned char *p = a, *q = b;
  // All of both has to be there, also behind the first difference.
  if (n != 0) {
    (void)p[n - 1];
    (void)q[n - 1];
  }
  for (__typeof__(sizeof(0)) i = 0; i < n; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return 0;
}

//: memchr
void *__rhumb_model_memchr(const void *s, int c, __typeof__(sizeof(0)) n) {
  const unsigned char *p = s;
  for (__typeof__(sizeof(0)) i = 0; i < n; i++)
    if (p[i] == (unsigned char)c)
      return (void *)(p + i);
  return 0;
}

//: memrchr
void *__rhumb_model_memrchr(const void *s, int c, __typeof__(sizeof(0)) n) {
  const unsigned char *p = s;
  while (n--)
    if (p[n] == (unsigned char)c)
      return (void *)(p + n);
  return 0;
}

//: memccpy
void *__rhumb_model_memccpy(void *to, const void *from, int c, __typeof__(sizeof(0)) n) {
  unsigned char *p = to;
  const unsigned char *q = from;
  for (__typeof__(sizeof(0)) i = 0; i < n; i++)
    if ((p[i] = q[i]) == (unsigned char)c)
      return p + i + 1;
  return 0;
}

//: mempcpy
void *__rhumb_model_mempcpy(void *to, const void *from, __typeof__(sizeof(0)) n) { return (char *)__builtin_memcpy(to, from, n) + n; }

//: bzero
void __rhumb_model_bzero(void *to, __typeof__(sizeof(0)) n) { __builtin_memset(to, 0, n); }

//: __character
// What the functions of ctype.h take: EOF or a character, in glibc also a negative one (C11 7.4).
void __rhumb_model___character(int c) {
  if (c < -128 || c > 255)
    __builtin_unreachable();
}

//: isdigit
void __rhumb_model___character(int c);
int __rhumb_model_isdigit(int c) {
  __rhumb_model___character(c);
  return c >= '0' && c <= '9';
}

//: isxdigit
void __rhumb_model___character(int c);
int __rhumb_model_isxdigit(int c) {
  __rhumb_model___character(c);
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

//: islower
void __rhumb_model___character(int c);
int __rhumb_model_islower(int c) {
  __rhumb_model___character(c);
  return c >= 'a' && c <= 'z';
}

//: isupper
void __rhumb_model___character(int c);
int __rhumb_model_isupper(int c) {
  __rhumb_model___character(c);
  return c >= 'A' && c <= 'Z';
}

//: isalpha
void __rhumb_model___character(int c);
int __rhumb_model_isalpha(int c) {
  __rhumb_model___character(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

//: isalnum
void __rhumb_model___character(int c);
int __rhumb_model_isalnum(int c) {
  __rhumb_model___character(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

//: isspace
void __rhumb_model___character(int c);
int __rhumb_model_isspace(int c) {
  __rhumb_model___character(c);
  return c == ' ' || (c >= '\t' && c <= '\r');
}

//: isprint
void __rhumb_model___character(int c);
int __rhumb_model_isprint(int c) {
  __rhumb_model___character(c);
  return c >= ' ' && c <= '~';
}

//: tolower
void __rhumb_model___character(int c);
int __rhumb_model_tolower(int c) {
  __rhumb_model___character(c);
  // glibc takes negative characters for what they are without a sign.
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c < -1 ? c + 256 : c;
}

//: toupper
void __rhumb_model___character(int c);
int __rhumb_model_toupper(int c) {
  __rhumb_model___character(c);
  return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c < -1 ? c + 256 : c;
}

//: isascii
int __rhumb_model_isascii(int c) { return c >= 0 && c <= 127; }

//: toascii
int __rhumb_model_toascii(int c) { return c & 127; }

//: isblank
void __rhumb_model___character(int c);
int __rhumb_model_isblank(int c) {
  __rhumb_model___character(c);
  return c == ' ' || c == '\t';
}

//: iscntrl
void __rhumb_model___character(int c);
int __rhumb_model_iscntrl(int c) {
  __rhumb_model___character(c);
  return (c >= 0 && c < ' ') || c == 127;
}

//: isgraph
void __rhumb_model___character(int c);
int __rhumb_model_isgraph(int c) {
  __rhumb_model___character(c);
  return c > ' ' && c <= '~';
}

//: ispunct
int __rhumb_model_isalnum(int c);
void __rhumb_model___character(int c);
int __rhumb_model_ispunct(int c) {
  __rhumb_model___character(c);
  return c > ' ' && c <= '~' && !__rhumb_model_isalnum(c);
}

//: __ctype_b_loc
// What the macros of glibc's ctype.h look into: a set of classes for each character from -128 to 255.
static const unsigned short __rhumb_classes[384] = {
    [128 + 0 ... 128 + 8] = 0x0002,     // control characters
    [128 + '\t'] = 0x2003,
    [128 + '\n' ... 128 + '\r'] = 0x2002,
    [128 + 14 ... 128 + 31] = 0x0002,
    [128 + ' '] = 0x6001,
    [128 + '!' ... 128 + '/'] = 0xc004, // punctuation
    [128 + '0' ... 128 + '9'] = 0xd808,
    [128 + ':' ... 128 + '@'] = 0xc004,
    [128 + 'A' ... 128 + 'F'] = 0xd508, // hexadecimal
    [128 + 'G' ... 128 + 'Z'] = 0xc508,
    [128 + '[' ... 128 + '`'] = 0xc004,
    [128 + 'a' ... 128 + 'f'] = 0xd608,
    [128 + 'g' ... 128 + 'z'] = 0xc608,
    [128 + '{' ... 128 + '~'] = 0xc004,
    [128 + 127] = 0x0002,
};
static const unsigned short *__rhumb_class = __rhumb_classes + 128;
const unsigned short **__rhumb_model___ctype_b_loc(void) { return &__rhumb_class; }

//: __errno_location
// Where a library function may have changed it, the front end puts a pointer to nowhere into it.
static _Thread_local union {
  int value;
  void *unknown;
} __rhumb_errno;
int *__rhumb_model___errno_location(void) { return &__rhumb_errno.value; }

//: __parse_integer
// The number that a string starts with, by its size. What is too large is as large as it can be.
unsigned long long __rhumb_model___parse_integer(const char *s, char **end, int base, int *negative, int *too_large) {
  const char *p = s;
  unsigned long long n = 0;
  int digits = 0;
  *negative = 0;
  *too_large = 0;
  while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
    p++;
  if (*p == '-' || *p == '+')
    *negative = *p++ == '-';
  if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
      ((p[2] >= '0' && p[2] <= '9') || (p[2] >= 'a' && p[2] <= 'f') || (p[2] >= 'A' && p[2] <= 'F'))) {
    p += 2;
    base = 16;
  }
  if (base == 0)
    base = *p == '0' ? 8 : 10;
  for (;; p++) {
    int digit = *p >= '0' && *p <= '9'   ? *p - '0'
                : *p >= 'a' && *p <= 'z' ? *p - 'a' + 10
                : *p >= 'A' && *p <= 'Z' ? *p - 'A' + 10
                                         : 99;
    if (digit >= base)
      break;
    digits = 1;
    if (n > (~0ULL - (unsigned)digit) / (unsigned)base)
      *too_large = 1;
    else
      n = n * (unsigned)base + (unsigned)digit;
  }
  if (end)
    *end = (char *)(digits ? p : s);
  return *too_large ? ~0ULL : n;
}

//: __signed_integer
int *__rhumb_model___errno_location(void);
unsigned long long __rhumb_model___parse_integer(const char *s, char **end, int base, int *negative, int *too_large);
// `strtol` and its like, for a type whose greatest number is `max`.
long long __rhumb_model___signed_integer(const char *s, char **end, int base, long long max) {
  int negative, too_large;
  if (base < 0 || base == 1 || base > 36) {
    *__rhumb_model___errno_location() = 22; // EINVAL
    return 0;
  }
  unsigned long long n = __rhumb_model___parse_integer(s, end, base, &negative, &too_large);
  if (too_large || n > (unsigned long long)max + (unsigned)negative) {
    *__rhumb_model___errno_location() = 34; // ERANGE
    return negative ? -max - 1 : max;
  }
  // The least number has no counterpart.
  return !negative ? (long long)n : n == 0 ? 0 : -(long long)(n - 1) - 1;
}

//: __unsigned_integer
int *__rhumb_model___errno_location(void);
unsigned long long __rhumb_model___parse_integer(const char *s, char **end, int base, int *negative, int *too_large);
unsigned long long __rhumb_model___unsigned_integer(const char *s, char **end, int base, unsigned long long max) {
  int negative, too_large;
  if (base < 0 || base == 1 || base > 36) {
    *__rhumb_model___errno_location() = 22; // EINVAL
    return 0;
  }
  unsigned long long n = __rhumb_model___parse_integer(s, end, base, &negative, &too_large);
  if (too_large || n > max) {
    *__rhumb_model___errno_location() = 34; // ERANGE
    return max;
  }
  return negative ? (0 - n) & max : n;
}

//: strtol
long long __rhumb_model___signed_integer(const char *s, char **end, int base, long long max);
long __rhumb_model_strtol(const char *s, char **end, int base) {
  return (long)__rhumb_model___signed_integer(s, end, base, (long)(~0UL >> 1));
}

//: strtoll
long long __rhumb_model___signed_integer(const char *s, char **end, int base, long long max);
long long __rhumb_model_strtoll(const char *s, char **end, int base) {
  return __rhumb_model___signed_integer(s, end, base, (long long)(~0ULL >> 1));
}

//: strtoq
long long __rhumb_model___signed_integer(const char *s, char **end, int base, long long max);
long long __rhumb_model_strtoq(const char *s, char **end, int base) {
  return __rhumb_model___signed_integer(s, end, base, (long long)(~0ULL >> 1));
}

//: strtoimax
long long __rhumb_model___signed_integer(const char *s, char **end, int base, long long max);
long long __rhumb_model_strtoimax(const char *s, char **end, int base) {
  return __rhumb_model___signed_integer(s, end, base, (long long)(~0ULL >> 1));
}

//: strtoul
unsigned long long __rhumb_model___unsigned_integer(const char *s, char **end, int base, unsigned long long max);
unsigned long __rhumb_model_strtoul(const char *s, char **end, int base) {
  return (unsigned long)__rhumb_model___unsigned_integer(s, end, base, ~0UL);
}

//: strtoull
unsigned long long __rhumb_model___unsigned_integer(const char *s, char **end, int base, unsigned long long max);
unsigned long long __rhumb_model_strtoull(const char *s, char **end, int base) {
  return __rhumb_model___unsigned_integer(s, end, base, ~0ULL);
}

//: strtouq
unsigned long long __rhumb_model___unsigned_integer(const char *s, char **end, int base, unsigned long long max);
unsigned long long __rhumb_model_strtouq(const char *s, char **end, int base) {
  return __rhumb_model___unsigned_integer(s, end, base, ~0ULL);
}

//: strtoumax
unsigned long long __rhumb_model___unsigned_integer(const char *s, char **end, int base, unsigned long long max);
unsigned long long __rhumb_model_strtoumax(const char *s, char **end, int base) {
  return __rhumb_model___unsigned_integer(s, end, base, ~0ULL);
}

//: index
char *__rhumb_model_strchr(const char *s, int c);
char *__rhumb_model_index(const char *s, int c) { return __rhumb_model_strchr(s, c); }

//: rindex
char *__rhumb_model_strrchr(const char *s, int c);
char *__rhumb_model_rindex(const char *s, int c) { return __rhumb_model_strrchr(s, c); }

//: strchrnul
char *__rhumb_model_strchrnul(const char *s, int c) {
  while (*s && *s != (char)c)
    s++;
  return (char *)s;
}

//: rawmemchr
void *__rhumb_model_rawmemchr(const void *s, int c) {
  const unsigned char *p = s;
  while (*p != (unsigned char)c)
    p++;
  return (void *)p;
}

//: memmem
void *__rhumb_model_memmem(const void *s, __typeof__(sizeof(0)) n, const void *part, __typeof__(sizeof(0)) size) {
  const char *p = s, *q = part;
  for (__typeof__(sizeof(0)) start = 0; size <= n && start <= n - size; start++) {
    __typeof__(sizeof(0)) i = 0;
    while (i < size && p[start + i] == q[i])
      i++;
    if (i == size)
      return (void *)(p + start);
  }
  return 0;
}

//: strcasestr
int __rhumb_model_tolower(int c);
char *__rhumb_model_strcasestr(const char *s, const char *part) {
  for (;; s++) {
    __typeof__(sizeof(0)) i = 0;
    while (part[i] && __rhumb_model_tolower((unsigned char)s[i]) == __rhumb_model_tolower((unsigned char)part[i]))
      i++;
    if (!part[i])
      return (char *)s;
    if (!*s)
      return 0;
  }
}

//: strcoll
int __rhumb_model_strcmp(const char *a, const char *b);
int __rhumb_model_strcoll(const char *a, const char *b) { return __rhumb_model_strcmp(a, b); }

//: strxfrm
__typeof__(sizeof(0)) __rhumb_model_strxfrm(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) i = 0;
  for (; from[i]; i++)
    if (i < n)
      to[i] = from[i];
  if (i < n)
    to[i] = 0;
  return i;
}

//: bcmp
int __rhumb_model_memcmp(const void *a, const void *b, __typeof__(sizeof(0)) n);
int __rhumb_model_bcmp(const void *a, const void *b, __typeof__(sizeof(0)) n) { return __rhumb_model_memcmp(a, b, n); }

//: bcopy
void __rhumb_model_bcopy(const void *from, void *to, __typeof__(sizeof(0)) n) { __builtin_memmove(to, from, n); }

//: explicit_bzero
void __rhumb_model_explicit_bzero(void *to, __typeof__(sizeof(0)) n) { __builtin_memset(to, 0, n); }

//: swab
void __rhumb_model_swab(const void *from, void *to, long n) {
  const char *p = from;
  char *q = to;
  for (long i = 0; i + 1 < n; i += 2) {
    char first = p[i];
    q[i] = p[i + 1];
    q[i + 1] = first;
  }
}

//: strlcpy
__typeof__(sizeof(0)) __rhumb_model_strlcpy(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) i = 0;
  for (; from[i]; i++)
    if (i + 1 < n)
      to[i] = from[i];
  if (n)
    to[i < n ? i : n - 1] = 0;
  return i;
}

//: strlcat
__typeof__(sizeof(0)) __rhumb_model_strlcat(char *to, const char *from, __typeof__(sizeof(0)) n) {
  __typeof__(sizeof(0)) end = 0, i = 0;
  while (end < n && to[end])
    end++;
  for (; from[i]; i++)
    if (end + i + 1 < n)
      to[end + i] = from[i];
  if (end < n)
    to[end + i < n ? end + i : n - 1] = 0;
  return end + i;
}

//: strtok_r
__typeof__(sizeof(0)) __rhumb_model_strspn(const char *s, const char *accept);
__typeof__(sizeof(0)) __rhumb_model_strcspn(const char *s, const char *reject);
char *__rhumb_model_strtok_r(char *s, const char *between, char **rest) {
  if (!s)
    s = *rest;
  s += __rhumb_model_strspn(s, between);
  if (!*s) {
    *rest = s;
    return 0;
  }
  char *end = s + __rhumb_model_strcspn(s, between);
  if (*end)
    *end++ = 0;
  *rest = end;
  return s;
}

//: strtok
char *__rhumb_model_strtok_r(char *s, const char *between, char **rest);
static char *__rhumb_strtok_rest;
char *__rhumb_model_strtok(char *s, const char *between) { return __rhumb_model_strtok_r(s, between, &__rhumb_strtok_rest); }

//: strsep
__typeof__(sizeof(0)) __rhumb_model_strcspn(const char *s, const char *reject);
char *__rhumb_model_strsep(char **rest, const char *between) {
  char *s = *rest;
  if (!s)
    return 0;
  char *end = s + __rhumb_model_strcspn(s, between);
  if (*end) {
    *end = 0;
    *rest = end + 1;
  } else
    *rest = 0;
  return s;
}

//: qsort
// Insertion, with a search by bisection. C leaves open how elements that compare equal are ordered: they keep their order. What is asked is
// whether an earlier element is greater, as glibc asks: functions that only say that (`return a > b`) sort there, too.
void __rhumb_model_qsort(void *base, __typeof__(sizeof(0)) n, __typeof__(sizeof(0)) size, int (*compare)(const void *, const void *)) {
  char *first = base, *moved = __builtin_malloc(size ? size : 1);
  for (__typeof__(sizeof(0)) i = 1; i < n; i++) {
    __typeof__(sizeof(0)) low = 0, high = i;
    while (low < high) {
      __typeof__(sizeof(0)) middle = low + (high - low) / 2;
      if (compare(first + middle * size, first + i * size) > 0)
        high = middle;
      else
        low = middle + 1;
    }
    __builtin_memcpy(moved, first + i * size, size);
    __builtin_memmove(first + (low + 1) * size, first + low * size, (i - low) * size);
    __builtin_memcpy(first + low * size, moved, size);
  }
  __builtin_free(moved);
}

//: qsort_r
void __rhumb_model_qsort_r(void *base, __typeof__(sizeof(0)) n, __typeof__(sizeof(0)) size,
                           int (*compare)(const void *, const void *, void *), void *more) {
  char *first = base, *moved = __builtin_malloc(size ? size : 1);
  for (__typeof__(sizeof(0)) i = 1; i < n; i++) {
    __typeof__(sizeof(0)) low = 0, high = i;
    while (low < high) {
      __typeof__(sizeof(0)) middle = low + (high - low) / 2;
      if (compare(first + middle * size, first + i * size, more) > 0)
        high = middle;
      else
        low = middle + 1;
    }
    __builtin_memcpy(moved, first + i * size, size);
    __builtin_memmove(first + (low + 1) * size, first + low * size, (i - low) * size);
    __builtin_memcpy(first + low * size, moved, size);
  }
  __builtin_free(moved);
}

//: bsearch
void *__rhumb_model_bsearch(const void *key, const void *base, __typeof__(sizeof(0)) n, __typeof__(sizeof(0)) size,
                            int (*compare)(const void *, const void *)) {
  __typeof__(sizeof(0)) low = 0, high = n;
  while (low < high) {
    __typeof__(sizeof(0)) middle = (low + high) / 2;
    const char *element = (const char *)base + middle * size;
    int order = compare(key, element);
    if (order == 0)
      return (void *)element;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}

//: lfind
void *__rhumb_model_lfind(const void *key, const void *base, __typeof__(sizeof(0)) *n, __typeof__(sizeof(0)) size,
                          int (*compare)(const void *, const void *)) {
  const char *element = base;
  for (__typeof__(sizeof(0)) i = 0; i < *n; i++, element += size)
    if (compare(key, element) == 0)
      return (void *)element;
  return 0;
}

//: lsearch
void *__rhumb_model_lfind(const void *key, const void *base, __typeof__(sizeof(0)) *n, __typeof__(sizeof(0)) size,
                          int (*compare)(const void *, const void *));
void *__rhumb_model_lsearch(const void *key, void *base, __typeof__(sizeof(0)) *n, __typeof__(sizeof(0)) size,
                            int (*compare)(const void *, const void *)) {
  void *found = __rhumb_model_lfind(key, base, n, size, compare);
  if (!found) {
    found = __builtin_memcpy((char *)base + *n * size, key, size);
    ++*n;
  }
  return found;
}

//: posix_memalign
int __rhumb_model_posix_memalign(void **to, __typeof__(sizeof(0)) align, __typeof__(sizeof(0)) size) {
  if (align % sizeof(void *) != 0 || align == 0 || (align & (align - 1)) != 0)
    return 22; // EINVAL
  *to = __builtin_malloc(size);
  return 0;
}

//: reallocarray
void __rhumb_lose_errno(void);
void *__rhumb_model_reallocarray(void *old, __typeof__(sizeof(0)) n, __typeof__(sizeof(0)) size) {
  if (size && n > (__typeof__(sizeof(0)))-1 / size) {
    __rhumb_lose_errno();
    return 0;
  }
  return __builtin_realloc(old, n * size);
}

//: valloc
void *__rhumb_model_valloc(__typeof__(sizeof(0)) size) { return __builtin_malloc(size); }

//: pvalloc
void *__rhumb_model_pvalloc(__typeof__(sizeof(0)) size) { return __builtin_malloc(size); }

//: wcslen
__typeof__(sizeof(0)) __rhumb_model_wcslen(const __typeof__(L'0') *s) {
  __typeof__(sizeof(0)) n = 0;
  while (s[n])
    n++;
  return n;
}

//: wcscpy
__typeof__(L'0') *__rhumb_model_wcscpy(__typeof__(L'0') *to, const __typeof__(L'0') *from) {
  __typeof__(sizeof(0)) i = 0;
  while ((to[i] = from[i]))
    i++;
  return to;
}

//: wcscmp
int __rhumb_model_wcscmp(const __typeof__(L'0') *a, const __typeof__(L'0') *b) {
  while (*a && *a == *b) {
    a++;
    b++;
  }
  return (*a > *b) - (*a < *b);
}

//: wcschr
__typeof__(L'0') *__rhumb_model_wcschr(const __typeof__(L'0') *s, __typeof__(L'0') c) {
  while (*s != c) {
    if (!*s)
      return 0;
    s++;
  }
  return (__typeof__(L'0') *)s;
}

//: wmemset
__typeof__(L'0') *__rhumb_model_wmemset(__typeof__(L'0') *to, __typeof__(L'0') c, __typeof__(sizeof(0)) n) {
  for (__typeof__(sizeof(0)) i = 0; i < n; i++)
    to[i] = c;
  return to;
}

//: wmemcpy
__typeof__(L'0') *__rhumb_model_wmemcpy(__typeof__(L'0') *to, const __typeof__(L'0') *from, __typeof__(sizeof(0)) n) {
  return __builtin_memcpy(to, from, n * sizeof *to);
}

//: imaxabs
long long __rhumb_model_imaxabs(long long x) { return x < 0 ? -x : x; }

//: atexit __call_exit_functions
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
static void (**__rhumb_exit_functions)(void);
static __typeof__(sizeof(0)) __rhumb_exit_count, __rhumb_exit_room;
int __rhumb_model_atexit(void (*function)(void)) {
  __rhumb_atomic_begin();
  if (__rhumb_exit_count == __rhumb_exit_room) {
    __rhumb_exit_room = __rhumb_exit_room * 2 + 32;
    __rhumb_exit_functions = __builtin_realloc(__rhumb_exit_functions, __rhumb_exit_room * sizeof *__rhumb_exit_functions);
  }
  __rhumb_exit_functions[__rhumb_exit_count++] = function;
  __rhumb_atomic_end();
  return 0;
}
// What `exit` does first: the last one comes first, and may add others.
void __rhumb_model___call_exit_functions(void) {
  for (;;) {
    __rhumb_atomic_begin();
    if (!__rhumb_exit_count) {
      __rhumb_atomic_end();
      return;
    }
    void (*function)(void) = __rhumb_exit_functions[--__rhumb_exit_count];
    __rhumb_atomic_end();
    function();
  }
}

//: rand
// glibc's greatest random number is that of the type.
int __rhumb_unknown_int(void);
int __rhumb_model_rand(void) {
  int n = __rhumb_unknown_int();
  return n < 0 ? -(n + 1) : n;
}

//: random
int __rhumb_model_rand(void);
long __rhumb_model_random(void) { return __rhumb_model_rand(); }

//: rand_r
int __rhumb_model_rand(void);
int __rhumb_unknown_int(void);
int __rhumb_model_rand_r(unsigned *seed) {
  *seed = (unsigned)__rhumb_unknown_int();
  return __rhumb_model_rand();
}

//: time
// Memory gets what is not known by way of a pointer to nowhere: a run rests on it when it is read.
void *__rhumb_unknown_pointer(void);
long __rhumb_unknown_long(void);
long __rhumb_model_time(void **seconds) {
  if (seconds)
    *seconds = __rhumb_unknown_pointer();
  return __rhumb_unknown_long();
}

//: gettimeofday
void *__rhumb_unknown_pointer(void);
int __rhumb_model_gettimeofday(void **now, void **zone) {
  now[0] = __rhumb_unknown_pointer();
  now[1] = __rhumb_unknown_pointer();
  if (zone)
    for (__typeof__(sizeof(0)) i = 0; i < 8 / sizeof *zone; i++)
      zone[i] = __rhumb_unknown_pointer();
  return 0;
}

//: clock_gettime
void *__rhumb_unknown_pointer(void);
int __rhumb_unknown_int(void);
void __rhumb_lose_errno(void);
int __rhumb_model_clock_gettime(int clock, void **now) {
  now[0] = __rhumb_unknown_pointer();
  now[1] = __rhumb_unknown_pointer();
  if (clock == 0 || clock == 1)
    return 0;
  __rhumb_lose_errno();
  return __rhumb_unknown_int();
}

//: __format_number
// A number in a base, with sign or prefix, as a format asks for it: `flags` are 1 for '-', 2 for '0', 4 for '#', 8 for capital letters. Gives the new
// length of the text.
__typeof__(sizeof(0)) __rhumb_model___format_number(char *to, __typeof__(sizeof(0)) room, __typeof__(sizeof(0)) n, unsigned long long number, unsigned base,
                                  char sign, int flags, int width, int precision) {
  char digits[24];
  int count = 0;
  unsigned long long rest = number;
  for (; rest; rest /= base) {
    unsigned digit = (unsigned)(rest % base);
    digits[count++] = (char)(digit < 10 ? '0' + digit : (flags & 8 ? 'A' : 'a') + (digit - 10));
  }
  int zeros = precision < 0 ? (count ? 0 : 1) : precision > count ? precision - count : 0;
  int prefix = sign != 0;
  if (flags & 4 && base == 16 && number)
    prefix = 2;
  if (flags & 4 && base == 8 && !zeros)
    zeros = 1;
  if (flags & 2 && !(flags & 1) && precision < 0 && width > prefix + zeros + count)
    zeros = width - prefix - count;
  int blanks = width > prefix + zeros + count ? width - prefix - zeros - count : 0;
  for (int i = 0; !(flags & 1) && i < blanks; i++, n++)
    if (n + 1 < room)
      to[n] = ' ';
  if (sign) {
    if (n + 1 < room)
      to[n] = sign;
    n++;
  } else if (prefix) {
    if (n + 1 < room)
      to[n] = '0';
    n++;
    if (n + 1 < room)
      to[n] = flags & 8 ? 'X' : 'x';
    n++;
  }
  for (int i = 0; i < zeros; i++, n++)
    if (n + 1 < room)
      to[n] = '0';
  while (count) {
    count--;
    if (n + 1 < room)
      to[n] = digits[count];
    n++;
  }
  for (int i = 0; flags & 1 && i < blanks; i++, n++)
    if (n + 1 < room)
      to[n] = ' ';
  return n;
}

//: vsnprintf
__typeof__(sizeof(0)) __rhumb_model___format_number(char *to, __typeof__(sizeof(0)) room, __typeof__(sizeof(0)) n, unsigned long long number, unsigned base,
                                  char sign, int flags, int width, int precision);
int __rhumb_unknown_int(void);
// How floating-point numbers, pointers and wide characters are written is not followed, nor what C doesn't define: any characters.
int __rhumb_model_vsnprintf(char *to, __typeof__(sizeof(0)) room, const char *format, __builtin_va_list list) {
  __typeof__(sizeof(0)) n = 0;
  // Whether something was to be written that may not be possible, or takes no room.
  _Bool is_lost = 0;
  for (; *format; format++) {
    if (*format != '%') {
      if (n + 1 < room)
        to[n] = *format;
      n++;
      continue;
    }
    int flags = 0, width = 0, precision = -1, size = 4;
    char plus = 0, wide = 0;
    for (format++;; format++) {
      if (*format == '-')
        flags |= 1;
      else if (*format == '0')
        flags |= 2;
      else if (*format == '#')
        flags |= 4;
      else if (*format == '+')
        plus = '+';
      else if (*format == ' ') {
        if (!plus)
          plus = ' ';
      } else if (*format != '\'')
        break;
    }
    if (*format == '*') {
      width = __builtin_va_arg(list, int);
      if (width < 0) {
        flags |= 1;
        width = -width;
      }
      format++;
    } else
      for (; *format >= '0' && *format <= '9'; format++)
        width = width * 10 + (*format - '0');
    if (*format == '.') {
      format++;
      precision = 0;
      if (*format == '*') {
        precision = __builtin_va_arg(list, int);
        format++;
      } else
        for (; *format >= '0' && *format <= '9'; format++)
          precision = precision * 10 + (*format - '0');
    }
    for (;; format++) {
      if (*format == 'h')
        size = size == 2 ? 1 : 2;
      else if (*format == 'l') {
        size = wide ? 8 : sizeof(long);
        wide = 1;
      } else if (*format == 'q' || *format == 'j')
        size = 8;
      else if (*format == 'L')
        size = 16;
      else if (*format == 'z' || *format == 't')
        size = sizeof(sizeof(0));
      else
        break;
    }
    switch (*format) {
    case '%':
      if (n + 1 < room)
        to[n] = '%';
      n++;
      break;
    case 'd':
    case 'i': {
      long long value = size <= 4 ? __builtin_va_arg(list, int) : size == sizeof(long) ? __builtin_va_arg(list, long) : __builtin_va_arg(list, long long);
      if (size == 1)
        value = (signed char)value;
      if (size == 2)
        value = (short)value;
      unsigned long long number = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
      n = __rhumb_model___format_number(to, room, n, number, 10, (char)(value < 0 ? '-' : plus), flags & 3, width, precision);
      break;
    }
    case 'u':
    case 'o':
    case 'x':
    case 'X': {
      unsigned long long number = size <= 4 ? __builtin_va_arg(list, unsigned) : size == sizeof(long) ? __builtin_va_arg(list, unsigned long) : __builtin_va_arg(list, unsigned long long);
      if (size == 1)
        number = (unsigned char)number;
      if (size == 2)
        number = (unsigned short)number;
      n = __rhumb_model___format_number(to, room, n, number, *format == 'u' ? 10 : *format == 'o' ? 8 : 16, 0, *format == 'X' ? flags | 8 : flags, width, precision);
      break;
    }
    case 'c':
    case 's': {
      char one = 0;
      const char *text = &one;
      int length = 1;
      if (wide) {
        if (*format == 'c')
          __builtin_va_arg(list, int);
        else
          __builtin_va_arg(list, void *);
        is_lost = 1;
        goto any;
      }
      if (*format == 'c')
        one = (char)__builtin_va_arg(list, int);
      else {
        text = __builtin_va_arg(list, const char *);
        for (length = 0; (precision < 0 || length < precision) && text[length]; length++)
          ;
      }
      for (; !(flags & 1) && width > length; width--, n++)
        if (n + 1 < room)
          to[n] = ' ';
      for (int i = 0; i < length; i++, n++)
        if (n + 1 < room)
          to[n] = text[i];
      for (; width > length; width--, n++)
        if (n + 1 < room)
          to[n] = ' ';
      break;
    }
    case 'n':
      if (size == 1)
        *__builtin_va_arg(list, signed char *) = (signed char)n;
      else if (size == 2)
        *__builtin_va_arg(list, short *) = (short)n;
      else if (size == 4)
        *__builtin_va_arg(list, int *) = (int)n;
      else
        *__builtin_va_arg(list, long long *) = (long long)n;
      break;
    case 'p':
      __builtin_va_arg(list, void *);
      goto any;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (size == 16)
        __builtin_va_arg(list, long double);
      else
        __builtin_va_arg(list, double);
      goto any;
    case 'C':
      __builtin_va_arg(list, int);
      is_lost = 1;
      goto any;
    case 'S':
      __builtin_va_arg(list, void *);
      is_lost = 1;
      goto any;
    case '$':
      // Arguments by their numbers: nothing is known of what is written.
      for (n = 0; n < room; n++)
        to[n] = (char)__rhumb_unknown_int();
      return __rhumb_unknown_int();
    default:
      // No conversion that C knows.
      if (!*format)
        format--;
    any: {
      int length = __rhumb_unknown_int();
      for (int i = 0; i < length || (i == 0 && !is_lost); i++, n++)
        if (n + 1 < room)
          to[n] = (char)__rhumb_unknown_int();
    }
    }
  }
  if (room)
    to[n < room ? n : room - 1] = 0;
  if (is_lost)
    return __rhumb_unknown_int();
  return (int)n;
}

//: vsprintf
int __rhumb_model_vsnprintf(char *to, __typeof__(sizeof(0)) room, const char *format, __builtin_va_list list);
int __rhumb_model_vsprintf(char *to, const char *format, __builtin_va_list list) {
  return __rhumb_model_vsnprintf(to, (__typeof__(sizeof(0)))-1, format, list);
}

//: snprintf
int __rhumb_model_vsnprintf(char *to, __typeof__(sizeof(0)) room, const char *format, __builtin_va_list list);
int __rhumb_model_snprintf(char *to, __typeof__(sizeof(0)) room, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model_vsnprintf(to, room, format, list);
  __builtin_va_end(list);
  return n;
}

//: sprintf
int __rhumb_model_vsnprintf(char *to, __typeof__(sizeof(0)) room, const char *format, __builtin_va_list list);
int __rhumb_model_sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model_vsnprintf(to, (__typeof__(sizeof(0)))-1, format, list);
  __builtin_va_end(list);
  return n;
}

//: vasprintf
int __rhumb_model_vsnprintf(char *to, __typeof__(sizeof(0)) room, const char *format, __builtin_va_list list);
int __rhumb_model_vasprintf(char **to, const char *format, __builtin_va_list list) {
  __builtin_va_list again;
  __builtin_va_copy(again, list);
  int n = __rhumb_model_vsnprintf(0, 0, format, list);
  *to = __builtin_malloc((__typeof__(sizeof(0)))n + 1);
  __rhumb_model_vsnprintf(*to, (__typeof__(sizeof(0)))n + 1, format, again);
  __builtin_va_end(again);
  return n;
}

//: asprintf
int __rhumb_model_vasprintf(char **to, const char *format, __builtin_va_list list);
int __rhumb_model_asprintf(char **to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model_vasprintf(to, format, list);
  __builtin_va_end(list);
  return n;
}

//: __next_byte __put_back __at_end __raw_byte
// Standard input: any bytes, and at some time no more. One byte can be put back.
_Bool __rhumb_input_bool(void);
unsigned char __rhumb_input_byte(void);
static int __rhumb_stdin_put_back = -1;
static _Bool __rhumb_stdin_ended;
// What `feof` gives.
static _Bool __rhumb_stdin_flag;
void __rhumb_refuse(const char *what);
void __rhumb_lose_errno(void);
// What the system has; a stream has a byte that was put back before that.
int __rhumb_model___raw_byte(void) {
  if (__rhumb_stdin_ended || !__rhumb_input_bool()) {
    __rhumb_stdin_ended = 1;
    // It may have been closed.
    __rhumb_lose_errno();
    return -1;
  }
  return __rhumb_input_byte();
}
int __rhumb_model___next_byte(void) {
  if (__rhumb_stdin_put_back >= 0) {
    int byte = __rhumb_stdin_put_back;
    __rhumb_stdin_put_back = -1;
    return byte;
  }
  int byte = __rhumb_model___raw_byte();
  if (byte < 0)
    __rhumb_stdin_flag = 1;
  return byte;
}
void __rhumb_model___put_back(int byte) {
  if (__rhumb_stdin_put_back >= 0)
    __rhumb_refuse("two bytes put back into standard input");
  __rhumb_stdin_put_back = byte;
  __rhumb_stdin_flag = 0;
}
_Bool __rhumb_model___at_end(void) { return __rhumb_stdin_flag; }

//: __byte_of
// The next byte of a stream. What is in files is not known.
void *__rhumb_stdin(void);
int __rhumb_unknown_int(void);
int __rhumb_model___next_byte(void);
int __rhumb_model___byte_of(void *stream) {
  if (stream == __rhumb_stdin())
    return __rhumb_model___next_byte();
  int byte = __rhumb_unknown_int();
  return byte < -1 || byte > 255 ? -1 : byte;
}

//: getchar
int __rhumb_model___next_byte(void);
int __rhumb_model_getchar(void) { return __rhumb_model___next_byte(); }

//: getchar_unlocked
int __rhumb_model___next_byte(void);
int __rhumb_model_getchar_unlocked(void) { return __rhumb_model___next_byte(); }

//: getc
int __rhumb_model___byte_of(void *stream);
int __rhumb_model_getc(void *stream) { return __rhumb_model___byte_of(stream); }

//: getc_unlocked
int __rhumb_model___byte_of(void *stream);
int __rhumb_model_getc_unlocked(void *stream) { return __rhumb_model___byte_of(stream); }

//: fgetc
int __rhumb_model___byte_of(void *stream);
int __rhumb_model_fgetc(void *stream) { return __rhumb_model___byte_of(stream); }

//: fgetc_unlocked
int __rhumb_model___byte_of(void *stream);
int __rhumb_model_fgetc_unlocked(void *stream) { return __rhumb_model___byte_of(stream); }

//: ungetc
void *__rhumb_stdin(void);
int __rhumb_unknown_int(void);
void __rhumb_model___put_back(int byte);
int __rhumb_model_ungetc(int c, void *stream) {
  if (c == -1)
    return -1;
  if (stream != __rhumb_stdin())
    return __rhumb_unknown_int();
  __rhumb_model___put_back((unsigned char)c);
  return (unsigned char)c;
}

//: feof
void *__rhumb_stdin(void);
int __rhumb_unknown_int(void);
_Bool __rhumb_model___at_end(void);
int __rhumb_model_feof(void *stream) {
  return stream == __rhumb_stdin() ? __rhumb_model___at_end() : __rhumb_unknown_int();
}

//: fgets
int __rhumb_model___byte_of(void *stream);
char *__rhumb_model_fgets(char *to, int room, void *stream) {
  int n = 0;
  if (room <= 0)
    return 0;
  while (n < room - 1) {
    int byte = __rhumb_model___byte_of(stream);
    if (byte == -1 && n == 0)
      return 0;
    if (byte == -1)
      break;
    to[n++] = (char)byte;
    if (byte == '\n')
      break;
  }
  to[n] = 0;
  return to;
}

//: gets
int __rhumb_model___next_byte(void);
char *__rhumb_model_gets(char *to) {
  int byte;
  __typeof__(sizeof(0)) n = 0;
  while ((byte = __rhumb_model___next_byte()) != -1 && byte != '\n')
    to[n++] = (char)byte;
  if (byte == -1 && n == 0)
    return 0;
  to[n] = 0;
  return to;
}

//: fread
int __rhumb_model___byte_of(void *stream);
__typeof__(sizeof(0)) __rhumb_model_fread(void *to, __typeof__(sizeof(0)) size, __typeof__(sizeof(0)) count, void *stream) {
  unsigned char *p = to;
  if (!size)
    return 0;
  for (__typeof__(sizeof(0)) i = 0; i < count; i++)
    for (__typeof__(sizeof(0)) j = 0; j < size; j++) {
      int byte = __rhumb_model___byte_of(stream);
      if (byte == -1)
        return i;
      *p++ = (unsigned char)byte;
    }
  return count;
}

//: read
// From standard input: some bytes, not always as many as asked for. Other files are not known.
int __rhumb_unknown_int(void);
_Bool __rhumb_input_bool(void);
int __rhumb_model___raw_byte(void);
void __rhumb_lose_errno(void);
long __rhumb_model_read(int file, void *to, __typeof__(sizeof(0)) count) {
  unsigned char *p = to;
  __typeof__(sizeof(0)) n = 0;
  if (file == 0 ? __rhumb_input_bool() : __rhumb_unknown_int() < 0) {
    __rhumb_lose_errno();
    return -1;
  }
  while (n < count) {
    if (n && (file == 0 ? __rhumb_input_bool() : __rhumb_unknown_int() < 0))
      break;
    int byte = file == 0 ? __rhumb_model___raw_byte() : __rhumb_unknown_int();
    if (byte == -1)
      break;
    p[n++] = (unsigned char)byte;
  }
  return (long)n;
}

//: fwrite
// What is written is not followed, but it is read.
void __rhumb_reads(const void *from, __typeof__(sizeof(0)) size);
long __rhumb_unknown_long(void);
void __rhumb_lose_errno(void);
__typeof__(sizeof(0)) __rhumb_model_fwrite(const void *from, __typeof__(sizeof(0)) size, __typeof__(sizeof(0)) count, void *stream) {
  __typeof__(sizeof(0)) all;
  (void)stream;
  if (__builtin_mul_overflow(size, count, &all))
    all = (__typeof__(sizeof(0)))-1;
  if (all)
    __rhumb_reads(from, all);
  __rhumb_lose_errno();
  return (__typeof__(sizeof(0)))__rhumb_unknown_long();
}

//: fwrite_unlocked
__typeof__(sizeof(0)) __rhumb_model_fwrite(const void *from, __typeof__(sizeof(0)) size, __typeof__(sizeof(0)) count, void *stream);
__typeof__(sizeof(0)) __rhumb_model_fwrite_unlocked(const void *from, __typeof__(sizeof(0)) size, __typeof__(sizeof(0)) count, void *stream) {
  return __rhumb_model_fwrite(from, size, count, stream);
}

//: write
void __rhumb_reads(const void *from, __typeof__(sizeof(0)) size);
long __rhumb_unknown_long(void);
void __rhumb_lose_errno(void);
long __rhumb_model_write(int file, const void *from, __typeof__(sizeof(0)) count) {
  (void)file;
  if (count)
    __rhumb_reads(from, count);
  __rhumb_lose_errno();
  return __rhumb_unknown_long();
}

//: send
long __rhumb_model_write(int file, const void *from, __typeof__(sizeof(0)) count);
long __rhumb_model_send(int file, const void *from, __typeof__(sizeof(0)) count, int flags) {
  (void)flags;
  return __rhumb_model_write(file, from, count);
}

//: getdelim
int __rhumb_model___byte_of(void *stream);
long __rhumb_model_getdelim(char **line, __typeof__(sizeof(0)) *room, int last, void *stream) {
  __typeof__(sizeof(0)) n = 0;
  if (!*line)
    *room = 0;
  for (;;) {
    if (n + 2 > *room) {
      *room = *room ? *room * 2 : 120;
      *line = __builtin_realloc(*line, *room);
    }
    int byte = __rhumb_model___byte_of(stream);
    if (byte == -1 && n == 0)
      return -1;
    if (byte != -1)
      (*line)[n++] = (char)byte;
    if (byte == -1 || byte == (unsigned char)last)
      break;
  }
  (*line)[n] = 0;
  return (long)n;
}

//: getline
long __rhumb_model_getdelim(char **line, __typeof__(sizeof(0)) *room, int last, void *stream);
long __rhumb_model_getline(char **line, __typeof__(sizeof(0)) *room, void *stream) {
  return __rhumb_model_getdelim(line, room, '\n', stream);
}

//: getenv
// The environment: for each name one string, or none.
int __rhumb_model_strcmp(const char *a, const char *b);
char *__rhumb_model_strdup(const char *s);
char *__rhumb_model___input_string(void);
_Bool __rhumb_input_bool(void);
static struct __rhumb_setting {
  struct __rhumb_setting *next;
  char *name, *value;
} *__rhumb_environment;
char *__rhumb_model_getenv(const char *name) {
  struct __rhumb_setting *setting = __rhumb_environment;
  for (; setting; setting = setting->next)
    if (__rhumb_model_strcmp(setting->name, name) == 0)
      return setting->value;
  setting = __builtin_malloc(sizeof *setting);
  setting->next = __rhumb_environment;
  setting->name = __rhumb_model_strdup(name);
  setting->value = __rhumb_input_bool() ? __rhumb_model___input_string() : 0;
  __rhumb_environment = setting;
  return setting->value;
}

//: __input_string
// A string from outside.
unsigned char __rhumb_input_byte(void);
_Bool __rhumb_input_bool(void);
char *__rhumb_model___input_string(void) {
  __typeof__(sizeof(0)) n = 0, room = 16;
  char *text = __builtin_malloc(room);
  while (__rhumb_input_bool()) {
    text[n++] = (char)__rhumb_input_byte();
    if (n == room)
      text = __builtin_realloc(text, room *= 2);
  }
  text[n] = 0;
  return text;
}

//: __scan
void __rhumb_lose_errno(void);
void __rhumb_refuse(const char *what);
void *__rhumb_stdin(void);
int __rhumb_model___byte_of(void *stream);
void __rhumb_model___put_back(int byte);
// Where characters come from: a string or a stream, and perhaps one that was looked at before (-2 if none was).
struct __rhumb_source {
  const char *text;
  void *stream;
  int ahead;
  long long taken;
};
static int __rhumb_take(struct __rhumb_source *from) {
  int c = from->ahead;
  from->ahead = -2;
  if (c == -2)
    c = !from->text ? __rhumb_model___byte_of(from->stream) : *from->text ? (unsigned char)*from->text++ : -1;
  if (c != -1)
    from->taken++;
  return c;
}
static int __rhumb_look(struct __rhumb_source *from) {
  int c = __rhumb_take(from);
  if (c != -1)
    from->taken--;
  from->ahead = c;
  return c;
}
static void __rhumb_skip(struct __rhumb_source *from) {
  while (__rhumb_look(from) == ' ' || (__rhumb_look(from) >= '\t' && __rhumb_look(from) <= '\r'))
    __rhumb_take(from);
}
// Reads a number of at most `width` characters: 1 if there is one, 0 if something else is there, -1 at the end.
static int __rhumb_scan_number(struct __rhumb_source *from, int width, int base, int is_signed, int size, void *to) {
  unsigned long long n = 0;
  int negative = 0, digits = 0, too_large = 0;
  __rhumb_skip(from);
  if (__rhumb_look(from) == -1)
    return -1;
  if (__rhumb_look(from) == '-' || __rhumb_look(from) == '+') {
    negative = __rhumb_take(from) == '-';
    width--;
  }
  if ((base == 0 || base == 16) && width > 0 && __rhumb_look(from) == '0') {
    __rhumb_take(from);
    width--;
    digits = 1;
    if (width > 0 && (__rhumb_look(from) == 'x' || __rhumb_look(from) == 'X')) {
      // glibc takes this for a number, even if nothing follows.
      __rhumb_take(from);
      width--;
      base = 16;
    } else if (base == 0)
      base = 8;
  }
  if (base == 0)
    base = 10;
  for (; width > 0; width--) {
    int c = __rhumb_look(from);
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
    if (digit >= base)
      break;
    __rhumb_take(from);
    digits = 1;
    if (n > (~0ULL - (unsigned)digit) / (unsigned)base)
      too_large = 1;
    else
      n = n * (unsigned)base + (unsigned)digit;
  }
  if (!digits)
    return 0;
  // As glibc does it: what doesn't fit a long (or long long) is the greatest there is, and what doesn't fit the type is cut off.
  unsigned long long max = size == 8 ? ~0ULL : ~0UL;
  if (is_signed)
    max = (max >> 1) + (unsigned)negative;
  if (too_large || n > max) {
    __rhumb_lose_errno();
    n = max;
    negative = negative && is_signed;
  }
  if (negative)
    n = 0 - n;
  if (!to)
    return 1;
  if (size == 1)
    *(unsigned char *)to = (unsigned char)n;
  else if (size == 2)
    *(unsigned short *)to = (unsigned short)n;
  else if (size == 4)
    *(unsigned *)to = (unsigned)n;
  else
    *(unsigned long long *)to = n;
  return 1;
}
// Reads characters: a string up to a blank, some characters, or those of a set. As above.
static int __rhumb_scan_text(struct __rhumb_source *from, int width, char kind, const char *set, const char *set_end, int inverted, char *to) {
  int n = 0;
  if (kind == 's')
    __rhumb_skip(from);
  for (; n < width; n++) {
    int c = __rhumb_look(from);
    if (c == -1)
      break;
    if (kind == 's' && (c == ' ' || (c >= '\t' && c <= '\r')))
      break;
    if (kind == '[') {
      int found = 0;
      // Ranges as glibc has them (C leaves them to the library): between what stands before and behind the sign, which count themselves besides.
      for (const char *p = set; p < set_end; p++)
        if (p > set && *p == '-' && p + 1 < set_end && (unsigned char)p[-1] <= (unsigned char)p[1])
          found |= c >= (unsigned char)p[-1] && c < (unsigned char)p[1];
        else
          found |= c == (unsigned char)*p;
      if (found == inverted)
        break;
    }
    __rhumb_take(from);
    if (to)
      to[n] = (char)c;
  }
  if (n == 0)
    return __rhumb_look(from) == -1 ? -1 : 0;
  if (to && kind != 'c')
    to[n] = 0;
  return 1;
}
// Of a format that is plain, which only a string is read with, nothing is refused: the caller has looked at it.
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain) {
  struct __rhumb_source from = {text, stream, -2, 0};
  int assigned = 0, outcome = 1;
  for (; *format && outcome == 1; format++) {
    if (*format == ' ' || (*format >= '\t' && *format <= '\r')) {
      __rhumb_skip(&from);
      continue;
    }
    int suppressed = 0, width = 0, size = 4;
    if (*format == '%') {
      format++;
      if (*format == '*') {
        suppressed = 1;
        format++;
      }
      for (; *format >= '0' && *format <= '9'; format++)
        width = width * 10 + (*format - '0');
      for (;; format++) {
        if (*format == 'h')
          size = size == 2 ? 1 : 2;
        else if (*format == 'l')
          size = format[-1] == 'l' ? 8 : sizeof(long);
        else if (*format == 'q' || *format == 'j' || *format == 'L')
          size = 8;
        else if (*format == 'z' || *format == 't')
          size = sizeof(sizeof(0));
        else
          break;
      }
      if (*format == '%')
        __rhumb_skip(&from);
      else {
        int any = width ? width : 2147483647;
        switch (*format) {
        case 'd':
        case 'i':
        case 'u':
        case 'o':
        case 'x':
        case 'X': {
          int base = *format == 'i' ? 0 : *format == 'o' ? 8 : *format == 'x' || *format == 'X' ? 16 : 10;
          void *to = suppressed ? 0 : __builtin_va_arg(list, void *);
          outcome = __rhumb_scan_number(&from, any, base, *format == 'd' || *format == 'i', size, to);
          break;
        }
        case 'c':
        case 's': {
          if (!is_plain && (format[-1] == 'l' || format[-1] == 'm'))
            __rhumb_refuse("wide characters in a format");
          char *to = suppressed ? 0 : __builtin_va_arg(list, char *);
          outcome = __rhumb_scan_text(&from, *format == 'c' && !width ? 1 : any, *format, 0, 0, 0, to);
          break;
        }
        case '[': {
          int inverted = format[1] == '^';
          const char *set = format + 1 + inverted;
          format = set + 1;
          while (*format && *format != ']')
            format++;
          char *to = suppressed ? 0 : __builtin_va_arg(list, char *);
          outcome = __rhumb_scan_text(&from, any, '[', set, format, inverted, to);
          break;
        }
        case 'n': {
          void *to = __builtin_va_arg(list, void *);
          if (size == 1)
            *(signed char *)to = (signed char)from.taken;
          else if (size == 2)
            *(short *)to = (short)from.taken;
          else if (size == 4)
            *(int *)to = (int)from.taken;
          else
            *(long long *)to = from.taken;
          continue;
        }
        default:
          if (!is_plain)
            __rhumb_refuse("a conversion in a format of `scanf`");
        }
        assigned += outcome == 1 && !suppressed;
        continue;
      }
    }
    if (__rhumb_look(&from) == (unsigned char)*format)
      __rhumb_take(&from);
    else
      outcome = __rhumb_look(&from) == -1 ? -1 : 0;
  }
  if (!is_plain && !text && stream == __rhumb_stdin() && from.ahead >= 0)
    __rhumb_model___put_back(from.ahead);
  return outcome == -1 && !assigned ? -1 : assigned;
}

//: vsscanf
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_vsscanf(const char *text, const char *format, __builtin_va_list list) {
  return __rhumb_model___scan(text, 0, format, list, 0);
}

//: vfscanf
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_vfscanf(void *stream, const char *format, __builtin_va_list list) {
  return __rhumb_model___scan(0, stream, format, list, 0);
}

//: vscanf
void *__rhumb_stdin(void);
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_vscanf(const char *format, __builtin_va_list list) {
  return __rhumb_model___scan(0, __rhumb_stdin(), format, list, 0);
}

//: sscanf __sscanf_plain
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_sscanf(const char *text, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model___scan(text, 0, format, list, 0);
  __builtin_va_end(list);
  return n;
}
// The same for a format that is plain.
int __rhumb_model___sscanf_plain(const char *text, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model___scan(text, 0, format, list, 1);
  __builtin_va_end(list);
  return n;
}

//: fscanf
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_fscanf(void *stream, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model___scan(0, stream, format, list, 0);
  __builtin_va_end(list);
  return n;
}

//: scanf
void *__rhumb_stdin(void);
int __rhumb_model___scan(const char *text, void *stream, const char *format, __builtin_va_list list, int is_plain);
int __rhumb_model_scanf(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  int n = __rhumb_model___scan(0, __rhumb_stdin(), format, list, 0);
  __builtin_va_end(list);
  return n;
}

//: __arguments
// What `main` gets as its second argument.
char *__rhumb_model___input_string(void);
char **__rhumb_model___arguments(int count) {
  char **all = __builtin_malloc(((__typeof__(sizeof(0)))count + 1) * sizeof *all);
  for (int i = 0; i < count; i++)
    all[i] = __rhumb_model___input_string();
  all[count] = 0;
  return all;
}

// Threads. The front end gives meaning to __rhumb_yield, __rhumb_atomic_begin, __rhumb_atomic_end, __rhumb_block (wait until others have done something, then look
// again), __rhumb_may_wait (here a real thread may wait to be woken up), __rhumb_spawn, __rhumb_start, __rhumb_current, __rhumb_end, __rhumb_is_done, __rhumb_result and __rhumb_holds (whether so many bytes may be accessed). What waits does so
// before it has written anything in its part without switches. Objects of the library are used as arrays of int; zeros are a fresh one, as for glibc.

// A thread is known by its number, and one more: no thread is 0.
//: pthread_create __thread_body
int __rhumb_spawn(void (*)(void *(*)(void *), void *), void *(*)(void *), void *);
void __rhumb_end(void *);
void *__rhumb_start(void *(*)(void *), void *);
void __rhumb_model___thread_body(void *(*start)(void *), void *argument) { __rhumb_end(__rhumb_start(start, argument)); }
int __rhumb_model_pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *argument) {
  *thread = (unsigned long)__rhumb_spawn(__rhumb_model___thread_body, start, argument) + 1;
  return 0;
}

//: pthread_join
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_is_done(int);
void *__rhumb_result(int);
int __rhumb_model_pthread_join(unsigned long thread, void **result) {
  int number = (int)(thread - 1);
  __rhumb_atomic_begin();
  while (!__rhumb_is_done(number))
    __rhumb_block();
  void *value = __rhumb_result(number);
  __rhumb_atomic_end();
  if (result)
    *result = value;
  return 0;
}

//: pthread_exit
void __rhumb_end(void *);
void __rhumb_model_pthread_exit(void *result) { __rhumb_end(result); }

//: pthread_self
int __rhumb_current(void);
unsigned long __rhumb_model_pthread_self(void) { return (unsigned long)__rhumb_current() + 1; }

//: pthread_equal
int __rhumb_model_pthread_equal(unsigned long a, unsigned long b) { return a == b; }

//: pthread_detach
int __rhumb_model_pthread_detach(unsigned long thread) { return 0; }

//: pthread_yield
int __rhumb_model_pthread_yield(void) { return 0; }

//: sched_yield
int __rhumb_model_sched_yield(void) { return 0; }

//: pthread_attr_init
int __rhumb_model_pthread_attr_init(void *attributes) { return 0; }

//: pthread_attr_destroy
int __rhumb_model_pthread_attr_destroy(void *attributes) { return 0; }

//: pthread_attr_setdetachstate
int __rhumb_model_pthread_attr_setdetachstate(void *attributes, int state) { return state == 0 || state == 1 ? 0 : 22; }

//: pthread_attr_setstacksize
int __rhumb_model_pthread_attr_setstacksize(void *attributes, unsigned long size) { return size < 16384 ? 22 : 0; }

//: pthread_setconcurrency
int __rhumb_model_pthread_setconcurrency(int level) { return level < 0 ? 22 : 0; }

//: pthread_mutexattr_init
int __rhumb_model_pthread_mutexattr_init(void *attributes) {
  *(int *)attributes = 0;
  return 0;
}

//: pthread_mutexattr_destroy
int __rhumb_model_pthread_mutexattr_destroy(void *attributes) { return 0; }

//: pthread_mutexattr_settype
int __rhumb_model_pthread_mutexattr_settype(void *attributes, int kind) {
  if (kind < 0 || kind > 3)
    return 22;
  *(int *)attributes = kind;
  return 0;
}

//: pthread_mutex_init
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
int __rhumb_model_pthread_mutex_init(void *mutex, const void *attributes) {
  int *words = mutex;
  if (!__rhumb_holds(mutex, 24))
    __rhumb_refuse("a mutex of another layout");
  words[0] = 0;
  words[1] = 0;
  words[sizeof(long) == 8 ? 4 : 3] = attributes ? *(const int *)attributes : 0;
  return 0;
}

//: pthread_mutex_destroy
int __rhumb_model_pthread_mutex_destroy(void *mutex) { return 0; }

//: pthread_mutex_lock pthread_mutex_trylock pthread_mutex_timedlock pthread_mutex_unlock __mutex_take
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
int __rhumb_current(void);
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
// It waits (1), doesn't (0), or waits for some time (2), which may be over at once, or no time at all (3).
int __rhumb_model___mutex_take(int *words, int waits) {
  if (!__rhumb_holds(words, 24))
    __rhumb_refuse("a mutex of another layout");
  __rhumb_atomic_begin();
  // Whose it is matters only to the kinds that ask.
  int kind = words[sizeof(long) == 8 ? 4 : 3] & 3;
  int self = kind == 1 || kind == 2 ? __rhumb_current() + 1 : 1;
  if (words[0] == self) {
    if (kind == 1) {
      words[1] = words[1] + 1;
      __rhumb_atomic_end();
      return 0;
    }
    if (kind == 2 && waits) {
      __rhumb_atomic_end();
      return 35;
    }
  }
  while (words[0] != 0) {
    if (waits != 1) {
      __rhumb_atomic_end();
      return waits == 0 ? 16 : waits == 2 ? 110 : 22;
    }
    __rhumb_block();
  }
  words[0] = self;
  __rhumb_atomic_end();
  return 0;
}
int __rhumb_model_pthread_mutex_lock(void *mutex) { return __rhumb_model___mutex_take(mutex, 1); }
int __rhumb_model_pthread_mutex_trylock(void *mutex) { return __rhumb_model___mutex_take(mutex, 0); }
int __rhumb_model_pthread_mutex_timedlock(void *mutex, const void *time) {
  // Nobody looks at the time before it has to wait.
  return __rhumb_model___mutex_take(mutex, ((const unsigned long *)time)[1] < 1000000000 ? 2 : 3);
}
int __rhumb_model_pthread_mutex_unlock(void *mutex) {
  int *words = mutex;
  if (!__rhumb_holds(mutex, 24))
    __rhumb_refuse("a mutex of another layout");
  __rhumb_atomic_begin();
  int kind = words[sizeof(long) == 8 ? 4 : 3] & 3;
  if ((kind == 1 || kind == 2) && words[0] != __rhumb_current() + 1) {
    __rhumb_atomic_end();
    return 1;
  }
  if (words[1] > 0)
    words[1] = words[1] - 1;
  else
    words[0] = 0;
  __rhumb_atomic_end();
  return 0;
}

// A thread may wake up for no reason, so it may at any time; signals have nothing to add to that.
//: pthread_cond_init
int __rhumb_model_pthread_cond_init(void *condition, const void *attributes) { return 0; }

//: pthread_cond_destroy
int __rhumb_model_pthread_cond_destroy(void *condition) { return 0; }

//: pthread_cond_signal
int __rhumb_model_pthread_cond_signal(void *condition) { return 0; }

//: pthread_cond_broadcast
int __rhumb_model_pthread_cond_broadcast(void *condition) { return 0; }

//: pthread_cond_wait
int __rhumb_model_pthread_mutex_lock(void *);
int __rhumb_model_pthread_mutex_unlock(void *);
void __rhumb_may_wait(void);
int __rhumb_model_pthread_cond_wait(void *condition, void *mutex) {
  int failed = __rhumb_model_pthread_mutex_unlock(mutex);
  if (failed)
    return failed;
  __rhumb_may_wait();
  __rhumb_model_pthread_mutex_lock(mutex);
  return 0;
}

//: pthread_cond_timedwait
_Bool __rhumb_input_bool(void);
int __rhumb_model_pthread_mutex_lock(void *);
int __rhumb_model_pthread_mutex_unlock(void *);
int __rhumb_model_pthread_cond_timedwait(void *condition, void *mutex, const void *time) {
  if (((const unsigned long *)time)[1] >= 1000000000)
    return 22;
  int failed = __rhumb_model_pthread_mutex_unlock(mutex);
  if (failed)
    return failed;
  __rhumb_model_pthread_mutex_lock(mutex);
  return __rhumb_input_bool() ? 110 : 0;
}

//: pthread_spin_init
int __rhumb_model_pthread_spin_init(volatile int *lock, int shared) {
  *lock = 0;
  return 0;
}

//: pthread_spin_destroy
int __rhumb_model_pthread_spin_destroy(volatile int *lock) { return 0; }

//: pthread_spin_lock
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_model_pthread_spin_lock(volatile int *lock) {
  __rhumb_atomic_begin();
  while (*lock)
    __rhumb_block();
  *lock = 1;
  __rhumb_atomic_end();
  return 0;
}

//: pthread_spin_trylock
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
int __rhumb_model_pthread_spin_trylock(volatile int *lock) {
  __rhumb_atomic_begin();
  int taken = *lock;
  *lock = 1;
  __rhumb_atomic_end();
  return taken ? 16 : 0;
}

//: pthread_spin_unlock
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
int __rhumb_model_pthread_spin_unlock(volatile int *lock) {
  __rhumb_atomic_begin();
  *lock = 0;
  __rhumb_atomic_end();
  return 0;
}

// The first word is the writer, the second the number of readers.
//: pthread_rwlock_init
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
int __rhumb_model_pthread_rwlock_init(void *lock, const void *attributes) {
  if (!__rhumb_holds(lock, 24))
    __rhumb_refuse("a lock of another layout");
  ((int *)lock)[0] = 0;
  ((int *)lock)[1] = 0;
  return 0;
}

//: pthread_rwlock_destroy
int __rhumb_model_pthread_rwlock_destroy(void *lock) { return 0; }

//: pthread_rwlock_rdlock pthread_rwlock_tryrdlock pthread_rwlock_wrlock pthread_rwlock_trywrlock pthread_rwlock_unlock __rwlock_take
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_model___rwlock_take(int *words, int writes, int waits) {
  if (!__rhumb_holds(words, 24))
    __rhumb_refuse("a lock of another layout");
  __rhumb_atomic_begin();
  while (words[0] != 0 || (writes && words[1] != 0)) {
    if (!waits) {
      __rhumb_atomic_end();
      return 16;
    }
    __rhumb_block();
  }
  if (writes)
    words[0] = 1;
  else
    words[1] = words[1] + 1;
  __rhumb_atomic_end();
  return 0;
}
int __rhumb_model_pthread_rwlock_rdlock(void *lock) { return __rhumb_model___rwlock_take(lock, 0, 1); }
int __rhumb_model_pthread_rwlock_tryrdlock(void *lock) { return __rhumb_model___rwlock_take(lock, 0, 0); }
int __rhumb_model_pthread_rwlock_wrlock(void *lock) { return __rhumb_model___rwlock_take(lock, 1, 1); }
int __rhumb_model_pthread_rwlock_trywrlock(void *lock) { return __rhumb_model___rwlock_take(lock, 1, 0); }
int __rhumb_model_pthread_rwlock_unlock(void *lock) {
  int *words = lock;
  if (!__rhumb_holds(lock, 24))
    __rhumb_refuse("a lock of another layout");
  __rhumb_atomic_begin();
  if (words[0] != 0)
    words[0] = 0;
  else if (words[1] > 0)
    words[1] = words[1] - 1;
  __rhumb_atomic_end();
  return 0;
}

//: sem_init
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
void __rhumb_lose_errno(void);
int __rhumb_model_sem_init(void *semaphore, int shared, unsigned value) {
  if (!__rhumb_holds(semaphore, 16))
    __rhumb_refuse("a semaphore of another layout");
  if (value > 2147483647) {
    __rhumb_lose_errno();
    return -1;
  }
  *(int *)semaphore = (int)value;
  return 0;
}

//: sem_destroy
int __rhumb_model_sem_destroy(void *semaphore) { return 0; }

//: sem_wait
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_model_sem_wait(int *semaphore) {
  __rhumb_atomic_begin();
  while (*semaphore == 0)
    __rhumb_block();
  *semaphore = *semaphore - 1;
  __rhumb_atomic_end();
  return 0;
}

//: sem_trywait
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_lose_errno(void);
int __rhumb_model_sem_trywait(int *semaphore) {
  __rhumb_atomic_begin();
  int value = *semaphore;
  if (value != 0)
    *semaphore = value - 1;
  __rhumb_atomic_end();
  if (value != 0)
    return 0;
  __rhumb_lose_errno();
  return -1;
}

//: sem_post
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_lose_errno(void);
int __rhumb_model_sem_post(int *semaphore) {
  __rhumb_atomic_begin();
  int value = *semaphore;
  if (value != 2147483647)
    *semaphore = value + 1;
  __rhumb_atomic_end();
  if (value != 2147483647)
    return 0;
  __rhumb_lose_errno();
  return -1;
}

//: sem_getvalue
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
int __rhumb_model_sem_getvalue(int *semaphore, int *value) {
  __rhumb_atomic_begin();
  int now = *semaphore;
  __rhumb_atomic_end();
  *value = now;
  return 0;
}

// How many have to come, how many have, and how often that happened.
//: pthread_barrier_init
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
int __rhumb_model_pthread_barrier_init(void *barrier, const void *attributes, unsigned count) {
  unsigned *words = barrier;
  if (!__rhumb_holds(barrier, 20))
    __rhumb_refuse("a barrier of another layout");
  if (count == 0)
    return 22;
  words[0] = count;
  words[1] = 0;
  words[2] = 0;
  return 0;
}

//: pthread_barrier_destroy
int __rhumb_model_pthread_barrier_destroy(void *barrier) { return 0; }

//: pthread_barrier_wait
void __rhumb_refuse(const char *);
int __rhumb_holds(void *, unsigned long);
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_model_pthread_barrier_wait(void *barrier) {
  unsigned *words = barrier;
  if (!__rhumb_holds(barrier, 20))
    __rhumb_refuse("a barrier of another layout");
  __rhumb_atomic_begin();
  unsigned round = words[2];
  unsigned here = words[1] + 1;
  if (here >= words[0]) {
    words[1] = 0;
    words[2] = round + 1;
    __rhumb_atomic_end();
    return -1;
  }
  words[1] = here;
  __rhumb_atomic_end();
  __rhumb_atomic_begin();
  while (words[2] == round)
    __rhumb_block();
  __rhumb_atomic_end();
  return 0;
}

//: pthread_once
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
void __rhumb_block(void);
int __rhumb_model_pthread_once(int *once, void (*routine)(void)) {
  __rhumb_atomic_begin();
  while (*once == 1)
    __rhumb_block();
  if (*once == 2) {
    __rhumb_atomic_end();
    return 0;
  }
  *once = 1;
  __rhumb_atomic_end();
  routine();
  __rhumb_atomic_begin();
  *once = 2;
  __rhumb_atomic_end();
  return 0;
}

// What threads keep under a key. Destructors are not run for null.
//: pthread_key_create pthread_key_delete pthread_setspecific pthread_getspecific
void __rhumb_refuse(const char *);
int __rhumb_current(void);
void __rhumb_atomic_begin(void);
void __rhumb_atomic_end(void);
static void *__rhumb_model___specific[16][32];
static unsigned __rhumb_model___keys;
int __rhumb_model_pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  if (destructor)
    __rhumb_refuse("a destructor of what threads keep");
  __rhumb_atomic_begin();
  unsigned number = __rhumb_model___keys;
  if (number >= 16)
    __rhumb_refuse("many keys of what threads keep");
  __rhumb_model___keys = number + 1;
  __rhumb_atomic_end();
  *key = number;
  return 0;
}
int __rhumb_model_pthread_key_delete(unsigned key) { return 0; }
int __rhumb_model_pthread_setspecific(unsigned key, const void *value) {
  int self = __rhumb_current();
  if (key >= 16 || self >= 32)
    __rhumb_refuse("many threads or keys of what they keep");
  __rhumb_model___specific[key][self] = (void *)value;
  return 0;
}
void *__rhumb_model_pthread_getspecific(unsigned key) {
  int self = __rhumb_current();
  if (key >= 16 || self >= 32)
    __rhumb_refuse("many threads or keys of what they keep");
  return __rhumb_model___specific[key][self];
}
