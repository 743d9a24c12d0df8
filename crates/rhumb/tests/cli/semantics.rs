//! What programs mean: small programs that check themselves, in both data models, and by gcc where there is one.

use std::process::{Command, Stdio};

use crate::support::{Folder, rhumb_in};

/// Fails unless the program exits with 0 in both data models, and when gcc compiles it.
#[track_caller]
fn passes(text: &str) {
    passes_in(text, &["LP64", "ILP32"]);
    by_gcc(text, 0);
}

/// Fails unless the program exits with 0 in these data models.
#[track_caller]
fn passes_in(text: &str, models: &[&str]) {
    let folder = Folder::new();
    folder.file("input.c", text);
    for model in models {
        let called = rhumb_in(
            folder.path(),
            ["run", "--quiet", "--data-model", model, "input.c"],
        );
        assert!(
            called.stderr.contains("outcome: exit 0 ("),
            "{model}: {}\n{text}",
            called.stderr
        );
    }
}

/// Fails unless a run ends so in both data models. gcc isn't asked: what it does here means nothing.
#[track_caller]
fn ends(text: &str, outcome: &str) {
    let folder = Folder::new();
    folder.file("input.c", text);
    for model in ["LP64", "ILP32"] {
        let called = rhumb_in(
            folder.path(),
            ["run", "--quiet", "--data-model", model, "input.c"],
        );
        assert!(
            called.stderr.contains(&format!("outcome: {outcome}")),
            "{model}: {}\n{text}",
            called.stderr
        );
    }
}

/// Fails if there is a gcc and it makes another program of the text.
#[track_caller]
fn by_gcc(text: &str, code: i32) {
    let folder = Folder::new();
    let source = folder.file("input.c", text);
    let binary = folder.path().join("program");
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-O0", "-w", "-o"])
        .arg(&binary)
        .arg(&source)
        .stdin(Stdio::null())
        .output();
    let Ok(compiled) = compiled else {
        return;
    };
    assert!(
        compiled.status.success(),
        "{}\n{text}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let status = Command::new(&binary)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .expect("the program starts");
    assert_eq!(status.code(), Some(code), "gcc:\n{text}");
}

#[test]
fn a_compound_literal_is_one_object_per_block() {
    // As in an example of the standard (C11 6.5.2.5).
    passes(
        "struct s { int i, rest; };
         int main(void) {
           struct s *p = 0, *q;
           int j = 0;
         again:
           q = p;
           p = &(struct s){ j++ };
           if (j < 2) { p->rest = 4; goto again; }
           if (p != q || q->i != 1 || q->rest != 0) return 1;
           int sum = 0;
           for (int i = 0; i < 3; i++) { int *r = (int[]){ i, 10 }; sum += r[0] + r[1]; r[1] = 99; }
           return sum != 33;
         }",
    );
    ends(
        "int main(void) { int *p; { p = &(int){ 3 }; } return *p; }",
        "undefined behaviour at input.c:1: invalid read",
    );
}

#[test]
fn a_jump_back_keeps_the_object() {
    passes(
        "int main(void) {
           int *p = 0, n = 0;
         again:
           if (p && *p != 5) return 1;
           if (n == 2) return 0;
           int x = 5;
           if (p && p != &x) return 2;
           p = &x;
           n++;
           goto again;
         }",
    );
    ends(
        "int main(void) { int *p = 0; again: if (p) return *p; { int x = 5; p = &x; } goto again; }",
        "undefined behaviour at input.c:1: invalid read",
    );
}

#[test]
fn library_functions_in_c() {
    passes(
        "#define _GNU_SOURCE
         #include <arpa/inet.h>
         #include <ctype.h>
         #include <limits.h>
         #include <stdlib.h>
         #include <string.h>
         #include <strings.h>
         int main(void) {
           char to[8] = \"xxxxxxx\";
           if (ffs(0) != 0 || ffs(24) != 4 || ffsll(1LL << 40) != 41) return 1;
           if (htonl(0x01020304) != 0x04030201 || ntohs(0x0102) != 0x0201) return 2;
           if (atoi(\"  -2147483648z\") != INT_MIN || atoi(\"+17\") != 17 || atol(\"x\") != 0) return 3;
           if (strcasecmp(\"AbC\", \"aBc\") != 0 || strncasecmp(\"ABx\", \"aby\", 2) != 0 || strcasecmp(\"a\", \"B\") >= 0) return 4;
           if (stpncpy(to, \"ab\", 4) != to + 2 || to[3] != 0 || to[4] != 'x') return 5;
           if (mempcpy(to, \"12\", 2) != to + 2 || to[1] != '2') return 6;
           if (memrchr(\"abcabc\", 'b', 6) == 0 || strpbrk(\"hello\", \"xl\")[0] != 'l') return 7;
           if (memccpy(to, \"a:b\", ':', 3) != to + 2 || strcmp(strndup(\"hello\", 2), \"he\") != 0) return 8;
           return 0;
         }",
    );
}

#[test]
fn a_library_function_brings_those_that_it_calls() {
    passes("char *strdup(const char *); int main(void) { return strdup(\"ab\")[1] != 'b'; }");
    passes(
        "int strcasecmp(const char *, const char *); int main(void) { return strcasecmp(\"A\", \"a\"); }",
    );
    passes("int ispunct(int); int main(void) { return !ispunct('!') || ispunct('a'); }");
}

#[test]
fn the_table_of_character_classes() {
    // The macros look into the table of the library; the functions are written in C.
    passes(
        "#include <ctype.h>
         int main(void) {
           for (int c = -1; c < 256; c++) {
             if (!isalpha(c) != !(isalpha)(c) || !isdigit(c) != !(isdigit)(c)) return 1;
             if (!isupper(c) != !(isupper)(c) || !islower(c) != !(islower)(c)) return 2;
             if (!isxdigit(c) != !(isxdigit)(c) || !isspace(c) != !(isspace)(c)) return 3;
             if (!isprint(c) != !(isprint)(c) || !isgraph(c) != !(isgraph)(c)) return 4;
             if (!isblank(c) != !(isblank)(c) || !iscntrl(c) != !(iscntrl)(c)) return 5;
             if (!ispunct(c) != !(ispunct)(c) || !isalnum(c) != !(isalnum)(c)) return 6;
           }
           return 0;
         }",
    );
}

#[test]
fn library_functions_without_a_model_are_no_inputs() {
    // What they write is not known, so going on would be wrong.
    ends(
        "#include <signal.h>\nint main(void) { sigset_t s; sigfillset(&s); return 0; }",
        "unsupported library function `sigfillset`",
    );
    ends(
        "#include <setjmp.h>\nint main(void) { sigjmp_buf b; return sigsetjmp(b, 1); }",
        "unsupported library function `__sigsetjmp`",
    );
}

#[test]
fn a_value_without_bytes_is_evaluated() {
    passes(
        "int calls;
         struct none {};
         struct some { struct none n; int x; };
         struct none make(void) { struct none n; calls++; return n; }
         int main(void) {
           struct some s = { .n = make(), .x = 5 };
           s = (struct some){ make(), 6 };
           return !(calls == 2 && s.x == 6);
         }",
    );
}

#[test]
fn a_range_of_designators_evaluates_once_and_can_be_overridden() {
    passes(
        "int calls;
         int next(void) { return ++calls; }
         struct pair { int a, b; };
         struct pair both(void) { return (struct pair){ next(), 7 }; }
         int main(void) {
           int a[8] = { [1 ... 3] = 9, [4 ... 7] = next(), [3 ... 5] = 20 };
           if (a[0] || a[1] != 9 || a[2] != 9 || a[3] != 20 || a[4] != 20 || a[5] != 20) return 1;
           if (a[6] != 1 || a[7] != 1 || calls != 1) return 2;
           int grid[2][3] = { [0 ... 1][1 ... 2] = next() };
           if (grid[0][0] || grid[0][1] != 2 || grid[1][1] != 2 || grid[1][2] != 2 || calls != 2) return 3;
           struct pair p[3] = { [0 ... 2] = both(), [0].b = 8 };
           if (p[0].b != 8 || p[1].a != 3 || p[2].a != 3 || p[2].b != 7 || calls != 3) return 4;
           return 0;
         }",
    );
}

#[test]
fn sizeof_evaluates_an_operand_of_variable_size() {
    passes(
        "int main(void) {
           int n = 2, m = 0;
           int a[5][n];
           if (sizeof a[m++] != 2 * sizeof(int) || m != 1) return 1;
           if (sizeof a[m++][0] != sizeof(int) || m != 1) return 2;
           if (sizeof(int[n++]) != 2 * sizeof(int) || n != 3) return 3;
           int (*p)[2] = (void *)a, (*q)[n - 1] = a;
           if (sizeof *p++ != 2 * sizeof(int) || p != (void *)a) return 4;
           if (sizeof *q++ != 2 * sizeof(int) || q != a + 1) return 5;
           typeof(a[m++]) b;
           if (sizeof b != 2 * sizeof(int) || m != 2) return 6;
           typeof(m++) c = 0;
           if (m != 2) return 7;
           return c;
         }",
    );
}

#[test]
fn pragma_pack_limits_the_alignment_of_members() {
    passes(
        "#include <stddef.h>
         struct plain { char c; int i; };
         #pragma pack(2)
         struct two { char c; int i; double d; };
         struct bits { char c; unsigned a : 20, b : 20; };
         #pragma pack(push, 1)
         struct one { char c; int i; struct plain p; int wide __attribute__((aligned(8))); };
         union both { char c[5]; long long l; };
         #pragma pack(pop)
         struct two_again { char c; int i; };
         #pragma pack()
         struct back { char c; int i; };
         struct __attribute__((aligned(4))) outer { struct one o; };
         int main(void) {
           if (offsetof(struct two, i) != 2 || offsetof(struct two, d) != 6 || sizeof(struct two) != 14) return 1;
           if (offsetof(struct one, i) != 1 || offsetof(struct one, p) != 5 || sizeof(struct one) != 17) return 2;
           if (sizeof(union both) != 8 || _Alignof(union both) != 1) return 3;
           if (sizeof(struct two_again) != 6 || sizeof(struct back) != 8) return 4;
           if (sizeof(struct outer) != 20) return 5;
           if (sizeof(struct bits) != 6) return 6;
           return 0;
         }",
    );
    passes(
        "_Pragma(\"pack(1)\") struct s { char c; int i; };
         int main(void) { return sizeof(struct s) != 5; }",
    );
}

#[test]
fn sizes_of_large_types_are_exact() {
    let text = "#include <stddef.h>
         struct huge { short buf[1UL << 61]; int a, b; };
         union either { int a; char buf[1UL << 61]; };
         int main(void) {
           if (sizeof(struct huge) != 4611686018427387912) return 1;
           if (offsetof(struct huge, b) != 4611686018427387908) return 2;
           return sizeof(union either) != 2305843009213693952;
         }";
    passes_in(text, &["LP64"]);
    by_gcc(text, 0);
}

#[test]
fn alignment_of_members_and_of_types_with_attributes() {
    passes(
        "struct s { char c; _Alignas(int) char d; short e; } s;
         struct __attribute__((packed)) p { char c; int i; } p;
         _Alignas(int __attribute__((aligned(16)))) char wide;
         typedef int aligned_int __attribute__((aligned(8)));
         typedef struct { char c; } aligned_struct __attribute__((aligned(16)));
         typedef aligned_int aligned_less __attribute__((aligned(2)));
         aligned_int i;
         aligned_struct a;
         int object __attribute__((aligned(32)));
         int low __attribute__((aligned(1)));
         aligned_less lower;
         struct of_types { char c; typeof(i) d; typeof(a) e; char f; };
         struct of_objects { char c; typeof(object) d; };
         int main(void) {
           if (__alignof__(s.d) != 4 || __alignof__(s.e) != 2) return 1;
           if (__alignof__(p.i) != 1) return 2;
           if (__alignof__(wide) != 16) return 3;
           // Of a typedef, but not of an object, the attribute belongs to the type.
           if (sizeof(struct of_types) != 32 || _Alignof(struct of_types) != 16) return 4;
           if (__alignof__(low) != 1 || __alignof__(lower) != 2 || __alignof__(aligned_less) != 2) return 5;
           return sizeof(struct of_objects) != 8;
         }",
    );
}

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
fn conditions_and_their_statements_are_scopes() {
    passes(
        "enum { in = 0 };
         int main(void) {
           if (sizeof(enum { in = 1 }) != 0 && in != 1) return 1;
           if (in) return 2;
           while (sizeof(enum { in = 1 })) { if (!in) return 3; break; }
           do if (in) return 4; while (0 * sizeof(enum { in = 1 }));
           switch (sizeof(enum { in = 1 })) default: if (!in) return 5;
           if (in == 0) (void)sizeof(enum { in = 1 }); else return 6;
           if (!sizeof(enum { in = 1 })) return 7;
           else if (sizeof(enum { in = 2 }) && in == 2) (void)sizeof(enum { in = 3 });
           else return 8;
           return in;
         }",
    );
}

#[test]
fn arrays_of_variable_length_in_prototypes() {
    passes(
        "int sum(int n, int m, int a[*][*]);
         int sum(int n, int m, int a[n][m]);
         int sum(int n, int m, int a[][m]) { int s = 0; for (int i = 0; i < n; i++) s += a[i][m - 1]; return s; }
         int deep(int n, int a[][n][n + 1], int (*)[*]);
         int deep(int n, int a[n][n][n + 1], int (*b)[n]) { return a[1][1][2] + b[1][0]; }
         int sizes(int n, int a[n][n], int b[sizeof(a[0])], typeof(*a) *c);
         int sizes(int n, int a[n][n], int b[sizeof(a[0])], typeof(*a) *c) { return b[0] + (*c)[1]; }
         int call(int f(int n, int a[n][n], int b[], int (*c)[n])) { int a[2][2] = { 1, 2, 3, 4 }; return f(2, a, a[1], a); }
         int main(void) {
           int a[2][2] = { { 1, 2 }, { 3, 4 } }, b[2][2][3] = { [1][1][2] = 9 };
           return sum(2, 2, a) != 6 || deep(2, b, a) != 12 || call(sizes) != 5;
         }",
    );
}

#[test]
fn a_transparent_union_by_typedef() {
    passes(
        "typedef union { float *f; int *i; } any __attribute__((__transparent_union__));
         int is_null(any a) { return a.i == 0; }
         int main(void) { int i; float f; return is_null(&i) || is_null(&f) || !is_null((int *)0); }",
    );
}

#[test]
fn members_of_variable_size_are_named() {
    ends(
        "int f(int n) { struct s { int a[n]; int b; } s; s.b = 1; return s.b; } int main(void) { return f(2); }",
        "unsupported a member of variable size",
    );
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

#[test]
fn realloc_keeps_the_contents() {
    passes(
        "#include <stdlib.h>
         int main(void) {
           int x[20], **v = 0;
           size_t room = 0;
           for (size_t i = 0; i < 20; i++) {
             x[i] = i;
             if (i == room) v = realloc(v, (room = 2 * room + 1) * sizeof *v);
             v[i] = &x[i];
           }
           for (int i = 0; i < 20; i++) if (*v[i] != i) return 1;
           v = realloc(v, 3 * sizeof *v);
           if (*v[2] != 2) return 2;
           free(v);
           return 0;
         }",
    );
    ends(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(9); char *q = realloc(p, 4); return q[4]; }",
        "undefined behaviour at input.c:2: invalid read",
    );
    ends(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(9); char *q = realloc(p, 20); return *p; }",
        "undefined behaviour at input.c:2: invalid read",
    );
    ends(
        "#include <stdlib.h>\nint main(void) { char *p = malloc(9); p = realloc(p + 1, 20); return 0; }",
        "undefined behaviour at input.c:2: invalid free",
    );
}
