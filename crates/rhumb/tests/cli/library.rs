//! The C library: what its functions do to what we follow, and what C leaves open about their results.

use crate::support::{Folder, check, rhumb_in};

const ERROR: &str = "extern void reach_error(void);\n";

/// Checks a program whose `main` has this body.
#[track_caller]
fn verdict(headers: &[&str], body: &str) -> String {
    let includes: String = headers
        .iter()
        .map(|header| format!("#include <{header}>\n"))
        .collect();
    let text = format!("{includes}{ERROR}int main(void) {{\n  {body}\n  return 0;\n}}\n");
    check(text).last_line().to_owned()
}

#[track_caller]
fn refused(headers: &[&str], body: &str, what: &str) {
    let verdict = verdict(headers, body);
    assert!(
        verdict.starts_with("verdict: UNKNOWN (unsupported ") && verdict.contains(what),
        "{body}: {verdict}"
    );
}

/// Values that C leaves open: neither SAFE nor UNSAFE may rest on which one it is.
#[test]
fn the_size_of_an_open_result_decides_nothing() {
    for (headers, condition) in [
        (["ctype.h"], "isupper('Q') > 7"),
        (["ctype.h"], "isdigit('3') == 1"),
        (["ctype.h"], "isalpha('x') == isalpha('y')"),
        (["ctype.h"], "(isspace(' ') | 2) == 3"),
        // Nonzero says nothing about the sign.
        (["ctype.h"], "isxdigit('e') > 0"),
        (["string.h"], "strcmp(\"q\", \"c\") == 14"),
        (["string.h"], "memcmp(\"z\", \"a\", 1) != 1"),
        (["string.h"], "strncmp(\"az\", \"aa\", 2) < 2"),
        (["strings.h"], "strcasecmp(\"b\", \"A\") * 2 == 2"),
    ] {
        let verdict = verdict(&headers, &format!("if ({condition}) reach_error();"));
        assert!(
            verdict.starts_with("verdict: UNKNOWN (approximated "),
            "{condition}: {verdict}"
        );
    }
}

/// What C says about them is exact, also through variables, parameters and results.
#[test]
fn the_sign_of_an_open_result_is_exact() {
    for (headers, condition, expected) in [
        (["ctype.h"], "isalpha('A')", true),
        (["ctype.h"], "!isalpha('A')", false),
        (["ctype.h"], "isdigit('a') != 0 || isalnum('_')", false),
        (["string.h"], "strcmp(\"a\", \"a\") == 0", true),
        (["string.h"], "memcmp(\"b\", \"a\", 1) >= 1", true),
        (["string.h"], "0 < strncmp(\"ab\", \"aa\", 2)", true),
    ] {
        let verdict = verdict(&headers, &format!("if ({condition}) reach_error();"));
        let expected = if expected { "UNSAFE" } else { "SAFE" };
        assert_eq!(verdict, format!("verdict: {expected}"), "{condition}");
    }
    let through = "int strcmp(const char *, const char *); extern void reach_error(void);
      static int order(const char *a, const char *b) { return strcmp(a, b); }
      static int sign(long r) { return r < 0 ? -1 : r > 0; }
      int main(void) {
        int (*f)(const char *, const char *) = order;
        int r = order(\"x\", \"c\"), s = f(\"a\", \"b\");
        if (r > 0 && s < 0 && sign(r) == 1) reach_error();
        return r;
      }";
    assert_eq!(check(through).last_line(), "verdict: UNSAFE");
}

/// Functions that change something we don't follow.
#[test]
fn effects_are_refused_by_name() {
    for (headers, body, what) in [
        (
            &["fenv.h"][..],
            "fenv_t e; feholdexcept(&e);",
            "`feholdexcept`, which changes the floating-point environment",
        ),
        (
            &["unistd.h"],
            "syscall(60, 0); reach_error();",
            "`syscall`, which does something to the whole process",
        ),
        (
            &["locale.h"],
            "setlocale(LC_ALL, \"\");",
            "changes the locale",
        ),
        (&["sys/mman.h"], "munmap(0, 1);", "maps memory"),
        (
            &["stdio.h"],
            "char b[99]; setbuf(stdout, b);",
            "keeps a pointer",
        ),
        (
            &["unistd.h"],
            "char *v[] = { \"a\", 0 }; getopt(1, v, \"x\");",
            "`getopt`, which writes to memory behind its arguments",
        ),
        (
            &["signal.h"],
            "signal(SIGINT, (void (*)(int))reach_error);",
            "`signal`, which has to do with signals",
        ),
        // Declared by a header of the system, and nothing more is known.
        (&["sys/klog.h"], "klogctl(0, 0, 0);", "`klogctl`"),
    ] {
        refused(headers, body, what);
    }
}

#[test]
fn variables_of_the_library_are_refused_by_name() {
    refused(
        &["math.h"],
        "int s = signgam; lgamma(-1.5); if (s != signgam) reach_error();",
        "`signgam`",
    );
    refused(
        &["stdlib.h", "time.h"],
        "long t = timezone; tzset(); if (t != timezone) reach_error();",
        "`timezone`",
    );
    refused(
        &[],
        "extern char optind[4]; if (optind[0]) reach_error();",
        "`optind`",
    );
    let own = "int optind = 3; extern void reach_error(void);
      int main(void) { if (optind != 3) reach_error(); return 0; }";
    assert_eq!(check(own).last_line(), "verdict: SAFE");
}

/// Rounding to a whole number that fits is exact; one that doesn't fit is open, and not undefined.
#[test]
fn nearest_integers() {
    let head = "#include <math.h>
      extern void reach_error(void); extern double __VERIFIER_nondet_double(void);
      int main(void) { double d = __VERIFIER_nondet_double();";
    let exact = "if (lround(2.5) != 3 || lround(-2.5) != -3 || lroundf(2.3f) != 2 || llround(-0.0) != 0) reach_error();
      if (lrint(2.5) != 2 || llrint(3.5) != 4 || lrintf(-1.5f) != -2 || lroundl(2.5L) != 3) reach_error();
      if (d > -1000 && d < 1000 && (lround(d) < -1000 || lround(d) > 1000)) reach_error();
      return 0; }";
    assert_eq!(check(format!("{head}{exact}")).last_line(), "verdict: SAFE");
    let reached = "if (d > -1000 && d < 1000 && llround(d) == 1000) reach_error(); return 0; }";
    assert_eq!(
        check(format!("{head}{reached}")).last_line(),
        "verdict: UNSAFE"
    );
    let open = "if (lround(1e30) == 7) reach_error(); return 0; }";
    let answer = check(format!("{head}{open}"));
    let last = answer.last_line();
    assert!(last.starts_with("verdict: UNKNOWN"), "{last}");
}

/// Nothing but `getopt` changes the variables for options, and that is refused where the program has none of its own.
#[test]
fn variables_for_options_begin_as_the_library_says() {
    let head = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
      extern int optind, opterr, optopt; extern char *optarg;
      int getopt(int argc, char *const *argv, const char *options) {
        if (optind >= argc) return -1;
        optarg = argv[optind++]; return optopt;
      }";
    let right = "int main(int argc, char **argv) {
        if (optind != 1 || opterr != 1 || optopt != '?' || optarg) reach_error();
        char *own[] = { 0, \"a\", 0 };
        if (getopt(2, own, \"\") != '?' || optind != 2 || *optarg != 'a') reach_error();
        return 0; }";
    assert_eq!(check(format!("{head}{right}")).last_line(), "verdict: SAFE");
    let wrong = "int main(void) { optind = __VERIFIER_nondet_int(); if (optind == 7) reach_error(); return 0; }";
    assert_eq!(
        check(format!("{head}{wrong}")).last_line(),
        "verdict: UNSAFE"
    );
    refused(
        &["unistd.h"],
        "char *v[] = { \"a\", 0 }; getopt(1, v, \"x\"); if (optind != 1) reach_error();",
        "`getopt`",
    );
}

/// Names for the linker: the library's variables and functions are known by what they are, not by what the text calls
/// them.
#[test]
fn the_library_behind_other_names() {
    let variable = "extern void reach_error(void); extern int my __asm__(\"optind\");
      int main(void) { if (my != 1) reach_error(); return 0; }";
    assert_eq!(check(variable).last_line(), "verdict: SAFE");
    let changed = "extern int my __asm__(\"optind\"); my = 3; if (my == 3) reach_error();";
    assert_eq!(verdict(&[], changed), "verdict: UNSAFE");
    // An object of another file, whatever its name in this one.
    let other = "extern int optind __asm__(\"elsewhere\"); if (optind == 5) reach_error();";
    assert_eq!(verdict(&[], other), "verdict: UNSAFE");
    refused(
        &[],
        "extern char my[4] __asm__(\"signgam\"); if (my[0]) reach_error();",
        "`signgam`",
    );
    let folder = Folder::new();
    for name in ["__posix_getopt", "_getopt_internal"] {
        let text = format!(
            "extern void reach_error(void); extern int optind; int {name}(int, char **, const char *);
             int main(void) {{ char *v[] = {{ \"a\", 0 }}; {name}(1, v, \"x\"); if (optind != 1) reach_error(); return 0; }}"
        );
        folder.file("input.c", text);
        let called = rhumb_in(
            folder.path(),
            ["check", "input.c", "--undefined-functions", "pure"],
        );
        let last = called.last_line();
        assert!(
            last.starts_with("verdict: UNKNOWN (unsupported ") && last.contains(name),
            "{last}"
        );
    }
}

/// Some end the program, whatever their declaration says; others don't matter.
#[test]
fn functions_that_end_the_program_or_do_nothing() {
    for body in [
        "errx(3, \"%s\", \"bye\"); reach_error();",
        "err(0, \"bye\"); reach_error();",
        "error(1, 0, \"bye\"); reach_error();",
    ] {
        let text = format!(
            "void errx(int, const char *, ...), err(int, const char *, ...), error(int, int, const char *, ...);
             {ERROR}int main(void) {{ {body} return 0; }}"
        );
        assert_eq!(check(text).last_line(), "verdict: SAFE", "{body}");
    }
    for (headers, body) in [
        (&["signal.h"][..], "signal(SIGPIPE, SIG_IGN);"),
        (&["err.h"], "warnx(\"%d\", 1);"),
        (
            &[],
            "void error(int, int, const char *, ...); error(0, 0, \"on\");",
        ),
        (
            &["stdio.h"],
            "fprintf(stderr, \"x\"); fflush(stdout); perror(\"y\");",
        ),
        (&["time.h"], "time(0);"),
        (&["unistd.h"], "sleep(1); getpid();"),
    ] {
        let body = format!("{body} reach_error();");
        assert_eq!(verdict(headers, &body), "verdict: UNSAFE", "{body}");
    }
}

/// What comes from outside is an input; what is only not known supports no UNSAFE, and does no harm where nobody looks.
#[test]
fn what_the_library_reads() {
    for (headers, body, expected) in [
        (
            &["stdio.h"][..],
            "int c = getchar(); if (c == 'x') reach_error();",
            "verdict: UNSAFE",
        ),
        (
            &["stdio.h"],
            "int c = getchar(); if (c < -1 || c > 255) reach_error();",
            "verdict: SAFE",
        ),
        (
            &["stdio.h"],
            "if (getchar() == -1 && getchar() != -1) reach_error();",
            "verdict: SAFE",
        ),
        (
            &["stdlib.h"],
            "if (rand() < 0) reach_error();",
            "verdict: SAFE",
        ),
        (
            &["stdlib.h"],
            "if (rand() == 5) reach_error();",
            "verdict: UNKNOWN (approximated the result of `rand`",
        ),
        (
            &["stdlib.h", "time.h"],
            "time_t t; time(&t); srand(time(0)); reach_error();",
            "verdict: UNSAFE",
        ),
    ] {
        let verdict = verdict(headers, body);
        assert!(verdict.starts_with(expected), "{body}: {verdict}");
    }
}

#[test]
fn inputs_that_the_program_changes_are_no_inputs() {
    refused(
        &["stdlib.h"],
        "setenv(\"A\", \"1\", 1); if (!getenv(\"A\")) reach_error();",
        "`setenv`, which changes the environment",
    );
    refused(
        &["stdio.h"],
        "int c = getchar(); rewind(stdin); if (c != getchar()) reach_error();",
        "`rewind`, which may go back in standard input",
    );
    assert_eq!(
        verdict(&["stdlib.h"], "setenv(\"A\", \"1\", 1); reach_error();"),
        "verdict: UNSAFE"
    );
}

#[test]
fn inputs_of_the_library_in_order() {
    let expect = |text: &str, inputs: &str, outcome: &str| {
        crate::support::run(text, &["--inputs", inputs]).expect(0, &[outcome]);
    };
    // A byte follows each 1; a 0 is the end.
    let numbers = "#include <stdio.h>
      int main(void) { int a, b, n = scanf(\"%d,%d\", &a, &b); return n == 2 ? a * 10 + b : n; }";
    expect(numbers, "1,52,1,44,1,50,0", "outcome: exit 42 ");
    expect(numbers, "1,52,1,120", "outcome: exit 1 ");
    let line = "#include <stdio.h>
      int main(void) { char b[4]; int n = 0; while (fgets(b, 4, stdin)) n++; return n; }";
    expect(
        line,
        "1,97,1,98,1,99,1,100,1,10,1,101,0",
        "outcome: exit 3 ",
    );
    let arguments = "int main(int argc, char **argv) {
        return argc == 2 && !argv[0][0] && argv[1][0] == 'x' && !argv[1][1] && !argv[2] ? 9 : 1;
      }";
    expect(arguments, "2,0,1,120,0", "outcome: exit 9 ");
    let environment = "#include <stdlib.h>
      int main(void) { char *a = getenv(\"A\"), *b = getenv(\"B\"); return a == getenv(\"A\") && a[0] == 'q' && !b ? 9 : 1; }";
    expect(environment, "1,1,113,0,0", "outcome: exit 9 ");
}

#[test]
fn functions_that_run_at_the_end() {
    let text = "#include <stdlib.h>
      extern void reach_error(void);
      int done; void last(void) { if (done == 1) reach_error(); } void first(void) { done++; }
      int main(void) { atexit(last); atexit(first); return 0; }";
    assert_eq!(check(text).last_line(), "verdict: UNSAFE");
    let text = text.replace("return 0;", "_Exit(0);");
    assert_ne!(check(text).last_line(), "verdict: UNSAFE");
}

#[test]
fn directions_of_rounding() {
    let text = |mode: &str| {
        format!(
            "int fesetround(int); {ERROR}int main(void) {{
               volatile double a = 1, b = 3;
               fesetround({mode});
               if (a / b == 0.33333333333333331) reach_error();
               return 0;
             }}"
        )
    };
    for (mode, reached) in [
        ("0", true),
        ("0x400", true),
        ("0x800", false),
        ("0xc00", true),
    ] {
        let verdict = check(text(mode)).last_line().to_owned();
        assert_eq!(verdict == "verdict: UNSAFE", reached, "{mode}: {verdict}");
        assert_ne!(verdict, "verdict: SAFE");
    }
}

#[test]
fn errno_is_lost_with_a_call_and_only_then() {
    let expect = |body: &str, expected: &str| {
        let verdict = verdict(&["errno.h", "unistd.h"], body);
        assert!(verdict.contains(expected), "{body}: {verdict}");
    };
    expect("errno = 5; if (errno == 5) reach_error();", "UNSAFE");
    expect(
        "errno = 5; chdir(\"/\"); if (errno != 5) reach_error();",
        "UNKNOWN",
    );
    expect(
        "errno = 5; chdir(\"/\"); if (errno == 5) reach_error();",
        "UNKNOWN",
    );
    expect(
        "chdir(\"/\"); errno = 5; if (errno == 5) reach_error();",
        "UNSAFE",
    );
    expect("chdir(\"/\"); reach_error(); return errno;", "UNSAFE");
}

#[test]
fn floats_with_32_bits_say_what_they_assume() {
    let folder = crate::support::Folder::new();
    let text = format!(
        "{ERROR}int main(void) {{ volatile double a = 1; if (a + 1 == 2) reach_error(); return 0; }}"
    );
    folder.file("a.c", text);
    folder.file(
        "b.c",
        format!("{ERROR}int main(void) {{ double a = 1; if (a == 1) reach_error(); return 0; }}"),
    );
    let check = |args: &[&str]| {
        let args = ["check"].iter().chain(args);
        crate::support::rhumb_in(folder.path(), args)
            .expect(10, &[])
            .stderr
    };
    let assumption = "each floating-point operation rounds to its type";
    assert!(check(&["a.c", "--data-model", "ILP32"]).contains(assumption));
    assert!(!check(&["a.c"]).contains(assumption));
    assert!(!check(&["b.c", "--data-model", "ILP32"]).contains(assumption));
}
