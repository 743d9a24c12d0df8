//! Tools that hang, eat, fork, crash, lie and babble: all are classified right, and nothing of them is left.

use std::time::{Duration, Instant};

use rhumb_bench::cli::ExitStatus;
use rhumb_bench::verdict::{Status, Verdict};

use crate::lab::Lab;

/// Runs one fake tool on one safe task.
fn run_one(lab: &Lab, body: &str, options: &[&str]) -> (Status, String) {
    lab.task("s/t.yml", true);
    let tool = lab.tool("x", body);
    let sets = lab.path("tasks");
    let mut arguments = vec![sets.as_str(), "--tool", &tool];
    arguments.extend(options);
    lab.bench(&arguments);
    let row = lab.row("rhumb-x");
    (row.status, row.reason)
}

#[test]
fn a_tool_that_hangs_is_stopped_by_the_wall_clock() {
    let lab = Lab::new();
    let start = Instant::now();
    let hang = format!(
        "echo $$ > {}; echo 'stat: phase search'; exec sleep 1000",
        lab.pids()
    );
    assert_eq!(
        run_one(&lab, &hang, &["--timeout", "500ms"]),
        (Status::Timeout, "wall time, in search".into())
    );
    let row = lab.row("rhumb-x");
    assert!((1.5..8.0).contains(&row.wall_s), "{row:?}");
    assert!(start.elapsed() < Duration::from_secs(10));
    lab.assert_no_orphans(1);
}

#[test]
fn a_tool_that_stops_itself_is_stopped_for_good() {
    let lab = Lab::new();
    let stop = format!(
        "echo $$ > {}; trap '' TERM INT HUP; kill -STOP $$; echo 'verdict: SAFE'",
        lab.pids()
    );
    assert_eq!(
        run_one(&lab, &stop, &["--timeout", "200ms"]).0,
        Status::Timeout
    );
    lab.assert_no_orphans(1);
}

#[test]
fn cpu_time_counts_all_processes() {
    let lab = Lab::new();
    let spin = format!(
        "spin() {{ while :; do :; done; }}; spin & echo $! >> {0}; spin & echo $! >> {0}; spin",
        lab.pids()
    );
    assert_eq!(
        run_one(&lab, &spin, &["--timeout", "1s", "--wall-timeout", "60s"]),
        (Status::Timeout, "CPU time".into())
    );
    let row = lab.row("rhumb-x");
    // Stopped soon after the limit: samples are 50 ms apart, and two cores run at most.
    assert!((1.0..2.5).contains(&row.cpu_s), "{row:?}");
    lab.assert_no_orphans(2);
}

#[test]
fn an_answer_that_comes_too_late_is_none() {
    let lab = Lab::new();
    assert_eq!(
        run_one(
            &lab,
            "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo 'verdict: SAFE'",
            &["--timeout", "20ms"]
        )
        .0,
        Status::Timeout
    );
}

#[test]
fn a_tool_that_eats_memory_is_stopped() {
    let lab = Lab::new();
    let (status, reason) = run_one(
        &lab,
        "tail /dev/zero; echo 'verdict: SAFE'",
        &["--memory", "150MB", "--timeout", "30s"],
    );
    assert_eq!((status, reason.as_str()), (Status::OutOfMemory, "memory"));
    let row = lab.row("rhumb-x");
    assert!((150.0..1500.0).contains(&row.memory_mb), "{row:?}");
}

#[test]
fn memory_counts_all_processes() {
    let lab = Lab::new();
    // Each keeps 50 MB while it waits for the end of a pipe that never comes.
    let eat = format!(
        "for i in 1 2 3 4; do (head -c 50000000 /dev/zero; sleep 1000) | tail -c 60000000 > /dev/null & echo $! >> {}; done; wait",
        lab.pids()
    );
    assert_eq!(
        run_one(&lab, &eat, &["--memory", "150MB", "--timeout", "30s"]).0,
        Status::OutOfMemory
    );
    lab.assert_no_orphans(4);
}

#[test]
fn children_grandchildren_and_daemons_are_all_killed() {
    let lab = Lab::new();
    let pids = lab.pids();
    let escape = format!(
        "note='echo $$ >> {pids}; exec sleep 1000'
sleep 1000 & echo $! >> {pids}
sh -c \"$note\" &
(sh -c \"$note\" &) # its parent ends at once
setsid sh -c \"$note\" & # its own session
(setsid sh -c \"$note\" < /dev/null > /dev/null 2>&1 &) # a daemon by the book
(env -i setsid sh -c \"(setsid sh -c '$note' &)\" &) # one that hides twice, with nothing in its environment
(trap '' TERM HUP INT; nohup sh -c \"$note\" > /dev/null 2>&1 &)
sleep 1000"
    );
    assert_eq!(
        run_one(&lab, &escape, &["--timeout", "1s"]).0,
        Status::Timeout
    );
    lab.assert_no_orphans(7);
}

#[test]
fn what_a_tool_leaves_behind_does_not_outlive_it() {
    let lab = Lab::new();
    let daemon = format!(
        "(setsid sh -c 'echo $$ >> {0}; exec sleep 1000' &); while [ ! -s {0} ]; do sleep 0.01; done; echo 'verdict: SAFE'",
        lab.pids()
    );
    let start = Instant::now();
    assert_eq!(
        run_one(&lab, &daemon, &["--timeout", "30s"]),
        (Status::Correct, String::new())
    );
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "the run is over when the tool is"
    );
    lab.assert_no_orphans(1);
}

#[test]
fn a_process_that_keeps_moving_on_is_caught() {
    let lab = Lab::new();
    let hop = lab.file(
        "hop.sh",
        &format!(
            "echo $$ >> {}; sleep 0.02; setsid sh \"$0\" & exit 0",
            lab.pids()
        ),
    );
    assert_eq!(
        run_one(
            &lab,
            &format!("(setsid sh {hop} &); sleep 1000"),
            &["--timeout", "300ms"]
        )
        .0,
        Status::Timeout
    );
    lab.assert_no_orphans(5);
    let count = || {
        std::fs::read_to_string(lab.pids())
            .expect("numbers")
            .lines()
            .count()
    };
    let before = count();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(count(), before, "it still moves on");
}

#[test]
fn killing_the_one_who_watches_does_not_help() {
    let lab = Lab::new();
    let pids = lab.pids();
    let kill = format!(
        "sleep 1000 & echo $! >> {pids}; (setsid sh -c 'echo $$ >> {pids}; exec sleep 1000' &); sleep 0.3; kill -9 $PPID; exec sleep 1000"
    );
    let (status, reason) = run_one(&lab, &kill, &["--timeout", "30s"]);
    assert_eq!(status, Status::Error);
    assert!(
        reason.contains("killed the process that watched over it"),
        "{reason}"
    );
    lab.assert_no_orphans(2);
}

#[test]
fn crashes_are_errors_with_their_signal() {
    let lab = Lab::new();
    let (status, reason) = run_one(
        &lab,
        "echo 'verdict: SAFE'; echo 'assertion violated' >&2; kill -SEGV $$",
        &[],
    );
    assert_eq!(
        (status, reason.as_str()),
        (
            Status::Error,
            "no verdict, killed by SIGSEGV: assertion violated"
        )
    );
}

#[test]
fn tools_that_say_nothing_or_contradict_themselves_are_errors() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let tools = [
        lab.tool("mute", "exit 0"),
        lab.tool("torn", "echo 'verdict: SAFE'; exit 10"),
        lab.tool("chatty", "echo 'verdict: SAFE'; echo 'and more'"),
        lab.tool("unknown", "echo 'verdict: UNKNOWN (too hard)'; exit 5"),
        lab.tool(
            "late",
            "echo 'verdict: UNKNOWN (timeout after 60 s)'; exit 5",
        ),
    ];
    let mut arguments = vec![lab.path("tasks")];
    for tool in &tools {
        arguments.extend(["--tool".to_owned(), tool.clone()]);
    }
    let ran = lab.bench(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(ran.status, ExitStatus::Success, "{}", ran.log);
    for (engine, status) in [
        ("rhumb-mute", Status::Error),
        ("rhumb-torn", Status::Error),
        ("rhumb-chatty", Status::Error),
        ("rhumb-unknown", Status::Unknown),
        ("rhumb-late", Status::Timeout),
    ] {
        assert_eq!(lab.row(engine).status, status, "{engine}");
    }
    assert_eq!(lab.row("rhumb-unknown").reason, "too hard");
    assert!(ran.out.contains("unknown: too hard"), "{}", ran.out);
}

#[test]
fn lies_stand_at_the_top_and_in_the_exit_status() {
    let lab = Lab::new();
    lab.task("s/fine.yml", true);
    lab.task("s/broken.yml", false);
    let liar = lab.tool("liar", "echo 'verdict: SAFE'");
    let ran = lab.bench(&[&lab.path("tasks"), "--tool", &liar]);
    assert_eq!(
        (ran.status, ran.status.code()),
        (ExitStatus::WrongVerdict, 10)
    );
    assert!(
        ran.out
            .starts_with("WRONG VERDICTS: 1\n  tasks/s/broken.yml")
            || ran.out.starts_with("WRONG VERDICTS: 1\n  s/broken.yml"),
        "{}",
        ran.out
    );
    let rows = lab.rows_in("out");
    assert_eq!(
        rows.iter().map(|row| row.status).collect::<Vec<_>>(),
        [Status::Wrong, Status::Correct]
    );
    assert_eq!(
        (rows[0].expected, rows[0].verdict),
        (Some(Verdict::Unsafe), Some(Verdict::Safe))
    );
}

#[test]
fn a_gigabyte_of_output_neither_blocks_nor_fills_memory() {
    let lab = Lab::new();
    let babble = "yes 'verdict: UNSAFE but not really' | head -c 1000000000; echo; yes warning | head -c 100000000 >&2; echo 'verdict: SAFE'";
    let before = peak_memory_kb();
    assert_eq!(
        run_one(&lab, babble, &["--timeout", "60s"]),
        (Status::Correct, String::new())
    );
    let grown = peak_memory_kb().saturating_sub(before);
    assert!(grown < 300_000, "{grown} kB");
    let log = std::fs::metadata(lab.path("out/logs/rhumb-x/s/t.yml.log")).expect("a log");
    assert!(log.len() < 2_000_000, "{}", log.len());
}

fn peak_memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("our own status");
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .expect("a peak");
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse()
        .expect("a number")
}

#[test]
fn usage_is_what_the_operating_system_says() {
    let lab = Lab::new();
    // `times` prints what the shell itself and its children have used.
    let work = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; head -c 80000000 /dev/zero | tail -c 80000000 > /dev/null; times; echo 'verdict: SAFE'";
    assert_eq!(run_one(&lab, work, &[]).0, Status::Correct);
    let row = lab.row("rhumb-x");
    let log = std::fs::read_to_string(lab.path("out/logs/rhumb-x/s/t.yml.log")).expect("a log");
    let seconds = |field: &str| {
        let (minutes, seconds) = field
            .trim_end_matches('s')
            .split_once('m')
            .expect("minutes and seconds");
        minutes.parse::<f64>().expect("a number") * 60.0 + seconds.parse::<f64>().expect("a number")
    };
    let lines: Vec<&str> = log.lines().collect();
    let verdict = lines
        .iter()
        .position(|line| line.starts_with("verdict:"))
        .expect("the verdict");
    let own: f64 = lines[verdict - 2..verdict]
        .iter()
        .flat_map(|line| line.split_whitespace())
        .map(seconds)
        .sum();
    assert!(
        (row.cpu_s - own).abs() < 0.06,
        "we say {}, it says {own}",
        row.cpu_s
    );
    assert!((75.0..160.0).contains(&row.memory_mb), "{}", row.memory_mb);
    assert!(row.wall_s + 0.02 >= row.cpu_s / 2.0);
}

#[test]
fn the_whole_zoo_at_once_takes_no_longer_than_its_limits() {
    let lab = Lab::new();
    let pids = lab.pids();
    for n in 0..2 {
        lab.task(&format!("s/{n}.yml"), true);
    }
    let zoo = [
        (
            "hangs",
            format!("echo $$ >> {pids}; exec sleep 1000"),
            Status::Timeout,
        ),
        (
            "eats",
            "exec tail /dev/zero".to_owned(),
            Status::OutOfMemory,
        ),
        (
            "forks",
            format!(
                "for i in 1 2 3; do (setsid sh -c 'echo $$ >> {pids}; exec sleep 1000' &); done; sleep 1000"
            ),
            Status::Timeout,
        ),
        ("crashes", "kill -ABRT $$".to_owned(), Status::Error),
        (
            "lies",
            "echo 'verdict: UNSAFE'; exit 10".to_owned(),
            Status::Wrong,
        ),
        ("works", "echo 'verdict: SAFE'".to_owned(), Status::Correct),
    ];
    let mut arguments = vec![
        lab.path("tasks"),
        "--timeout".into(),
        "1s".into(),
        "--memory".into(),
        "200MB".into(),
        "--jobs".into(),
        "2".into(),
    ];
    for (name, body, _) in &zoo {
        arguments.extend(["--tool".to_owned(), lab.tool(name, body)]);
    }
    let start = Instant::now();
    let ran = lab.bench(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    // 12 runs of at most 2.2 s each on two workers, and time for the machine to do other things.
    assert!(
        start.elapsed() < Duration::from_secs_f64(12.0 * 2.2 / 2.0 + 10.0),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(ran.status, ExitStatus::WrongVerdict);
    for row in lab.rows_in("out") {
        let expected = zoo
            .iter()
            .find(|(name, ..)| row.engine == format!("rhumb-{name}"))
            .expect("an animal")
            .2;
        assert_eq!(row.status, expected, "{row:?}");
    }
    assert_eq!(lab.rows_in("out").len(), 12);
    lab.assert_no_orphans(8);
}

/// With `--overrun` a run goes on beyond what it is told, and is reported.
#[test]
fn runs_that_go_beyond_what_they_are_told_are_reported() {
    let lab = Lab::new();
    lab.task("s/t.yml", true);
    let arguments = |tool: &str, out: &str| {
        let more = ["--timeout", "1s", "--memory", "50MB", "--overrun", "--out"];
        let mut arguments = vec![lab.path("tasks"), "--tool".into(), tool.into()];
        arguments.extend(more.map(String::from));
        arguments.push(lab.path(out));
        arguments
    };
    let run = |name: &str, body: &str| {
        let arguments = arguments(&lab.tool(name, body), name);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        lab.bench(&arguments)
    };
    let late = run("late", "sleep 3; echo 'verdict: SAFE'");
    assert_eq!(late.status, ExitStatus::Overrun, "{}{}", late.out, late.log);
    assert!(
        late.out.contains("of 1 runs 1 went beyond 2 s or 55 MB"),
        "{}",
        late.out
    );
    let quick = run("quick", "echo 'verdict: UNKNOWN (out of time)'; exit 5");
    assert_eq!(
        quick.status,
        ExitStatus::Success,
        "{}{}",
        quick.out,
        quick.log
    );
    let silent = run("silent", "true");
    assert_eq!(
        silent.status,
        ExitStatus::Overrun,
        "{}{}",
        silent.out,
        silent.log
    );
    assert!(
        silent.out.contains("1 ended without a verdict"),
        "{}",
        silent.out
    );
}
