// Library functions in C, for programs that call them without defining them. The engines and the interpreter treat them like any other function.
//
// Each piece starts with a line "//: name"; a program gets the pieces that it calls. A piece that calls another declares it. Names carry a
// prefix so that they can't meet a declaration of the program's own. What C leaves undefined (a string without an end, a null pointer) is undefined here for the same reason.

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

//: isdigit
int __rhumb_model_isdigit(int c) { return c >= '0' && c <= '9'; }

//: isxdigit
int __rhumb_model_isxdigit(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

//: islower
int __rhumb_model_islower(int c) { return c >= 'a' && c <= 'z'; }

//: isupper
int __rhumb_model_isupper(int c) { return c >= 'A' && c <= 'Z'; }

//: isalpha
int __rhumb_model_isalpha(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

//: isalnum
int __rhumb_model_isalnum(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

//: isspace
int __rhumb_model_isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

//: isprint
int __rhumb_model_isprint(int c) { return c >= ' ' && c <= '~'; }

//: tolower
int __rhumb_model_tolower(int c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

//: toupper
int __rhumb_model_toupper(int c) { return c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c; }

//: isascii
int __rhumb_model_isascii(int c) { return c >= 0 && c <= 127; }

//: toascii
int __rhumb_model_toascii(int c) { return c & 127; }

//: isblank
int __rhumb_model_isblank(int c) { return c == ' ' || c == '\t'; }

//: iscntrl
int __rhumb_model_iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }

//: isgraph
int __rhumb_model_isgraph(int c) { return c > ' ' && c <= '~'; }

//: ispunct
int __rhumb_model_isalnum(int c);
int __rhumb_model_ispunct(int c) { return c > ' ' && c <= '~' && !__rhumb_model_isalnum(c); }

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
static union {
  int value;
  void *unknown;
} __rhumb_errno;
int *__rhumb_model___errno_location(void) { return &__rhumb_errno.value; }
