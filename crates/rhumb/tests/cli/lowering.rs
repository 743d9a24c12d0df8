//! What C programs mean: small programs and how they end. Each is lowered for both data models and must be well-formed.

use rhumb_cfront::{LoadOptions, Options, SignedOverflow, compile, load};
use rhumb_program::DataModel;

use crate::support::{Folder, rhumb_in};

/// Lowers a program in every way there is, and runs it. Fails unless the run ends in this outcome.
#[track_caller]
fn ends(text: &str, outcome: &str) {
    let folder = Folder::new();
    let path = folder.file("input.c", text);
    for data_model in [DataModel::Ilp32, DataModel::Lp64] {
        for signed_overflow in [SignedOverflow::Undefined, SignedOverflow::Wrap] {
            let load_options = LoadOptions {
                data_model,
                ..LoadOptions::default()
            };
            let source = load(&path, &load_options).expect("a file that can be read");
            let options = Options {
                data_model,
                signed_overflow,
                ..Options::default()
            };
            let program = compile(source.map, &options).program;
            if let Err(invalid) = program.expect("valid C").validate() {
                panic!("{data_model}: {invalid}\n{text}");
            }
        }
        let model = data_model.to_string();
        let called = rhumb_in(folder.path(), ["run", "input.c", "--data-model", &model]);
        let last = called.stderr.lines().last().unwrap_or("");
        assert!(
            last.starts_with(&format!("outcome: {outcome}")),
            "{model}: expected {outcome}\n{text}\n{}{}",
            called.stdout,
            called.stderr
        );
    }
}

/// Runs programs that return 1 for every question that is answered as C wants it.
#[track_caller]
fn all_right(programs: &[&str]) {
    for text in programs {
        ends(text, "exit 1 ");
    }
}

#[test]
fn a_block_keeps_its_objects_when_control_jumps_back() {
    all_right(&[
        // The example of C11 6.5.2.5: one literal, evaluated twice.
        "struct s { int i; };
         int main(void) {
           struct s *p = 0, *q; int j = 0;
         again:
           q = p, p = &((struct s){ j++ });
           if (j < 2) goto again;
           return p == q && q->i == 1;
         }",
        "int main(void) {
           int *p = 0, n = 0, seen = 0;
           {
           again:
             if (p) { seen = *p; *p = 7; seen += *p; }
             int x = 1;
             if (!n++) { p = &x; goto again; }
             return seen == 8 && x == 1;
           }
         }",
        // The values survive, too.
        "int main(void) {
           int k = 0;
         again:
           if (k == 2) goto past;
           int x = 5, a[2] = {3, 4};
           k = 2;
           goto again;
         past:
           return x == 5 && a[1] == 4;
         }",
        // What the initialiser doesn't mention is zero each time.
        "int main(void) {
           int n = 0, sum = 0;
         again:;
           int a[3] = {n};
           sum += a[0] + a[1] + a[2];
           a[1] = a[2] = 100;
           if (n++ < 2) goto again;
           return sum == 3;
         }",
        // The condition of a loop belongs to the scope of the whole loop.
        "int main(void) {
           int *p = 0, *q, i = 0, same = 0;
           while (q = p, p = &(int){i}, i++ < 3)
             if (q) same += p == q && *q == i - 1;
           return same == 2;
         }",
    ]);
}

#[test]
fn compound_literals_die_with_their_scope() {
    for scope in [
        "{ p = &(int){7}; }",
        "if (n) p = &(int){7};",
        "if ((p = &(int){7})) n = 2;",
        "while (p = &(int){n}, *p) n--;",
        "for (int k = 0; k < 2; k++) p = &(int){8};",
        "switch (n) case 1: p = &(int){8};",
        "n += ({ p = &(int){8}; *p; });",
    ] {
        let text = format!("int main(void) {{ int *p = 0, n = 1; {scope} return *p; }}");
        ends(&text, "undefined behaviour at input.c:1: invalid read");
    }
}

#[test]
fn a_jump_into_a_scope_begins_it() {
    all_right(&[
        "int main(void) {
           int r = 0;
           goto in;
           { int b[2] = {1, 2}; in: b[0] = 5; b[1] = 6; r = b[0] + b[1]; }
           switch (r) { int z[2]; case 11: z[1] = 4; r += z[1]; }
           return r == 15;
         }",
        // Duff's device, with an array in the loop.
        "int main(void) {
           int c = 0, k = 0;
           switch (7 % 4) {
           case 0: do { int a[2] = {1}; c += a[0];
           case 3: c += 10; a[1] = 1; c += a[1];
           case 2: k++; } while (k < 3);
           }
           return c == 35;
         }",
    ]);
}

#[test]
fn a_jump_into_the_scope_of_a_variable_length_array_is_an_error() {
    for text in [
        "int main(int n, char **v) { goto in; { int a[n]; in: return a[0]; } }",
        "int main(int n, char **v) { switch (n) { int a[n]; case 1: return a[0]; } return 0; }",
    ] {
        crate::support::run(text, &[]).expect(2, &["jumps past the declaration"]);
    }
}

#[test]
fn temporaries_of_record_type_are_objects() {
    all_right(&[
        "struct S { int x, a[3]; };
         struct S make(int n) {
           struct S s = {n, {1, 2, 3}};
           if (n > 0) { struct S t = make(n - 1); s.a[2] += t.a[2]; }
           return s;
         }
         int main(void) { int i = 2; return make(1).a[2] == 6 && make(2).a[i] + make(0).a[i] == 12; }",
        "struct S { int a, b; };
         int calls;
         struct S make(int x) { struct S s = {x, x + 1}; calls++; return s; }
         int main(void) {
           struct S s[4] = { [0 ... 3] = make(5) };
           return s[3].b == 6 && s[0].a == 5 && calls == 1;
         }",
        "struct S { int x, a[2]; };
         int main(void) {
           struct S s = {1, {2, 3}}, t = {4, {5, 6}};
           int c = 0, i = 1;
           return (c ? s : t).a[i] == 6 && (s = t).a[i] == 6 && ({ t; }).a[0] == 5;
         }",
        "int main(void) {
           int a = 2147483647;
           return __builtin_add_overflow_p(a, 1, (int)0) && !__builtin_add_overflow_p(a, -1, (int)0)
             && __builtin_mul_overflow_p(a, 2, (short)0);
         }",
    ]);
}

#[test]
fn an_initialiser_may_read_what_it_initialises() {
    // Its value is an input then.
    crate::support::run(
        "int main(void) { int x = x; return x; }",
        &["--seed", "1", "--verbose"],
    )
    .expect(0, &["input: uninitialised `x`"]);
    let text = "int main(void) { int x = x, *p = &x; return *p; }";
    ends(text, "exit 0 ");
    // Whatever the other parts held before, they are zero in the end.
    let program = |init: &str| {
        format!(
            "struct S {{ int a, b, c; }};
             struct S read(struct S *p) {{ return *p; }}
             int main(void) {{ struct S s = {init}; return s.a == 0 || s.c != 0; }}"
        )
    };
    for init in [
        "{ s.b }",
        "{ (&s)->b }",
        "{ *&s.b }",
        "{ read(&s).b, 1 }",
        "{ ({ s.b; }) }",
    ] {
        crate::support::run(&program(init), &["--seed", "1", "--verbose"])
            .expect(0, &["outcome: exit 0 "]);
    }
    crate::support::run(
        "int main(void) { int a[3] = { a[2] }; return a[0] == 0 || a[2] != 0; }",
        &["--seed", "1", "--verbose"],
    )
    .expect(0, &["outcome: exit 0 "]);
    // Those that only know their address, or read nothing, have no such input.
    for text in [
        "struct L { struct L *next; int n; }; int main(void) { struct L l = { &l, 1 }; return l.next->n - 1; }",
        "int main(void) { int *p = (int[]){ sizeof *p }; return *p != 4; }",
    ] {
        ends(text, "exit 0 ");
        let folder = crate::support::Folder::new();
        folder.file("input.c", text);
        let automata = crate::support::rhumb_in(folder.path(), ["cfa", "input.c"]);
        assert!(!automata.stdout.contains("uninitialised"), "{text}");
    }
    // An earlier part is set when a later one is evaluated, and a jump back finds the old contents.
    all_right(&[
        "int main(void) { int a[3] = { 1, a[0] + 1, a[1] + 1 }; return a[2] == 3; }",
        "struct S { int a, b; };
         int main(void) {
           int n = 0;
         again:;
           struct S s = { n ? s.a + 1 : 5, 7 };
           int x = n ? x * 2 : 3;
           if (n++ < 2) goto again;
           return s.a == 7 && x == 12;
         }",
    ]);
}

#[test]
fn constructors_run_once_before_the_entry_function() {
    all_right(&["int order, again;
         __attribute__((constructor)) void last(void) { order = order * 10 + 3; }
         __attribute__((constructor(200))) static void second(void) { order = order * 10 + 2; }
         __attribute__((constructor(101))) static void first(void) { order = order * 10 + 1; }
         int main(void) { if (again++ < 2) return main(); return order == 123; }"]);
}

#[test]
fn the_entry_function_gets_its_arguments_from_outside() {
    let text = "struct S { int a[2]; };
                struct S f(struct S s, unsigned char c) { if (s.a[1] == 0 && c == 200) reach_error(); return s; }
                void g(count, flag) char count; _Bool flag; { if (count == -1 && flag) reach_error(); }
                int main(int argc, char **argv) { return argc < 0 ? 5 : 6; }
                int h(void) {}";
    let run = |args: &[&str]| crate::support::run(text, args);
    let reached = ["outcome: target reached"];
    run(&["--entry", "f", "--inputs", "200"]).expect(10, &reached);
    run(&["--entry", "g", "--inputs=-1,1"]).expect(10, &reached);
    run(&["--inputs", "3"]).expect(0, &["outcome: exit 6 "]);
    run(&["--inputs=-3"]).expect(0, &["outcome: assumption failed"]);
    // Only `main` may end without a result.
    run(&["--entry", "h", "--seed", "1", "-v"]).expect(0, &["input: missing return value"]);
}

#[test]
fn functions_without_a_prototype_take_promoted_arguments() {
    all_right(&[
        "int f(c, d, s) char c; float d; short s; { char *p = &c; *p += 1; return c + (int)d + s; }
         int none() { return 3; }
         int main(void) {
           int (*p)() = f, (*q)() = none;
           return f(1, 2.5, 3) == 7 && p(257, 2.5, 65537) == 5 && none(1, 2) == 3 && q(1) == 3;
         }",
    ]);
    let text = "struct S { int x; };\nint f();\nint main(void) {\n return f(1); }\nint f(s) struct S s; { return s.x; }";
    ends(text, "undefined behaviour at input.c:4: invalid call");
    // The result of a function that nobody defines, called with whatever. What that means is said also where it is not even declared.
    crate::support::run("int main(void) { return f(1); }", &["--inputs", "9"]).expect(
        0,
        &[
            "implicit declaration",
            "any result, and what other files can reach may change",
            "outcome: exit 9 ",
        ],
    );
    let text = "extern int ext(); int main(void) { int (*p)() = ext; return p(1, 2.0); }";
    crate::support::run(text, &["--inputs", "9"]).expect(0, &["outcome: exit 9 "]);
}

#[test]
fn the_program_may_declare_library_functions_in_its_own_way() {
    all_right(&[
        "extern void *malloc(unsigned int); extern void free(); extern void *memcpy();
         extern void *memset(void *, int, int); extern void *calloc(int, int);
         int main(void) {
           int *p = malloc(8), q[2];
           p[0] = 1; p[1] = 2;
           memcpy(q, p, 8); memset(p, 0, 8);
           int ok = q[0] == 1 && q[1] == 2 && p[1] == 0;
           free(p);
           p = calloc(2, 4);
           return ok && p[1] == 0;
         }",
        "#include <stdlib.h>
         int main(void) { volatile size_t n = (size_t)-1; return calloc(n, 2) == 0 && calloc(2, 2) != 0; }",
    ]);
}

#[test]
fn library_functions_that_do_more_than_give_a_result_are_refused() {
    for (headers, call, what) in [
        (
            "stdio.h",
            "fprintf(stdout, \"%d%n\", 1, &n)",
            "library function `fprintf`",
        ),
        ("stdio.h", "printf(\"%n\", &n)", "library function `printf`"),
        (
            "stdio.h",
            "int (*p)(const char *, ...) = printf; p(\"%n\", &n)",
            "call of `printf` through a pointer",
        ),
        ("signal.h", "raise(SIGABRT)", "library function `raise`"),
        ("unistd.h", "fork()", "library function `fork`"),
        // A header of the system declares it, so it is known to be of the library.
        (
            "time.h",
            "char b[2]; strftime(b, 2, \"a\", 0)",
            "library function `strftime`",
        ),
    ] {
        let text =
            format!("#include <{headers}>\nint main(void) {{ int n = 0;\n {call}; return n; }}");
        let called = crate::support::check(&text).expect(5, &[what]);
        assert!(called.last_line().contains(what), "{}", called.stdout);
    }
}

#[test]
fn nondet_may_be_a_record_or_memory() {
    let text = "struct S { char a, b; };
                extern struct S __VERIFIER_nondet_S(void);
                extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);
                int main(void) {
                  char m[4] = {1, 1, 1, 1};
                  __VERIFIER_nondet_memory(m + 1, 2);
                  struct S s = __VERIFIER_nondet_S();
                  return m[0] == 1 && m[1] == 0 && m[3] == 1 && s.b == 0;
                }";
    ends(text, "exit 1 ");
    let text = "extern void __VERIFIER_nondet_memory(void *, unsigned long);
                int main(void) { char m[4];\n __VERIFIER_nondet_memory(m, 5); }";
    ends(text, "undefined behaviour at input.c:3: invalid write");
}

#[test]
fn globals_that_nobody_defines() {
    ends(
        "extern int n; extern const int c[2]; int main(void) { return n == 0 && c[1] == 0; }",
        "exit 1 ",
    );
    for (declaration, use_) in [
        ("extern int a[];", "return a[0] == 0;"),
        (
            "extern struct { int *p; int n; } s;",
            "return s.p == 0 && s.n == 0;",
        ),
        (
            "extern int a[]; static int *const p[2] = {0, a + 3}; long q = (long)a;",
            "return *p[1] == 0 && p[1] == &a[3] && (int *)q == a;",
        ),
        (
            "extern struct opaque o; void *p = &o;",
            "return p != 0 && p == &o;",
        ),
        ("extern int *p;", "return p == 0;"),
    ] {
        let text = format!("{declaration}\nint main(void) {{ {use_} }}");
        ends(&text, "exit 1 ");
    }
    ends(
        "extern int a[];\nint main(void) { return a[5000]; }",
        "undefined behaviour at input.c:2",
    );
    for (declaration, use_) in [
        ("extern int w __attribute__((weak));", "return &w == 0;"),
        ("void f(void) __attribute__((weak));", "return f == 0;"),
        (
            "void f(void) __attribute__((weak)); void (*p)(void) = f;",
            "return p == 0;",
        ),
    ] {
        let text = format!("{declaration}\nint main(void) {{ {use_} }}");
        ends(&text, "unsupported `");
    }
}

#[test]
fn a_long_chain_of_initialisers() {
    let mut text = String::from("struct node { struct node *next; };\n");
    for index in (0..200_000).rev() {
        let next = match index {
            199_999 => "0".to_owned(),
            _ => format!("&n{}", index + 1),
        };
        text.push_str(&format!("struct node n{index} = {{{next}}};\n"));
    }
    text.push_str("int main(void) { int n = 0; for (struct node *p = &n0; p; p = p->next) n++; return n == 200000; }\n");
    crate::support::run(&text, &[]).expect(0, &["outcome: exit 1 "]);
}

#[test]
fn nothing_comes_after_a_function_that_must_not_return() {
    let text = "_Noreturn void die(void) {}\nint main(void) {\n die(); return 1; }";
    ends(
        text,
        "undefined behaviour at input.c:3: reached a point declared unreachable",
    );
}

#[test]
fn the_header_of_character_classes() {
    all_right(&[
        "#include <ctype.h>\nint main(void) { return isdigit('5') && !isalpha('5') && toupper('a') == 'A'; }",
    ]);
}
