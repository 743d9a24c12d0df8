//! `rhumb cfa`: the program as the analyses see it.

use rhumb_program::DotOptions;
use rhumb_search::Task;

use crate::cli::CfaArgs;
use crate::exit::Exit;
use crate::input;
use crate::last_word::LastWord;
use crate::watchdog;

/// Prints the automata of a program.
pub(crate) fn run(args: &CfaArgs) -> LastWord {
    let budget = watchdog::start(args.limits.limits(), |reason| {
        LastWord::err(format!("error: {reason}"), Exit::Unknown)
    });
    let input = match input::load(&args.input, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let task = Task::new(&input.program);
    let task = match args.elements {
        true => task.elements().unwrap_or(&task),
        false => &task,
    };
    let text = if args.regions {
        task.prepared.regions(&input.program).to_string()
    } else if args.elements && !args.blocks {
        task.prepared.inlined.to_text()
    } else if args.blocks {
        let graph = &task.graph;
        if args.dot {
            graph.to_dot()
        } else {
            graph.display()
        }
    } else if args.dot {
        input.program.to_dot(DotOptions {
            undefined_behaviour: args.checks,
        })
    } else {
        input.program.to_text()
    };
    LastWord::out(text, Exit::Success)
}
