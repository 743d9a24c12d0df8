//! What a check did: lines on standard output that the bench reads (`--stats`), and for people where the time went (`--verbose`).

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use rhumb_certify::NotAccepted;
use rhumb_logic::Work;
use rhumb_logic::session::ended_by_clock;
use rhumb_search::{Observer, Progress};

use crate::commands::{print, say};
use crate::last_word;

/// How often the progress line is written.
const PERIOD: Duration = Duration::from_millis(100);

/// How often it is told how it goes, to those who want to know.
const TOLD: Duration = Duration::from_secs(1);

/// Whoever gets an answer at once needs no such line.
const PATIENCE: Duration = Duration::from_millis(400);

/// A line that is wider than the terminal can't be written over.
const WIDTH: usize = 79;

/// Prints figures as they come, if they are wanted.
pub(crate) struct Statistics {
    /// For tools.
    wanted: bool,
    /// For people.
    verbose: bool,
    begun: Instant,
    /// The phase under way and when it began.
    phase: Option<(&'static str, Instant)>,
    /// Phases that have ended, with their times, in the order in which they began first.
    phases: Vec<(&'static str, Duration)>,
    /// What the engines tell.
    figures: Vec<(&'static str, f64)>,
    /// When it was last told how it goes.
    told: Instant,
    /// When the progress line was last written, if one is shown.
    line: Option<Instant>,
    /// Whether there is somebody to look at it.
    shows_progress: bool,
    /// How long it may take.
    limit: Duration,
}

impl Statistics {
    pub(crate) fn new(wanted: bool, verbose: bool) -> Statistics {
        Statistics {
            wanted,
            verbose,
            begun: Instant::now(),
            phase: None,
            phases: Vec::new(),
            figures: Vec::new(),
            told: Instant::now(),
            line: None,
            shows_progress: false,
            limit: Duration::ZERO,
        }
    }

    /// Shows on a terminal how it goes, and how long it may take.
    pub(crate) fn show_progress(&mut self, limit: Duration) {
        // Who is told line by line needs no line that is written over.
        self.shows_progress = std::io::stderr().is_terminal() && !self.verbose;
        self.limit = limit;
    }

    /// Writes the line over and over.
    fn draw(&mut self, what: &str) {
        let is_due = match self.line {
            Some(last) => last.elapsed() >= PERIOD,
            None => self.begun.elapsed() >= PATIENCE,
        };
        if !self.shows_progress || !is_due {
            return;
        }
        let (now, limit) = (self.begun.elapsed().as_secs_f64(), self.limit.as_secs_f64());
        let phase = self.phase.map_or("", |(name, _)| name);
        let line = format!("{now:.1} of {limit:.0} s, {phase}{what}");
        let line: String = line
            .chars()
            .filter(|c| !c.is_control())
            .take(WIDTH)
            .collect();
        let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        last_word::has_line();
        self.line = Some(Instant::now());
    }

    /// Everything is done.
    pub(crate) fn end(&mut self) {
        self.end_phase();
        self.clear_line();
        self.figure("time.total", self.begun.elapsed().as_secs_f64());
        self.figure("work.units", Work::so_far().as_units() as f64);
        self.figure("work.ended_by_clock", ended_by_clock() as f64);
        if self.verbose {
            self.profile();
        }
    }

    /// How long each phase took, in seconds.
    pub(crate) fn times(&self) -> Vec<(String, f64)> {
        let phases = self.phases.iter();
        phases
            .map(|(name, time)| ((*name).to_owned(), time.as_secs_f64()))
            .collect()
    }

    fn end_phase(&mut self) {
        if let Some((name, begun)) = self.phase.take() {
            let time = begun.elapsed();
            self.figure(&format!("time.{name}"), time.as_secs_f64());
            match self.phases.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += time,
                None => self.phases.push((name, time)),
            }
        }
    }

    /// Where the time went, as a table. Parts of the search come from the engine, indented.
    fn profile(&self) {
        let total = self.begun.elapsed().as_secs_f64();
        let row = |name: &str, seconds: f64| {
            let percent = 100.0 * seconds / total.max(1e-9);
            say(format!("{name:<20} {seconds:>9.4} s {percent:>4.0} %"));
        };
        for &(name, time) in &self.phases {
            row(name, time.as_secs_f64());
            if name == "search" {
                for (part, seconds) in self.figures.iter() {
                    if let Some(part) = part.strip_prefix("time.") {
                        row(&format!("  {part}"), *seconds);
                    }
                }
            }
        }
        row("total", total);
        let millions = Work::so_far().as_units() as f64 / 1e6;
        say(format!("work {millions:.3} million units"));
        if ended_by_clock() > 0 {
            // Nothing else depends on how fast the machine is.
            let queries = ended_by_clock();
            say(format!(
                "{queries} queries took far too long for their work: another run may differ"
            ));
        }
        let counts = self.figures.iter();
        let counts = counts.filter(|(name, _)| !name.starts_with("time."));
        let counts: Vec<String> = counts
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        if !counts.is_empty() {
            say(counts.join(", "));
        }
    }

    fn figure(&mut self, name: &str, value: f64) {
        self.stat(&format!("{name} {value:.6}"));
    }

    fn stat(&mut self, text: &str) {
        if self.wanted {
            print(format!("stat: {text}\n"));
        }
    }

    fn clear_line(&mut self) {
        if self.line.take().is_some() {
            last_word::clear_line();
        }
    }
}

/// What is done in a phase, in words that follow a reason for having stopped.
fn in_words(phase: &str) -> &'static str {
    match phase {
        "frontend" => "in the front end",
        "cache" => "while earlier evidence was checked",
        "encode" => "while the program was prepared",
        "search" => "in the search",
        "certify" => "while evidence was checked",
        _ => "at the end",
    }
}

impl Observer for Statistics {
    fn phase(&mut self, name: &'static str) {
        self.end_phase();
        self.stat(&format!("phase {name}"));
        last_word::doing(in_words(name));
        tracing::info!("{name}");
        self.phase = Some((name, Instant::now()));
        self.draw("");
    }

    /// A line on a terminal that is written over and over.
    fn progress(&mut self, progress: &Progress) {
        if self.told.elapsed() >= TOLD && !progress.summary.is_empty() {
            self.told = Instant::now();
            let phase = self.phase.map_or("", |(name, _)| name);
            tracing::info!("{phase}: {}", progress.summary);
        }
        self.draw(&format!(": {}", progress.summary));
    }

    fn ended(&mut self, progress: &Progress) {
        for &(name, value) in &progress.figures {
            self.figure(name, value);
            match self.figures.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += value,
                None => self.figures.push((name, value)),
            }
        }
    }

    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        let outcome = if outcome.is_ok() {
            "checked"
        } else {
            "rejected"
        };
        tracing::info!("evidence {outcome}");
        self.stat(&format!("certificate {outcome}"));
    }
}
