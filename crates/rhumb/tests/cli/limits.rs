//! Limits hold and signals are heard: whatever ends a command, its last line is its verdict, and there is one.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::support::{Called, Folder, rhumb_in};

/// What nobody knows without trying: there is always more to search.
const ENDLESS: &str = "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  \
    unsigned long long n = __VERIFIER_nondet_uint(), steps = 0;\n  while (n > 1) {\n    n = n % 2 ? 3 * n + 1 : n / 2;\n    steps++;\n  }\n  \
    if (steps > 5000) reach_error();\n  return 0;\n}\n";

/// As that, with a target before it that is easy to reach.
fn one_of_two() -> String {
    ENDLESS.replace("  while", "  if (n == 3) reach_error();\n  while")
}

/// Functions that call the one before twice: a path through the first one is exponentially long.
fn doubling(depth: u32) -> String {
    let mut text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint c;\nvoid f0(int x) { if (x > c) c++; }\n".to_owned();
    for level in 1..=depth {
        let inner = level - 1;
        text.push_str(&format!(
            "void f{level}(int x) {{ f{inner}(x + c); f{inner}(x - 1); }}\n"
        ));
    }
    text.push_str(&format!(
        "int main(void) {{ f{depth}(__VERIFIER_nondet_int()); if (c < 0) reach_error(); return 0; }}\n"
    ));
    text
}

const DECLARED: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

/// Programs that are large in one respect, and whose text is not.
fn large(size: usize) -> Vec<(&'static str, String)> {
    let each = |line: &dyn Fn(usize) -> String| (1..size).map(line).collect::<String>();
    let chain = each(&|at| format!("int f{at}(int x) {{ return f{}(x); }}\n", at - 1));
    let globals = each(&|at| format!("int g{at};\n"));
    let updates = each(&|at| format!("g{at} = g{at} + 1;\n"));
    let locals = each(&|at| format!("int v{at} = v{} + 1;\n", at - 1));
    let params = each(&|at| format!(", int p{at}"));
    let arguments = each(&|_| ", __VERIFIER_nondet_int()".to_owned());
    let loops = each(&|at| {
        let before = at - 1;
        format!("int v{at} = 0;\nwhile (v{before} > 0) {{ v{before}--; v{at}++; }}\n")
    });
    let sum = vec!["x"; size].join(" + ");
    let (last, input) = (size - 1, "__VERIFIER_nondet_int()");
    let main = |body: String| format!("int main(void) {{\n{body}\nreturn 0;\n}}\n");
    let programs = [
        (
            "chain",
            format!("int f0(int x) {{ return x > 0 ? x : 1; }}\n{chain}")
                + &main(format!("if (f{last}({input}) <= 0) reach_error();")),
        ),
        (
            "globals",
            globals
                + &main(format!(
                    "int n = {input};\nfor (int i = 0; i < n; i++) {{\n{updates}}}\nif (g1 != g{last}) reach_error();"
                )),
        ),
        (
            "locals",
            main(format!(
                "int v0 = {input};\nif (v0 < 0 || v0 > 9) return 0;\n{locals}if (v{last} > {size} + 9) reach_error();"
            )),
        ),
        (
            "parameters",
            format!("int f(int p0{params}) {{ return p0 > p{last}; }}\n")
                + &main(format!("if (f({input}{arguments}) > 1) reach_error();")),
        ),
        (
            "sum",
            main(format!(
                "unsigned x = {input};\nif (x == 1 && {sum} != {size}) reach_error();"
            )),
        ),
        (
            "sequence",
            main(format!(
                "int n = {input};\nif (n < 0 || n > 9) return 0;\nint v0 = n;\n{loops}if (v{last} != n) reach_error();"
            )),
        ),
    ];
    programs
        .map(|(name, text)| (name, DECLARED.to_owned() + &text))
        .into()
}

/// Each of them ends in time, and small ones with an answer.
#[test]
fn large_programs_end_in_time() {
    let folder = Folder::new();
    let check = |name: &str, text: &str, time: &str| {
        let file = folder.file(&format!("{name}.c"), text);
        let file = file.to_string_lossy().into_owned();
        rhumb_in(
            folder.path(),
            ["check", &file, "--timeout", time, "--memory", "1GB"],
        )
    };
    for (name, text) in large(8) {
        let called = check(name, &text, "100s");
        assert_eq!(
            called.status, 0,
            "{name}: {}{}",
            called.stdout, called.stderr
        );
    }
    for (name, text) in large(4000) {
        let called = check(name, &text, "1s");
        match called.status {
            5 => one_verdict(&called, "verdict: UNKNOWN ("),
            0 => one_verdict(&called, "verdict: SAFE"),
            other => panic!("{name}: {other}: {}{}", called.stdout, called.stderr),
        }
    }
}

#[track_caller]
fn one_verdict(called: &Called, expected: &str) {
    let verdicts = called.stdout.lines();
    let verdicts = verdicts.filter(|line| line.starts_with("verdict: "));
    assert_eq!(verdicts.count(), 1, "{}", called.stdout);
    let line = called.last_line();
    assert!(line.starts_with(expected), "{}", called.stdout);
    assert!(called.stdout.ends_with('\n'));
}

#[test]
fn time_ends_every_phase() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    folder.file("doubling.c", doubling(22));
    let sum = vec!["x"; 20_000].join(" + ");
    folder.file("long.c", format!("extern void reach_error(void);\nint main(void) {{ long x = 1; if ({sum} == 3) reach_error(); return 0; }}\n"));
    for file in ["endless.c", "doubling.c", "long.c"] {
        for time in ["1ms", "30ms", "1s"] {
            let args = ["check", file, "--timeout", time, "--memory", "3GB"];
            let called = rhumb_in(folder.path(), args);
            match called.status {
                5 => one_verdict(&called, "verdict: UNKNOWN (out of "),
                0 => one_verdict(&called, "verdict: SAFE"),
                other => panic!("{file}: {other}: {}{}", called.stdout, called.stderr),
            }
        }
    }
    let args = ["check", "endless.c", "--timeout", "1ms"];
    rhumb_in(folder.path(), args).expect(5, &[]);
}

/// The clock of the processors ends it long before the one on the wall.
#[test]
fn processor_time_ends_a_check() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    for wall in ["1h", "7min"] {
        let args = ["check", "endless.c", "--cpu-timeout", "500ms"];
        let called = rhumb_in(folder.path(), args.into_iter().chain(["--timeout", wall]));
        one_verdict(&called.expect(5, &[]), "verdict: UNKNOWN (out of time");
    }
}

#[test]
fn memory_ends_a_check() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    let args = ["check", "endless.c", "--memory", "1MB"];
    let called = rhumb_in(folder.path(), args).expect(5, &[]);
    one_verdict(&called, "verdict: UNKNOWN (out of memory");
}

/// What is known of single targets is said when time runs out over the others.
#[test]
fn what_was_decided_is_said() {
    let folder = Folder::new();
    folder.file("two.c", one_of_two());
    let args = ["check", "two.c", "--timeout", "2s", "--certificate", "c"];
    let called = rhumb_in(folder.path(), args).expect(10, &[]);
    one_verdict(&called, "verdict: UNSAFE");
    assert!(
        called
            .stdout
            .contains("target two.c:5, call of reach_error: UNSAFE\n"),
        "{}",
        called.stdout
    );
    let args = ["validate", "two.c", "--certificate", "c"];
    rhumb_in(folder.path(), args).expect(0, &[]);
}

/// The other commands have limits, too, and end with what they have to say.
#[test]
fn time_ends_every_command() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    folder.file("forever.c", "int main(void) { for (;;); }\n");
    folder.file("two.c", one_of_two());
    let args = ["check", "two.c", "--timeout", "2s", "--certificate", "c"];
    rhumb_in(folder.path(), args).expect(10, &[]);
    let call = |args: &[&str]| rhumb_in(folder.path(), args);
    let called = call(&["validate", "two.c", "--certificate", "c", "--timeout", "0s"]);
    assert!(
        called
            .expect(5, &[])
            .last_line()
            .starts_with("certificate: undecided: "),
    );
    call(&["run", "forever.c", "--timeout", "300ms"]).expect(5, &["outcome: out of time"]);
    call(&["summarize", "endless.c", "--memory", "1MB"]).expect(5, &["out of memory"]);
    folder.file("doubling.c", doubling(22));
    let called = call(&["cfa", "doubling.c", "--timeout", "1ms", "--blocks"]);
    match called.status {
        5 => assert!(
            called.stderr.contains("error: out of time"),
            "{}",
            called.stderr
        ),
        other => assert_eq!(other, 0, "{}", called.stderr),
    }
}

/// A process that was asked to end.
struct Asked {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    seen: String,
}

impl Asked {
    /// Starts a check that takes long and waits until it has said this.
    fn start(folder: &Folder, file: &str, until: &str) -> Asked {
        let mut child = Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["check", file, "--stats", "--timeout", "100s"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = child.stdout.take().expect("its output");
        let (mut output, mut seen) = (BufReader::new(output), String::new());
        while !seen.contains(until) {
            let read = output.read_line(&mut seen).expect("its output");
            assert!(read > 0, "{seen}");
        }
        Asked {
            child,
            output,
            seen,
        }
    }

    /// Sends a signal.
    fn send(&self, signal: &str) {
        let command = format!("kill -{signal} {}", self.child.id());
        let sent = Command::new("sh").args(["-c", &command]).output();
        sent.expect("a shell");
    }

    fn end(mut self) -> Called {
        let rest = self.output.read_to_string(&mut self.seen);
        rest.expect("its output");
        Called {
            status: self.child.wait().expect("its end").code().unwrap_or(-1),
            stdout: self.seen,
            stderr: String::new(),
        }
    }
}

#[test]
fn signals_end_a_check_with_its_verdict() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    let mut signals = vec!["INT", "TERM"];
    match ignores_hangups() {
        true => println!("skipped: the end of a terminal is ignored here, as under nohup"),
        false => signals.push("HUP"),
    }
    for signal in signals {
        let asked = Asked::start(&folder, "endless.c", "stat: phase search\n");
        asked.send(signal);
        let called = asked.end().expect(5, &[]);
        one_verdict(&called, "verdict: UNKNOWN (interrupted");
    }
}

/// Whether this process was told that the end of its terminal doesn't matter, and with it all that it starts.
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 != 0)
}

/// At any moment, and however often.
#[test]
fn signals_never_tear_the_output() {
    let folder = Folder::new();
    folder.file("endless.c", ENDLESS);
    for pause in [0, 1, 3, 10, 30, 100] {
        let asked = Asked::start(&folder, "endless.c", "stat: phase frontend\n");
        std::thread::sleep(std::time::Duration::from_millis(pause));
        (0..3).for_each(|_| asked.send("INT"));
        let called = asked.end().expect(5, &[]);
        one_verdict(&called, "verdict: UNKNOWN (interrupted");
    }
}

/// A verdict that was certified stands, though the command is ended while it looks at other targets.
#[test]
fn a_signal_doesn_t_take_back_a_verdict() {
    let folder = Folder::new();
    folder.file("two.c", one_of_two());
    let asked = Asked::start(&folder, "two.c", "stat: certificate checked\nstat: ");
    asked.send("TERM");
    asked.send("TERM");
    let called = asked.end().expect(10, &[]);
    one_verdict(&called, "verdict: UNSAFE");
}
