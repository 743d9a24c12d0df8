//! What stands in `benchmarks/`, and how to make more.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::family::manifest;
use crate::lock_and_key::ParameterError;
use crate::{Family, SizeError, SuiteTask, Verdict, examples, lock_and_key, readme, scaling};

/// The property of all tasks: `reach_error` is never called.
pub const UNREACH_CALL: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";

/// A folder of tasks.
#[derive(Clone, Debug)]
pub struct Folder {
    /// Its path below `benchmarks/`, with slashes.
    pub path: String,
    /// Its tasks, by rising size if they are a family.
    pub tasks: Vec<SuiteTask>,
    /// The text of `family.toml`, if the tasks differ in a size.
    manifest: Option<String>,
}

/// All folders of tasks.
pub fn shelf() -> Vec<Folder> {
    let plain = |path: &str, tasks| Folder {
        path: path.to_owned(),
        tasks,
        manifest: None,
    };
    let of_family = |suite: &str, family: &Family| {
        let instances = family.shipped_instances();
        let manifest = manifest(family.name, family.description, family.knob, &instances);
        folder(format!("{suite}/{}", family.name), manifest, instances)
    };
    let words = lock_and_key::words();
    let words_manifest = manifest(
        "word-machine",
        lock_and_key::WORD_MACHINE,
        "letters",
        &words,
    );

    let mut folders = vec![plain("examples", examples::tasks())];
    folders.extend(
        lock_and_key::families()
            .iter()
            .map(|family| of_family("lock-and-key", family)),
    );
    folders.push(folder(
        "lock-and-key/word-machine".to_owned(),
        words_manifest,
        words,
    ));
    folders.push(plain(
        "lock-and-key/sequence-machine",
        lock_and_key::sequences(),
    ));
    folders.push(plain("lock-and-key/jammed", lock_and_key::jammed()));
    folders.extend(
        scaling::families()
            .iter()
            .map(|family| of_family("scaling", family)),
    );
    folders
}

fn folder(path: String, manifest: String, instances: Vec<(SuiteTask, u64)>) -> Folder {
    let tasks = instances.into_iter().map(|(task, _)| task).collect();
    Folder {
        path,
        tasks,
        manifest: Some(manifest),
    }
}

/// Everything in `benchmarks/`: path below it, with slashes, and text.
pub fn files() -> BTreeMap<String, String> {
    let mut files = BTreeMap::from([
        ("README.md".to_owned(), readme::text()),
        (
            "properties/unreach-call.prp".to_owned(),
            UNREACH_CALL.to_owned(),
        ),
    ]);
    for folder in shelf() {
        let path = &folder.path;
        let properties = format!("{}properties", "../".repeat(path.split('/').count()));
        for task in &folder.tasks {
            files.insert(format!("{path}/{}.c", task.name), task.program.clone());
            files.insert(
                format!("{path}/{}", task.definition_name()),
                task.definition(&properties),
            );
        }
        if let Some(inputs) = inputs_file(&folder.tasks) {
            files.insert(format!("{path}/inputs.toml"), inputs);
        }
        if let Some(manifest) = folder.manifest {
            files.insert(format!("{path}/family.toml"), manifest);
        }
    }
    files
}

/// The text of `inputs.toml`: the keys of the unsafe tasks, if there are any.
fn inputs_file(tasks: &[SuiteTask]) -> Option<String> {
    let mut text = String::from(
        "# The inputs that reach the error of each unsafe task, in the order in which the program reads them; value*count repeats a value.\n",
    );
    let mut any = false;
    for task in tasks {
        if let Verdict::Unsafe(key) = &task.verdict {
            any = true;
            let _ = writeln!(text, "\"{}\" = \"{key}\"", task.definition_name());
        }
    }
    any.then_some(text)
}

/// All families with a size.
pub fn families() -> Vec<Family> {
    [lock_and_key::families(), scaling::families()].concat()
}

/// Why no program could be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MakeError {
    /// No family has this name.
    #[error("there is no family `{0}`")]
    UnknownFamily(String),
    /// The parameter of this family is a number.
    #[error("{family}: the size must be a number, not `{parameter}`")]
    NotANumber {
        /// The family.
        family: String,
        /// What was given.
        parameter: String,
    },
    /// The number is out of range.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// The word does not suit.
    #[error(transparent)]
    Word(#[from] ParameterError),
}

/// Makes the instance of a family: of a size, of a word (`word-machine`), or of two words with a slash between them (`sequence-machine`).
pub fn make(family: &str, parameter: &str) -> Result<SuiteTask, MakeError> {
    match family {
        "word-machine" => Ok(lock_and_key::word_machine(parameter)?),
        "sequence-machine" => Ok(lock_and_key::sequence_machine(parameter)?),
        _ => {
            let known = families().into_iter().find(|known| known.name == family);
            let known = known.ok_or_else(|| MakeError::UnknownFamily(family.to_owned()))?;
            let size = parameter.parse().map_err(|_| MakeError::NotANumber {
                family: family.to_owned(),
                parameter: parameter.to_owned(),
            })?;
            Ok(known.instance(size)?)
        }
    }
}
