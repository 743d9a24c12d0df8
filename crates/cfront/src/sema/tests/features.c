struct S { int a; struct { int b; union { int c; float d; }; }; char e[3]; };
typedef struct S S;
extern int ext[];
int ext[10];
static int fwd(int, char *);
int knr(a, b, c) int a; char b; float c; { return a + b + c; }
struct node { struct node *next; int v; };
enum color { RED, GREEN = 5, BLUE };
static const char *names[] = { [RED] = "red", [GREEN] = "green", "blue" };
S s1 = { .e = "ab", .c = 4, .a = 1 };
S s2 = { 1, { 2, { 3 } }, { 'x', 'y' } };
S s3 = { 1, 2, 3, "xyz" };
int arr2[][3] = { 1, 2, 3, 4, 5, 6, 7 };
int arr3[] = { [2] = 5, 6, [0] = 1, [5 ... 8] = 9 };
_Static_assert(sizeof arr3 == 9 * sizeof(int), "arr3");
_Static_assert(sizeof arr2 == 9 * sizeof(int), "arr2");
char str1[] = "hello"; char str2[3] = "abc"; char str3[] = { "hi" };
_Static_assert(sizeof str1 == 6 && sizeof str3 == 3, "");
int *pa = &arr3[2]; int *pb = arr3 + 3; char *pc = "hello" + 2; int *pd = &s1.c;
unsigned long addr = (unsigned long)&s1; int (*fp)(int, char*) = fwd; int (*fp2)(int, char*) = &fwd;
struct flex { int n; char data[]; } fl = { 3, "abc" };
struct bits { unsigned a:3; int b:5; unsigned long long c:40; _Bool d:1; enum color e:4; int :0; int f:7; } bf = { 1, -2, 3, 1, BLUE, 5 };
union U { int i; float f; char c[8]; } u1 = { .f = 1.5f }, u2 = { 3 };
static inline int sq(int x) { return x * x; }
static int fwd(int x, char *y) { return x + *y; }
int vla(int n, int m, int a[n][m]) {
  int b[n][m + 1]; typedef int row[m]; row r;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; ++j) { b[i][j] = a[i][j]; r[j] = 0; }
  return sizeof b + sizeof(row) + sizeof(int[n]) + b[1][2];
}
int locals(int argc, char **argv) {
  static int counter; static int tab[] = {1,2,3};
  int x = 5, *p = &x, **pp = &p; char c = 'a'; short sh = x; long long ll = 1LL << 40; unsigned u = ~0u; float f = 1.5f; double d = f; _Bool bo = p; long double ld = 1.0L;
  S a = s1, b = { .a = x, .b = **pp }; S *sp = &a; struct bits bb = bf; int q[3] = { x, x + 1 };
  int z[] = { [0 ... 3] = sq(3) };
  x += d; x <<= 2; x -= c; p += 1; p++; --p; c++; bo++; bo--; f++; bb.a++; bb.c += 1; bb.b = x; sp->d = 2; a.c |= 1; ll *= u;
  x = p - &x; x = sp->e[1] + b.e[2]; (*fp)(1, argv[0]); fp(2, *argv); (**fp)(3, argv[1]);
  x = x ? : 7; x = bo ? 1 : 2.5; p = x ? p : 0; p = x ? (void *)0 : p; void *v = x ? (void*)p : argv;
  x = ({ int t = x; t * 2; }); a = x ? a : b; a = (S){ 1, .c = 3 }; sp = &(S){ 2 }; p = (int[]){1,2,3};
  switch (x) { case 1: case 2 ... 5: x = 1; break; case RED + 100: default: x = 2; }
  for (;;) { if (x) break; else continue; }
  goto end; { __label__ l; l: if (x--) goto l; }
  do { x--; } while (x > 0 && p || !v);
  x = __builtin_expect(x == 3, 0); __builtin_memcpy(&a, &b, sizeof a); x = __builtin_popcount(u) + __builtin_clzll(ll) + __builtin_bswap32(u);
  if (__builtin_add_overflow(x, ll, &x) || __builtin_mul_overflow_p(x, ll, (short)0)) return 1;
  x = _Generic(x, int: 1, default: 2) + __builtin_types_compatible_p(int, int) + __builtin_choose_expr(1, 2, "a") + __builtin_constant_p(3) + __builtin_offsetof(S, e[1]);
  x = __sync_fetch_and_add(&x, 2); x = __atomic_load_n(&x, 5); x = __sync_bool_compare_and_swap(&x, 1, 2); __sync_synchronize();
  x = sizeof(struct { int a; char b; }); typeof(x) tt = 3; __auto_type at = 3.5; __asm__ volatile ("" ::: "memory");
  x = counter++ + tab[1] + 2[tab] + *(tab + 1) + "abc"[1] + sizeof("abc") + ((S){3}).a + !p + -x + ~c + +sh;
  (void)x; (void)p; x = (x, 3); printf("%d", x); char *m = malloc(10); free(m); strlen(m);
  x = sizeof x++; x = 'abcd' + L'x' + u'y'; const char *fn = __func__; x = isalpha('c'); x = abs(-3);
  x = 1 ? : 2; x = bb.c << 30; x = bb.a - 5 < 0; double nan = __builtin_nan(""); x = __builtin_isnan(nan) + __builtin_isgreater(nan, 1.0);
end: return x;
}
int main(void) { extern int later; extern int laterf(int); int a = later + laterf(2); return 0; }
int later = 5; int laterf(int x) { return x; }
int tentative; int tentative; extern int tentative;
int unk();
int unk(int a, int b) { return a; }
void vf(void) { return; } void vg(void) { return vf(); }
int comp[2] ; int *cp = comp + 1; long diff = &comp[1] - &comp[0];
int big[1000] = { [999] = 1 };
