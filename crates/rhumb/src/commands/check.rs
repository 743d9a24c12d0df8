//! `rhumb check`: the verdict.

use rhumb_certify::counterexample::{self, Checked};
use rhumb_certify::{NotAccepted, Verdict, certify_safe, certify_unsafe};
use rhumb_program::Program;
use rhumb_search::{Claim, Entry, Reason, Step, Task};

use super::{print, say};
use crate::cli::CheckArgs;
use crate::evidence;
use crate::exit::Exit;
use crate::input::Input;
use crate::inputs_text;
use crate::limits::Watched;
use crate::statistics::Statistics;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let watched = Watched::new(args.timeout, args.memory);
    let mut statistics = Statistics::new(args.stats);
    statistics.phase("frontend");
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let verdict = match &input.unsupported_property {
        Some(property) => Verdict::Unknown(format!("unsupported property {property}")),
        None => decide(&input.program, args.engine, &watched, &mut statistics),
    };
    statistics.end();
    if let Err(problem) = evidence::write(args, &input, &verdict) {
        say(format!("error: {problem}"));
        return Exit::BadInput;
    }
    report(&input.program, &verdict)
}

/// Lets an engine search and certifies what it claims.
fn decide(
    program: &Program,
    engine: &Entry,
    watched: &Watched,
    statistics: &mut Statistics,
) -> Verdict {
    statistics.phase("encode");
    let task = Task::new(program);
    let mut search = (engine.start)(&task);
    loop {
        statistics.phase("search");
        let claim = loop {
            if let Step::Done(claim) = search.step(&watched.budget) {
                break claim;
            }
        };
        statistics.phase("certify");
        let verdict = match certify(program, claim, watched) {
            Ok(verdict) => {
                if !matches!(verdict, Verdict::Unknown(_)) {
                    statistics.certificate("checked");
                }
                verdict
            }
            Err(_) if !watched.budget.is_spent() && search.go_on() => continue,
            Err(rejected) => {
                statistics.certificate("rejected");
                Verdict::Unknown(rejected.to_string())
            }
        };
        for (name, value) in search.progress().figures {
            statistics.figure(name, value);
        }
        return verdict;
    }
}

/// The verdict that a claim comes to.
fn certify(program: &Program, claim: Claim, watched: &Watched) -> Result<Verdict, NotAccepted> {
    match claim {
        Claim::Safe(proof) => certify_safe(program, proof, &watched.budget),
        Claim::Unsafe { inputs, .. } => {
            let budget = counterexample::Budget {
                deadline: watched.budget.deadline,
                ..counterexample::Budget::default()
            };
            certify_unsafe(program, &inputs, &budget)
        }
        Claim::Unknown(Reason::Stopped(so_far)) => {
            let cause = if watched.is_out_of_memory() {
                "out of memory"
            } else {
                "out of time"
            };
            Ok(Verdict::Unknown(format!("{cause} {so_far}")))
        }
        Claim::Unknown(reason) => Ok(Verdict::Unknown(reason.to_string())),
    }
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
