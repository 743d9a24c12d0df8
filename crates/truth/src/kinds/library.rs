//! Functions that programs about memory call, each on a line of its own, so that only those are there that are used.

/// What every program begins with.
pub(super) const PROLOGUE: &str = "extern void abort(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);
extern void free(void *);
extern void *memcpy(void *, const void *, __SIZE_TYPE__);
extern void *memset(void *, int, __SIZE_TYPE__);
extern int __VERIFIER_nondet_int(void);
struct pair { int a; int b; };
struct record { char tag; int value; short part[3]; struct pair inner; };
struct cell { int v; struct cell *next; };
union word { int i; unsigned char bytes[4]; short halves[2]; };
";

/// Functions by name. Later ones use earlier ones.
pub(super) const FUNCTIONS: [(&str, &str); 22] = [
    (
        "swap",
        "static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }",
    ),
    ("put", "static void put(int *x, int v) { *x = v; }"),
    ("bump", "static int bump(int *x) { *x += 1; return *x; }"),
    (
        "halve",
        "static int halve(int *x) { *x = *x / 2; return *x - 1; }",
    ),
    (
        "either",
        "static int *either(int *x, int *y, int c) { return c > 0 ? x : y; }",
    ),
    (
        "larger",
        "static int *larger(int *x, int *y) { if (*x >= *y) return x; return y; }",
    ),
    (
        "fill",
        "static void fill(int *x, int n, int v) { for (int i = 0; i < n; i++) x[i] = v; }",
    ),
    (
        "ramp",
        "static void ramp(int *x, int n, int v) { for (int i = 0; i < n; i++) { x[i] = v; v = v + 1; } }",
    ),
    (
        "sum",
        "static int sum(const int *x, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    ),
    (
        "most",
        "static int most(const int *x, int n) { int m = x[0]; for (int i = 1; i < n; i++) if (x[i] > m) m = x[i]; return m; }",
    ),
    (
        "find",
        "static int find(const int *x, int n, int v) { for (int i = 0; i < n; i++) if (x[i] == v) return i; return -1; }",
    ),
    (
        "reverse",
        "static void reverse(int *x, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { int t = x[i]; x[i] = x[j]; x[j] = t; } }",
    ),
    (
        "sort",
        "static void sort(int *x, int n) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && x[j - 1] > x[j]; j--) { int t = x[j]; x[j] = x[j - 1]; x[j - 1] = t; } }",
    ),
    (
        "make",
        "static struct pair make(int a, int b) { struct pair p; p.a = a; p.b = b; return p; }",
    ),
    (
        "flip",
        "static struct pair flip(struct pair p) { int t = p.a; p.a = p.b; p.b = t; return p; }",
    ),
    (
        "push",
        "static void push(struct cell **l, int v) { struct cell *c = malloc(sizeof *c); c->v = v; c->next = *l; *l = c; }",
    ),
    (
        "pop",
        "static int pop(struct cell **l) { struct cell *c = *l; if (!c) return -1; int v = c->v; *l = c->next; free(c); return v; }",
    ),
    (
        "append",
        "static void append(struct cell **l, int v) { while (*l) l = &(*l)->next; push(l, v); }",
    ),
    (
        "delete",
        "static void delete(struct cell **l, int v) { for (; *l; l = &(*l)->next) if ((*l)->v == v) { struct cell *c = *l; *l = c->next; free(c); return; } }",
    ),
    (
        "turn",
        "static struct cell *turn(struct cell *l) { struct cell *r = 0; while (l) { struct cell *n = l->next; l->next = r; r = l; l = n; } return r; }",
    ),
    (
        "total",
        "static int total(const struct cell *l) { int s = 0; while (l) { s += l->v; l = l->next; } return s; }",
    ),
    (
        "length",
        "static int length(const struct cell *l) { int n = 0; for (; l; l = l->next) n++; return n; }",
    ),
];

/// The same with a mistake that only some inputs show.
pub(super) const MISTAKES: [(&str, &str); 7] = [
    (
        "pop",
        "static int pop(struct cell **l) { struct cell *c = *l; int v = c->v; *l = c->next; free(c); return v; }",
    ),
    (
        "pop",
        "static int pop(struct cell **l) { struct cell *c = *l; if (!c) return -1; free(c); *l = c->next; return 0; }",
    ),
    (
        "delete",
        "static void delete(struct cell **l, int v) { for (; *l; l = &(*l)->next) if ((*l)->v == v) { struct cell *c = *l; free(c); *l = c->next; return; } }",
    ),
    (
        "delete",
        "static void delete(struct cell **l, int v) { for (; *l; l = &(*l)->next) if ((*l)->v == v) { *l = (*l)->next; return; } }",
    ),
    (
        "append",
        "static void append(struct cell **l, int v) { struct cell *c = *l; while (c->next) c = c->next; push(&c->next, v); }",
    ),
    (
        "fill",
        "static void fill(int *x, int n, int v) { for (int i = 0; i <= n; i++) x[i] = v; }",
    ),
    (
        "find",
        "static int find(const int *x, int n, int v) { int i = 0; while (x[i] != v) i++; return i; }",
    ),
];
