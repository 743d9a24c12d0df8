//! Whose a name is, and what other files can do to what the program shares with them.

use crate::support::check;

/// Fails unless the verdict of a program begins like this.
#[track_caller]
fn verdict(text: &str, expected: &str) {
    let called = check(format!("extern void reach_error(void);\n{text}\n"));
    assert!(
        called
            .last_line()
            .starts_with(&format!("verdict: {expected}")),
        "{text}\n{}{}",
        called.stdout,
        called.stderr
    );
}

#[test]
fn a_name_that_c_does_not_reserve_may_be_the_programs() {
    for (declaration, body, expected) in [
        (
            "extern void err(const char *);",
            "err(\"\"); reach_error();",
            "UNSAFE",
        ),
        (
            "extern int error(int);",
            "error(1); reach_error();",
            "UNSAFE",
        ),
        (
            "extern int random(int);",
            "if (random(5) == 3) reach_error();",
            "UNSAFE",
        ),
        (
            "extern int read(void);",
            "if (read() == 3) reach_error();",
            "UNKNOWN",
        ),
        (
            "int g; extern void warn(int);",
            "g = 1; warn(3); if (g != 1) reach_error();",
            "UNSAFE",
        ),
        (
            "int g; extern void send(int);",
            "g = 1; send(3); if (g != 1) reach_error();",
            "UNSAFE",
        ),
        // Declared as the library has them.
        (
            "extern void err(int, const char *, ...);",
            "err(1, \"\"); reach_error();",
            "SAFE",
        ),
        (
            "int g; extern void warn(const char *, ...);",
            "g = 1; warn(\"\"); if (g != 1) reach_error();",
            "SAFE",
        ),
        (
            "extern long random();",
            "if (random() < 0) reach_error();",
            "SAFE",
        ),
    ] {
        verdict(
            &format!("{declaration} int main(void) {{ {body} return 0; }}"),
            expected,
        );
    }
}

#[test]
fn a_label_for_the_linker_is_the_name() {
    for (text, expected) in [
        (
            "void reach_err(void) __asm__(\"reach_error\"); int main(void) { reach_err(); return 0; }",
            "UNSAFE",
        ),
        (
            "int getchar(void) __asm__(\"my_getchar\"); int main(void) { if (getchar() == 1000) reach_error(); return 0; }",
            "UNSAFE",
        ),
        (
            "void a(void) __asm__(\"abort\"); int main(void) { a(); reach_error(); return 0; }",
            "SAFE",
        ),
    ] {
        verdict(text, expected);
    }
}

#[test]
fn others_change_what_they_can_name() {
    for (declaration, name) in [
        (
            "static int g = 1; extern int h __attribute__((alias(\"g\")));",
            "g",
        ),
        ("__attribute__((weak)) int g = 1;", "g"),
        ("int timezone = 5;", "timezone"),
    ] {
        let text = format!(
            "{declaration} extern void ext(void); \
             int main(void) {{ {name} = 1; ext(); if ({name} != 1) reach_error(); return 0; }}"
        );
        verdict(&text, "UNSAFE");
    }
    verdict(
        "static int g = 1; extern void ext(void); int main(void) { g = 1; ext(); if (g != 1) reach_error(); return 0; }",
        "SAFE",
    );
    verdict(
        "extern const volatile int clock_now; int main(void) { if (clock_now != clock_now) reach_error(); return 0; }",
        "UNKNOWN (unsupported `clock_now`, which changes by itself",
    );
}

#[test]
fn others_read_standard_input_too() {
    for body in [
        "ext(); if (feof(stdin)) reach_error();",
        "getchar(); ungetc('a', stdin); ext(); if (getchar() != 'a') reach_error();",
    ] {
        let text = format!(
            "#include <stdio.h>\nextern void ext(void); int main(void) {{ {body} return 0; }}"
        );
        verdict(&text, "UNKNOWN");
    }
}

#[test]
fn the_end_of_standard_input() {
    for (body, expected) in [
        (
            "if (getchar() == EOF) { ungetc('a', stdin); if (!feof(stdin)) reach_error(); }",
            "UNSAFE",
        ),
        (
            "if (getchar() == EOF && !feof(stdin)) reach_error();",
            "SAFE",
        ),
        (
            "if (getchar() == EOF) { clearerr(stdin); if (!feof(stdin)) reach_error(); }",
            "UNKNOWN (unsupported",
        ),
        (
            "getwchar(); if (feof(stdin)) reach_error();",
            "UNKNOWN (unsupported",
        ),
        (
            "fclose(stdin); if (getchar() == 'a') reach_error();",
            "UNKNOWN (unsupported",
        ),
        (
            "int file = 0; close(file); if (getchar() == 'a') reach_error();",
            "UNKNOWN (unsupported",
        ),
        (
            "getchar(); ungetc('b', stdin); ungetc('c', stdin); reach_error();",
            "UNKNOWN (unsupported two bytes",
        ),
    ] {
        let text = format!(
            "#include <stdio.h>\n#include <unistd.h>\n#include <wchar.h>\nint main(void) {{ {body} return 0; }}"
        );
        verdict(&text, expected);
    }
}

#[test]
fn what_runs_by_itself() {
    for (text, expected) in [
        (
            "__attribute__((constructor)) void reach_error(void) { } int main(void) { return 0; }",
            "UNSAFE",
        ),
        (
            "__attribute__((destructor)) void reach_error(void) { } int main(void) { return 0; }",
            "UNSAFE",
        ),
        (
            "extern _Noreturn void die(void); int g; __attribute__((destructor)) void last(void) { if (g) reach_error(); } int main(void) { g = 1; die(); }",
            "UNSAFE",
        ),
        (
            "extern _Noreturn void die(void); int main(void) { die(); reach_error(); }",
            "SAFE",
        ),
        (
            "int ends(void) { __builtin_exit(0); return 0; } int main(void) { ends(); reach_error(); return 0; }",
            "SAFE",
        ),
    ] {
        verdict(text, expected);
    }
}

#[test]
fn errors_are_reported_where_the_library_does() {
    for (headers, body) in [
        (
            "math.h",
            "volatile double d = -1; errno = 0; double r = sqrt(d); if (errno == 0) reach_error();",
        ),
        (
            "math.h",
            "volatile double d = 1, z = 0; errno = 0; double r = fmod(d, z); if (errno == 0) reach_error();",
        ),
        (
            "stdlib.h",
            "unsigned long n = 1; n <<= 40; errno = 0; void *p = calloc(n, n); if (!p && errno == 0) reach_error();",
        ),
    ] {
        let text = format!(
            "#include <errno.h>\n#include <{headers}>\nint main(void) {{ {body} return 0; }}"
        );
        verdict(&text, "UNKNOWN");
    }
}

#[test]
fn a_length_that_no_size_depends_on_is_not_evaluated() {
    verdict(
        "int main(void) { int n = 3; int z = sizeof(int (*)[n++]); if (n == 3) reach_error(); return z; }",
        "UNSAFE",
    );
    verdict(
        "int main(void) { int n = 3; int z = sizeof(int[n++]); if (n == 3) reach_error(); return z; }",
        "SAFE",
    );
}
