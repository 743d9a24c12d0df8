//! `rhumb check`: the verdict.

use crate::cli::CheckArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Decides a program.
pub(crate) fn run(args: &CheckArgs) -> Exit {
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let program = &input.program;
    let reason = match input.reachable_unsupported() {
        Some(id) => {
            let unsupported = &program.unsupported[id];
            let position = program.sources.position(unsupported.span);
            format!("unsupported {}, {}:{}", unsupported.what, position.file, position.line)
        }
        None => "no engine yet".to_owned(),
    };
    super::print(format!("verdict: UNKNOWN ({reason})\n"));
    Exit::Unknown
}
