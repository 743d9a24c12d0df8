//! `rhumb run`: one execution by the exact interpreter.

use rhumb::{Input, inputs_text};
use rhumb_program::interp::{
    InputSource, ListInputs, Machine, Number, Outcome, RandomInputs, Recorder, Run, RunLimits,
};

use super::{print, say};
use crate::cli::RunArgs;
use crate::exit::Exit;
use crate::input;
use crate::last_word::LastWord;
use crate::watchdog;

/// Executes a program. Its output goes to standard output, everything else to standard error.
pub(crate) fn run(args: &RunArgs) -> LastWord {
    let limits = watchdog::WatchdogLimits {
        time: args.timeout,
        cpu_time: None,
        memory: None,
    };
    let budget = watchdog::start(limits, |reason| {
        LastWord::err(format!("outcome: {reason}"), Exit::Unknown)
    });

    let values = match parse_values(&args.inputs) {
        Ok(values) => values,
        Err(message) => {
            return LastWord::err(format!("error: {message}"), Exit::Usage);
        }
    };
    let input = match input::load(&args.input, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let program = &input.program;
    let limits = RunLimits {
        steps: args.steps,
        memory: args.memory,
        output: 1 << 30,
        ..RunLimits::default()
    };
    match args.seed {
        Some(seed) => execute(&input, RandomInputs::new(seed), &limits, args.verbose),
        None => {
            let source = ListInputs::numbers(program, values);
            execute(&input, source, &limits, args.verbose)
        }
    }
}

fn execute(input: &Input, source: impl InputSource, limits: &RunLimits, verbose: bool) -> LastWord {
    let program = &input.program;
    let machine = Machine::compile(program);
    let run = if verbose {
        let mut recorder = Recorder::new(source);
        let run = machine.run(&mut recorder, limits);
        for line in inputs_text::lines(program, &recorder.into_inputs()) {
            say(line);
        }
        run
    } else {
        let mut source = source;
        machine.run(&mut source, limits)
    };
    print(&run.output);
    report(input, &run)
}

/// More values than this are not given by hand.
const MAX_VALUES: u64 = 100_000_000;

/// Numbers in C's notations; `5*3` is `5,5,5`.
fn parse_values(texts: &[String]) -> Result<Vec<Number>, String> {
    let mut values = Vec::new();
    for text in texts.iter().filter(|text| !text.is_empty()) {
        let (number, count) = match text.split_once('*') {
            Some((number, count)) => (number, count.trim().parse().ok()),
            None => (text.as_str(), Some(1)),
        };
        let (Some(number), Some(count)) = (parse_number(number.trim()), count) else {
            return Err(format!("`{text}` is not a number (in --inputs)"));
        };
        if values.len() as u64 + count > MAX_VALUES {
            return Err(format!("more than {MAX_VALUES} values (in --inputs)"));
        }
        values.extend((0..count).map(|_| number));
    }
    Ok(values)
}

fn parse_number(text: &str) -> Option<Number> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let integer = match hex {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    };
    match integer {
        Some(value) if negative => Some(Number::Integer(-value)),
        Some(value) => Some(Number::Integer(value)),
        None => text.parse().ok().map(Number::Real),
    }
}

fn report(input: &Input, run: &Run) -> LastWord {
    let program = &input.program;
    let place = run
        .end
        .span(program)
        .map(|span| program.sources.position(span));
    let at = place.map_or_else(String::new, |place| {
        format!(" at {}:{}", place.file, place.line)
    });
    for caveat in &run.caveats {
        say(format!("caveat: {}", caveat.describe(program)));
    }
    let (text, exit) = match &run.outcome {
        Outcome::Target(_) => (format!("target reached{at}"), Exit::Unsafe),
        Outcome::Exit(code) => (format!("exit {code}"), Exit::Success),
        Outcome::Abort => (format!("abort{at}"), Exit::Success),
        Outcome::Deadlock => (
            format!("every thread waits for another one{at}"),
            Exit::Success,
        ),
        Outcome::AssumptionFailed => (format!("assumption failed{at}"), Exit::Success),
        Outcome::Undefined(fault) => {
            input::show(
                input,
                fault.span(program),
                &format!("undefined behaviour: {}", fault.describe(program)),
            );
            (
                format!("undefined behaviour{at}: {}", fault.describe(program)),
                Exit::Unknown,
            )
        }
        Outcome::Unsupported(reason) => (
            format!("unsupported {}{at}", reason.describe(program)),
            Exit::Unknown,
        ),
        Outcome::StepLimit => (format!("step limit{at}"), Exit::Unknown),
        Outcome::MemoryLimit => (format!("memory limit{at}"), Exit::Unknown),
        Outcome::StackLimit => (format!("stack limit{at}"), Exit::Unknown),
    };
    LastWord::err(format!("outcome: {text} ({} steps)", run.steps), exit)
}
