//! The file as it lies there: JSON, part by part.

use std::collections::BTreeMap;

use serde::Deserialize;

pub(super) type Ref = (u32, u32);

#[derive(Deserialize)]
pub(super) struct File {
    pub(super) version: u32,
    #[serde(default)]
    pub(super) variables: Vec<VariableEntry>,
    #[serde(default)]
    pub(super) bound: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) ghosts: Option<GhostsEntry>,
    pub(super) argument: ArgumentEntry,
}

#[derive(Deserialize)]
pub(super) struct VariableEntry {
    pub(super) name: String,
    #[serde(default)]
    pub(super) calls: Vec<Ref>,
    #[serde(default)]
    pub(super) variable: Option<u32>,
    #[serde(default)]
    pub(super) cell: Option<CellEntry>,
    #[serde(default)]
    pub(super) ghost: Option<GhostEntry>,
}

/// The scalar at a distance from the start of an object, or, without one, whether it is alive.
#[derive(Deserialize)]
pub(super) struct CellEntry {
    pub(super) of: PlaceEntry,
    #[serde(default)]
    pub(super) offset: Option<u64>,
}

/// A declared object, or what an edge allocates.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PlaceEntry {
    Object(u32),
    Allocation(Ref),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum GhostEntry {
    Index(u32),
    Hit(u32),
    Cell(u32),
    First(u32),
    Next(u32),
    Sum(u32),
    Distance(u32),
    /// Of one of many instances of an allocation: nothing here knows of those.
    #[serde(alias = "taken", alias = "met", alias = "set")]
    Pick(serde::de::IgnoredAny),
}

/// Elements that are followed, named in the program after inlining.
#[derive(Deserialize)]
pub(super) struct GhostsEntry {
    pub(super) indices: Vec<IndexEntry>,
    pub(super) cells: Vec<ElementEntry>,
    /// Sums of elements: only whether there are some is asked here.
    #[serde(default)]
    pub(super) folds: Vec<serde_json::Value>,
    /// Allocations of which one instance is followed.
    #[serde(default)]
    pub(super) instances: Vec<u32>,
}

#[derive(Deserialize)]
pub(super) struct IndexEntry {
    pub(super) sites: Vec<(u32, usize)>,
}

#[derive(Deserialize)]
pub(super) struct ElementEntry {
    pub(super) of: HomeEntry,
    pub(super) index: usize,
    pub(super) offset: i64,
    pub(super) stride: i64,
    pub(super) bits: u16,
    pub(super) signed: bool,
}

/// As [`PlaceEntry`], with an edge of the start function.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum HomeEntry {
    Object(u32),
    Allocation(u32),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum ArgumentEntry {
    #[serde(rename_all = "lowercase")]
    Invariants {
        points: Vec<PointEntry>,
        #[serde(default)]
        hints: Vec<HintEntry>,
    },
    Unrolling {
        depth: u32,
    },
    Exploration {
        followed: Vec<FollowedEntry>,
        #[serde(default)]
        unseen: Vec<PointRef>,
    },
    Contracts {
        functions: Vec<ContractEntry>,
        #[serde(default)]
        entry: Vec<EntryValue>,
        #[serde(default)]
        points: Vec<PointEntry>,
        #[serde(default)]
        hints: Vec<HintEntry>,
    },
    Tabulation {
        followed: Vec<u32>,
        #[serde(default)]
        coarse: Vec<(u32, u32)>,
    },
    /// Nothing in it is looked at.
    Execution(serde::de::IgnoredAny),
    Together(serde::de::IgnoredAny),
    Shapes(serde::de::IgnoredAny),
    /// Nor in this.
    Bounds(serde::de::IgnoredAny),
    Alone(serde::de::IgnoredAny),
    Parts(Vec<PartEntry>),
}

/// The contract of a function. What `modifies` lists is not used: everything that may be set may have changed.
#[derive(Deserialize)]
pub(super) struct ContractEntry {
    pub(super) function: u32,
    #[serde(default)]
    pub(super) requires: Vec<String>,
    #[serde(default)]
    pub(super) ensures: Vec<String>,
    #[serde(default)]
    pub(super) modifies: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    pub(super) result: Option<String>,
}

/// A name for the value that a variable had when the function was entered.
#[derive(Deserialize)]
pub(super) struct EntryValue {
    pub(super) name: String,
    pub(super) variable: FollowedEntry,
}

#[derive(Deserialize)]
pub(super) struct PartEntry {
    pub(super) targets: Vec<u32>,
    pub(super) proof: File,
}

#[derive(Deserialize)]
pub(super) struct FollowedEntry {
    #[serde(default)]
    pub(super) calls: Vec<Ref>,
    /// None for a part of an object, which is not followed here.
    #[serde(default)]
    pub(super) variable: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct PointEntry {
    #[serde(default)]
    pub(super) calls: Vec<Ref>,
    pub(super) location: Ref,
    pub(super) formulas: Vec<FormulaEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormulaEntry {
    #[serde(default)]
    pub(super) bound: Vec<String>,
    #[serde(default)]
    pub(super) negated: bool,
    pub(super) matrix: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointRef {
    #[serde(default)]
    pub(super) calls: Vec<Ref>,
    pub(super) location: Ref,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HintEntry {
    pub(super) from: PointRef,
    pub(super) to: PointRef,
    #[serde(default)]
    pub(super) goal: Option<usize>,
    #[serde(default)]
    pub(super) premise: Option<usize>,
    pub(super) values: Vec<String>,
}
