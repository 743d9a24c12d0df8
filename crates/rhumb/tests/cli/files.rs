//! Programs of several files, and what the preprocessor is told.

use std::path::Path;

use crate::support::{Called, Folder, rhumb_in};

/// Calls `rhumb check` in a folder with these files.
fn check(files: &[(&str, &str)], args: &[&str]) -> Called {
    call("check", files, args)
}

fn call(command: &str, files: &[(&str, &str)], args: &[&str]) -> Called {
    let folder = Folder::new();
    for (name, text) in files {
        let path = folder.path().join(name);
        let parent = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(parent).expect("a folder");
        folder.file(name, text);
    }
    rhumb_in(folder.path(), [command].iter().chain(args))
}

const COUNTER: &str = "static int count;\nint limit = 3;\nint next(void) { return count < limit ? ++count : count; }\n";
const USER: &str = "extern int limit;\nint next(void);\nstatic int count = 7;\nvoid reach_error(void);\n\
    int main(void) { next(); next(); if (next() + count != limit + 7) reach_error(); }\n";

#[test]
fn statics_belong_to_their_file_and_externals_to_all() {
    let files = [("a.c", COUNTER), ("b.c", USER)];
    for order in [["a.c", "b.c"], ["b.c", "a.c"]] {
        let called = check(&files, &order);
        assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
        let called = call("run", &files, &order);
        assert!(
            called.stderr.contains("outcome: exit 0"),
            "{}",
            called.stderr
        );
    }
    // A folder stands for its files.
    let files = [("p/a.c", COUNTER), ("p/b.c", USER)];
    assert_eq!(check(&files, &["p"]).last_line(), "verdict: SAFE");
}

#[test]
fn errors_are_told_in_the_right_file() {
    let library = "\n\nvoid reach_error(void);\nvoid store(int x) { if (x > 5) reach_error(); }\n";
    let user = "int __VERIFIER_nondet_int(void);\nvoid store(int);\nint main(void) { store(__VERIFIER_nondet_int()); }\n";
    let called = check(
        &[("a.c", user), ("b.c", library)],
        &["a.c", "b.c", "--harness", "h.c"],
    );
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
    assert!(called.stdout.contains("b.c:4"), "{}", called.stdout);
    assert!(called.stdout.contains("a.c:3"), "{}", called.stdout);
    check(&[("a.c", user), ("b.c", "\nint x = ;\n")], &["a.c", "b.c"]).expect(2, &["b.c:2:9"]);
}

#[test]
fn a_harness_feeds_all_the_files() {
    let folder = Folder::new();
    folder.file("a.c", "int __VERIFIER_nondet_int(void);\nvoid store(int);\nint main(void) { store(__VERIFIER_nondet_int()); }\n");
    folder.file(
        "b.c",
        "void reach_error(void);\nvoid store(int x) { if (x == 77) reach_error(); }\n",
    );
    rhumb_in(folder.path(), ["check", "a.c", "b.c", "--harness", "h.c"]).expect(10, &[]);
    let gcc = std::process::Command::new("gcc")
        .args(["a.c", "b.c", "h.c"])
        .current_dir(folder.path())
        .status();
    assert!(gcc.expect("gcc").success());
    let status = std::process::Command::new(folder.path().join("a.out")).status();
    assert_eq!(status.expect("a program").code(), Some(10));
    let called = rhumb_in(folder.path(), ["check", "a.c", "b.c", "--witness", "w.yml"]);
    called.expect(10, &["a witness is about one file"]);
}

#[test]
fn what_a_linker_refuses() {
    let main = "int f(void);\nint main(void) { return f(); }\n";
    let one = "int f(void) { return 1; }\n";
    let two = "\nint f(void) { return 2; }\n";
    let files = [("a.c", main), ("b.c", one), ("c.c", two)];
    check(&files, &["a.c", "b.c", "c.c"]).expect(
        2,
        &[
            "multiple definition of `f`",
            "c.c:2:",
            "b.c:1:",
            "first defined here",
        ],
    );
    let files = [
        ("a.c", "int x;\nint main(void) { return x; }\n"),
        ("b.c", "int x;\n"),
    ];
    check(&files, &["a.c", "b.c"]).expect(2, &["multiple definition of `x`", "b.c:1:"]);
    let files = [
        ("a.c", "int x(void);\nint main(void) { return x(); }\n"),
        ("b.c", "int x;\n"),
    ];
    check(&files, &["a.c", "b.c"]).expect(2, &["a function in one file and an object here"]);
    let files = [("a.c", main), ("b.c", main)];
    check(&files, &["a.c", "b.c"]).expect(2, &["multiple definition of `main`"]);
}

#[test]
fn tentative_weak_and_inline_definitions() {
    // One definition, however many declarations; weak ones give way; inline ones belong to their file.
    let a = "int x;\nint x;\nextern int big[];\n__attribute__((weak)) int which(void) { return 1; }\n\
        inline int twice(int n) { return n + n; }\nvoid reach_error(void);\nint other(void);\n\
        int main(void) { if (x != 0 || big[4] != 9 || which() != 2 || twice(3) + other() != 14) reach_error(); }\n";
    let b = "extern int x;\nint big[5] = {[4] = 9};\nint which(void) { return 2; }\n\
        inline int twice(int n) { return n * 2; }\nint other(void) { return twice(4); }\n";
    let called = check(&[("a.c", a), ("b.c", b)], &["a.c", "b.c"]);
    assert_eq!(
        called.last_line(),
        "verdict: SAFE",
        "{}{}",
        called.stdout,
        called.stderr
    );
}

#[test]
fn records_of_two_files_are_the_same_if_they_are_laid_out_alike() {
    let header = "struct p { int x; char c; struct p *next; };\n";
    let a = format!(
        "{header}struct p swap(struct p);\nvoid reach_error(void);\n\
        int main(void) {{ struct p p = {{3, 4, 0}}; p = swap(p); if (p.x != 4 || p.c != 3) reach_error(); }}\n"
    );
    let b = format!(
        "{header}struct p swap(struct p p) {{ struct p q = {{p.c, (char)p.x, 0}}; return q; }}\n"
    );
    let called = check(&[("a.c", &a), ("b.c", &b)], &["a.c", "b.c"]);
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    let other = b.replace("int x; char c;", "char c; int x;");
    let called = check(&[("a.c", &a), ("b.c", &other)], &["a.c", "b.c"]);
    let called = called.expect(5, &["`swap` is declared with another type"]);
    assert!(called.last_line().contains("UNKNOWN"), "{}", called.stdout);
}

#[test]
fn a_model_stands_in_for_a_function() {
    let program = "int measure(void);\nint slow(int n) { int r = 0; for (int i = 0; i < n; i++) r ^= i; return r; }\n\
        void reach_error(void);\nint main(void) { if (measure() + slow(1000) != 12) reach_error(); }\n";
    let stubs = "int measure(void) { return 5; }\nint slow(int n) { return 7; }\n";
    let called = check(
        &[("a.c", program), ("stubs.c", stubs)],
        &["a.c", "--model", "stubs.c"],
    );
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    for line in [
        "assumes: measure() does what stubs.c says",
        "assumes: slow() does what stubs.c says",
    ] {
        assert!(called.stdout.contains(line), "{}", called.stdout);
    }
}

const MACROS: &str = "#include <size.h>\nvoid reach_error(void);\nint main(void) { int a = SIZE, b = WIDTH; if (a != 4 || b != 2) reach_error(); }\n";

#[test]
fn arguments_for_the_preprocessor() {
    let files = [
        ("a.c", MACROS),
        ("inc/size.h", "#ifndef SIZE\n#define SIZE 3\n#endif\n"),
        ("pre.h", "#define WIDTH 2\n"),
        ("args", "-I inc '-DSIZE=4'\n-include pre.h\n"),
    ];
    for args in [
        &["a.c", "-Iinc", "-DSIZE=4", "-DWIDTH=2"][..],
        &[
            "a.c", "-I", "inc", "-D", "SIZE=4", "-include", "pre.h", "-std=c99",
        ],
        &["a.c", "@args"],
        &["a.c", "--", "-Iinc", "-DSIZE=4", "-imacros", "pre.h"],
    ] {
        let called = check(&files, args);
        assert_eq!(
            called.last_line(),
            "verdict: SAFE",
            "{args:?}: {}",
            called.stderr
        );
    }
    let called = check(&files, &["a.c", "-Iinc", "-DWIDTH=2"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE");
    check(&files, &["a.c"]).expect(2, &["a.c:1:", "size.h", "-I"]);
    check(&files, &["a.c", "@missing"]).expect(1, &["missing", "can't be read"]);
}

#[test]
fn a_compilation_database() {
    let database = r#"[
        {"directory": "DIR/build", "file": "../src/a.c", "command": "cc -I../inc -DSIZE=4 -DWIDTH=2 -O2 -c ../src/a.c -o a.o"},
        {"directory": "DIR/build", "file": "../src/b.c", "command": "cc -funsigned-char -c ../src/b.c"},
        {"directory": "DIR/build", "file": "../src/c.c", "arguments": ["cc", "-c", "../src/c.c"]}]"#;
    let folder = Folder::new();
    for name in ["build", "src", "inc"] {
        std::fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    folder.file("src/a.c", MACROS);
    folder.file("src/b.c", "int other(void) { return 1; }\n");
    folder.file("src/c.c", "int third(int n) { return n; }\n");
    folder.file("inc/size.h", "");
    let database = database.replace("DIR", &folder.path().to_string_lossy());
    folder.file("build/compile_commands.json", database);
    let run = |args: &[&str]| {
        rhumb_in(
            folder.path(),
            ["check", "--project", "build"].iter().chain(args),
        )
    };
    let called = run(&["src/a.c", "src/c.c"]);
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    run(&[]).expect(2, &["src/b.c", "-funsigned-char"]);
    run(&["src/d.c"]).expect(2, &["src/d.c: is not in build/compile_commands.json"]);
    rhumb_in(folder.path(), ["check", "build"]).expect(2, &["--project build"]);
}

#[test]
fn settings_of_a_project() {
    let files = [
        (
            "a.c",
            "int f(int x) { int a[2]; return a[x & 1] * 0; }\nvoid reach_error(void);\nint start(void) { if (SIZE != 4) reach_error(); return 0; }\n",
        ),
        (
            "rhumb.toml",
            "files = \"a.c\"\nentry = \"start\"\nD = [\"SIZE=4\"]\ntimeout = \"20s\"\nseed = 3\n",
        ),
    ];
    let called = check(&files, &[]);
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    called.expect(0, &["note: with the settings of rhumb.toml"]);
    // The command line wins.
    let called = check(&files, &["a.c", "-USIZE", "-D", "SIZE=5"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
    let wrong = [files[0], ("rhumb.toml", "tiemout = \"20s\"\n")];
    check(&wrong, &["a.c"]).expect(1, &["rhumb.toml", "tiemout"]);
    let wrong = [files[0], ("rhumb.toml", "timeout = \n")];
    check(&wrong, &["a.c"]).expect(1, &["rhumb.toml", "line 1"]);
}

#[test]
fn where_a_run_could_start_is_suggested() {
    let text = "static int half(int x) { return x / 2; }\nint compute(int x) { return half(x) + half(x + 1); }\n";
    check(&[("a.c", text)], &["a.c"])
        .expect(2, &["no function `main`", "a.c:2:", "--entry compute"]);
    check(&[("a.c", text)], &["a.c", "--entry", "halv"]).expect(2, &["--entry half"]);
}

#[test]
fn a_task_of_two_files() {
    let task = "format_version: '2.0'\ninput_files: [a.c, b.c]\n";
    let called = check(
        &[("a.c", COUNTER), ("b.c", USER), ("t.yml", task)],
        &["t.yml"],
    );
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
}
