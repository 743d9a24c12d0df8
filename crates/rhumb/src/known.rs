//! Findings that are known: keys that stay the same when lines move, files of them, and remarks in the text.
//!
//! A finding is named by its file, its function, its kind, the text of the expression, and a number among those that are the same in all of
//! this. What is known is not asked for
//! any more: a run ends there, as it does at undefined behaviour that nobody asked for, and the verdict says that it assumes so.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use rhumb_program::{Program, TargetId};

/// The mark of a remark on a line, or on the line before, that a finding there is known: `// rhumb: known: REASON`.
const REMARK: &str = "rhumb: known:";

/// How the names of the library's texts begin.
const LIBRARY: &str = "<library>";

/// A finding that is known, and why nobody minds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// Its key.
    pub key: String,
    /// Why it is no trouble; may be empty.
    pub reason: String,
}

impl Known {
    /// A list of findings: a key on each line, behind ` # ` a reason; lines that begin with `#` are remarks.
    pub fn list(text: &str) -> Vec<Known> {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        lines
            .map(|line| {
                let (key, reason) = line.split_once(" # ").unwrap_or((line, ""));
                Known {
                    key: key.trim().to_owned(),
                    reason: reason.trim().to_owned(),
                }
            })
            .collect()
    }

    /// The same of a file.
    pub fn read(path: &Path) -> Result<Vec<Known>, String> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Known::list(&text))
    }
}

/// The keys of all targets of a program, in their order.
pub(crate) fn keys(program: &Program) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let here = std::env::current_dir().unwrap_or_default();
    let main = whole(&here, program.sources.main_file());
    let targets = program.targets.iter().map(|target| {
        let text = String::from_utf8_lossy(program.sources.slice(target.span));
        let words: Vec<&str> = text.split_whitespace().collect();
        let function = &program.functions[target.function].name;
        let file = program.sources.position(target.span).file;
        let file = file_name(&here, &main, &file);
        let key = format!("{file}: {function}: {}: {}", target.kind, words.join(" "));
        let number = seen.entry(key.clone()).or_insert(0);
        *number += 1;
        format!("{key} [{number}]")
    });
    targets.collect()
}

/// The name of a file in keys, which must be the same wherever a project lies: from where the tool was called, or, for what is not below
/// that, from where the first file is.
fn file_name(here: &Path, main: &Path, file: &str) -> String {
    if file.starts_with(LIBRARY) {
        return file.to_owned();
    }
    let file = whole(here, file);
    let name = match file.strip_prefix(here) {
        Ok(below) => below.to_owned(),
        Err(_) => from(main.parent().unwrap_or(main), &file),
    };
    let parts = name.components();
    let parts: Vec<_> = parts
        .map(|part| part.as_os_str().to_string_lossy())
        .collect();
    parts.join("/")
}

/// A path from the root on, without `.` and `..`.
fn whole(here: &Path, file: &str) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in here.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    whole
}

/// The way from a folder to a file.
fn from(folder: &Path, file: &Path) -> PathBuf {
    let same = folder.components().zip(file.components());
    let same = same.take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(same).map(|_| Component::ParentDir);
    up.chain(file.components().skip(same)).collect()
}

/// The program that is not asked for findings that are known, by a list or by a remark in the text, and the keys of its targets.
pub(crate) fn without(program: Program, known: &[Known]) -> (Program, Vec<String>) {
    let keys = keys(&program);
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut asked: Vec<TargetId> = Vec::new();
    let mut assumed = Vec::new();
    for (id, target) in program.targets.iter_enumerated() {
        let key = &keys[id.index()];
        let position = program.sources.position(target.span);
        // A place in the library stands for all who call it: to know of one of them says nothing of the others.
        let is_own = !position.file.starts_with(LIBRARY);
        let listed = known.iter().find(|known| is_own && known.key == *key);
        let reason = match listed {
            Some(known) => Some(known.reason.clone()),
            None if target.kind.is_check() => {
                let file = files.entry(position.file.to_string()).or_insert_with(|| {
                    let text = std::fs::read(&*position.file).unwrap_or_default();
                    let text = String::from_utf8_lossy(&text);
                    text.lines().map(str::to_owned).collect()
                });
                remark(file, position.line)
            }
            None => None,
        };
        match reason {
            Some(reason) => {
                let why = match reason.is_empty() {
                    true => String::new(),
                    false => format!(" ({reason})"),
                };
                let (file, line, what) = (&position.file, position.line, &target.kind);
                assumed.push(format!("no {what} at {file}:{line}, which is known{why}"));
            }
            None => asked.push(id),
        }
    }
    if assumed.is_empty() {
        return (program, keys);
    }
    let mut program = program.asking(&asked);
    program.outside.unchecked.extend(assumed);
    let keys = asked.iter().map(|id| keys[id.index()].clone()).collect();
    (program, keys)
}

/// The reason that a remark on a line, or alone on the one before, gives for what is found there.
fn remark(lines: &[String], line: u32) -> Option<String> {
    let index = (line as usize).checked_sub(1)?;
    let on = |index: usize| {
        let (code, rest) = lines.get(index)?.split_once(REMARK)?;
        // In a comment that begins there, not in a string.
        let code = code
            .trim_end()
            .strip_suffix("//")
            .or_else(|| code.trim_end().strip_suffix("/*"))?;
        if code.replace("\\\"", "").matches('"').count() % 2 == 1 {
            return None;
        }
        let reason = rest.trim().trim_end_matches("*/").trim();
        Some((code.trim_matches([' ', '\t', '/', '*']), reason.to_owned()))
    };
    let here = on(index).map(|(_, reason)| reason);
    here.or_else(|| {
        let (code, reason) = on(index.checked_sub(1)?)?;
        code.is_empty().then_some(reason)
    })
}
