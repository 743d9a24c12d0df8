//! Settings of a project: `rhumb.toml` in the current folder or one above it. Each key is the name of a long option,
//! and `files` are the files; the command line wins.
//!
//! ```toml
//! files = ["src/ring.c", "src/main.c"]
//! timeout = "2min"
//! I = ["include"]
//! undefined-functions = "memory,log=pure"
//! ```

use std::any::TypeId;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory};
use toml::Value;

use crate::cli::Cli;

/// The name of the file.
const NAME: &str = "rhumb.toml";

/// Says another file; an empty one none.
const VARIABLE: &str = "RHUMB_CONFIG";

/// Puts the settings behind the name of the command, so that what follows wins. Gives the file if it says anything to this command.
pub(crate) fn add(words: &mut Vec<OsString>) -> Result<Option<PathBuf>, String> {
    let all = Cli::command();
    let name = words.get(1).and_then(|word| word.to_str()).unwrap_or("");
    let reads_program = |command: &Command| has_option(command, "entry");
    let Some(command) = all.find_subcommand(name).filter(|c| reads_program(c)) else {
        return Ok(None);
    };
    let Some(file) = find() else {
        return Ok(None);
    };
    let shown = file.display();
    let text = std::fs::read_to_string(&file)
        .map_err(|error| format!("{shown}: can't be read: {error}"))?;
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("{shown}: {error}"))?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut options = Vec::new();
    let mut files = Vec::new();
    for (key, value) in &table {
        if key == "files" {
            for item in list(value) {
                files.push(folder.join(text_of(item, key, &file)?).into());
            }
            continue;
        }
        let Some(arg) = option(command, key) else {
            // It may be meant for another command.
            if all
                .get_subcommands()
                .any(|other| option(other, key).is_some())
            {
                continue;
            }
            return Err(format!("{shown}: `{key}` is no option of rhumb"));
        };
        add_option(arg, key, value, &file, &mut options)?;
    }
    let names_files = words[2..].iter().any(names_file);
    if !names_files && !files.is_empty() {
        options.extend(files);
    }
    let is_used = !options.is_empty();
    words.splice(2..2, options);
    Ok(is_used.then_some(file))
}

/// Whether a word may be the name of a file. (The value of an option may, too: then the files of the settings are not taken.)
fn names_file(word: &OsString) -> bool {
    let path = Path::new(word);
    let is_option = word.to_str().is_some_and(|text| text.starts_with('-'));
    let ends_as_c = path.extension().is_some_and(|extension| {
        ["c", "i", "yml", "yaml"]
            .iter()
            .any(|end| extension == *end)
    });
    !is_option && (ends_as_c || path.is_dir())
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    let here = std::env::current_dir().ok()?;
    let files = here.ancestors().map(|folder| folder.join(NAME));
    let file = files.into_iter().find(|file| file.is_file())?;
    // The shortest way to say it.
    let near = file.strip_prefix(&here).map(Path::to_owned);
    Some(near.unwrap_or(file))
}

fn has_option(command: &Command, name: &str) -> bool {
    option(command, name).is_some()
}

fn option<'c>(command: &'c Command, key: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| {
        let short = arg.get_short().map(String::from);
        arg.get_long() == Some(key) || short.as_deref() == Some(key)
    })
}

fn add_option(
    arg: &Arg,
    key: &str,
    value: &Value,
    file: &Path,
    options: &mut Vec<OsString>,
) -> Result<(), String> {
    let dashes = match arg.get_long() == Some(key) {
        true => "--",
        false => "-",
    };
    let takes_value = arg.get_action().takes_values();
    if let Value::Boolean(is_set) = value
        && !takes_value
    {
        if *is_set {
            options.push(format!("{dashes}{key}").into());
        }
        return Ok(());
    }
    if !takes_value {
        let file = file.display();
        return Err(format!("{file}: `{key}` is true or false"));
    }
    let is_path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    for item in list(value) {
        let text = text_of(item, key, file)?;
        let folder = file.parent().filter(|_| is_path);
        let text = folder.map_or_else(|| text.clone().into(), |folder| folder.join(&text).into());
        options.push(format!("{dashes}{key}").into());
        options.push(text);
    }
    Ok(())
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

fn text_of(value: &Value, key: &str, file: &Path) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        _ => Err(format!(
            "{}: `{key}` is a text, a number, or a list of them",
            file.display()
        )),
    }
}
