//! `rhumb cfa`: the program as the analyses see it.

use rhumb_program::DotOptions;
use rhumb_search::Task;

use crate::cli::CfaArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Prints the automata of a program.
pub(crate) fn run(args: &CfaArgs) -> Exit {
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let text = if args.blocks {
        let graph = Task::new(&input.program).graph;
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
    super::print(text);
    Exit::Success
}
