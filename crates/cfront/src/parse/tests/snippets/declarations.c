typedef unsigned long size_t;
typedef struct list List;
struct list { int value; List *next; unsigned flags : 3, : 0; };
union number { int i; float f; char bytes[4]; };
enum colour { RED, GREEN = 5, BLUE };
extern int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline int square(int x) { return x * x; }
int (*handlers[4])(int, void *);
int (*choose(int which))(int, void *);
const char *const names[] = { "red", [2] = "blue" };
struct { struct { int x, y; } points[2]; } shape = { .points = { [0 ... 1] = { .x = 1, .y = 2 } } };
int matrix[2][3] = { { 1, 2, 3 }, { 4 } };
_Static_assert(sizeof(int) == 4, "int has four bytes");
void *memcpy(void *restrict to, const void *restrict from, size_t size);
typeof(int *) pointer;
__extension__ typedef long long wide;
volatile unsigned long long counter = 0xffffffffffffffffULL;
int old_style(a, b) int a; char *b; { return a + *b; }
double numbers[] = { 1.0, .5, 2e10, 0x1.8p3, 1.5f };
struct packed { char c; int i; } __attribute__((packed));
