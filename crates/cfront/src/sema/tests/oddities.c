/* Corners of the language that ordinary programs seldom visit; gcc accepts all of it. */
typedef int T, *PT, AT[4], FT(int);
typedef struct tag { T T; struct tag *tag; } tag;
FT declared; int (*returns_pointer(int a, FT *f))(int) { return a ? f : declared; }
static int (*const table[2])(int) = { declared, &declared };
int (*(*matrix_of(int n))[3])[4];
struct empty { }; struct empty none; struct nested_empty { struct empty e[2]; int x; } ne = { { }, 1 };
union open { int i; struct { short lo, hi; }; char bytes[4]; };
struct __attribute__((packed)) tight { char c; int i; long long l; };
struct align { char c; int i __attribute__((aligned(8))); _Alignas(4) char d; } __attribute__((aligned(16)));
typedef int wide_int __attribute__((mode(DI))); typedef unsigned tiny __attribute__((__mode__(QI)));
typedef float v4 __attribute__((vector_size(16)));
v4 unused_vector; _Complex double unused_complex(_Complex double z);
enum big { BIG = 0x1ffffffffLL, SMALL = -1 }; enum later; 
extern struct opaque *opaque; struct opaque *opaque;
int tentative[]; int tentative[5]; extern int tentative[];
static const int constant = 42; static int copy = constant; static const int *const address = &constant;
char text[2][4] = { "ab", { 'c', 0 } }, *strings[] = { "x" "y", [3] = "z" };
int sparse[] = { [4] = 1, [1 ... 2] = 2, 3, [0] = 4 };
struct flexible { int n; int rest[]; } flexible = { 2, { 1, 2 } };
struct { struct { int a, b; } in[2]; int c; } elided = { 1, 2, 3, .c = 5 }, designated = { .in[1].b = 7, 8 };
int *literal = (int[]){ 1, 2, 3 }; struct tag *linked = &(struct tag){ 1, &(struct tag){ 2 } };
unsigned long distance = (char *)&elided.c - (char *)&elided;
_Static_assert(sizeof(struct tight) == 13, "packed"); _Static_assert(sizeof sparse == 5 * sizeof(int), "sparse");
_Static_assert(_Generic(&constant, const int *: 1, default: 0), "qualified");
_Static_assert(__builtin_offsetof(struct tight, l) == 5 && 'a' == 97 && (unsigned char)-1 == 255 && -1 < 0u == 0, "constants");
_Static_assert(__builtin_constant_p(1 ? 2 : (int)sizeof(T)), "folded");
int old_style(a, b, s) char a; float b; struct tag *s; { return a + b + s->T; }
inline int inlined(int x) { return x; } extern inline __attribute__((gnu_inline)) int gnu(int x) { return x; }
int gnu(int x) { return x + 1; }
__attribute__((noreturn)) void stop(void); _Noreturn void stop2(int);
__attribute__((constructor)) static void before_main(void) { copy++; }
int variadic(const char *format, ...) { __builtin_va_list list; __builtin_va_start(list, format);
  int first = __builtin_va_arg(list, int); __builtin_va_end(list); return first; }
int vla_sum(int n, int m, double grid[n][m], int (*f)(int, int g[n])) {
  typedef double row[m]; double copy[n][m], (*p)[m] = grid; row one; unsigned long size = sizeof copy + sizeof(row) + sizeof one;
  for (int i = 0; i < n; i++, p++) for (int j = 0; j < m; j++) copy[i][j] = (*p)[j] + grid[i][j] + p[0][j];
  goto out; out: return size + sizeof(char[n + m]) + (&copy[1] - &copy[0]) + ((double (*)[m])p)[1][2];
}
int statements(int x) {
  __label__ again; T T = 3; { struct tag { char c; } t; x += sizeof t; } struct tag t = { x };
  again: switch (x & 7) { case 0: x++; int y; case 1 ... 3: y = 2; x += y; break; case -1: default: do { x--; case 5:; } while (x > 10); }
  if (x < 0) goto again; else if (x == 1) ; else { }
  for (int i = 0, *p = &i; i < 3; (*p)++) if (i == 1) continue; else x += i;
  while (x > 100) { if (x & 1) break; x >>= 1; }
  return ({ int z = x; if (z) z++; z; }) + ({ ; 5; }) + T + t.T; 
}
int expressions(int *p, struct tag s, union open u, struct bits { unsigned a:3; long long b:40; _Bool c:1; } f) {
  int x = p[0] + 1[p] + *p++ + -*p + !p + ~*p + (p ? *p : 0) + (p && *p || !p) + (int)(long)p + sizeof *p + sizeof(*p++);
  x += s.tag->tag->T, x -= (&s)->T, x ^= u.hi; s = *s.tag; s = (struct tag){ .tag = &s }; u = (union open){ .bytes = "abc" };
  f.a = f.b = x; f.b <<= 2; f.a++; --f.c; x = f.b + f.a - f.c; x = (f.a = 9) + (f.b += 1); p = &s.T; p = (void *)0; p += x; p -= f.a;
  double d = x; d += f.a; d = d ? d : 1; float g = d; g *= 2; x = d > g; x = g; d++; long double ld = d; ld = ld / 3 + x;
  void *v = p; v++; v = v + 1; x = (char *)v - (char *)p; v = expressions; x = v == p; const void *cv = x ? v : (const void *)p;
  x = (x ?: 3) + (1, 2) + __builtin_expect(x, 1) + __builtin_popcountll(x) + __builtin_constant_p(x) + __builtin_choose_expr(0, 1.5, 2);
  x = __func__[0] + "literal"[2] + L"wide"[1] + sizeof __func__ + 'ab' + u'c'; x = declared(x) + (*declared)(x) + table[1](x) + (**table[0])(2);
  x = returns_pointer(x, declared)(2); x = __builtin_types_compatible_p(typeof(x), int) + _Generic(x, int: 1, default: "no"[0]);
  if (__builtin_add_overflow(x, 1L, p) | __builtin_smul_overflow(x, 2, &x)) x = __builtin_bswap16(x) + __builtin_ffs(x);
  x = __atomic_add_fetch(&x, 1, 5) + __sync_val_compare_and_swap(&x, 1, 2) + __atomic_compare_exchange_n(&x, p, 2, 0, 5, 5);
  __typeof__(x) y = x; __auto_type z = &y; *z = __builtin_isnan(d) + __builtin_isunordered(d, g) + __builtin_fpclassify(0, 1, 4, 3, 2, d);
  enum { LOCAL = 3 } e = LOCAL; e++; e = x; static int counter = LOCAL; extern int elsewhere; elsewhere = ++counter;
  x = *(volatile int *)p; (void)x; (void)s; ((void)0, (void)1); x ? (void)0 : stop(); __builtin_unreachable();
}
struct opaque { int now; }; int use(void) { return opaque->now + (*opaque).now; }
enum later { LATER }; int main(void) { int x = x; return statements(x); }
