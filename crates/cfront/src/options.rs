//! What the caller decides about a program's meaning.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rhumb_program::{Checks, DataModel};

/// What signed overflow means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SignedOverflow {
    /// Undefined, as C says: the run ends.
    #[default]
    Undefined,
    /// Two's complement, as with `gcc -fwrapv`.
    Wrap,
}

/// Which locations are targets.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum TargetSpec {
    /// Calls of `reach_error` and `__VERIFIER_error`, and every failing assertion.
    #[default]
    Default,
    /// Calls of this function and nothing else.
    Call(Arc<str>),
    /// Labels of this name and nothing else.
    Label(Arc<str>),
    /// No location by itself; what [`Options::checks`] asks for is all.
    Nothing,
    /// No location by itself, and edges say what of the text they stand for ([`Mark`](rhumb_program::Mark)): somebody
    /// wants tests for parts of it.
    Goals,
}

/// What a call of a function that no file defines may do beside giving some result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UndefinedFunction {
    /// Nothing.
    Pure,
    /// Change every global that other files can see, and every object whose address they may have.
    #[default]
    Memory,
    /// Nobody knows: who gets there has no answer.
    Refuse,
}

/// The words of the command line.
const WORDS: [(&str, UndefinedFunction); 3] = [
    ("pure", UndefinedFunction::Pure),
    ("memory", UndefinedFunction::Memory),
    ("refuse", UndefinedFunction::Refuse),
];

impl fmt::Display for UndefinedFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = WORDS.iter().find(|(_, meaning)| meaning == self);
        f.write_str(word.map_or("", |(word, _)| word))
    }
}

/// What calls of functions that no file defines may do: one answer for most, and exceptions by name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UndefinedFunctions {
    /// Of those that are not named; `None` where the caller leaves it open.
    pub otherwise: Option<UndefinedFunction>,
    /// Of those that are.
    pub named: BTreeMap<String, UndefinedFunction>,
}

impl UndefinedFunctions {
    /// The same for all.
    pub fn all(otherwise: UndefinedFunction) -> UndefinedFunctions {
        UndefinedFunctions {
            otherwise: Some(otherwise),
            named: BTreeMap::new(),
        }
    }

    /// What a call of this function may do; `None` where that is left open.
    pub fn named(&self, name: &str) -> Option<UndefinedFunction> {
        self.named.get(name).copied()
    }

    /// What a call of a function may do that has no exception.
    pub fn otherwise(&self) -> UndefinedFunction {
        self.otherwise.unwrap_or_default()
    }

    /// Adds what a list says: `memory,bump=pure`. Later items win.
    pub fn add(&mut self, list: &str) -> Result<(), String> {
        for item in list.split(',').map(str::trim) {
            let (name, word) = match item.split_once('=') {
                Some((name, word)) => (Some(name.trim()), word.trim()),
                None => (None, item),
            };
            let meaning = WORDS.iter().find(|(known, _)| *known == word);
            let Some(&(_, meaning)) = meaning else {
                return Err(format!("`{word}` is none of pure, memory and refuse"));
            };
            match name {
                Some("") => return Err(format!("`{item}` names no function")),
                Some(name) => {
                    self.named.insert(name.to_owned(), meaning);
                }
                None => self.otherwise = Some(meaning),
            }
        }
        Ok(())
    }
}

/// The list that [`UndefinedFunctions::add`] reads.
impl fmt::Display for UndefinedFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.otherwise())?;
        for (name, meaning) in &self.named {
            write!(f, ",{name}={meaning}")?;
        }
        Ok(())
    }
}

/// What the caller decides about a program's meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Sizes of the basic types.
    pub data_model: DataModel,
    /// The function in which a run starts.
    pub entry: Arc<str>,
    /// What must not be reached.
    pub targets: TargetSpec,
    /// Which undefined behaviour must not be reached either.
    pub checks: Checks,
    /// Whether somebody wants to know if all runs end: then nothing that waits may be taken to go on, and what a loop without
    /// an end keeps from happening matters.
    pub asks_for_ends: bool,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// What functions may do that no file defines.
    pub undefined_functions: UndefinedFunctions,
    /// Functions that are nothing special, although their names look like those of a verification tool.
    pub ordinary: Vec<Arc<str>>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            data_model: DataModel::default(),
            entry: Arc::from("main"),
            targets: TargetSpec::default(),
            checks: Checks::none(),
            asks_for_ends: false,
            signed_overflow: SignedOverflow::default(),
            undefined_functions: UndefinedFunctions::default(),
            ordinary: Vec::new(),
        }
    }
}
