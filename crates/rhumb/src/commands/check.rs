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
    let reason = match (&input.unsupported_property, input.reachable_unsupported()) {
        (Some(property), _) => format!("unsupported property {property}"),
        (None, Some(id)) => {
            let unsupported = &program.unsupported[id];
            let position = program.sources.position(unsupported.span);
            format!(
                "unsupported {}, {}:{}",
                unsupported.what, position.file, position.line
            )
        }
        (None, None) => "no engine yet".to_owned(),
    };
    super::print(format!("verdict: UNKNOWN ({reason})\n"));
    Exit::Unknown
}
