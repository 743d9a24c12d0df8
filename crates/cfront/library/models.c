// Library functions in C, for programs that call them without defining them. The engines and the interpreter treat them like any other function.
//
// Each piece starts with a line "//: name"; a program gets the pieces that it calls. Names carry a prefix so that they can't meet a
// declaration of the program's own. What C leaves undefined (a string without an end, a null pointer) is undefined here for the same reason.

//: abs
int __rhumb_model_abs(int x) { return x < 0 ? -x : x; }

//: labs
long __rhumb_model_labs(long x) { return x < 0 ? -x : x; }

//: llabs
long long __rhumb_model_llabs(long long x) { return x < 0 ? -x : x; }

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

//: strdup
char *__rhumb_model_strdup(const char *s) {
  __typeof__(sizeof(0)) size = __rhumb_model_strlen(s) + 1;
  return __builtin_memcpy(__builtin_malloc(size), s, size);
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
