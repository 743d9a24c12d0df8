//! The command line: tools, sets and folders that can and can't be used.

use rhumb_bench::cli::ExitStatus;
use rhumb_bench::verdict::Status;

use crate::lab::Lab;

#[test]
fn our_own_executable_is_asked_what_it_can_do() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let old = lab.executable(
        "rhumb-old",
        "case \"$*\" in --version) echo 'rhumb 0.1';; --help) echo 'Commands: check';; 'check --help') echo 'Usage: check <FILE>';;
check*) [ $# = 2 ] || exit 1; echo 'verdict: UNKNOWN (no engine)'; exit 5;; *) exit 1;; esac",
    );
    let ran = lab.bench(&[
        &lab.path("tasks"),
        "--rhumb",
        &old,
        "--confirm",
        "--recheck",
    ]);
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.log);
    let row = lab.row("rhumb");
    assert_eq!(
        (row.status, row.reason.as_str()),
        (Status::Unknown, "no engine")
    );
    assert!(ran.out.contains("unknown: no engine"), "{}", ran.out);
    let ran = lab.bench(&[
        &lab.path("tasks"),
        "--rhumb",
        &old,
        "--engine",
        "gps",
        "--out",
        &lab.path("out2"),
    ]);
    assert_eq!(ran.status, ExitStatus::Usage);
    assert!(ran.log.contains("no option --engine"), "{}", ran.log);
}

#[test]
fn several_engines_and_tools_run_side_by_side() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let new = lab.executable(
        "rhumb-new",
        "case \"$*\" in --version) echo 'rhumb 0.2';; --help) echo 'check validate';;
'check --help') echo '--engine --timeout --memory --property --harness --certificate --stats';;
check*) echo \"$@\" >&2; echo 'stat: time.parse 0.25'; echo 'stat: certificate checked'; : > ${15:-/dev/null}; echo 'verdict: SAFE';;
validate*) [ -e \"$4\" ] || exit 2;; *) exit 1;; esac",
    );
    let peer = lab.tool("peer", "echo 'verdict: SAFE'");
    let ran = lab.bench(&[
        &lab.path("tasks"),
        "--rhumb",
        &new,
        "--engine",
        "gps,bmc",
        "--tool",
        &peer,
        "--recheck",
        "--timeout",
        "7s",
        "--memory",
        "300MB",
    ]);
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.log);
    let row = lab.row("gps");
    assert_eq!(
        (row.status, row.phases.as_str(), row.certificate.as_str()),
        (Status::Correct, "parse=0.250", "checked")
    );
    let log = std::fs::read_to_string(lab.path("out/logs/gps/s/t.yml.log")).expect("a log");
    for words in [
        "--engine gps",
        "--timeout 7s",
        "--memory 300MB",
        "--property /",
        "unreach-call.prp",
        "--certificate /",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert!(!log.contains("--harness"), "{log}");
    assert_eq!(lab.row("rhumb-peer").status, Status::Correct);
    assert_eq!(lab.row("bmc").engine, "bmc");
}

#[test]
fn property_files_that_lead_nowhere_are_provided() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let tool = lab.tool_with("x", "grep -q 'call(reach_error())' \"$1\" && [ \"$2\" = 64 ] && [ \"$3\" = LP64 ] && echo 'verdict: SAFE'", "{property} {bits} {data_model}");
    lab.bench(&[&lab.path("tasks"), "--tool", &tool]);
    assert_eq!(lab.row("rhumb-x").status, Status::Correct);
}

#[test]
fn a_broken_task_is_one_error_and_not_the_end() {
    let lab = Lab::new();
    lab.task("s/good.yml", true);
    lab.file("tasks/s/bad.yml", "input_files: [");
    lab.file(
        "tasks/s/lost.yml",
        "input_files: nowhere.c\nproperties: [{property_file: unreach-call.prp}]\n",
    );
    let tool = lab.tool("x", "echo 'verdict: SAFE'");
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &tool]);
    assert_eq!(ran.status, ExitStatus::Success);
    let rows = lab.rows_in("out");
    let statuses: Vec<Status> = rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses, [Status::Error, Status::Correct, Status::Error]);
    assert!(
        rows[2].reason.contains("nowhere.c is missing"),
        "{}",
        rows[2].reason
    );
}

#[test]
fn mistakes_are_found_before_anything_runs() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    lab.file("foreign/thesis.tex", "years of work");
    let (tasks, tool) = (lab.path("tasks"), lab.tool("x", "echo 'verdict: SAFE'"));
    let (foreign, missing) = (lab.path("foreign"), lab.path("missing.csv"));
    let wrong = |arguments: &[&str], status: ExitStatus, words: &str| {
        let ran = lab.bench(arguments);
        assert_eq!(ran.status, status, "{arguments:?}: {}", ran.log);
        assert!(ran.log.contains(words), "{arguments:?}: {}", ran.log);
        assert!(
            !std::path::Path::new(&lab.path("out")).exists(),
            "{arguments:?}"
        );
    };
    wrong(
        &[&tasks, "--tool", "magic=true"],
        ExitStatus::Usage,
        "no verdict patterns",
    );
    wrong(
        &[&tasks, "--tool", "cbmc=no-such-cbmc {file}"],
        ExitStatus::Usage,
        "is not there",
    );
    wrong(
        &[&tasks, "--tool", "rhumb"],
        ExitStatus::Usage,
        "which command",
    );
    wrong(
        &[&tasks, "--tool", "cbmc=sh {files}"],
        ExitStatus::Usage,
        "unknown placeholder {files}",
    );
    wrong(
        &[&tasks, "--tool", "../x=sh"],
        ExitStatus::Usage,
        "can't be the name",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--tool", &tool],
        ExitStatus::Usage,
        "used twice",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--patterns", "other=x.toml"],
        ExitStatus::BadInput,
        "x.toml",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--against", &missing],
        ExitStatus::BadInput,
        "missing.csv",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--out", &foreign],
        ExitStatus::Usage,
        "holds no results of ours",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--resume"],
        ExitStatus::Usage,
        "no results to go on with",
    );
    wrong(
        &[&tasks, "--tool", &tool, "--property", "termination"],
        ExitStatus::BadInput,
        "no task with the property",
    );
    wrong(
        &[&lab.path("nothing"), "--tool", &tool],
        ExitStatus::BadInput,
        "no such file, folder or glob",
    );
    wrong(
        &[&tasks, "--rhumb", "/bin/true"],
        ExitStatus::Usage,
        "/bin/true",
    );
    assert_eq!(std::fs::read_dir(&foreign).expect("the folder").count(), 1);
}

#[test]
fn progress_is_a_line_per_run_without_a_terminal() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    lab.task("s/u.yml", false);
    let tool = lab.tool("x", "echo 'verdict: SAFE'");
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &tool, "--jobs", "1"]);
    let lines: Vec<&str> = ran.log.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.log);
    assert!(
        lines[0].starts_with("[1/2] rhumb-x s/t.yml: correct: SAFE") && lines[0].contains("left"),
        "{}",
        ran.log
    );
    assert!(
        lines[1].contains("WRONG: SAFE, expected UNSAFE"),
        "{}",
        ran.log
    );
}

#[test]
fn results_can_be_compared_with_earlier_ones() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    lab.task("s/u.yml", true);
    let better = lab.tool("x", "echo 'verdict: SAFE'");
    lab.bench(&[&lab.path("tasks"), "--tool", &better]);
    lab.file("x.sh", "case $1 in *u.yml) exit 6;; esac; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; echo 'verdict: SAFE'");
    let earlier = lab.path("out/results.csv");
    let ran = lab.bench(&[
        &lab.path("tasks"),
        "--tool",
        &better,
        "--against",
        &earlier,
        "--out",
        &lab.path("out2"),
    ]);
    assert!(
        ran.out
            .contains("rhumb-x against rhumb-x, on 2 tasks: gained 0, lost 1"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("lost: s/u.yml") && ran.out.contains("slower: s/t.yml"),
        "{}",
        ran.out
    );
}
