//! A counterexample as JSON.

use dashu_int::{IBig, UBig};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{InputKind, InputSiteId, Program, TargetId, Type};
use serde::{Deserialize, Serialize};

use super::fingerprint;
use super::outside::OutsideEntry;
use crate::counterexample::{Count, Counterexample, Jump, Segment};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;

/// Longer numbers are refused.
const MAX_DIGITS: usize = 4096;

/// A counterexample, written down.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CounterexampleFile {
    /// Version of the format.
    version: u32,
    /// Fingerprint of the program.
    program: String,
    /// Data model of the program.
    data_model: String,
    /// What was said and assumed of functions that nobody defines.
    #[serde(default)]
    pub(super) outside: OutsideEntry,
    target: TargetFile,
    inputs: Vec<SiteFile>,
    segments: Vec<SegmentFile>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetFile {
    index: u32,
    kind: String,
    at: String,
}

/// The inputs of one site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteFile {
    index: u32,
    kind: String,
    name: String,
    at: String,
    /// Each value with how often it comes in a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, u64)>,
    /// The bytes of each event, in hexadecimal, with how often they come in a row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bytes: Vec<(String, u64)>,
}

/// A number of steps, or a jump.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum SegmentFile {
    Steps(u64),
    Jump(JumpFile),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JumpFile {
    count: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    growth: Vec<String>,
    cycle: Vec<SegmentFile>,
}

/// Why a file is not the counterexample of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileError {
    /// It is no such file.
    #[error("not a counterexample: {0}")]
    Syntax(String),
    /// It is of another version.
    #[error("the counterexample has version {0} of the format; this is version {VERSION}")]
    Version(u32),
    /// It belongs to another program.
    #[error("the counterexample is for another program, or was made with other options: {0}")]
    OtherProgram(String),
    /// A number can't be read.
    #[error("`{0}` is not a number of the kind that is wanted here")]
    Number(String),
}

impl CounterexampleFile {
    /// Writes a counterexample down.
    pub fn new(program: &Program, counterexample: &Counterexample) -> CounterexampleFile {
        let target = &program.targets[counterexample.target];
        let mut inputs = Vec::new();
        for (site, runs) in counterexample.inputs.value_runs() {
            let ty = program.inputs[site].ty;
            let mut file = site_file(program, site);
            file.values = runs
                .map(|run| (value_text(ty, run.value), run.count))
                .collect();
            inputs.push(file);
        }
        for (site, runs) in counterexample.inputs.byte_runs() {
            let mut file = site_file(program, site);
            file.bytes = runs.map(|run| (hex(run.value), run.count)).collect();
            inputs.push(file);
        }
        CounterexampleFile {
            version: VERSION,
            program: fingerprint(program),
            data_model: program.data_model.to_string(),
            outside: OutsideEntry::of(program),
            target: TargetFile {
                index: counterexample.target.raw(),
                kind: target.kind.to_string(),
                at: place(program, target.span),
            },
            inputs,
            segments: counterexample.segments.iter().map(segment_file).collect(),
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists of them: nothing that JSON could not hold.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Reads a file. Nesting is limited, by the reader.
    pub fn from_json(text: &[u8]) -> Result<CounterexampleFile, FileError> {
        let syntax = |error: serde_json::Error| FileError::Syntax(error.to_string());
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let version: Version = serde_json::from_slice(text).map_err(syntax)?;
        if version.version != VERSION {
            return Err(FileError::Version(version.version));
        }
        serde_json::from_slice(text).map_err(syntax)
    }

    /// The counterexample, if it is one of this program.
    pub fn counterexample(&self, program: &Program) -> Result<Counterexample, FileError> {
        let other = |what: String| Err(FileError::OtherProgram(what));
        if self.data_model != program.data_model.to_string() {
            return other(format!("it is for data model {}", self.data_model));
        }
        if self.program != fingerprint(program) {
            return other("the fingerprints differ".to_owned());
        }
        let target = TargetId::from_raw(self.target.index);
        match program.targets.get(target) {
            Some(found) if found.kind.to_string() == self.target.kind => {}
            _ => return other(format!("there is no target {}", self.target.index)),
        }
        let mut inputs = KeyedInputs::new();
        for file in &self.inputs {
            let site = InputSiteId::from_raw(file.index);
            let known = program.inputs.get(site);
            let Some(known) = known.filter(|_| site_file(program, site).describes(file)) else {
                return other(format!("there is no input {} `{}`", file.kind, file.name));
            };
            for (value, count) in &file.values {
                inputs.push_value(site, value_bits(known.ty, value)?, *count);
            }
            for (bytes, count) in &file.bytes {
                inputs.push_bytes(site, &unhex(bytes)?, *count);
            }
        }
        Ok(Counterexample {
            target,
            inputs,
            segments: segments(&self.segments)?,
        })
    }
}

impl SiteFile {
    fn describes(&self, other: &SiteFile) -> bool {
        (&self.kind, &self.name) == (&other.kind, &other.name)
    }
}

fn place(program: &Program, span: rhumb_program::Span) -> String {
    let position = program.sources.position(span);
    format!("{}:{}", position.file, position.line)
}

fn site_file(program: &Program, id: InputSiteId) -> SiteFile {
    let site = &program.inputs[id];
    let (kind, name) = match &site.kind {
        InputKind::Nondet(name) => ("nondet", name.to_string()),
        InputKind::UndefinedFunction(name) => ("undefined function", name.to_string()),
        InputKind::EntryArgument(name) => ("argument", name.to_string()),
        InputKind::Uninitialised(name) => ("uninitialised", name.to_string()),
        InputKind::MissingReturn => ("missing return", String::new()),
        InputKind::Order => ("order", String::new()),
        InputKind::Schedule => ("schedule", String::new()),
        InputKind::Remember => ("remember", String::new()),
        InputKind::Others => ("others", String::new()),
        InputKind::Outside { .. } => ("outside", site.kind.describe()),
        InputKind::Read(what) => ("read", what.to_string()),
    };
    SiteFile {
        index: id.raw(),
        kind: kind.to_owned(),
        name,
        at: place(program, site.span),
        values: Vec::new(),
        bytes: Vec::new(),
    }
}

/// An integer in decimal, everything else by its bits in hexadecimal.
fn value_text(ty: Option<Type>, bits: u128) -> String {
    match ty {
        Some(Type::Int(int)) => int.display(int.wrap(bits)),
        Some(Type::Bool) => u8::from(bits != 0).to_string(),
        _ => format!("{bits:#x}"),
    }
}

fn value_bits(ty: Option<Type>, text: &str) -> Result<u128, FileError> {
    let bits = match (text.strip_prefix("0x"), ty) {
        (Some(digits), _) => u128::from_str_radix(digits, 16).ok(),
        (None, Some(Type::Int(_) | Type::Bool)) => match text.strip_prefix('-') {
            Some(_) => text.parse::<i128>().ok().map(|value| value as u128),
            None => text.parse().ok(),
        },
        (None, _) => None,
    };
    bits.ok_or_else(|| number(text))
}

fn number(text: &str) -> FileError {
    FileError::Number(text.chars().take(80).collect())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Result<Vec<u8>, FileError> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|pair| {
            let pair = std::str::from_utf8(pair)
                .ok()
                .filter(|pair| pair.len() == 2);
            pair.and_then(|pair| u8::from_str_radix(pair, 16).ok())
                .ok_or_else(|| number(text))
        })
        .collect()
}

fn segment_file(segment: &Segment) -> SegmentFile {
    match segment {
        &Segment::Steps(steps) => SegmentFile::Steps(steps),
        Segment::Jump(jump) => SegmentFile::Jump(JumpFile {
            count: jump.count.first.to_string(),
            growth: jump.count.growth.iter().map(IBig::to_string).collect(),
            cycle: jump.cycle.iter().map(segment_file).collect(),
        }),
    }
}

fn segments(files: &[SegmentFile]) -> Result<Vec<Segment>, FileError> {
    let each = files.iter().map(|file| match file {
        &SegmentFile::Steps(steps) => Ok(Segment::Steps(steps)),
        SegmentFile::Jump(jump) => Ok(Segment::Jump(Jump {
            cycle: segments(&jump.cycle)?,
            count: Count {
                first: big::<UBig>(&jump.count)?,
                growth: jump
                    .growth
                    .iter()
                    .map(|growth| big(growth))
                    .collect::<Result<_, _>>()?,
            },
        })),
    });
    each.collect()
}

fn big<T: std::str::FromStr>(text: &str) -> Result<T, FileError> {
    if text.len() > MAX_DIGITS {
        return Err(number(text));
    }
    text.parse().map_err(|_| number(text))
}
