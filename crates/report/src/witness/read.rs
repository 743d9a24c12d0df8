//! Reading witness files, ours and other tools'. What we don't use may be missing or unknown; what we use must make sense.

use std::collections::BTreeMap;
use std::fmt;

use rhumb_cfront::FileNames;
use rhumb_program::DataModel;
use serde::Deserialize;
use serde_saphyr::{Location as YamlLocation, Spanned};

use super::model::{
    Constraint, Content, Invariant, InvariantKind, Location, Metadata, Producer, Segment, Waypoint,
    WaypointKind, Witness, WitnessTask,
};

/// Larger files are no witnesses that anybody checks. What we write ourselves is far smaller, whatever the program: see [`MAX_WRITTEN`].
pub const MAX_SIZE: usize = 64 << 20;

/// About so many bytes are written into a witness at most.
pub(super) const MAX_WRITTEN: usize = MAX_SIZE / 4;

/// The longest key, which may be the path of a file with every character escaped.
const MAX_KEY: usize = 1 << 16;

/// A file that is no witness, or none for the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadWitness {
    /// Line of the witness file, from 1.
    pub line: Option<u64>,
    /// What is wrong.
    pub message: String,
}

impl BadWitness {
    pub(super) fn new(message: impl Into<String>) -> BadWitness {
        BadWitness {
            line: None,
            message: message.into(),
        }
    }

    fn at(location: YamlLocation, message: impl Into<String>) -> BadWitness {
        BadWitness {
            line: Some(location.line()).filter(|&line| line > 0),
            message: message.into(),
        }
    }
}

impl fmt::Display for BadWitness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for BadWitness {}

/// Reads the text of a witness file: its entries of the kinds that we know.
pub fn read(text: &[u8]) -> Result<Vec<Witness>, BadWitness> {
    if text.len() > MAX_SIZE {
        let size = MAX_SIZE >> 20;
        return Err(BadWitness::new(format!(
            "the file is larger than {size} MB"
        )));
    }
    let text = std::str::from_utf8(text)
        .map_err(|_| BadWitness::new("not a witness: the file is no UTF-8 text"))?;
    // A node takes at least a byte, and an event or two.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: text.len(),
            max_events: text.len().saturating_mul(4),
            simple_key_max_lookahead: MAX_KEY,
        },
    };
    let raw: Result<Vec<RawEntry>, _> = serde_saphyr::from_str_with_options(text, options);
    let raw = raw.map_err(|error| yaml_error(&error))?;
    let mut entries = Vec::new();
    let mut unknown = None;
    for entry in raw {
        match &*entry.entry_type.value {
            "violation_sequence" | "invariant_set" => entries.push(entry.witness()?),
            _ => unknown = Some(entry.entry_type),
        }
    }
    match (entries.is_empty(), unknown) {
        (false, _) => Ok(entries),
        (true, Some(kind)) => {
            let message = format!("entries of type `{}` are not known", kind.value);
            Err(BadWitness::at(kind.defined, message))
        }
        (true, None) => Err(BadWitness::new("not a witness: there is no entry in it")),
    }
}

fn yaml_error(error: &serde_saphyr::Error) -> BadWitness {
    let text = error.without_snippet().to_string();
    // The place is shown by itself.
    let message = text.split(" at line ").next().unwrap_or_default();
    let first_line = message.lines().next().unwrap_or_default();
    let location = error.location().unwrap_or(YamlLocation::UNKNOWN);
    BadWitness::at(location, format!("not a witness: {first_line}"))
}

#[derive(Deserialize)]
struct RawEntry {
    entry_type: Spanned<String>,
    metadata: RawMetadata,
    content: Vec<RawItem>,
}

#[derive(Deserialize)]
struct RawMetadata {
    format_version: Spanned<Scalar>,
    #[serde(default)]
    uuid: String,
    #[serde(default)]
    creation_time: String,
    #[serde(default)]
    producer: RawProducer,
    task: RawTask,
}

#[derive(Deserialize, Default)]
struct RawProducer {
    #[serde(default)]
    name: String,
    version: Option<Scalar>,
}

#[derive(Deserialize)]
struct RawTask {
    input_files: FileNames,
    #[serde(default)]
    input_file_hashes: BTreeMap<String, String>,
    #[serde(default)]
    specification: String,
    data_model: Option<Spanned<String>>,
    language: Option<Spanned<String>>,
}

#[derive(Deserialize)]
struct RawItem {
    segment: Option<Spanned<Vec<RawStep>>>,
    invariant: Option<RawInvariant>,
}

#[derive(Deserialize)]
struct RawStep {
    waypoint: RawWaypoint,
}

#[derive(Deserialize)]
struct RawWaypoint {
    #[serde(rename = "type")]
    kind: Spanned<String>,
    action: Spanned<String>,
    location: RawLocation,
    constraint: Option<RawConstraint>,
}

#[derive(Deserialize)]
struct RawConstraint {
    value: Scalar,
    format: Option<String>,
}

#[derive(Deserialize)]
struct RawLocation {
    file_name: String,
    line: Spanned<i64>,
    column: Option<Spanned<i64>>,
    function: Option<String>,
}

#[derive(Deserialize)]
struct RawInvariant {
    #[serde(rename = "type")]
    kind: Spanned<String>,
    location: RawLocation,
    value: Scalar,
    #[serde(default = "c_expression")]
    format: String,
}

fn c_expression() -> String {
    "c_expression".to_owned()
}

/// A text that may look like something else when it is written without quotes.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text")]
enum Scalar {
    Truth(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Scalar::Truth(value) => value.to_string(),
            Scalar::Integer(value) => value.to_string(),
            Scalar::Number(value) => format!("{value:?}"),
            Scalar::Text(text) => text,
        }
    }
}

impl RawEntry {
    fn witness(self) -> Result<Witness, BadWitness> {
        let metadata = self.metadata.metadata()?;
        let content = match &*self.entry_type.value {
            "violation_sequence" => {
                let segments = self.content.into_iter().filter_map(|item| item.segment);
                let segments = segments.map(segment).collect::<Result<Vec<_>, _>>()?;
                check_targets(&segments)
                    .map_err(|message| BadWitness::at(self.entry_type.defined, message))?;
                Content::Violation(segments)
            }
            _ => {
                let invariants = self.content.into_iter().filter_map(|item| item.invariant);
                let invariants = invariants.map(RawInvariant::invariant);
                // Kinds that are not known are no error: the rest stands for itself.
                let known = invariants.filter_map(Result::transpose);
                Content::Correctness(known.collect::<Result<_, _>>()?)
            }
        };
        Ok(Witness { metadata, content })
    }
}

/// Exactly the last segment leads to the violation.
fn check_targets(segments: &[Segment]) -> Result<(), &'static str> {
    let is_target = |segment: &Segment| segment.follow.kind == WaypointKind::Target;
    match segments.split_last() {
        Some((last, others)) if is_target(last) && !others.iter().any(is_target) => Ok(()),
        Some((last, _)) if is_target(last) => Err("there is more than one target"),
        _ => Err("the last segment has no target"),
    }
}

impl RawMetadata {
    fn metadata(self) -> Result<Metadata, BadWitness> {
        let version_at = self.format_version.defined;
        let format_version = self.format_version.value.text();
        if !format_version.starts_with("2.") {
            let message =
                format!("format version `{format_version}` is not known: 2.0 and later are");
            return Err(BadWitness::at(version_at, message));
        }
        let task = self.task;
        if let Some(language) = &task.language
            && !language.value.eq_ignore_ascii_case("C")
        {
            let message = format!("language `{}` is not supported: only C is", language.value);
            return Err(BadWitness::at(language.defined, message));
        }
        if let Some(model) = &task.data_model
            && model.value.parse::<DataModel>().is_err()
        {
            let message = format!("data model `{}` is not known", model.value);
            return Err(BadWitness::at(model.defined, message));
        }
        Ok(Metadata {
            format_version,
            uuid: self.uuid,
            creation_time: self.creation_time,
            producer: Producer {
                name: self.producer.name,
                version: self.producer.version.map(Scalar::text).unwrap_or_default(),
            },
            task: WitnessTask {
                input_files: task.input_files.into_list(),
                input_file_hashes: task.input_file_hashes,
                specification: task.specification,
                data_model: task.data_model.map(|model| model.value).unwrap_or_default(),
                language: "C".to_owned(),
            },
        })
    }
}

fn segment(raw: Spanned<Vec<RawStep>>) -> Result<Segment, BadWitness> {
    let bad = |message: &str| BadWitness::at(raw.defined, message);
    let mut avoid = Vec::new();
    let mut follow = None;
    for RawStep { waypoint } in raw.value {
        let action = waypoint.action.value.clone();
        let action_at = waypoint.action.defined;
        let waypoint = waypoint.waypoint()?;
        match &*action {
            _ if follow.is_some() => return Err(bad("a waypoint comes after the one to follow")),
            "follow" => follow = Some(waypoint),
            "avoid" => avoid.push(waypoint),
            other => {
                let message = format!("action `{other}` is not known");
                return Err(BadWitness::at(action_at, message));
            }
        }
    }
    let follow = follow.ok_or_else(|| bad("the segment has no waypoint to follow"))?;
    Ok(Segment { avoid, follow })
}

impl RawWaypoint {
    fn waypoint(self) -> Result<Waypoint, BadWitness> {
        let named = WaypointKind::NAMES.iter();
        let kind = named.clone().find(|named| named.1 == self.kind.value);
        let &(kind, _) = kind.ok_or_else(|| {
            let message = format!("waypoints of type `{}` are not known", self.kind.value);
            BadWitness::at(self.kind.defined, message)
        })?;
        Ok(Waypoint {
            kind,
            location: self.location.location()?,
            constraint: self.constraint.map(|constraint| Constraint {
                value: constraint.value.text(),
                format: constraint.format,
            }),
        })
    }
}

impl RawLocation {
    fn location(self) -> Result<Location, BadWitness> {
        let number = |number: &Spanned<i64>, what: &str| {
            let value = u32::try_from(number.value).ok().filter(|&value| value > 0);
            value.ok_or_else(|| BadWitness::at(number.defined, format!("a {what} is at least 1")))
        };
        Ok(Location {
            line: number(&self.line, "line")?,
            column: match &self.column {
                // Some tools mean by 0 that they don't know.
                Some(column) if column.value <= 0 => None,
                Some(column) => Some(number(column, "column")?),
                None => None,
            },
            file_name: self.file_name,
            function: self.function,
        })
    }
}

impl RawInvariant {
    fn invariant(self) -> Result<Option<Invariant>, BadWitness> {
        let kind = match &*self.kind.value {
            "loop_invariant" => InvariantKind::Loop,
            "location_invariant" => InvariantKind::Location,
            _ => return Ok(None),
        };
        Ok(Some(Invariant {
            kind,
            location: self.location.location()?,
            value: self.value.text(),
            format: self.format,
        }))
    }
}
