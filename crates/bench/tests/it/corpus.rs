//! Tables 2 and 3 over the tasks of the GPS paper, where they are at hand.

use std::path::{Path, PathBuf};

use rhumb_bench::cli::ExitStatus;

use crate::lab::Lab;

/// The collection: beside the repository, or where the environment says.
fn corpus() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("RHUMB_CORPUS")
        .map_or(beside, PathBuf::from)
        .join("gps-paper")
}

#[test]
fn the_tables_of_the_paper_with_one_command() {
    let corpus = corpus();
    if !corpus.is_dir() {
        println!("skipped: no collection at {}", corpus.display());
        return;
    }
    let lab = Lab::new();
    // One tool gives the authors' own answers, from their table; the other has no answers yet, as it is with a verifier on its first day.
    let reference = corpus.join("reference.csv");
    let canned = format!(
        "line=$(awk -F, -v task=\"$1\" 'NR > 1 && substr(task, length(task) - length($1) + 1) == $1 {{ print $3; exit }}' '{}')
case $line in
  true) echo 'verdict: SAFE';;
  false) echo 'verdict: UNSAFE'; exit 10;;
  TIMEOUT) echo 'verdict: UNKNOWN (timeout)'; exit 5;;
  *) echo 'verdict: UNKNOWN (out of memory)'; exit 5;;
esac",
        reference.display()
    );
    let canned = lab.tool("canned", &canned);
    let first_day = lab.tool("none", "echo 'verdict: UNKNOWN (no engine)'; exit 5");
    let ran = lab.bench(&[
        corpus.to_str().expect("a path"),
        "--tool",
        &canned,
        "--tool",
        &first_day,
        "--against",
        reference.to_str().expect("a path"),
        "--quiet",
    ]);
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.log);
    let lines: Vec<String> = ran.out.lines().map(|line| line.replace('|', " ")).collect();
    let cells = |start: &str, nth: usize| -> Vec<&str> {
        let line = lines
            .iter()
            .filter(|line| line.trim_start().starts_with(start))
            .nth(nth)
            .unwrap_or_else(|| panic!("no line {start}\n{}", ran.out));
        line.split_whitespace().collect()
    };
    // Counted by hand from the authors' table: 212 of 230, 9 of 9, 57 of 57; in the paper GPS has 214, 9 and 57.
    for table in 0..2 {
        let suite1 = cells("Suite #1", table);
        assert_eq!((suite1[3], suite1[4], suite1[5]), ("230", "212", "0"));
        assert_eq!((suite1[7], suite1[8], suite1[10]), ("0", "0", "214"));
        let suite2 = cells("Suite #2", table);
        assert_eq!((suite2[4], suite2[5], suite2[11]), ("9", "9", "9"));
        let suite3 = cells("Suite #3", table);
        assert_eq!((suite3[5], suite3[6], suite3[7]), ("57", "(*58)", "57"));
        let total = cells("Total", table);
        assert_eq!(
            (total[1], total[2], total[3], total[6]),
            ("296", "(*297)", "278", "0")
        );
        let failures = cells("Failures", table);
        assert_eq!(
            (failures[1], failures[2], failures[3]),
            ("2/16/0/0", "0/0/296/0", "8/9/0")
        );
    }
    assert!(ran.out.contains("Table 2: ") && ran.out.contains("Table 3: "));
    assert!(
        ran.out
            .contains("rhumb-canned against gps (reference), on 296 tasks: gained 0, lost 0"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("rhumb-none against gps (reference), on 296 tasks: gained 0, lost 278"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("unknown: no engine"));
}
