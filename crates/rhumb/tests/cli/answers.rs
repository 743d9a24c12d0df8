//! Answers as people and tools read them.

use serde_json::Value;

use crate::schema::problems;
use crate::support::{Called, Folder, rhumb_in};

const BROKEN: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
struct pair { int x; int cells[3]; };
struct pair g;
static int add(int a, int b) {
  return a + b;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  int zero = __VERIFIER_nondet_int();
  if (n != 20)
    return 0;
  int s = 0;
  for (int i = 0; i < n; i++) {
    s = add(s, 2);
  }
  g.cells[1] = s;
  if (g.cells[1] == 40 && zero == 0)
    reach_error();
  return 0;
}
";

const SOUND: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int log_it(int);
int main(void) {
  int x = 0;
  while (__VERIFIER_nondet_int() && x < 1000000)
    x += 2;
  if (x % 2)
    reach_error();
  return log_it(x);
}
";

fn check(text: &str, args: &[&str]) -> (Folder, Called) {
    let folder = Folder::new();
    folder.file("a.c", text);
    let called = rhumb_in(folder.path(), ["check", "a.c"].iter().chain(args));
    (folder, called)
}

#[test]
fn the_story_of_a_run() {
    let (_folder, called) = check(BROKEN, &[]);
    let expected = "      9 |   int n = __VERIFIER_nondet_int();  // n = 20 (input)
     10 |   int zero = __VERIFIER_nondet_int();
                                              // zero = 0 (input)
     11 |   if (n != 20)                      // false*
     13 |   int s = 0;                        // s = 0
     14 |   for (int i = 0; i < n; i++) {     // true*, i = 0
     15 |     s = add(s, 2);                  // add(a = 0, b = 2)
      6 |     return a + b;                   // returns 2
     15 |     s = add(s, 2);                  // s = 2
     14 |   for (int i = 0; i < n; i++) {     // true*, i = 1
     15 |     s = add(s, 2);                  // add(a = 2, b = 2)
      6 |     return a + b;                   // returns 4
     15 |     s = add(s, 2);                  // s = 4
          ... rounds 3 to 19 of the loop on line 14
                                              // i = 2 ... 18, s = 6 ... 38
     14 |   for (int i = 0; i < n; i++) {     // true*, i = 19
     15 |     s = add(s, 2);                  // add(a = 38, b = 2)
      6 |     return a + b;                   // returns 40
     15 |     s = add(s, 2);                  // s = 40
     14 |   for (int i = 0; i < n; i++) {     // false*, i = 20
     17 |   g.cells[1] = s;                   // g.cells[1] = 40
     18 |   if (g.cells[1] == 40 && zero == 0)
                                              // g.cells[1] == 40: true*
                                              // zero == 0: true*
     19 |     reach_error();
          * turned alone, this decision would have kept the run from the error
input: __VERIFIER_nondet_int() at a.c:9 = 20
input: __VERIFIER_nondet_int() at a.c:10 = 0
next: --report DIR shows it as a page, --harness h.c makes it run with gcc
verdict: UNSAFE
";
    let (headline, rest) = called.stdout.split_once('\n').expect("lines");
    assert_eq!(headline, "UNSAFE: a.c:19: reach_error();");
    let known = "target a.c:19, call of reach_error: UNSAFE\n2 checks: 2 hold\n";
    let rest = rest.strip_prefix(known).expect("what is known of each");
    let (first, rest) = rest.split_once('\n').expect("lines");
    assert!(first.starts_with("reached: a.c:19 after "), "{first}");
    assert_eq!(rest, expected, "{}", called.stdout);
    assert!(called.stdout.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn all_rounds_if_they_are_wanted() {
    let (_folder, called) = check(BROKEN, &["--full-trace"]);
    let rounds = called
        .stdout
        .matches("i < n; i++) {     // true*, i = ")
        .count();
    assert_eq!(rounds, 20, "{}", called.stdout);
    assert!(!called.stdout.contains("... rounds"), "{}", called.stdout);
}

#[test]
fn invariants_and_assumptions_of_a_proof() {
    let (_folder, called) = check(SOUND, &["--undefined-functions", "pure"]);
    assert_eq!(called.last_line(), "verdict: SAFE", "{}", called.stderr);
    assert!(
        called.stdout.starts_with("SAFE: no run gets to a.c:9, "),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("invariant: a.c:6: "),
        "{}",
        called.stdout
    );
    assert!(
        called.stdout.contains("assumes: log_it() changes nothing"),
        "{}",
        called.stdout
    );
}

#[test]
fn what_helps_is_said() {
    let text = "extern void reach_error(void);\nint main(void) { int x = 1; __asm__(\"nop\"); if (x != 1) reach_error(); }\n";
    let (_folder, called) = check(text, &[]);
    assert!(called.stdout.contains("may help: "), "{}", called.stdout);
    assert!(called.stdout.contains("--model"));
    called.expect(5, &[]);
}

fn json(text: &str, args: &[&str]) -> Value {
    let args = [&["--format", "json"], args].concat();
    let (_folder, called) = check(text, &args);
    serde_json::from_str(&called.stdout).expect("JSON")
}

#[test]
fn json_is_what_its_schema_says() {
    let schema = include_str!("../../../../docs/report.schema.json");
    let schema: Value = serde_json::from_str(schema).expect("a schema");
    let endless = "extern void reach_error(void);\nint main(void) { int x = 1; __asm__(\"hlt\"); if (x) reach_error(); }\n";
    for (text, args, verdict) in [
        (BROKEN, &[][..], "UNSAFE"),
        (BROKEN, &["--full-trace"], "UNSAFE"),
        (SOUND, &["--undefined-functions", "pure"], "SAFE"),
        (endless, &[], "UNKNOWN"),
    ] {
        let value = json(text, args);
        assert_eq!(problems(&schema, &value), [""; 0], "{value:#}");
        assert_eq!(value["verdict"], verdict);
    }
    let value = json(BROKEN, &[]);
    let run = &value["counterexample"];
    assert_eq!(run["inputs"][0]["value"], "20");
    assert_eq!(value["targets"][0]["line"], 19);
    let sound = json(SOUND, &["--undefined-functions", "pure"]);
    assert_eq!(sound["assumptions"][0], "log_it() changes nothing");
    assert!(
        sound["invariants"]
            .as_array()
            .is_some_and(|all| !all.is_empty())
    );
}

#[test]
fn sarif_has_code_flows() {
    let (_folder, called) = check(BROKEN, &["--format", "sarif"]);
    assert_eq!(called.status, 10);
    let log: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.c");
    assert_eq!(place["region"]["startLine"], 19);
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    let index = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(rules[index]["id"], result["ruleId"]);
    let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
    let flow = flow.as_array().expect("a flow");
    assert!(flow.len() > 10);
    assert_eq!(flow[0]["location"]["message"]["text"], "n = 20 (input)");
    assert!(flow.iter().all(|step| {
        step["location"]["physicalLocation"]["region"]["startLine"].as_u64() > Some(0)
    }));
}

#[test]
fn annotations_and_tests() {
    let (_folder, called) = check(BROKEN, &["--format", "github"]);
    let first = called.stdout.lines().next().expect("a line");
    assert!(
        first.starts_with("::error file=a.c,line=19,col="),
        "{first}"
    );
    assert!(first.contains("__VERIFIER_nondet_int() = 20"), "{first}");
    assert_eq!(called.last_line(), "verdict: UNSAFE");
    let (_folder, called) = check(BROKEN, &["--format", "junit"]);
    assert!(
        called
            .stdout
            .contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"0\""),
        "{}",
        called.stdout
    );
    let (_folder, called) = check(
        SOUND,
        &["--format", "junit", "--undefined-functions", "pure"],
    );
    assert!(
        called.stdout.contains("failures=\"0\""),
        "{}",
        called.stdout
    );
}

#[test]
fn a_page_stands_alone_and_text_stays_text() {
    let hostile = "extern void reach_error(void);
int main(void) {
  char *s = \"</script><script>alert(1)</script><img src=x onerror=alert(2)>\";
  int script = s[0] == '<'; /* --> <!-- ]]> \u{2028} */
  if (script) reach_error();
}
";
    let folder = Folder::new();
    let name = "a<b>&'\".c";
    folder.file(name, hostile);
    let called = rhumb_in(folder.path(), ["check", name, "--report", "out/page"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
    let page = std::fs::read_to_string(folder.path().join("out/page/index.html")).expect("a page");
    assert_eq!(
        page.matches("<script").count(),
        2,
        "one for data and one for code"
    );
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<img") && !page.contains("onerror=alert(2)>"));
    let (before, rest) = page.split_once("type=\"application/json\">").expect("data");
    let (_, behind) = rest.split_once("</script>").expect("an end");
    // The name of a language, and a mark in the page itself: neither is fetched.
    let behind = behind.replace("\"http://www.w3.org/2000/svg\"", "");
    let behind = behind.replace("\"url(#arrow)\"", "");
    for outside in [
        "http://", "https://", "src=\"", "href=\"", "url(", "@import", "fetch(",
    ] {
        assert!(
            !before.contains(outside) && !behind.contains(outside),
            "{outside}"
        );
    }
    assert!(page.contains("default-src 'none'"));
    // The data can be read again, and has the text as it was.
    let (data, _) = rest.split_once("</script>").expect("an end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let line = data["sources"][name][2].as_str().expect("a line");
    assert!(line.contains("<img src=x onerror=alert(2)>"), "{line}");
    let main = &data["functions"][0];
    assert_eq!(main["name"], "main");
    assert!(
        main["ways"].as_array().is_some_and(|ways| !ways.is_empty()),
        "the automaton is there to be drawn"
    );
}

#[test]
fn a_page_for_a_long_run_is_of_a_sensible_size() {
    let mut text = String::from("extern void reach_error(void);\nint x;\n");
    for line in 0..5_000 {
        text.push_str(&format!("int f{line}(void) {{ return {line}; }}\n"));
    }
    text.push_str("int main(void) { for (int i = 0; i < 30000; i++) x = i; if (x == 29999) reach_error(); }\n");
    let (folder, called) = check(&text, &["--report", "page"]);
    assert_eq!(
        called.last_line(),
        "verdict: UNSAFE",
        "{}{}",
        called.stdout,
        called.stderr
    );
    let page = std::fs::metadata(folder.path().join("page/index.html")).expect("a page");
    assert!(page.len() < 60_000_000, "{}", page.len());
    run_page(&folder);
}

/// Runs a page's script, if there is something to run it with.
fn run_page(folder: &Folder) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/page.mjs");
    let node = std::process::Command::new("node")
        .arg(script)
        .arg(folder.path().join("page/index.html"))
        .output();
    let Ok(output) = node else {
        println!("skipped: there is no node to run the page's script");
        return;
    };
    let said = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.ends_with("ok\n"),
        "{said}{problems}"
    );
}

#[test]
fn the_page_can_be_stepped_through() {
    let (folder, called) = check(BROKEN, &["--report", "page"]);
    assert_eq!(called.status, 10);
    run_page(&folder);
}

#[test]
fn pointer_arguments_of_an_entry_function() {
    let text = "extern void reach_error(void);
struct node { int value; int count; };
int sum(struct node *n, int limit) {
  if (!n || limit < 0) return -1;
  if (n->value == 11) reach_error();
  return n->value;
}
int apart(int *p, int *q) {
  if (!p || !q) return 0;
  *p = 1; *q = 2;
  if (*p != 1) reach_error();
  return 0;
}
";
    let (_folder, called) = check(text, &["--entry", "sum", "--harness", "h.c"]);
    let called = called.expect(10, &["no harness: argument `n`"]);
    for expected in [
        "input: argument `n` at a.c:3 = a pointer",
        "input: what argument `n` points to at a.c:3 = 0b (bytes; then zeros)",
        "assumes: pointer arguments of the entry function are null, or each points",
    ] {
        assert!(called.stdout.contains(expected), "{}", called.stdout);
    }
    // What the answer rests on is said.
    let (_folder, called) = check(text, &["--entry", "apart"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    assert!(
        called.stdout.contains("an object of its own"),
        "{}",
        called.stdout
    );
}

/// Runs a command on a terminal, if there is something to make one with.
fn on_a_terminal(folder: &Folder, args: &[&str]) -> Option<String> {
    let script = "import os, pty, sys\npid, fd = pty.fork()\nif pid == 0: os.execv(sys.argv[1], sys.argv[1:])\n\
        out = b''\nwhile True:\n    try: piece = os.read(fd, 4096)\n    except OSError: break\n    if not piece: break\n    out += piece\n\
        sys.stdout.buffer.write(out)\n";
    let python = std::process::Command::new("python3")
        .args(["-c", script, env!("CARGO_BIN_EXE_rhumb")])
        .args(args)
        .current_dir(folder.path())
        .output();
    match python {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        _ => {
            println!("skipped: there is no python3 to make a terminal with");
            None
        }
    }
}

#[test]
fn progress_is_shown_on_a_terminal_and_nowhere_else() {
    let folder = Folder::new();
    let slow = include_str!("../../../../examples/queue.c");
    folder.file("a.c", slow);
    let args = ["check", "a.c", "--timeout", "2s", "--engine", "gps"];
    let Some(shown) = on_a_terminal(&folder, &args) else {
        return;
    };
    let is_fast = shown.contains("verdict: SAFE") || shown.contains("verdict: UNSAFE");
    assert!(is_fast || shown.contains(" of 2 s, search: "), "{shown:?}");
    // The line is gone before anything else is said.
    let (_, end) = shown.rsplit_once("\u{1b}[K").unwrap_or(("", &shown));
    assert!(end.contains("verdict: "), "{shown:?}");
    let quiet = on_a_terminal(&folder, &["check", "a.c", "--timeout", "1s", "--quiet"]);
    assert!(quiet.is_none_or(|shown| !shown.contains(" of 1 s")));
    let piped = rhumb_in(folder.path(), args);
    assert!(!piped.stderr.contains(" of 2 s"), "{}", piped.stderr);
}

#[test]
fn the_hook_for_commits() {
    let hooks = include_str!("../../../../.pre-commit-hooks.yaml");
    let (_, entry) = hooks.split_once("entry: sh -c '").expect("a command");
    let (script, _) = entry.split_once("' --").expect("its end");
    let folder = Folder::new();
    folder.file("bad.c", BROKEN);
    folder.file("good.c", "int main(void) { return 0; }\n");
    folder.file("part.c", "int helper(void) { return 0; }\n");
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_rhumb"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().expect("a folder").display());
    let run = |files: &[&str]| {
        let status = std::process::Command::new("sh")
            .args(["-c", script, "--"])
            .args(files)
            .env("PATH", &path)
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .status();
        status.expect("a shell").code()
    };
    assert_eq!(run(&["good.c", "part.c"]), Some(0));
    assert_eq!(run(&["good.c", "bad.c"]), Some(1));
}

#[test]
fn an_unknown_says_what_is_established_all_the_same() {
    // Summaries alone don't exclude the error; that some rounds don't lead to it is proved by following them.
    let text = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  unsigned x = 1;
  while (__VERIFIER_nondet_int()) {
    x = x * x % 1000 + 7;
    if (x == 12) reach_error();
  }
}
";
    let (folder, called) = check(text, &["--engine", "cra", "--checks", "none"]);
    let stdout = called.expect(5, &[]).stdout;
    for part in [
        "established: no error in runs of up to ",
        "the loop at a.c:5",
    ] {
        assert!(stdout.contains(part), "{stdout}");
    }
    let json = rhumb_in(
        folder.path(),
        [
            "check", "a.c", "--engine", "cra", "--checks", "none", "--format", "json",
        ],
    );
    assert!(
        json.stdout.contains("\"established\": \"no error in runs"),
        "{}",
        json.stdout
    );
    // Where a few rounds are enough for an error nothing is established: it is found.
    let short = text.replace("x == 12", "x == 71");
    let (_folder, called) = check(&short, &["--engine", "cra", "--checks", "none"]);
    let called = called.expect(10, &[]);
    assert!(!called.stdout.contains("established"), "{}", called.stdout);
}

#[test]
fn messages_as_gcc_writes_them() {
    let (_folder, called) = check(BROKEN, &["--format", "gcc"]);
    let lines: Vec<&str> = called.stdout.lines().collect();
    let is_message = |line: &&str| line.starts_with("a.c:") && line.contains(": error: ");
    assert!(lines.iter().any(is_message), "{}", called.stdout);
    let notes = lines.iter().filter(|line| line.contains(": note: "));
    assert!(notes.clone().count() > 3, "{}", called.stdout);
    assert!(
        notes
            .into_iter()
            .any(|line| line.ends_with("n != 20: false *")),
        "{}",
        called.stdout
    );
    assert_eq!(lines.last(), Some(&"verdict: UNSAFE"));
}
