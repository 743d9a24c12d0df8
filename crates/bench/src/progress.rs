//! Telling how far we are: a bar on a terminal, a line per run elsewhere.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::results::Row;
use crate::verdict::Status;
use rhumb_units::show_seconds;

/// Where progress goes.
pub struct Progress<'a> {
    target: Target<'a>,
    counts: Counts,
    todo: usize,
    finished: usize,
    started: Instant,
}

enum Target<'a> {
    Bar(ProgressBar),
    Lines(&'a mut dyn Write),
    Nowhere,
}

impl<'a> Progress<'a> {
    /// A bar on standard error.
    pub fn bar() -> Progress<'a> {
        Progress::new(Target::Bar(ProgressBar::hidden()))
    }

    /// A line per run.
    pub fn lines(to: &'a mut dyn Write) -> Progress<'a> {
        Progress::new(Target::Lines(to))
    }

    /// Nothing.
    pub fn silent() -> Progress<'a> {
        Progress::new(Target::Nowhere)
    }

    fn new(target: Target<'a>) -> Progress<'a> {
        Progress {
            target,
            counts: Counts::default(),
            todo: 0,
            finished: 0,
            started: Instant::now(),
        }
    }

    pub(crate) fn start(&mut self, all: usize, todo: usize) {
        self.todo = todo;
        self.started = Instant::now();
        if let Target::Bar(bar) = &mut self.target {
            let style = ProgressStyle::with_template(
                "{wide_bar} {pos}/{len}  {msg}  {elapsed} gone, about {eta} left",
            );
            *bar = ProgressBar::new(todo as u64)
                .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
        }
        if all > todo {
            self.say(&format!("{} of {all} runs are done already", all - todo));
        }
    }

    pub(crate) fn finished(&mut self, row: &Row) {
        self.finished += 1;
        self.counts.add(row.status);
        let line = describe(row);
        match &mut self.target {
            Target::Bar(bar) => {
                bar.inc(1);
                bar.set_message(self.counts.to_string());
                if row.status == Status::Wrong {
                    bar.println(line);
                }
            }
            Target::Lines(to) => {
                let left = self.started.elapsed().as_secs_f64() / self.finished as f64
                    * (self.todo - self.finished) as f64;
                let width = self.todo.to_string().len();
                // Progress that can't be shown is no reason to stop measuring.
                let _ = writeln!(
                    to,
                    "[{:>width$}/{}] {line} (about {} left)",
                    self.finished,
                    self.todo,
                    show_seconds(left)
                );
            }
            Target::Nowhere => {}
        }
    }

    pub(crate) fn end(&mut self) {
        if let Target::Bar(bar) = &self.target {
            bar.finish_and_clear();
        }
    }

    fn say(&mut self, text: &str) {
        match &mut self.target {
            Target::Bar(bar) => bar.println(text),
            Target::Lines(to) => {
                let _ = writeln!(to, "{text}");
            }
            Target::Nowhere => {}
        }
    }
}

fn describe(row: &Row) -> String {
    let answer = match (row.status, row.verdict, row.expected) {
        (Status::Wrong, Some(verdict), Some(expected)) => {
            format!("WRONG: {verdict}, expected {expected}")
        }
        (status, Some(verdict), _) => format!("{status}: {verdict}"),
        (status, None, _) if row.reason.is_empty() => status.to_string(),
        (status, None, _) => format!("{status}: {}", row.reason),
    };
    format!(
        "{} {}: {answer}, {:.2} s, {:.0} MB",
        row.engine, row.task, row.cpu_s, row.memory_mb
    )
}

/// How often each status was seen.
#[derive(Default)]
struct Counts(Vec<(Status, usize)>);

impl Counts {
    fn add(&mut self, status: Status) {
        match self.0.iter_mut().find(|(known, _)| *known == status) {
            Some((_, count)) => *count += 1,
            None => {
                self.0.push((status, 1));
                self.0.sort();
            }
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let parts: Vec<String> = self
            .0
            .iter()
            .map(|(status, count)| format!("{count} {status}"))
            .collect();
        f.write_str(&parts.join(", "))
    }
}
