//! `rhumb cover`: tests for parts of a program.

use crate::support::{Called, Folder, rhumb_in};

const PROGRAM: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static int classify(int x) {
  switch (x) {
  case 7: return 1;
  case 123456: return 2;
  default: return 0;
  }
}
int main(void) {
  int x = __VERIFIER_nondet_int(), n = 0;
  if (x > 10 && x % 3 == 1)
    n = 1;
  for (int i = 0; i < 3; i++)
    n += classify(x);
  if (n < 0)
    reach_error();
again:
  if (x == 99999 && n == 1)
    goto again;
  return 0;
}
";

fn cover(text: &str, more: &[&str]) -> (Called, Folder) {
    let folder = Folder::new();
    folder.file("input.c", text);
    let args = ["cover", "input.c", "-q"].iter().chain(more);
    (rhumb_in(folder.path(), args), folder)
}

#[test]
fn every_branch_is_covered_or_proved_unreachable() {
    let (called, _folder) = cover(PROGRAM, &[]);
    let called = called.expect(0, &[]);
    let said: Vec<&str> = called.stdout.lines().collect();
    // 99999 % 3 is 0, so n is 0 there.
    assert_eq!(
        said,
        [
            "unreachable: input.c:16: `n < 0` is true",
            "unreachable: input.c:19: `x == 99999 && n == 1` is true",
            "coverage: 9 of 11 branches covered by 3 tests, 2 proved unreachable, 0 open"
        ]
    );
}

#[test]
fn other_goals_are_found_in_the_text() {
    for (goals, summary) in [
        (
            "statements",
            "11 of 13 statements covered by 3 tests, 2 proved",
        ),
        (
            "conditions",
            "10 of 12 conditions covered by 3 tests, 2 proved",
        ),
        (
            "calls:classify",
            "1 of 1 calls:classify covered by 1 test, 0 proved",
        ),
        (
            "calls:reach_error",
            "0 of 1 calls:reach_error covered by 0 tests, 1 proved",
        ),
        ("labels", "1 of 1 labels covered by 1 test, 0 proved"),
    ] {
        let (called, _folder) = cover(PROGRAM, &["--goals", goals]);
        let called = called.expect(0, &[]);
        let line = called.last_line();
        assert!(line.contains(summary), "{goals}: {line}");
    }
    let (called, _folder) = cover(PROGRAM, &["--goals", "everything"]);
    called.expect(1, &["is no set of goals"]);
}

#[test]
fn suites_are_written_for_the_competition() {
    let (called, folder) = cover(PROGRAM, &["--out", "suite"]);
    called.expect(0, &[]);
    let read = |name: &str| {
        let path = folder.path().join("suite").join(name);
        std::fs::read_to_string(path).expect("a file of the suite")
    };
    let metadata = read("metadata.xml");
    for part in [
        "<programfile>input.c</programfile>",
        "<entryfunction>main</entryfunction>",
        "<architecture>64bit</architecture>",
        "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )",
    ] {
        assert!(metadata.contains(part), "no {part} in\n{metadata}");
    }
    let tests: Vec<String> = (1..=3).map(|n| read(&format!("test-{n}.xml"))).collect();
    let magic = "<input variable=\"__VERIFIER_nondet_int\" type=\"int\">123456</input>";
    assert!(tests.iter().any(|test| test.contains(magic)), "{tests:?}");
    assert!(read("index.html").contains("<tr class=\"unreachable\"><td>16</td>"));
}

#[test]
fn tables_say_which_test_covers_what() {
    let (called, folder) = cover(PROGRAM, &["--out", "tables", "--format", "csv"]);
    called.expect(0, &[]);
    let read = |name: &str| {
        let path = folder.path().join("tables").join(name);
        std::fs::read_to_string(path).expect("a table")
    };
    let goals = read("goals.csv");
    assert_eq!(goals.lines().count(), 12, "{goals}");
    assert!(goals.contains("input.c,16,7,`n < 0` is true,unreachable,\n"));
    let tests = read("tests.csv");
    assert_eq!(tests.lines().count(), 4, "{tests}");
    assert!(tests.lines().skip(1).all(|line| line.ends_with(",exit 0")));
}

#[test]
fn what_is_not_decided_is_open() {
    // Nothing is known of what assembly does, and a branch before it is covered all the same.
    let text = "extern int __VERIFIER_nondet_int(void);
        int main(void) {
          if (__VERIFIER_nondet_int() == 77777) return 1;
          int x; __asm__(\"nop\" : \"=r\"(x));
          return x == 3 ? 1 : 0;
        }";
    let (called, _folder) = cover(text, &["--timeout", "10s"]);
    let called = called.expect(5, &[]);
    let line = called.last_line();
    assert!(
        line.contains("0 proved unreachable, 2 open"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_run_without_end_is_a_test_up_to_its_last_goal() {
    let text = "extern int __VERIFIER_nondet_int(void);
        int main(void) {
          if (__VERIFIER_nondet_int() == 77777)
            for (;;) __VERIFIER_nondet_int();
          return 0;
        }";
    let (called, folder) = cover(text, &["--out", "tables", "--format", "csv"]);
    called.expect(0, &[]);
    let path = folder.path().join("tables/tests.csv");
    let tests = std::fs::read_to_string(path).expect("a table");
    assert!(tests.contains(",77777,no end"), "{tests}");
}

/// The lines of the program that gcov saw executed, and those that it saw never executed.
fn measured(text: &str) -> (Vec<u32>, Vec<u32>) {
    let (mut taken, mut never) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut fields = line.split(':').map(str::trim);
        let (Some(count), Some(Ok(number))) = (fields.next(), fields.next().map(str::parse::<u32>))
        else {
            continue;
        };
        match count {
            "-" => {}
            "#####" => never.push(number),
            _ => taken.push(number),
        }
    }
    (taken, never)
}

#[test]
fn the_compiler_measures_what_is_claimed() {
    for text in [PROGRAM, include_str!("../../../../examples/ticket.c")] {
        let more = [
            "--goals",
            "statements",
            "--out",
            "code",
            "--format",
            "c",
            "--source",
        ];
        let (called, folder) = cover(text, &more);
        let called = called.expect(0, &[]);
        let code = folder.path().join("code");
        let make = std::process::Command::new("make")
            .arg("coverage")
            .current_dir(&code)
            .output();
        let Ok(make) = make else {
            println!("skipped: there is no make");
            return;
        };
        assert!(
            make.status.success(),
            "{}",
            String::from_utf8_lossy(&make.stderr)
        );
        let gcov = std::fs::read_to_string(code.join("input.c.gcov")).expect("what gcov says");
        let (taken, never) = measured(&gcov);
        let claimed = |mark: &str| -> Vec<u32> {
            let lines = called.stdout.lines();
            let marked = lines.filter_map(|line| line.strip_prefix(mark)?.split('|').next());
            marked
                .filter_map(|number| number.trim().parse().ok())
                .collect()
        };
        for line in claimed("+ ") {
            assert!(!never.contains(&line), "line {line} is claimed\n{gcov}");
        }
        for line in claimed("x ") {
            assert!(
                !taken.contains(&line),
                "line {line} can't be reached\n{gcov}"
            );
        }
        assert!(claimed("+ ").len() >= 10);
    }
}

#[test]
fn tests_that_need_more_than_their_files_are_told() {
    let text = "int main(void) { int x; if (x == 5) return 1; return 0; }";
    let (called, _folder) = cover(text, &["--out", "suite"]);
    called.expect(0, &["1 of the tests depend on uninitialised values"]);
}
