//! Witnesses as data: what a file of format 2.x says, as far as we use it.

use std::collections::BTreeMap;

/// One entry of a witness file: about one program and one property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Who says it, and about what.
    pub metadata: Metadata,
    /// What is said.
    pub content: Content,
}

/// Who made a witness, when, and for which task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// `2.0`, or a later one.
    pub format_version: String,
    /// A name that no other witness has.
    pub uuid: String,
    /// The time in ISO 8601, without fractions of a second.
    pub creation_time: String,
    /// The tool.
    pub producer: Producer,
    /// What it is about.
    pub task: WitnessTask,
}

/// A tool.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Producer {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A verification task.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WitnessTask {
    /// The program's files.
    pub input_files: Vec<String>,
    /// The SHA-256 of each, in hexadecimal digits.
    pub input_file_hashes: BTreeMap<String, String>,
    /// The property, in the words of a property file.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
    /// `C`.
    pub language: String,
}

/// What a witness says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// How an execution violates the property. The last segment leads to the violation.
    Violation(Vec<Segment>),
    /// What always holds in a program that has the property.
    Correctness(Vec<Invariant>),
}

/// A part of an execution: from one waypoint to the next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Waypoints that are not passed on the way.
    pub avoid: Vec<Waypoint>,
    /// The waypoint at its end.
    pub follow: Waypoint,
}

/// A place in the program and what holds when an execution passes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waypoint {
    /// What is meant by passing it.
    pub kind: WaypointKind,
    /// The place.
    pub location: Location,
    /// What holds.
    pub constraint: Option<Constraint>,
}

/// Kinds of waypoint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WaypointKind {
    /// A condition holds before a statement.
    Assumption,
    /// A branch goes a certain way.
    Branching,
    /// A function is called.
    FunctionEnter,
    /// A function returns, with a certain result.
    FunctionReturn,
    /// The property is violated.
    Target,
}

/// A condition, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// The condition.
    pub value: String,
    /// The language that it is written in.
    pub format: Option<String>,
}

/// A place in a program text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The file.
    pub file_name: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; without one it is the first that makes sense.
    pub column: Option<u32>,
    /// The function.
    pub function: Option<String>,
}

/// A condition that always holds at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invariant {
    /// What is meant by the place.
    pub kind: InvariantKind,
    /// The place.
    pub location: Location,
    /// The condition: a C expression.
    pub value: String,
    /// The language that it is written in.
    pub format: String,
}

/// Kinds of invariant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InvariantKind {
    /// Holds whenever the condition of a loop is about to be evaluated.
    Loop,
    /// Holds whenever a statement is about to be executed.
    Location,
}

impl WaypointKind {
    /// All kinds, with their names.
    pub(super) const NAMES: [(WaypointKind, &'static str); 5] = [
        (WaypointKind::Assumption, "assumption"),
        (WaypointKind::Branching, "branching"),
        (WaypointKind::FunctionEnter, "function_enter"),
        (WaypointKind::FunctionReturn, "function_return"),
        (WaypointKind::Target, "target"),
    ];

    /// Its name in a file.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|named| named.0 == self);
        named.map_or("", |named| named.1)
    }
}

impl InvariantKind {
    /// Its name in a file.
    pub fn name(self) -> &'static str {
        match self {
            InvariantKind::Loop => "loop_invariant",
            InvariantKind::Location => "location_invariant",
        }
    }
}

impl Content {
    /// The kind of entry in a file.
    pub fn entry_type(&self) -> &'static str {
        match self {
            Content::Violation(_) => "violation_sequence",
            Content::Correctness(_) => "invariant_set",
        }
    }
}
