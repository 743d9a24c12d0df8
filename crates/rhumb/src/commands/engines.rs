//! `rhumb engines`.

use crate::exit::Exit;

/// Lists what there is.
pub(crate) fn run() -> Exit {
    super::print("no engine yet\n");
    Exit::Success
}
