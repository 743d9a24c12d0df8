//! `rhumb completions` and `rhumb man`: what the definition of the command line says, for shells and for `man`.

use std::path::Path;

use clap::CommandFactory;
use clap_complete::Shell;

use super::print;
use crate::cli::Cli;
use crate::exit::Exit;
use crate::last_word::LastWord;

/// Prints completions for a shell.
pub(crate) fn completions(shell: Shell) -> LastWord {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rhumb", &mut text);
    print(text);
    Exit::Success.into()
}

/// Writes a manual page for the tool and for each command.
pub(crate) fn man(folder: &Path) -> LastWord {
    let made = std::fs::create_dir_all(folder);
    match made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder)) {
        Ok(()) => Exit::Success.into(),
        Err(error) => {
            let folder = folder.display();
            LastWord::err(format!("error: {folder}: {error}"), Exit::BadInput)
        }
    }
}
