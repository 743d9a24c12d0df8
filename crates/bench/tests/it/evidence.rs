//! `--confirm` and `--recheck` with tools that write harnesses and certificates, good ones and bad ones.

use rhumb_bench::cli::ExitStatus;

use crate::lab::Lab;

/// Patterns of a tool that can also validate: its certificates say themselves whether they hold.
fn patterns(lab: &Lab) -> String {
    let validate = lab.file("validate.sh", "case $(cat \"$1\") in good) exit 0;; bad) echo 'not inductive' >&2; exit 10;; hard) echo 'gave up'; exit 5;; esac; exit 6");
    let text = format!(
        "name = 'fake'
validate = 'sh {validate} {{certificate}}'
second = 'sh {validate} {{certificate}}'
[[rule]]
answer = 'safe'
line = '^SAFE$'
[[rule]]
answer = 'unsafe'
line = '^UNSAFE$'
"
    );
    lab.file("fake.toml", &text)
}

/// Runs a fake tool with both options on one unsafe task; gives the fields `confirmed` and `rechecked`, and what was printed.
fn run(body: &str, with_patterns: bool) -> (String, String, String) {
    let lab = Lab::new();
    lab.task("s/t.yml", false);
    let script = lab.file("tool.sh", body);
    let name = if with_patterns { "fake" } else { "rhumb-fake" };
    let tool = format!("{name}=sh {script} {{task}} {{harness}} {{certificate}}");
    let patterns = format!("fake={}", patterns(&lab));
    let sets = lab.path("tasks");
    let mut arguments = vec![sets.as_str(), "--tool", &tool, "--confirm", "--recheck"];
    if with_patterns {
        arguments.extend(["--patterns", &patterns]);
    }
    let ran = lab.bench(&arguments);
    let row = lab.row(name);
    assert!(row.verdict.is_some(), "{row:?}");
    (row.confirmed, row.rechecked, ran.out)
}

fn harness(c: &str) -> (String, String) {
    let (confirmed, _, out) = run(
        &format!("cat > \"$2\" <<'END'\n{c}\nEND\necho UNSAFE"),
        true,
    );
    (confirmed, out)
}

#[test]
fn a_harness_that_reaches_the_error_confirms() {
    let (confirmed, out) = harness(
        "#include <stdlib.h>\nvoid reach_error(void) { exit(10); }\nint main(void) { reach_error(); }",
    );
    assert_eq!(confirmed, "yes");
    assert!(!out.contains("EVIDENCE"), "{out}");
}

#[test]
fn a_harness_that_does_not_is_named_at_the_top() {
    let (confirmed, out) = harness("int main(void) { return 0; }");
    assert_eq!(confirmed, "no: exit status 0");
    assert!(
        out.starts_with("EVIDENCE THAT DOES NOT HOLD\n  s/t.yml: fake is not confirmed"),
        "{out}"
    );
    // Ending by abort is what programs do when an assumption fails.
    assert_eq!(
        harness("#include <stdlib.h>\nint main(void) { abort(); }").0,
        "no: signal 6"
    );
}

#[test]
fn thirty_two_bits_are_not_pretended() {
    let lab = Lab::new();
    lab.task("s/t.yml", false);
    let definition = std::fs::read_to_string(lab.path("tasks/s/t.yml")).expect("the task");
    lab.file("tasks/s/t.yml", &definition.replace("LP64", "ILP32"));
    let c = "int main(void) { return sizeof(long) == 4 ? 10 : 0; }";
    let body = format!("echo '{c}' > \"$1\"; echo 'verdict: UNSAFE'; exit 10");
    let tool = lab.tool_with("x", &body, "{harness}");
    lab.bench(&[&lab.path("tasks"), "--tool", &tool, "--confirm"]);
    let confirmed = lab.row("rhumb-x").confirmed;
    assert!(
        confirmed == "yes" || confirmed == "not available: gcc -m32 does not link here",
        "{confirmed}"
    );
}

#[test]
fn a_harness_that_does_not_compile_is_no_evidence() {
    let (confirmed, _) = harness("int main(void) { return x; }");
    assert!(confirmed.starts_with("no: does not compile"), "{confirmed}");
}

#[test]
fn without_evidence_the_fields_say_so() {
    let (confirmed, rechecked, out) = run("echo UNSAFE", true);
    assert_eq!(
        (confirmed.as_str(), rechecked.as_str()),
        ("not available: no harness", "not available: no certificate")
    );
    assert!(!out.contains("EVIDENCE"), "{out}");
}

#[test]
fn certificates_are_validated_in_a_fresh_process() {
    let certificate = |text: &str| run(&format!("echo {text} > \"$3\"; echo SAFE"), true);
    assert_eq!(certificate("good").1, "valid");
    let (_, rechecked, out) = certificate("bad");
    assert_eq!(rechecked, "rejected: not inductive");
    assert!(
        out.contains("the certificate of fake is rejected: not inductive"),
        "{out}"
    );
    assert_eq!(certificate("hard").1, "undecided: gave up");
    assert!(certificate("odd").1.starts_with("error: exit status 6"));
    // Only answers UNSAFE have a harness.
    assert_eq!(certificate("good").0, "");
}

#[test]
fn a_tool_that_can_not_validate_says_so() {
    let (_, rechecked, _) = run("echo x > \"$3\"; echo 'verdict: UNSAFE'; exit 10", false);
    // The shipped patterns name a command `rhumb`, which is not there.
    assert!(rechecked.starts_with("not available"), "{rechecked}");
}

/// Runs a fake tool that calls three tasks safe, with certificates of this text, and asks for second opinions.
fn second(text: &str) -> (Vec<String>, ExitStatus, String) {
    let lab = Lab::new();
    for task in ["s/t.yml", "s/u.yml", "s/v.yml"] {
        lab.task(task, true);
    }
    let script = lab.file("tool.sh", &format!("echo {text} > \"$2\"; echo SAFE"));
    let tool = format!("fake=sh {script} {{task}} {{certificate}}");
    let patterns = format!("fake={}", patterns(&lab));
    let sets = lab.path("tasks");
    let ran = lab.bench(&[&sets, "--tool", &tool, "--patterns", &patterns, "--second"]);
    let rows = lab.rows_in("out");
    assert!(rows.iter().all(|row| row.rechecked.is_empty()));
    let opinions = rows.into_iter().map(|row| row.second).collect();
    (opinions, ran.status, ran.out)
}

#[test]
fn a_second_opinion_that_disagrees_is_a_failure() {
    let (opinions, status, out) = second("good");
    assert_eq!(
        (opinions, status),
        (vec!["valid".to_owned(); 3], ExitStatus::Success)
    );
    assert!(
        out.contains("Second opinions on 3 proofs: 3 hold, 0 do not, 0 undecided"),
        "{out}"
    );
    let (opinions, status, out) = second("bad");
    assert_eq!(opinions, vec!["rejected: not inductive".to_owned(); 3]);
    assert_eq!((status, status.code()), (ExitStatus::WrongVerdict, 10));
    assert!(
        out.contains("the second opinion on the proof of fake: rejected"),
        "{out}"
    );
    // Nor is it a success if nobody can tell.
    let (_, status, out) = second("hard");
    assert_eq!((status, status.code()), (ExitStatus::TooFewOpinions, 5));
    assert!(out.contains("3 undecided (MORE THAN 5 %)"), "{out}");
}
