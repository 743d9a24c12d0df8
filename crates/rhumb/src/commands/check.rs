//! `rhumb check`: the verdict.

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::{self, Checked};
use rhumb_program::{Program, TargetKind};
use rhumb_search::{Decision, Observer, Outcome, decide};

use super::{print, say};
use crate::cli::CheckArgs;
use crate::evidence;
use crate::exit::Exit;
use crate::input::Input;
use crate::inputs_text;
use crate::limits::watched;
use crate::statistics::Statistics;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let budget = watched(args.timeout, args.memory);
    let mut statistics = Statistics::new(args.stats, args.verbose);
    statistics.phase("frontend");
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let decision = match &input.unsupported_property {
        Some(property) => Decision::unknown(format!("unsupported property {property}")),
        None => decide(
            &input.program,
            args.engine,
            args.preset.into(),
            &budget,
            &mut statistics,
        ),
    };
    statistics.end();
    if let Err(problem) = evidence::write(args, &input, &decision.verdict) {
        say(format!("error: {problem}"));
        return Exit::BadInput;
    }
    print(targets_text(&input.program, &decision));
    report(&input.program, &decision.verdict)
}

/// Where there are several targets, a line for each.
fn targets_text(program: &Program, decision: &Decision) -> String {
    let mut text = String::new();
    if decision.targets.len() < 2 {
        return text;
    }
    for (target, outcome) in decision.targets.iter_enumerated() {
        let Some(target) = program.targets.get(target) else {
            continue;
        };
        let position = program.sources.position(target.span);
        let what = match &target.kind {
            TargetKind::Call(function) => format!("call of {function}"),
            TargetKind::Assertion => "assertion".to_owned(),
        };
        let outcome = match outcome {
            Outcome::Safe => "SAFE".to_owned(),
            Outcome::Unsafe => "UNSAFE".to_owned(),
            Outcome::Unknown(reason) => format!("UNKNOWN ({reason})"),
        };
        let (file, line) = (position.file, position.line);
        text.push_str(&format!("target {file}:{line}, {what}: {outcome}\n"));
    }
    text
}

/// Prints the verdict: on standard output its line, last; what it rests on before that.
fn report(program: &Program, verdict: &Verdict) -> Exit {
    match verdict {
        Verdict::Safe(_) => {
            print("verdict: SAFE\n");
            Exit::Success
        }
        Verdict::Unsafe(certified) => {
            print(counterexample_text(
                program,
                certified.evidence(),
                certified.check(),
            ));
            print("verdict: UNSAFE\n");
            Exit::Unsafe
        }
        Verdict::Unknown(reason) => {
            print(format!("verdict: UNKNOWN ({reason})\n"));
            Exit::Unknown
        }
    }
}

/// The error, and the inputs that lead to it.
fn counterexample_text(
    program: &Program,
    counterexample: &counterexample::Counterexample,
    checked: &Checked,
) -> String {
    let target = &program.targets[counterexample.target];
    let position = program.sources.position(target.span);
    let steps = match &checked.steps {
        Some(steps) => format!(" after {steps} steps"),
        None => String::new(),
    };
    let mut text = format!("reached: {}:{}{steps}\n", position.file, position.line);
    for line in inputs_text::lines(program, &counterexample.inputs) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}
