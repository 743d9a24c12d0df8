//! A place for an experiment: tasks, fake tools, and a way to run the bench on them.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use rhumb_bench::cli::{BenchArgs, Console, ExitStatus, run_with};
use rhumb_bench::results::{self, Row};
use tempfile::TempDir;

/// A folder that goes away with the test.
pub(crate) struct Lab {
    root: TempDir,
}

/// What came of a command line.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) log: String,
}

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: BenchArgs,
}

impl Lab {
    pub(crate) fn new() -> Lab {
        Lab {
            root: tempfile::tempdir().expect("a folder"),
        }
    }

    /// A path in the lab, as text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.root
            .path()
            .join(name)
            .to_str()
            .expect("a path in UTF-8")
            .to_owned()
    }

    /// A file in the lab.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = PathBuf::from(self.path(name));
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, text).expect("a file");
        self.path(name)
    }

    /// A task below `tasks/` whose property holds, or not.
    pub(crate) fn task(&self, id: &str, holds: bool) {
        let c = Path::new(id).with_extension("c");
        let c_name = c.file_name().expect("a name").to_string_lossy();
        let text = format!(
            "format_version: '2.0'\ninput_files: '{c_name}'\nproperties:\n  - property_file: unreach-call.prp\n    expected_verdict: {holds}\noptions:\n  data_model: LP64\n"
        );
        self.file(&format!("tasks/{id}"), &text);
        self.file(
            &format!("tasks/{}", c.display()),
            "int main(void) { return 0; }\n",
        );
    }

    /// A fake tool that says its verdicts as we do, as an argument for `--tool`. It gets the task and then the other arguments.
    ///
    /// It is read by `sh` and not executed: a file that another thread's fork still holds open for writing can't be executed.
    pub(crate) fn tool(&self, name: &str, body: &str) -> String {
        self.tool_with(name, body, "{task}")
    }

    /// The same, with other arguments.
    pub(crate) fn tool_with(&self, name: &str, body: &str, arguments: &str) -> String {
        let script = self.file(&format!("{name}.sh"), body);
        format!("rhumb-{name}=sh {script} {arguments}")
    }

    /// A script that can be executed. It is written by another process, so that no fork of ours can hold it open.
    pub(crate) fn executable(&self, name: &str, body: &str) -> String {
        let path = self.path(name);
        let mut writer = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod +x \"$0\"", &path])
            .stdin(Stdio::piped())
            .spawn()
            .expect("sh");
        writer
            .stdin
            .take()
            .expect("a pipe")
            .write_all(format!("#!/bin/sh\n{body}").as_bytes())
            .expect("a script");
        assert!(writer.wait().expect("sh").success());
        path
    }

    /// `rhumb bench` with these arguments, into `out/` unless they say otherwise.
    pub(crate) fn bench(&self, arguments: &[&str]) -> Ran {
        let out = self.path("out");
        let mut all = vec!["bench"];
        all.extend(arguments);
        if !arguments.contains(&"--out") {
            all.extend(["--out", &out]);
        }
        let args = Cli::try_parse_from(all)
            .unwrap_or_else(|error| panic!("{error}"))
            .args;
        let (mut out, mut log) = (Vec::new(), Vec::new());
        let status = run_with(
            &args,
            &mut Console {
                out: &mut out,
                log: &mut log,
                bar: false,
            },
        );
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text in UTF-8");
        Ran {
            status,
            out: text(out),
            log: text(log),
        }
    }

    /// The results in a folder of the lab, by task.
    pub(crate) fn rows_in(&self, out: &str) -> Vec<Row> {
        let bytes = fs::read(self.path(&format!("{out}/results.csv"))).expect("results");
        let mut rows = results::parse(&bytes).expect("rows");
        rows.sort_by(|one, other| (&one.task, &one.engine).cmp(&(&other.task, &other.engine)));
        rows
    }

    /// The only result for an engine.
    pub(crate) fn row(&self, engine: &str) -> Row {
        let mut rows = self.rows_in("out");
        rows.retain(|row| row.engine == engine);
        assert_eq!(rows.len(), 1, "{engine}");
        rows.remove(0)
    }

    /// Where fake tools write the numbers of their processes.
    pub(crate) fn pids(&self) -> String {
        self.path("pids")
    }

    /// Asserts that at least `count` processes wrote their number, and that none of them is alive.
    pub(crate) fn assert_no_orphans(&self, count: usize) {
        let text = fs::read_to_string(self.pids()).expect("numbers of processes");
        let pids: Vec<u32> = text
            .split_whitespace()
            .map(|pid| pid.parse().expect("a number"))
            .collect();
        assert!(pids.len() >= count, "only {} processes", pids.len());
        // Killed from afar (after we were killed ourselves), they may take a moment.
        let patience = Instant::now() + Duration::from_secs(5);
        loop {
            let mut alive = String::new();
            for pid in &pids {
                if is_alive(*pid) {
                    let _ = write!(alive, " {pid}");
                }
            }
            if alive.is_empty() {
                return;
            }
            assert!(Instant::now() < patience, "still alive:{alive}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Whether a process exists and is more than a zombie.
fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// The example that is `rhumb bench` alone: for tests that need a process of its own.
pub(crate) fn bench_program() -> PathBuf {
    let test = std::env::current_exe().expect("our own path");
    let profile = test.parent().and_then(Path::parent).expect("a folder");
    let program = profile.join("examples/bench");
    assert!(
        program.is_file(),
        "build the examples first: cargo build -p rhumb-bench --examples"
    );
    program
}
