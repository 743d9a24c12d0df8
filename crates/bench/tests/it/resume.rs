//! Interrupted and gone on with: as if nothing had happened.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rhumb_bench::cli::ExitStatus;
use rhumb_bench::report;
use rhumb_bench::results::Row;

use crate::lab::{Lab, bench_program};

/// Answers by the number in the task's name: mostly right, sometimes not at all.
const ANSWERS: &str = "\
sleep 0.01; n=${1##*/}; n=${n%.yml}; n=${n#t}
case $((n % 10)) in
  7) echo 'verdict: UNKNOWN (seven)'; exit 5;;
  8) echo oops >&2; exit 6;;
esac
if grep -q 'expected_verdict: true' \"$1\"; then echo 'verdict: SAFE'; else echo 'verdict: UNSAFE'; exit 10; fi
";

fn three_hundred_tasks(lab: &Lab) {
    for n in 0..300 {
        lab.task(&format!("suite{}/t{n}.yml", 1 + n % 3), n % 4 != 0);
    }
}

/// The tables without what differs from run to run even when nothing happens: times and memory.
fn timeless(mut rows: Vec<Row>) -> String {
    for row in &mut rows {
        (row.cpu_s, row.wall_s, row.memory_mb) = (0.0, 0.0, 0.0);
    }
    report::full(&rows)
}

fn wait_for_rows(lab: &Lab, out: &str, count: usize, bench: &mut Child) {
    let patience = Instant::now() + Duration::from_secs(60);
    let rows = || {
        fs::read_to_string(lab.path(&format!("{out}/results.csv")))
            .map_or(0, |text| text.lines().count())
    };
    while rows() <= count {
        assert!(Instant::now() < patience, "only {} rows", rows());
        assert!(
            bench.try_wait().expect("its state").is_none(),
            "it ended by itself"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start(lab: &Lab, out: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(bench_program());
    command
        .arg(lab.path("tasks"))
        .args(["--out", &lab.path(out), "--quiet", "--jobs", "2"])
        .args(arguments);
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the bench")
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .status()
        .expect("kill");
    assert!(status.success());
}

#[test]
fn three_hundred_tasks_interrupted_and_resumed_give_the_same_table() {
    let lab = Lab::new();
    three_hundred_tasks(&lab);
    let tool = lab.tool("fake", ANSWERS);
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &tool]);
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.out);
    let whole = lab.rows_in("out");
    assert_eq!(whole.len(), 300);

    // Twice by Ctrl-C, once by a signal that nobody can prepare for.
    let mut bench = start(&lab, "cut", &["--tool", &tool]);
    wait_for_rows(&lab, "cut", 60, &mut bench);
    signal(&bench, "INT");
    let output = bench.wait_with_output().expect("its end");
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("INTERRUPTED"));
    let kept = lab.rows_in("cut").len();
    assert!((60..300).contains(&kept), "{kept}");

    let mut bench = start(&lab, "cut", &["--tool", &tool, "--resume"]);
    wait_for_rows(&lab, "cut", kept + 60, &mut bench);
    signal(&bench, "KILL");
    bench.wait().expect("its end");
    // The last line was not written to its end.
    let path = lab.path("cut/results.csv");
    let torn = fs::read(&path).expect("results");
    fs::write(&path, &torn[..torn.len() - 7]).expect("results");

    let output = start(&lab, "cut", &["--tool", &tool, "--resume"])
        .wait_with_output()
        .expect("its end");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let resumed = lab.rows_in("cut");
    assert_eq!(resumed.len(), 300);
    assert_eq!(timeless(resumed), timeless(whole.clone()));
    // The table that was printed has the rows in the order of the plan, whatever the order in which they came.
    let printed = String::from_utf8(output.stdout).expect("text");
    assert!(
        printed.contains("suite1") && printed.contains("300"),
        "{printed}"
    );

    // Nothing is left to do: nothing is run, and the table is printed again.
    let again = start(
        &lab,
        "cut",
        &["--tool", "rhumb-fake=sh -c 'exit 3'", "--resume"],
    )
    .wait_with_output()
    .expect("its end");
    assert_eq!(
        again.status.code(),
        Some(1),
        "another command is not the same measurement"
    );
    let again = start(&lab, "cut", &["--tool", &tool, "--resume"])
        .wait_with_output()
        .expect("its end");
    assert_eq!(String::from_utf8(again.stdout).expect("text"), printed);
}

#[test]
fn an_interrupt_kills_what_runs_and_records_nothing_of_it() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    lab.task("s/u.yml", true);
    let hang = lab.tool(
        "hang",
        &format!(
            "(setsid sh -c 'echo $$ >> {0}; exec sleep 1000' &); echo $$ >> {0}; exec sleep 1000",
            lab.pids()
        ),
    );
    for (out, name) in [("int", "INT"), ("term", "TERM"), ("kill", "KILL")] {
        let _ = fs::remove_file(lab.pids());
        let bench = start(&lab, out, &["--tool", &hang, "--timeout", "60s"]);
        let patience = Instant::now() + Duration::from_secs(20);
        while fs::read_to_string(lab.pids()).map_or(0, |text| text.lines().count()) < 4 {
            assert!(Instant::now() < patience, "the tools did not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        signal(&bench, name);
        let status = bench.wait_with_output().expect("its end").status;
        assert_eq!(status.code(), if name == "KILL" { None } else { Some(130) });
        lab.assert_no_orphans(4);
        let results = fs::read_to_string(lab.path(&format!("{out}/results.csv"))).expect("results");
        assert!(results.lines().count() <= 1, "{results}");
    }
}
