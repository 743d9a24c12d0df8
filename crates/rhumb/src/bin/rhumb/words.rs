//! The words of a command line before `clap` reads them: files of arguments, a compiler's way to write options, and the
//! settings of a project.

use std::ffi::OsString;
use std::path::Path;

use crate::settings;

/// So deep may files of arguments name others.
const DEPTH: usize = 10;

/// All the words, in the order in which they count, and the file of settings that has a part in it.
pub(crate) struct Words {
    pub(crate) words: Vec<OsString>,
    pub(crate) settings: Option<std::path::PathBuf>,
}

/// The command line as it is meant.
pub(crate) fn of(words: impl Iterator<Item = OsString>) -> Result<Words, String> {
    let mut all = Vec::new();
    let mut words = words;
    all.extend(words.next());
    let mut is_rest = false;
    for word in words {
        add(word, &mut all, &mut is_rest, 0)?;
    }
    let settings = settings::add(&mut all)?;
    Ok(Words {
        words: all,
        settings,
    })
}

/// Adds a word, or those of the file that it names. Behind `--` nothing is changed.
fn add(
    word: OsString,
    all: &mut Vec<OsString>,
    is_rest: &mut bool,
    depth: usize,
) -> Result<(), String> {
    let text = word.to_str().unwrap_or("");
    if *is_rest {
        all.push(word);
    } else if text == "--" {
        *is_rest = true;
        all.push(word);
    } else if let Some(file) = text.strip_prefix('@') {
        if depth == DEPTH {
            return Err(format!("{file}: files of arguments name each other"));
        }
        for word in read(Path::new(file))? {
            add(word.into(), all, is_rest, depth + 1)?;
        }
    } else if text == "-include" || text.starts_with("-std=") {
        // As compilers have it.
        all.push(format!("-{text}").into());
    } else {
        all.push(word);
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<String>, String> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("{shown}: a file of arguments can't be read: {error}"))?;
    shlex::split(&text).ok_or_else(|| format!("{shown}: a quote in it has no end"))
}
