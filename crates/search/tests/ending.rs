//! Whether runs end: what is right is known, what is wrong is not, and what is found holds on random programs.

mod common;

use std::fmt::Write as _;
use std::time::Duration;

use common::program;
use rhumb_certify::Verdict;
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{Machine, Outcome, RandomInputs, RunLimits};
use rhumb_program::{Checks, Ending, Program};
use rhumb_search::{CATALOG, Means, decide_ending};

fn answer(text: &str, work: Work) -> &'static str {
    let program = whole(text);
    let budget = Budget::time(Duration::from_secs(300)).within(work);
    let means = Means::default();
    let found = decide_ending(&program, true, &CATALOG[0], means, &budget, &mut ());
    match found.decision.verdict {
        Verdict::Safe(_) => "ends",
        Verdict::Unsafe(_) => "goes on",
        Verdict::Unknown(_) => "unknown",
    }
}

fn whole(text: &str) -> Program {
    program(&match text.contains("main(") {
        true => text.to_owned(),
        false => format!("int main(void) {{ {text} return 0; }}"),
    })
}

const INTS: &str = "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); \
    if (x < -1000 || x > 1000 || y < -1000 || y > 1000) return 0;";

#[test]
fn runs_that_end() {
    for text in [
        "return 0;",
        "for (int i = 0; i < 10; i++) {}",
        "unsigned n = __VERIFIER_nondet_uint(); while (n) n--;",
        "unsigned n = __VERIFIER_nondet_uint(); while (n > 1) n = n / 2;",
        &format!(
            "{INTS} while (x > 0 && y > 0) {{ if (__VERIFIER_nondet_bool()) x--; else y--; }}"
        ),
        // One number falls, and lets the other one be anything.
        &format!(
            "{INTS} while (x > 0 && y > 0) {{ if (__VERIFIER_nondet_bool()) {{ x--; y = __VERIFIER_nondet_int(); }} else y--; }}"
        ),
        // It goes up before it goes down.
        &format!("{INTS} if (y > 50) return 0; while (x > 0) {{ x += y; y--; }}"),
        &format!("{INTS} while (x < y) x += 2;"),
        &format!("{INTS} do {{ x--; }} while (x > 0);"),
        &format!("{INTS} for (int i = 0; i < x; i++) for (int j = i; j < y; j++) {{}}"),
        "int g; void step(void) { while (g > 3) g--; } int main(void) { g = __VERIFIER_nondet_int(); step(); while (g > 0) { g -= 2; step(); } }",
        "int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main(void) { f(__VERIFIER_nondet_int()); }",
        "int odd(int n); int even(int n) { return n <= 0 ? 1 : odd(n - 1); } int odd(int n) { return n <= 0 ? 0 : even(n - 1); } \
         int main(void) { return even(__VERIFIER_nondet_int()); }",
        "int main(void) { while (1) { if (__VERIFIER_nondet_int()) break; return 1; } }",
        // Followed to their ends.
        "double x = 1; while (x > 0) x /= 2;",
        "for (float f = 0; f < 10; f += 1.0f) ;",
        "unsigned char i = 1; while (i) i <<= 1;",
        "_Bool b = 1; while (b) b--;",
        "int f(void) { static int n; return n++; } int main(void) { while (f() < 5) ; }",
    ] {
        assert_eq!(answer(text, Work::secs(40)), "ends", "{text}");
    }
}

/// A string of any length, with its end somewhere.
const STRINGS: &str = "void *__builtin_alloca(unsigned long); int main(void) { int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int(); \
    if (n < 1 || m < 1) return 0; char *s = __builtin_alloca(n), *t = __builtin_alloca(m); s[n - 1] = 0; t[m - 1] = 0;";

/// What walks through memory gets to its end.
#[test]
fn walks_through_memory_end() {
    for body in [
        "while (*s) s++;",
        "while (*s++) ;",
        "char *p = s + n; while (p != s && *--p != 'x') ;",
        "int i = 0; while (s[i]) i++;",
        "unsigned long i = 0; while (s[i] != t[i]) i++;",
        "for (; *s; s++) { const char *u = t; while (*u && *u != *s) u++; if (!*u) break; }",
        "while (*s && *s == *t) { s++; t++; }",
        "do *s = 'x'; while (*++s);",
    ] {
        let text = format!("{STRINGS} {body} return 0; }}");
        assert_eq!(answer(&text, Work::secs(40)), "ends", "{body}");
    }
    for body in [
        "while (*s) ;",
        "char *p = s; while (*p) { if (n > 5 && p == s + 3) p = s; else p++; }",
        "unsigned char i = 0; while (n == 1000 && s[i]) i++;",
        "char *p = s; for (;;) if (*p) p++; else p = s;",
    ] {
        let text = format!("{STRINGS} {body} return 0; }}");
        assert_ne!(answer(&text, Work::secs(4)), "ends", "{body}");
    }
}

/// What comes back is not where it was.
#[test]
fn states_that_only_look_alike() {
    for text in [
        "int f(int n) { return n ? 0 : 1; } int main(void) { for (int i = 0; i < 9; i++) f(3); return f(3); }",
        "int depth; int f(int n) { if (depth++ > 5) return 0; return f(n); } int main(void) { return f(3); }",
        "int f(int n, int *left) { if (*left == 0) return 0; *left = *left - 1; return f(n, left); } \
         int main(void) { int left = 5; return f(3, &left); }",
        "int f(int n, int *p) { int x = n - *p; return *p ? f(n, &x) : 0; } int main(void) { int x = 4; return f(4, &x); }",
        "int a[3] = {0, 0, 0}; int main(void) { int i = 0; while (a[0] < 9) { a[i] = a[i] + 1; i = 2 - i; a[i] = 0; i = 2 - i; a[1] = 5; } return 0; }",
        "int x = 0; int *p = &x; while (x < 5) { *p = *p + 1; *p = *p; }",
        "unsigned char b[4]; for (int k = 0; k < 4; k++) b[k] = 0; unsigned *w = (unsigned *)b; while (*w < 70000) { b[0]++; if (!b[0]) { b[1]++; if (!b[1]) b[2]++; } }",
    ] {
        assert_ne!(answer(text, Work::secs(6)), "goes on", "{text}");
    }
}

#[test]
fn runs_that_go_on() {
    for text in [
        "for (;;) {}",
        "while (__VERIFIER_nondet_int()) {}",
        "int x = __VERIFIER_nondet_int(); while (x == 5) {}",
        &format!("{INTS} while (x > 0) {{ x += y; if (x > 100) x = 1; }}"),
        "unsigned char c = __VERIFIER_nondet_uint(); while (c != 3) c += 2;",
        "int g = 7; void wait(void) { while (g) { g = 8 - g; } } int main(void) { wait(); }",
        "int main(void) { int a = 1, b = 2; l: a = 3 - a; b = 3 - b; if (a != b) goto l; }",
        // From some round on.
        "unsigned char n = 0; int k = __VERIFIER_nondet_int(); if (k != 123456) return 0; for (;;) { if (n == 255) n = 2; n++; }",
        "int state = 0; for (;;) { if (state < 40) state++; if (__VERIFIER_nondet_int() == 7) break; }",
        // What is written is what was there.
        "int a[10], i = __VERIFIER_nondet_int(); while (0 <= i && i < 10) { a[i] = 4; i = __VERIFIER_nondet_int(); }",
        "int x, *p = &x; *p = 9; while (*p > 3) { *p = *p - 1; *p = __VERIFIER_nondet_int(); }",
        // Activations of one function, with the same arguments.
        "int f(int n) { return f(n); } int main(void) { return f(3); }",
        "int f(int n) { return f(n + 0); } int main(void) { f(1); }",
        "int f(void); int g(int n) { return n ? f() : 0; } int f(void) { return g(__VERIFIER_nondet_int()); } int main(void) { f(); }",
        "int f(int n) { return n == 77 ? f(n) : 0; } int main(void) { return f(__VERIFIER_nondet_int()); }",
        "int g(int n); int f(int n) { return n > 0 ? f(n - 1) : g(n); } int g(int n) { return n == 0 ? f(n) : 1; } int main(void) { return f(3); }",
    ] {
        assert_eq!(answer(text, Work::secs(40)), "goes on", "{text}");
    }
}

/// What is not known, and must not be.
#[test]
fn runs_that_end_badly_or_nobody_knows() {
    for text in [
        // In an overflow.
        "int x = 1; while (x > 0) x++;",
        "int x = __VERIFIER_nondet_int(); while (x < 0 || x > 0) { if (x > 0) x++; else x--; }",
        // Calls that go ever deeper.
        "int f(int n) { return f(n + 1); } int main(void) { f(1); }",
        "int f(int n) { return n == 0 ? 0 : f(n - 2); } int main(void) { f(1); }",
        // What was there before is somewhere else now.
        "int main(void) { int a[4]; a[0] = 0; while (a[0] < 1000) { a[0]++; } }",
    ] {
        let answer = answer(text, Work::secs(6));
        // Where it wraps around it comes to an end, and so do rounds that are counted in memory.
        let may_end = text.contains("a[0]") || text.contains("x++");
        assert!(
            answer == "unknown" || may_end && answer == "ends",
            "{text}: {answer}"
        );
    }
}

/// Bad measures are targets that are reached, and none at all is nothing known.
#[test]
fn measures_are_not_believed() {
    let text = "int x = __VERIFIER_nondet_int(); if (x > 9) x = 9; while (x > 0) x--; \
        char a[9], *p = a; while (p != a + 9) p++;";
    let program = whole(text);
    let main = program.function_named("main").expect("it is there").index();
    let number = |name: &str| {
        let var = program.vars.position(|var| &*var.decl.name == name);
        var.expect("it is there").index()
    };
    let (x, p) = (number("x"), number("p"));
    let up = format!("{main}.1=-1*{p}+0");
    let budget = Budget::time(Duration::from_secs(60));
    for (measure, expected) in [
        (format!("{main}.0=1*{x}+0;{up}"), "SAFE"),
        (format!("{main}.0=2*{x}+-1;{up}"), "SAFE"),
        (format!("{main}.0=-1*{x}+0|1*{x}+3;{up}"), "UNSAFE"),
        // Below 0, too: there is a least number of so many bits.
        (format!("{main}.0=1*{x}+-2;{up}"), "SAFE"),
        (format!("{main}.0=-1*{x}+90;{up}"), "UNSAFE"),
        (format!("{main}.0=;{up}"), "UNSAFE"),
        // Pointers go one way, and nobody counts with them.
        (format!("{main}.0=1*{x}+0;{main}.1=1*{p}+0"), "UNSAFE"),
        (format!("{main}.0=1*{x}+0;{main}.1=-2*{p}+0"), "UNKNOWN"),
        (
            format!("{main}.0=1*{x}+0;{main}.1=-1*{p}+1*{x}+0"),
            "UNKNOWN",
        ),
        (format!("{main}.1=1*{x}+0"), "UNKNOWN"),
        (format!("{}.0=1*{x}+0", main + 1), "UNKNOWN"),
        (format!("{main}.0=1*99999+0"), "UNKNOWN"),
        (String::new(), "UNKNOWN"),
        // Rounds of all loops together.
        ("rounds:17".to_owned(), "UNSAFE"),
        ("rounds:18".to_owned(), "SAFE"),
    ] {
        let word = match measure.starts_with("rounds") {
            true => measure.clone(),
            false => format!("measures:{measure}"),
        };
        let checks = Checks::parse(&word).expect("a measure");
        let program = checks.apply(program.clone());
        program.validate().expect("a program");
        let found = rhumb_search::decide_together(
            &program,
            &CATALOG[0],
            Means::default(),
            &budget,
            &mut (),
        );
        let word = match found.verdict {
            Verdict::Safe(_) => "SAFE",
            Verdict::Unsafe(_) => "UNSAFE",
            Verdict::Unknown(_) => "UNKNOWN",
        };
        assert_eq!(word, expected, "{measure}");
    }
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        rhumb_random::next(&mut self.0) % limit
    }
}

/// A random program of a few loops over bytes.
fn random_program(random: &mut Random) -> String {
    let vars = ["a", "b", "c"];
    let mut text = String::from("int main(void) { ");
    for var in vars {
        let _ = write!(text, "signed char {var} = __VERIFIER_nondet_int(); ");
    }
    for _ in 0..1 + random.below(2) {
        loop_text(random, &vars, 2, &mut text);
    }
    text.push_str("return 0; }");
    text
}

fn loop_text(random: &mut Random, vars: &[&str], depth: u64, text: &mut String) {
    let mut var = || vars[random.below(3) as usize];
    let (x, y) = (var(), var());
    let number = random.below(9) as i64 - 4;
    let condition = match random.below(5) {
        0 => format!("{x} > {number}"),
        1 => format!("{x} < {y}"),
        2 => format!("{x} != {number}"),
        3 => format!("{x} > {number} && {y} < 5"),
        _ => format!("{x} - {y} > {number}"),
    };
    let _ = write!(text, "while ({condition}) {{ ");
    for _ in 0..1 + random.below(3) {
        let mut var = || vars[random.below(3) as usize];
        let (x, y) = (var(), var());
        let number = random.below(7) as i64 - 3;
        let _ = match random.below(8) {
            0 | 1 => write!(text, "{x} += {number}; "),
            2 => write!(text, "{x}--; "),
            3 => write!(text, "if ({y} > {number}) {x}--; else {y}++; "),
            4 => write!(text, "{x} = __VERIFIER_nondet_int(); "),
            5 => write!(text, "if ({x} == {number}) break; "),
            6 => write!(text, "{x} = {y} - {number}; "),
            _ if depth > 0 => {
                loop_text(random, vars, depth - 1, text);
                Ok(())
            }
            _ => write!(text, "{x}++; "),
        };
    }
    text.push_str("} ");
}

/// Programs that are said to end do so on many inputs; those that go on are replayed by whoever says so. Some of both
/// are found.
#[test]
fn random_programs() {
    let count = std::env::var("RHUMB_ENDING")
        .ok()
        .and_then(|text| text.parse().ok());
    let count: u64 = count.unwrap_or(24);
    let seed = std::env::var("RHUMB_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let mut random = Random(seed.unwrap_or(20_261_118));
    let (mut ends, mut goes_on) = (0, 0);
    for _ in 0..count {
        let text = random_program(&mut random);
        match answer(&text, Work::secs(4)) {
            "ends" => ends += 1,
            "goes on" => {
                goes_on += 1;
                continue;
            }
            _ => continue,
        }
        let program = whole(&text);
        let machine = Machine::compile(&program);
        for seed in 0..200 {
            let limits = RunLimits {
                steps: 2_000_000,
                ..RunLimits::default()
            };
            let run = machine.run(&mut RandomInputs::new(seed), &limits);
            assert!(run.outcome != Outcome::StepLimit, "it goes on\n{text}");
        }
    }
    println!("of {count}, {ends} end and {goes_on} go on");
    assert!(
        3 * (ends + goes_on) >= count,
        "only {ends} end and {goes_on} go on"
    );
}

/// The words of the question.
#[test]
fn nothing_is_known_of_a_question_alone() {
    let checks = Checks {
        ending: Some(Ending::Asked),
        ..Checks::none()
    };
    let program = checks.apply(whole("for (int i = 0; i < 3; i++) {}"));
    assert!(!program.unsupported.is_empty() && program.targets.is_empty());
}
