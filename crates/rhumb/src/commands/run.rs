//! `rhumb run`: one execution by the exact interpreter.

use rhumb_program::interp::{
    InputSource, KeyedInputs, Limits, ListInputs, Machine, Outcome, RandomInputs, Recorder, Run,
};
use rhumb_program::{InputKind, Program, Type};

use super::{print, say};
use crate::cli::RunArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Executes a program. Its output goes to standard output, everything else to standard error.
pub(crate) fn run(args: &RunArgs) -> Exit {
    let values = match parse_values(&args.inputs) {
        Ok(values) => values,
        Err(message) => {
            say(format!("error: {message}"));
            return Exit::Usage;
        }
    };
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let program = &input.program;
    let source: Box<dyn InputSource> = match args.seed {
        Some(seed) => Box::new(RandomInputs::new(seed)),
        None => Box::new(ListInputs::new(program, values)),
    };
    let mut source = Recorder::new(source);
    let limits = Limits {
        steps: args.steps,
        memory: args.memory.saturating_mul(1 << 20),
        output: 1 << 30,
        ..Limits::default()
    };
    let run = Machine::compile(program).run(&mut source, &limits);
    print(&run.output);
    if args.verbose {
        list_inputs(program, &source.into_inputs());
    }
    report(&input, &run)
}

/// Integers in C's notations, by their value.
fn parse_values(texts: &[String]) -> Result<Vec<i128>, String> {
    texts
        .iter()
        .map(|text| {
            let trimmed = text.trim();
            let (negative, digits) = match trimmed.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, trimmed),
            };
            let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                Some(hex) => i128::from_str_radix(hex, 16),
                None => digits.parse::<i128>(),
            };
            match value {
                Ok(value) if negative => Ok(-value),
                Ok(value) => Ok(value),
                Err(_) => Err(format!("`{text}` is not an integer (in --inputs)")),
            }
        })
        .collect()
}

fn list_inputs(program: &Program, inputs: &KeyedInputs) {
    for (id, site) in program.inputs.iter_enumerated() {
        let position = program.sources.position(site.span);
        let what = match &site.kind {
            InputKind::Nondet(name) | InputKind::UndefinedFunction(name) => format!("{name}()"),
            InputKind::EntryArgument(name) => format!("argument `{name}`"),
            InputKind::Uninitialised(name) => format!("uninitialised `{name}`"),
            InputKind::MissingReturn => "missing return value".to_owned(),
        };
        for repeated in inputs.values(id) {
            let value = match site.ty {
                Some(Type::Int(int)) => int.display(repeated.value),
                Some(Type::Float(_)) => format!("{:#x} (bits)", repeated.value),
                _ => repeated.value.to_string(),
            };
            let times = if repeated.count > 1 {
                format!(", {} times", repeated.count)
            } else {
                String::new()
            };
            say(format!("input: {what} at {}:{} = {value}{times}", position.file, position.line));
        }
    }
}

fn report(input: &Input, run: &Run) -> Exit {
    let program = &input.program;
    let place = run.end.span(program).map(|span| program.sources.position(span));
    let at = place.map_or_else(String::new, |place| format!(" at {}:{}", place.file, place.line));
    for caveat in &run.caveats {
        say(format!("caveat: {}", caveat.describe(program)));
    }
    let (text, exit) = match &run.outcome {
        Outcome::Target(_) => (format!("target reached{at}"), Exit::Unsafe),
        Outcome::Exit(code) => (format!("exit {code}"), Exit::Success),
        Outcome::Abort => (format!("abort{at}"), Exit::Success),
        Outcome::AssumptionFailed => (format!("assumption failed{at}"), Exit::Success),
        Outcome::Undefined(fault) => {
            input.show(fault.span(program), &format!("undefined behaviour: {}", fault.describe(program)));
            (format!("undefined behaviour{at}: {}", fault.describe(program)), Exit::Unknown)
        }
        Outcome::Unsupported(reason) => {
            (format!("unsupported {}{at}", reason.describe(program)), Exit::Unknown)
        }
        Outcome::StepLimit => (format!("step limit{at}"), Exit::Unknown),
        Outcome::MemoryLimit => (format!("memory limit{at}"), Exit::Unknown),
        Outcome::StackLimit => (format!("stack limit{at}"), Exit::Unknown),
    };
    say(format!("outcome: {text} ({} steps)", run.steps));
    exit
}
