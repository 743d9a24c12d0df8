//! `rhumb engines`.

use rhumb_search::CATALOG;

use crate::exit::Exit;

/// Lists what there is, the default first.
pub(crate) fn run() -> Exit {
    for entry in CATALOG {
        super::print(format!("{:12} {}\n", entry.name, entry.about));
    }
    Exit::Success
}
