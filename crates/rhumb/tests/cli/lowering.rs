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
    let text = "struct S { int a, b, c; };\nint main(void) {\n struct S s = { s.b }; return s.a; }";
    ends(
        text,
        "unsupported initializer that reads its own object at input.c:3",
    );
}
