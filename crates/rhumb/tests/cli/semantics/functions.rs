//! Functions: how they are defined and called, and jumps inside of them.

use super::*;

#[test]
fn old_style_functions() {
    passes(
        "int first(n, a) int n; int a[][n]; { return a[1][0]; }
         int last(a, m, n) int n; int (*a)[n]; { return a[m - 1][n - 1]; }
         int swapped(b, a) int a, b; { return a * 10 + b; }
         int none() { return 3; }
         int later();
         int small(c, f, b) char c; float f; _Bool b; { return c + (int)f + b; }
         int through_parameter(g) int g(); { return g(1, 2, 3); }
         int main(void) {
           int a[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
           int (*through)() = none;
           if (first(3, a) != 4 || last(a, 2, 3) != 6 || swapped(1, 2) != 21) return 1;
           if (none(1, 2.0) != 3 || through(7) != 3 || through_parameter(none) != 3) return 2;
           if (later(5, 6L, 'x') != 11 + 'x') return 3;
           return small(300, 2.5, 1) != 47;
         }
         int later(int a, long b, unsigned c) { return a + (int)b + c; }",
    );
    // Arguments that are passed in another way than the parameter, or not at all.
    for (call, definition) in [
        ("f(5.5)", "int f(x) int x; { return x; }"),
        ("f(1)", "int f(long long x) { return x; }"),
        ("f(1)", "int f(a, b) int a, b; { return a; }"),
        ("f(1, 2)", "int f(int a) { return a; }"),
    ] {
        ends(
            &format!("int f(); int main(void) {{ return {call}; }} {definition}"),
            "undefined behaviour at input.c:1: invalid call",
        );
    }
}

#[test]
fn constructors_and_destructors_run() {
    let text = "#include <stdlib.h>
         static int order;
         static void step(int expected) { if (++order != expected) abort(); }
         static void c3(void) __attribute__((constructor));
         __attribute__((constructor(200))) static void c2(void) { step(2); }
         __attribute__((constructor(150))) static void c1(void) { step(1); }
         static void c3(void) { step(3); }
         __attribute__((destructor)) static void d2(void) { step(6); _Exit(9); }
         __attribute__((destructor)) static void d1(void) { step(5); }
         int main(void) { step(4); END; }";
    for end in ["return 0", "exit(1)"] {
        let text = text.replace("END", end);
        ends(&text, "exit 9");
        by_gcc(&text, 9);
    }
    ends(&text.replace("END", "_Exit(7)"), "exit 7");
    ends(
        "#include <stdlib.h>
         __attribute__((destructor)) static void again(void) { exit(1); }
         int main(void) { return 0; }",
        "undefined behaviour at input.c:2: invalid call",
    );
}

#[test]
fn further_arguments() {
    passes(
        "#include <stdarg.h>
         struct big { long a; char b[20]; };
         struct none {};
         static int sum(int n, va_list ap) { int s = 0; while (n--) s += va_arg(ap, int); return s; }
         static int twice(int n, ...) {
           va_list ap, again;
           va_start(ap, n);
           va_copy(again, ap);
           int s = sum(n, ap) + sum(n, again);
           va_end(again);
           va_end(ap);
           return s;
         }
         static long double mixed(const char *types, ...) {
           long double s = 0;
           va_list ap;
           va_start(ap, types);
           for (; *types; types++)
             switch (*types) {
             case 'i': s += va_arg(ap, int); break;
             case 'u': s += va_arg(ap, unsigned); break;
             case 'l': s += va_arg(ap, long long); break;
             case 'd': s += va_arg(ap, double); break;
             case 'L': s += va_arg(ap, long double); break;
             case 'p': s += *va_arg(ap, int *); break;
             case 'b': { struct big b = va_arg(ap, struct big); s += b.a + b.b[19]; break; }
             case 'n': va_arg(ap, struct none); break;
             }
           va_end(ap);
           return s;
         }
         static int count(int first, ...) {
           va_list ap;
           int n = 0;
           va_start(ap, first);
           for (int x = first; x != -1; x = va_arg(ap, int)) n++;
           va_end(ap);
           return n;
         }
         static int ignores(int n, ...) { return n; }
         struct state { va_list ap; int n; };
         static int next(va_list *ap) { return va_arg(*ap, int); }
         static int in_struct(int n, ...) {
           struct state s = { .n = n };
           va_start(s.ap, n);
           int a = next(&s.ap), b = va_arg(s.ap, int);
           va_end(s.ap);
           va_start(s.ap, n);
           int again = next(&s.ap);
           va_end(s.ap);
           return a * 100 + b * 10 + again;
         }
         static int deeper(int n, ...) {
           va_list ap;
           va_start(ap, n);
           int x = va_arg(ap, int);
           va_end(ap);
           return n ? x + deeper(n - 1, 2 * x) : x;
         }
         static struct big changed(int n, ...) {
           va_list ap;
           va_start(ap, n);
           struct big b = va_arg(ap, struct big);
           va_end(ap);
           b.a++;
           return b;
         }
         int main(void) {
           int three = 3;
           struct big b = { 100, { [19] = 7 } };
           struct none none;
           if (twice(3, 1, 2, 3) != 12 || twice(0) != 0) return 1;
           if (mixed(\"iuldLpbni\", -1, 2u, 1LL << 40, 0.5, 0.25L, &three, b, none, (short)9) != (1LL << 40) + 120.75L) return 2;
           int (*through)(int, ...) = count;
           if (through(1, 2, 3, -1) != 3 || count(-1) != 0 || count(count(4, -1), 5, -1) != 2) return 3;
           if (in_struct(2, 3, 4) != 343 || deeper(3, 1) != 15 || changed(1, b).a != 101 || b.a != 100) return 4;
           through = ignores;
           return through(5, 6, 7.0) != 5 || ignores(8, &b) != 8;
         }",
    );
}

#[test]
fn arguments_that_are_not_there() {
    let program = |call: &str| {
        format!(
            "#include <stdarg.h>
             int second(int n, ...) {{ va_list ap; va_start(ap, n); va_arg(ap, int); return va_arg(ap, int); }}
             int main(void) {{ return {call}; }}"
        )
    };
    ends(&program("second(0, 1, 2)"), "exit 2");
    for call in [
        "second(0)",
        "second(0, 1)",
        "second(0, 1, 2.0)",
        "second(0, 1, 2LL)",
    ] {
        ends(
            &program(call),
            "undefined behaviour at input.c:2: invalid read",
        );
    }
    // Its type promises nothing about further arguments.
    ends(
        "#include <stdarg.h>
         int f(int n, ...) { va_list ap; va_start(ap, n); return *va_arg(ap, int *); }
         int main(void) { int (*g)() = (int (*)())f, x = 0; return g(1, &x); }",
        "undefined behaviour at input.c:3: invalid call",
    );
    // The arguments are gone when the call is over.
    ends(
        "#include <stdarg.h>
         static va_list *kept;
         static void keep(va_list *to, ...) { va_start(*to, to); kept = to; }
         int main(void) { va_list ap; keep(&ap, 1); return va_arg(*kept, int); }",
        "undefined behaviour at input.c:4: invalid read",
    );
}

#[test]
fn computed_goto() {
    passes(
        "static int run(const char *code) {
           static const void *const table[] = { ['+' - '+'] = &&add, ['-' - '+'] = &&sub, ['.' - '+'] = &&end };
           int n = 0;
           goto *table[*code++ - '+'];
         add:
           n += 10;
           goto *table[*code++ - '+'];
         sub: {
             int one = 1, *p = &one;
             n -= *p;
             goto *table[*code++ - '+'];
           }
         end:
           return n;
         }
         int main(void) {
           void *p = &&here;
           int again = 0;
         here:
           if (!again++) goto *p;
           return !(run(\"++-+.\") == 29 && again == 2 && p == &&here && p != &&there);
         there:
           return 7;
         }",
    );
    passes(
        "static int scopes(int n) {
           void *p = &&in;
           int v[n];
           v[0] = n;
           {
             int w[n];
             w[0] = 2;
           in:
             v[0] += w[0];
             if (v[0] < 9) goto *p;
           }
           return v[0];
         }
         static int loops(int k) {
           static void *const t[] = { &&a, &&b, &&c };
           int r = 0;
           for (int i = 0; i < 3; i++) {
             int z[2] = { i, k };
             goto *t[(i + k) % 3];
           a: r += 1; continue;
           b: r += 10 + z[1]; continue;
           c: r += 100;
           }
           return r;
         }
         static void *here(void) { return ({ __label__ here; here: &&here; }); }
         int main(void) {
           return scopes(4) != 10 || loops(0) != 111 || loops(1) != 112 || here() == 0;
         }",
    );
    for text in [
        "int main(void) { void *p = &&l; p = 0; goto *p; l: return 0; }",
        "int main(void) { int x = 0; goto *&&in; x = ({ in: 1; }); return x; }",
        "int main(void) { int n = 2; goto *&&in; int v[n]; in: return 0; }",
    ] {
        ends(text, "undefined behaviour at input.c:1: invalid call");
    }
    ends(
        "int main(void) { static int d = &&a - &&b; goto *(&&b + d); a: return 0; b: return 1; }",
        "unsupported a difference of labels",
    );
}
