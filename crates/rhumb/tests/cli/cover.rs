//! `rhumb cover`: tests for parts of a program.

use std::collections::BTreeSet;

use rhumb_difftest::rng::Rng;

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
fn property_files_say_what_tests_are_for() {
    let folder = Folder::new();
    folder.file("input.c", PROGRAM);
    for (edges, summary) in [
        ("@DECISIONEDGE", "9 of 11 branches"),
        ("@CALL(classify)", "1 of 1 calls:classify"),
        ("@BASICBLOCKENTRY", "11 of 13 statements"),
    ] {
        let text = format!("COVER( init(main()), FQL(COVER EDGES({edges})) )\n");
        folder.file("goals.prp", &text);
        let args = ["cover", "input.c", "-q", "--property", "goals.prp"];
        let called = rhumb_in(folder.path(), args).expect(0, &[]);
        let line = called.last_line();
        assert!(line.contains(summary), "{edges}: {line}");
    }
    for (text, message) in [
        (
            "COVER( init(main()), FQL(COVER PATHS(@ALL)) )",
            "no tests can be made for",
        ),
        ("CHECK( init(main()), LTL(G ! call(f())) )", "rhumb check"),
    ] {
        folder.file("goals.prp", text);
        let args = ["cover", "input.c", "-q", "--property", "goals.prp"];
        rhumb_in(folder.path(), args).expect(2, &["goals.prp", message]);
    }
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

/// A decision: its operands are whether numbers that are read are 0, and each place of one is a condition by itself.
enum Decision {
    IsRead(usize),
    Not(Box<Decision>),
    Both(Box<Decision>, Box<Decision>),
    Either(Box<Decision>, Box<Decision>),
}

/// Numbers that are read.
const READ: usize = 3;

impl Decision {
    fn random(rng: &mut Rng, operands: usize) -> Decision {
        let decision = match operands {
            1 => Decision::IsRead(rng.index(READ)),
            _ => {
                let left = 1 + rng.index(operands - 1);
                let (one, other) = (
                    Box::new(Decision::random(rng, left)),
                    Box::new(Decision::random(rng, operands - left)),
                );
                match rng.percent(50) {
                    true => Decision::Both(one, other),
                    false => Decision::Either(one, other),
                }
            }
        };
        match rng.percent(20) {
            true => Decision::Not(Box::new(decision)),
            false => decision,
        }
    }

    fn text(&self) -> String {
        match self {
            // A call, so that something lies between conditions.
            Decision::IsRead(0) => "is(v0)".to_owned(),
            Decision::IsRead(number) => format!("v{number}"),
            Decision::Not(of) => format!("!({})", of.text()),
            Decision::Both(one, other) => format!("({} && {})", one.text(), other.text()),
            Decision::Either(one, other) => format!("({} || {})", one.text(), other.text()),
        }
    }

    /// The numbers in the conditions, from left to right.
    fn numbers(&self, found: &mut Vec<usize>) {
        match self {
            Decision::IsRead(number) => found.push(*number),
            Decision::Not(of) => of.numbers(found),
            Decision::Both(one, other) | Decision::Either(one, other) => {
                one.numbers(found);
                other.numbers(found);
            }
        }
    }

    fn size(&self) -> usize {
        let mut found = Vec::new();
        self.numbers(&mut found);
        found.len()
    }

    /// The outcome where conditions, from the given one on, have these values, and which ones are looked at.
    fn outcome(&self, values: u32, first: usize) -> (bool, u32) {
        let (one, other, decides) = match self {
            Decision::IsRead(_) => return (values >> first & 1 == 1, 1 << first),
            Decision::Not(of) => {
                let (outcome, seen) = of.outcome(values, first);
                return (!outcome, seen);
            }
            Decision::Both(one, other) => (one, other, false),
            Decision::Either(one, other) => (one, other, true),
        };
        let (outcome, seen) = one.outcome(values, first);
        if outcome == decides {
            return (outcome, seen);
        }
        let (outcome, more) = other.outcome(values, first + one.size());
        (outcome, seen | more)
    }

    /// The conditions that decide where they have these values.
    fn deciding(&self, values: u32) -> u32 {
        let all = 0..1_u32 << self.size();
        let (outcome, seen) = self.outcome(values, 0);
        let conditions = (0..self.size()).filter(|condition| {
            let turned = values ^ 1 << condition;
            let may_be = |others: &u32| (others ^ turned) & seen == 0;
            seen >> condition & 1 == 1
                && all
                    .clone()
                    .filter(may_be)
                    .any(|others| self.outcome(others, 0).0 != outcome)
        });
        conditions.map(|condition| 1 << condition).sum()
    }
}

/// Conditions that can decide with each of their values are as many as an enumeration says, and so are those that do in
/// some run.
#[test]
fn conditions_that_decide_are_those_of_an_enumeration() {
    let mut rng = Rng::new(17);
    for _ in 0..12 {
        let operands = 1 + rng.index(5);
        let decision = Decision::random(&mut rng, operands);
        let mut numbers = Vec::new();
        decision.numbers(&mut numbers);
        let goals_of = |values: u32| {
            let deciding = decision.deciding(values);
            let conditions = (0..numbers.len()).filter(move |it| deciding >> it & 1 == 1);
            conditions.map(move |it| (it, values >> it & 1))
        };
        let all: BTreeSet<_> = (0..1_u32 << numbers.len()).flat_map(goals_of).collect();
        let read = (0..1_u32 << READ).map(|read| {
            let bits = numbers.iter().enumerate();
            bits.map(|(it, number)| (read >> number & 1) << it).sum()
        });
        let covered: BTreeSet<_> = read.flat_map(goals_of).collect();
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);
int is(int x) {{ return x != 0; }}
int main(void) {{
  int v0 = __VERIFIER_nondet_int() & 1, v1 = __VERIFIER_nondet_int() & 1, v2 = __VERIFIER_nondet_int() & 1;
  while ({}) return 1;
  return 0;
}}
",
            decision.text()
        );
        let (called, _folder) = cover(&text, &["--goals", "mcdc"]);
        let line = called.expect(0, &[]).last_line().to_owned();
        let begin = format!(
            "coverage: {} of {} deciding conditions covered",
            covered.len(),
            all.len()
        );
        let end = format!("{} proved unreachable, 0 open", all.len() - covered.len());
        assert!(
            line.starts_with(&begin) && line.ends_with(&end),
            "{text}{line}\n{begin}, {end}"
        );
    }
}
