//! Commands about generated programs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use clap::Args;
use rhumb_difftest::campaign::{Campaign, Comparison, Difference, Finding, Summary};
use rhumb_difftest::feature::{Feature, FeatureSet};
use rhumb_difftest::gcc::{Gcc, GccSubject};
use rhumb_difftest::generate::{GeneratedProgram, Options, generate};
use rhumb_difftest::model::DataModel;
use rhumb_difftest::reduce::reduce;
use rhumb_difftest::subject::{Case, Subject};

use super::subjects::SubjectName;

/// What programs look like.
#[derive(Debug, Args)]
struct Shape {
    /// ILP32, LP64 or both.
    #[arg(long, default_value = "both")]
    data_model: String,
    /// From 1 (a few lines) to 10 (very large).
    #[arg(long, default_value_t = 4)]
    size: u32,
    /// Features to leave out, separated by commas.
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Features to add that are off by default, separated by commas.
    #[arg(long, value_delimiter = ',')]
    with: Vec<String>,
}

impl Shape {
    fn options(&self) -> Result<Vec<Options>> {
        let models = match self.data_model.to_ascii_uppercase().as_str() {
            "ILP32" => vec![DataModel::Ilp32],
            "LP64" => vec![DataModel::Lp64],
            "BOTH" => DataModel::ALL.to_vec(),
            other => bail!("unknown data model {other}: ILP32, LP64 or both"),
        };
        let mut features = FeatureSet::defaults();
        for name in &self.with {
            features.insert(feature(name)?);
        }
        for name in &self.without {
            let feature = feature(name)?;
            if feature.is_basic() {
                eprintln!("note: {feature} is basic: fewer programs will have it, but not none");
            }
            features.remove(feature);
        }
        Ok(models
            .into_iter()
            .map(|model| Options {
                model,
                size: self.size,
                features,
            })
            .collect())
    }
}

fn feature(name: &str) -> Result<Feature> {
    Feature::from_name(name)
        .with_context(|| format!("unknown feature {name} (see the command `features`)"))
}

pub(crate) fn list_features() {
    for feature in Feature::ALL {
        println!(
            "{feature}{}",
            if feature.on_by_default() {
                ""
            } else {
                " (off by default)"
            }
        );
    }
}

/// Prints the program that belongs to a seed.
#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The seed.
    #[arg(long)]
    seed: u64,
    #[command(flatten)]
    shape: Shape,
}

impl Show {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        for options in self.shape.options()? {
            let program = generate(self.seed, &options);
            print!("{}", description(&program));
            println!("{}", program.source);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Runs generated programs with gcc and with a subject.
#[derive(Debug, Args)]
pub(crate) struct Generate {
    /// How many seeds.
    #[arg(long, default_value_t = 100)]
    count: u64,
    /// The first seed; by default taken from the clock.
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    shape: Shape,
    /// What is compared with `gcc -O0`.
    #[arg(long, default_value = "rhumb")]
    subject: SubjectName,
    /// Programs per compilation.
    #[arg(long, default_value_t = 12)]
    batch: u64,
    /// Batches at the same time; by default one per processor.
    #[arg(long)]
    jobs: Option<usize>,
    /// Write programs that differ, reduced and as generated, into this folder.
    #[arg(long)]
    keep_failures: Option<PathBuf>,
}

impl Generate {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let first_seed = self.seed.unwrap_or_else(seed_of_the_clock);
        let gcc = Gcc::find()?;
        let mut options = self.shape.options()?;
        options.retain(|options| match gcc.check(options.model) {
            Ok(()) => true,
            Err(error) => {
                println!(
                    "skipped {} programs for {}: {error}",
                    self.count, options.model
                );
                false
            }
        });
        let reference = GccSubject::reference(&gcc);
        let subject = self.subject.open(&gcc);
        let jobs = self
            .jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        let campaign = Campaign {
            first_seed,
            count: self.count,
            options,
            batch: self.batch,
            jobs,
        };
        println!(
            "seed {first_seed}, {} seeds, {} against {}",
            self.count,
            subject.name(),
            reference.name()
        );

        let started = Instant::now();
        let mut progress = Progress {
            done: 0,
            total: self.count * campaign.options.len() as u64,
            started,
        };
        let mut failures = Vec::new();
        let summary = campaign.run(&reference, subject.as_ref(), &mut |finding| {
            progress.step();
            announce(finding);
            if let Comparison::Different(difference) = &finding.comparison {
                failures.push((finding.program.clone(), (**difference).clone()));
            }
        });
        if let Some(folder) = &self.keep_failures {
            for (program, difference) in &failures {
                keep(folder, program, difference, &gcc, subject.as_ref())?;
            }
        }
        conclude(&summary, started);
        Ok(if summary.different.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn seed_of_the_clock() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos() as u64)
}

struct Progress {
    done: u64,
    total: u64,
    started: Instant,
}

impl Progress {
    fn step(&mut self) {
        self.done += 1;
        if self.done.is_multiple_of(500) && self.done < self.total {
            let seconds = self.started.elapsed().as_secs();
            eprintln!("{} of {} programs after {seconds} s", self.done, self.total);
        }
    }
}

fn announce(finding: &Finding) {
    let GeneratedProgram { seed, model, .. } = finding.program;
    match &finding.comparison {
        Comparison::Same => {}
        Comparison::Skipped(reason) => println!("seed {seed} {model}: skipped: {reason}"),
        Comparison::Different(difference) => {
            println!(
                "seed {seed} {model}: DIFFERENT: {}",
                first_difference(difference)
            );
        }
    }
}

/// The first line in which two runs differ.
fn first_difference(difference: &Difference) -> String {
    let (expected, actual) = (&difference.reference, &difference.subject);
    let texts = [&expected.output, &actual.output]
        .map(|output| String::from_utf8_lossy(output).into_owned());
    let [mut left, mut right] = texts.each_ref().map(|text| text.lines());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return format!("ended with {}, expected {}", actual.end, expected.end),
            (a, b) if a == b => {}
            (a, b) => {
                let show = |line: Option<&str>| {
                    line.map_or("nothing".to_owned(), |line| format!("\"{line}\""))
                };
                return format!(
                    "printed {}, expected {} ({}, expected {})",
                    show(b),
                    show(a),
                    actual.end,
                    expected.end
                );
            }
        }
    }
}

fn conclude(summary: &Summary, started: Instant) {
    let compared = summary.same + summary.different.len() as u64;
    println!(
        "compared {compared}, different {}, skipped {} in {:.1} s",
        summary.different.len(),
        summary.skipped_count(),
        started.elapsed().as_secs_f64()
    );
    for (reason, count) in &summary.skipped {
        println!("  skipped {count}: {reason}");
    }
    for (seed, model) in &summary.different {
        println!("  different: seed {seed} {model}");
    }
}

fn description(program: &GeneratedProgram) -> String {
    let features: Vec<&str> = program.features.iter().map(Feature::name).collect();
    let inputs: Vec<String> = program.inputs.iter().map(ToString::to_string).collect();
    format!(
        "/* seed {} {}\n   inputs: {}\n   features: {} */\n",
        program.seed,
        program.model,
        inputs.join(","),
        features.join(" ")
    )
}

/// Writes a failing program, and a smaller one that fails as well.
fn keep(
    folder: &Path,
    program: &GeneratedProgram,
    difference: &Difference,
    gcc: &Gcc,
    subject: &dyn Subject,
) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let stem = format!("seed-{}-{}", program.seed, program.model);
    let head = format!(
        "{}/* {} */\n",
        description(program),
        first_difference(difference).replace("*/", "* /")
    );
    std::fs::write(
        folder.join(format!("{stem}.c")),
        format!("{head}{}", program.source),
    )?;
    let judges = [
        GccSubject::reference(gcc),
        GccSubject::new(gcc, &["-O2"]),
        GccSubject::sanitized(gcc),
    ];
    let reduced = reduce(&program.source, &mut |source| {
        let case = Case {
            source,
            model: program.model,
            inputs: &program.inputs,
        };
        let Ok(expected) = judges[0].run(&case) else {
            return false;
        };
        let still_differs = subject.run(&case).is_ok_and(|actual| actual != expected);
        // Removing lines can remove what made the program well-defined.
        still_differs
            && judges[1..]
                .iter()
                .all(|judge| judge.run(&case).as_ref() == Ok(&expected))
    });
    std::fs::write(
        folder.join(format!("{stem}.reduced.c")),
        format!("{head}{reduced}"),
    )?;
    println!(
        "kept {stem}.c and {stem}.reduced.c ({} lines)",
        reduced.lines().count()
    );
    Ok(())
}
