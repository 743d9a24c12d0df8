//! The command line as `clap` sees it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use rhumb_cfront::{SignedOverflow, UndefinedFunctions, closest};
use rhumb_program::coverage::Wanted;
use rhumb_program::{Checks, DataModel};
use rhumb_search::{CATALOG, Entry, Metric};
use rhumb_summary::Preset;

use crate::colour::When;
use crate::exit;
use crate::preprocessor::PreprocessorArgs;
use crate::watchdog::WatchdogLimits;

/// A software model checker for C: SAFE with a proof, UNSAFE with an input that breaks the program, or UNKNOWN with a reason.
#[derive(Parser)]
#[command(name = "rhumb", version = crate::VERSION.as_str(), after_help = exit::TABLE, max_term_width = 110, args_override_self = true)]
pub(crate) struct Cli {
    /// When answers and messages are in colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        default_value = "auto"
    )]
    pub(crate) color: When,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Whether it is to be told how it goes.
    pub(crate) fn is_verbose(&self) -> bool {
        matches!(&self.command, Command::Check(args) if args.verbose)
    }

    /// Whether only results are to be printed.
    pub(crate) fn is_quiet(&self) -> bool {
        let input = match &self.command {
            Command::Check(args) => &args.input,
            Command::Cover(args) => &args.input,
            Command::Validate(args) => &args.input,
            Command::Run(args) => &args.input,
            Command::Cfa(args) => &args.input,
            Command::Summarize(args) => &args.input,
            Command::Engines
            | Command::Guarded(_)
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::Bench(_) => return false,
        };
        input.quiet
    }
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Decide whether an assertion can fail
    Check(CheckArgs),
    /// Make tests for the branches or other parts of a program, and prove that the others can't be reached
    Cover(CoverArgs),
    /// Check the evidence for a verdict
    Validate(ValidateArgs),
    /// Execute a program with the exact interpreter
    Run(RunArgs),
    /// Show the control-flow automata of a program
    Cfa(CfaArgs),
    /// Show what the loops of a program do, and what that says of the ways to its targets
    Summarize(SummarizeArgs),
    /// Check programs of guarded commands (.gcl), with figures beside those of the paper on ASE
    Guarded(GuardedArgs),
    /// List the engines
    Engines,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual pages into a folder
    Man {
        /// The folder
        folder: PathBuf,
    },
    /// Run task sets and print tables of results
    Bench(rhumb_bench::cli::BenchArgs),
}

/// What every command that reads a program takes.
#[derive(Args)]
pub(crate) struct InputArgs {
    /// C files, linked as C links; preprocessed files (.i); a folder of C files; an SV-COMP task definition (.yml); or
    /// a program of guarded commands (.gcl)
    #[arg(required_unless_present = "project", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The build folder of a project, with its compile_commands.json: files are read as the build reads them. Without
    /// FILE all of them are linked
    #[arg(long, value_name = "BUILD")]
    pub(crate) project: Option<PathBuf>,
    /// A file with stubs: its functions stand in for those of the program, or for missing ones
    #[arg(long, value_name = "FILE.c")]
    pub(crate) model: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) preprocessor: PreprocessorArgs,
    /// The property file; it says which calls must not be reached (default: reach_error, __VERIFIER_error and failing assertions)
    #[arg(long, value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// The label that must not be reached, instead of calls and assertions
    #[arg(long, value_name = "NAME", conflicts_with = "property")]
    pub(crate) error_label: Option<String>,
    /// A function without a body that is nothing special, although its name looks like that of another tool's assertion or assumption
    #[arg(long, value_name = "NAME")]
    pub(crate) ordinary_function: Vec<String>,
    /// Sizes of int, long and pointers; a task definition's own setting wins
    #[arg(long, value_name = "MODEL", value_enum, ignore_case = true)]
    pub(crate) data_model: Option<DataModelArg>,
    /// The function in which a run starts; a property file's own setting wins
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub(crate) entry: String,
    /// What signed overflow means
    #[arg(long, value_enum, default_value = "undefined")]
    pub(crate) signed_overflow: SignedOverflowArg,
    /// What a call of a function that no file defines may do beside giving any result: nothing (pure), change whatever other files can
    /// reach (memory), or nobody knows (refuse); exceptions by name: memory,log=pure. Default: memory; with a task or property file: pure
    #[arg(long, value_name = "HOW[,NAME=HOW...]", value_parser = parse_undefined)]
    pub(crate) undefined_functions: Vec<String>,
    /// Don't print warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What commands take that decide something.
#[derive(Args)]
pub(crate) struct ChecksArgs {
    /// Which undefined behaviour is looked for beside what must not be reached, where no property or task file says it:
    /// a list of overflow, division, shift, conversion, bounds, free, calls, array-size, unreachable, order, bool,
    /// leaks, cleanup, race, deadlock; or none, all (with leaks), default (all that is undefined); or termination alone:
    /// whether every run ends. What can't be checked makes the answer UNKNOWN; with assume, and by default, it is
    /// assumed, and said
    #[arg(long, value_name = "LIST", value_parser = Checks::parse, conflicts_with = "property")]
    pub(crate) checks: Option<Checks>,
    /// A file with findings that are known and not reported again, as --write-baseline writes it; behind ` # ` a line may say why. A remark
    /// `// rhumb: known: REASON` on a line, or before it, does the same for undefined behaviour there
    #[arg(long, value_name = "FILE", conflicts_with = "property")]
    pub(crate) baseline: Option<PathBuf>,
    /// A finding that is known, as the key of a report says it, and why nobody minds
    #[arg(long, value_name = "KEY # REASON", conflicts_with = "property")]
    pub(crate) known: Vec<String>,
}

fn parse_undefined(list: &str) -> Result<String, String> {
    UndefinedFunctions::default().add(list)?;
    Ok(list.to_owned())
}

/// How long a command may take if nothing else is said.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What every command takes that may take long.
#[derive(Args)]
pub(crate) struct LimitArgs {
    /// Give up after this long: 60s, 500ms, 15min (60s, or twice --cpu-timeout)
    #[arg(long, value_name = "TIME", value_parser = rhumb_units::duration)]
    timeout: Option<Duration>,
    /// Give up after this much processor time, however busy the machine is: what competitions and BenchExec limit
    #[arg(long, value_name = "TIME", value_parser = rhumb_units::duration)]
    cpu_timeout: Option<Duration>,
    /// Give up when the process takes more than this much memory: 4GB, 500MB
    #[arg(long, value_name = "SIZE", value_parser = rhumb_units::bytes)]
    pub(crate) memory: Option<u64>,
}

impl LimitArgs {
    /// How long it may take. Who limits processor time only means a machine that may be busy.
    pub(crate) fn time(&self) -> Duration {
        let busy = self.cpu_timeout.map(|cpu| cpu.saturating_mul(2));
        self.timeout.or(busy).unwrap_or(TIMEOUT)
    }

    /// What the watchdog is told.
    pub(crate) fn limits(&self) -> WatchdogLimits {
        WatchdogLimits {
            time: Some(self.time()),
            cpu_time: self.cpu_timeout,
            memory: self.memory,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum DataModelArg {
    /// int, long and pointers have 32 bits
    #[value(name = "ILP32")]
    Ilp32,
    /// int has 32 bits, long and pointers have 64 (the default)
    #[value(name = "LP64")]
    Lp64,
}

impl From<DataModelArg> for DataModel {
    fn from(arg: DataModelArg) -> DataModel {
        match arg {
            DataModelArg::Ilp32 => DataModel::Ilp32,
            DataModelArg::Lp64 => DataModel::Lp64,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SignedOverflowArg {
    /// undefined behaviour, which ends a run
    Undefined,
    /// two's complement, as with gcc -fwrapv
    Wrap,
}

impl From<SignedOverflowArg> for SignedOverflow {
    fn from(arg: SignedOverflowArg) -> SignedOverflow {
        match arg {
            SignedOverflowArg::Undefined => SignedOverflow::Undefined,
            SignedOverflowArg::Wrap => SignedOverflow::Wrap,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// For people; the last line is the verdict
    Text,
    /// All of it as data (docs/report.schema.json)
    Json,
    /// For code scanning and editors (SARIF 2.1.0)
    Sarif,
    /// Messages as gcc writes them, with the run as notes: for editors
    Gcc,
    /// Annotations that GitHub shows beside the lines
    Github,
    /// As results of tests
    Junit,
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum PresetArg {
    /// those of the prototype of the paper on GPS, to compare with its tables
    Paper,
    /// all that there are
    Full,
}

impl From<PresetArg> for Preset {
    fn from(arg: PresetArg) -> Preset {
        match arg {
            PresetArg::Paper => Preset::Paper,
            PresetArg::Full => Preset::Full,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum MetricArg {
    /// statements
    St,
    /// branches
    Bb,
    /// conditions of loops
    Lh,
    /// conditions of loops, entries and exits of functions
    Lf,
    /// no distance: the order is the engine's own
    None,
}

impl From<MetricArg> for Metric {
    fn from(arg: MetricArg) -> Metric {
        match arg {
            MetricArg::St => Metric::Statements,
            MetricArg::Bb => Metric::Blocks,
            MetricArg::Lh => Metric::LoopHeads,
            MetricArg::Lf => Metric::LoopsAndFunctions,
            MetricArg::None => Metric::None,
        }
    }
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) checks: ChecksArgs,
    /// The engine; `rhumb engines` lists them
    #[arg(long, value_name = "NAME", default_value = CATALOG[0].name, value_parser = parse_engine)]
    pub(crate) engine: &'static Entry,
    /// Which loop operators, invariants and search aids the engines use
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) preset: PresetArg,
    /// Direct the search by the distance to a target, counted in these (engines that grow a tree: predicate, impact, gps)
    #[arg(long, value_enum, default_value = "none")]
    pub(crate) metric: MetricArg,
    /// Begin the random choices of solvers with this number: another one may find another run to an error, the same one
    /// finds the same
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u32,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Print what was done and how long it took, for tools to read
    #[arg(long)]
    pub(crate) stats: bool,
    /// Tell how it goes while it works, and at the end where the time went; RUST_LOG=rhumb=debug tells more
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// How the answer is printed
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: FormatArg,
    /// Write the answer here as a page that stands alone: DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// For UNSAFE: tell all rounds of all loops
    #[arg(long)]
    pub(crate) full_trace: bool,
    /// Keep certified results here, and begin with those of earlier runs: their evidence is checked again, and only
    /// what has changed is searched
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Write the keys of all that can be reached here, for --baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Write the evidence for the verdict here; `rhumb validate` checks it
    #[arg(long, value_name = "OUT.json")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write the evidence for the verdict here as an SV-COMP witness (format 2.0); it bears the time of the program's
    /// file, or what SOURCE_DATE_EPOCH says
    #[arg(long, value_name = "OUT.yml")]
    pub(crate) witness: Option<PathBuf>,
    /// For UNSAFE: write C code here that feeds the inputs, to be compiled together with the program
    #[arg(long, value_name = "OUT.c")]
    pub(crate) harness: Option<PathBuf>,
    /// For UNSAFE: write the program and the code that feeds its inputs here, as one C file
    #[arg(long, value_name = "OUT.c")]
    pub(crate) standalone: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct GuardedArgs {
    /// Programs (.gcl), or folders of them; paper.csv beside them has the figures to compare with
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How states are matched, and what has to be exact
    #[arg(long, value_enum, default_value = "ase")]
    pub(crate) engine: GuardedEngineArg,
    /// Give up on a program after this long: 60s, 500ms, 15min
    #[arg(long, value_name = "TIME", value_parser = rhumb_units::duration, default_value = "60s")]
    pub(crate) timeout: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GuardedEngineArg {
    /// abstract analysis of symbolic executions: matching on a path, safe fragments and inductive invariants
    Ase,
    /// the paper's baseline, under-approximation refinement: matching anywhere, and all transitions have to be exact
    Ur,
}

#[derive(Args)]
pub(crate) struct CoverArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// What tests are wanted for: branches (the default), statements, conditions, mcdc, calls:NAME, labels
    #[arg(long, value_name = "GOALS", conflicts_with = "property", value_parser = Wanted::parse)]
    pub(crate) goals: Option<Wanted>,
    /// Write the tests here, and a page with the source text: DIR/index.html
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// How tests are written
    #[arg(long, value_enum, default_value = "test-comp")]
    pub(crate) format: SuiteFormatArg,
    /// Print the source text with what is covered (+), proved unreachable (x) and open (?)
    #[arg(long)]
    pub(crate) source: bool,
    /// The engine that looks for tests and proofs where random inputs don't do; `rhumb engines` lists them
    #[arg(long, value_name = "NAME", default_value = CATALOG[0].name, value_parser = parse_engine)]
    pub(crate) engine: &'static Entry,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteFormatArg {
    /// For the competition on testing: metadata.xml, and an XML file for each test
    TestComp,
    /// C code: a file for each test that gives the inputs, and a Makefile (make coverage)
    C,
    /// Tables: goals.csv and tests.csv
    Csv,
}

#[derive(Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) checks: ChecksArgs,
    #[command(flatten)]
    pub(crate) evidence: EvidenceArgs,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
    /// Ask the other checker of proofs, which shares nothing with the first; its solver is fetched with pip the first time
    #[arg(long, conflicts_with = "witness")]
    pub(crate) second: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct EvidenceArgs {
    /// The evidence that `rhumb check --certificate` wrote
    #[arg(long, value_name = "FILE.json")]
    pub(crate) certificate: Option<PathBuf>,
    /// An SV-COMP witness (format 2.x), ours or another tool's
    #[arg(long, value_name = "FILE.yml")]
    pub(crate) witness: Option<PathBuf>,
}

fn parse_engine(name: &str) -> Result<&'static Entry, String> {
    let missing = || {
        let names: Vec<Arc<str>> = CATALOG.iter().map(|entry| Arc::from(entry.name)).collect();
        let similar = closest(name, names.iter());
        let meant = similar.map_or(String::new(), |similar| format!(", did you mean {similar}"));
        format!("there is no such engine{meant}; `rhumb engines` lists them")
    };
    rhumb_search::entry(name).ok_or_else(missing)
}

#[derive(Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Values for the inputs in the order in which the program reads them; 5*3 is 5,5,5; 0 after the last one
    #[arg(
        long,
        value_name = "N,N,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "seed"
    )]
    pub(crate) inputs: Vec<String>,
    /// Random inputs from this seed
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Give up after this many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub(crate) steps: u64,
    /// Give up after this long: 60s, 500ms, 15min
    #[arg(long, value_name = "TIME", value_parser = rhumb_units::duration)]
    pub(crate) timeout: Option<Duration>,
    /// Give up when objects and calls take more than this much memory: 4GB, 500MB
    #[arg(long, value_name = "SIZE", value_parser = rhumb_units::bytes, default_value = "1GiB")]
    pub(crate) memory: u64,
    /// List the inputs that were read
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Args)]
pub(crate) struct CfaArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Print a graph for Graphviz
    #[arg(long)]
    pub(crate) dot: bool,
    /// Show the start function as the engines see it: simplified, with one formula for all the ways between two loop heads
    #[arg(long, conflicts_with = "checks")]
    pub(crate) blocks: bool,
    /// Show the program in which elements of large arrays, and one of many objects that a line allocates, are followed
    #[arg(long, conflicts_with = "checks")]
    pub(crate) elements: bool,
    /// Show what pointers may point to: each object, or what a line allocates, with the pointers to it and in it
    #[arg(long, conflicts_with_all = ["checks", "dot", "blocks", "elements"])]
    pub(crate) regions: bool,
    /// With the checks for undefined behaviour drawn (with --dot they are left out otherwise)
    #[arg(long)]
    pub(crate) checks: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args)]
pub(crate) struct SummarizeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Bound the number of iterations by a counter that every run chooses at its beginning, and show how it goes down
    #[arg(long)]
    pub(crate) gas: bool,
    /// Which loop operators and invariants are used
    #[arg(long, value_enum, default_value = "full")]
    pub(crate) preset: PresetArg,
    /// Print at the end what each loop operator has cost
    #[arg(long)]
    pub(crate) stats: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}
