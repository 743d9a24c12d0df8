//! `--same` with fakes of ours that say the same every time, or don't.

use rhumb_bench::cli::ExitStatus;

use crate::lab::{Lab, Ran};

/// Runs a fake three times on two programs. It is called with `check FILE ... --certificate FILE --witness FILE`, and
/// finds in `$n` how often it was called before.
fn run(body: &str) -> Ran {
    let lab = Lab::new();
    let programs = ["a.c", "b.c"].map(|name| lab.file(name, "int main(void) { return 0; }\n"));
    let count = lab.path("count");
    let script = format!(
        "n=$(cat {count} 2>/dev/null || echo 0)\necho $((n + 1)) > {count}\nfor last; do :; done\nwitness=$last\n\
         certificate=$(dirname \"$last\")/certificate.json\n{body}\n"
    );
    let fake = lab.executable("fake", &script);
    let [a, b] = &programs;
    lab.bench(&[a, b, "--same", "3", "--busy", "1", "--rhumb", &fake])
}

const EVIDENCE: &str = "echo proof > \"$certificate\"; echo told > \"$witness\"; ";

#[test]
fn the_same_every_time() {
    let ran = run(&format!("{EVIDENCE} echo 'verdict: SAFE'; exit 0"));
    assert_eq!(ran.status, ExitStatus::Success, "{}{}", ran.out, ran.log);
    let told = "6 runs, 0 of them without a verdict; 2 programs had one at least twice, 0 of them not the same";
    assert!(ran.out.contains(told), "{}", ran.out);
}

#[test]
fn what_differs_is_named() {
    let cases = [
        (
            "output",
            format!("{EVIDENCE} echo \"input: $n\"; echo 'verdict: UNSAFE'; exit 10"),
        ),
        (
            "certificate",
            format!("{EVIDENCE} echo $n > \"$certificate\"; exit 0"),
        ),
        (
            "certificate",
            format!("{EVIDENCE} [ $n = 1 ] && rm \"$certificate\"; exit 0"),
        ),
        (
            "witness",
            format!("{EVIDENCE} echo $n > \"$witness\"; exit 0"),
        ),
    ];
    for (part, body) in cases {
        let ran = run(&body);
        assert_eq!(ran.status, ExitStatus::Different, "{}{}", ran.out, ran.log);
        assert!(
            ran.out.contains(&format!("DIFFERENT {part}: ")),
            "{}",
            ran.out
        );
    }
}

#[test]
fn no_answer_is_no_difference_but_something_must_be_compared() {
    let sometimes =
        format!("{EVIDENCE} [ $n = 1 ] && {{ echo \"verdict: UNKNOWN ($n)\"; exit 5; }}; exit 0");
    let ran = run(&sometimes);
    assert_eq!(ran.status, ExitStatus::Success, "{}{}", ran.out, ran.log);
    assert!(
        ran.out.contains("1 of them without a verdict"),
        "{}",
        ran.out
    );
    let never = run("echo \"verdict: UNKNOWN ($n)\"; exit 5");
    assert_eq!(
        never.status,
        ExitStatus::Different,
        "{}{}",
        never.out,
        never.log
    );
    assert!(
        never.out.contains("0 programs had one at least twice"),
        "{}",
        never.out
    );
}
