//! What programs mean: small programs that check themselves, in both data models, and by gcc where there is one.

mod functions;

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
fn sizes_of_arrays_do_not_wrap_round() {
    ends(
        "int main(void) { unsigned long n = 1ul << (sizeof n * 8 - 2); int a[n]; return 0; }",
        "undefined behaviour at input.c:1: array size out of range",
    );
    ends(
        "int main(void) { unsigned long n = 1ul << (sizeof n * 4); char a[n][n]; return 0; }",
        "undefined behaviour at input.c:1: array size out of range",
    );
    // What the program computes itself may.
    passes(
        "int main(void) { unsigned long n = 1ul << (sizeof n * 8 - 1); char a[n * 2 + 3]; a[2] = 0; return a[2]; }",
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
