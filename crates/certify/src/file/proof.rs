//! Proofs in certificate files.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Symbol, Terms};
use rhumb_program::passes::{Cell, CellPart, CellPlace, EdgeRef, LocRef, VarOrigin};
use rhumb_program::{EdgeId, FuncId, LocId, ObjectId, Program, TargetId, VarId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::contracts::{self, ContractEntry, EntryValue};
use super::fingerprint::fingerprint;
use super::ghosts::{GhostVariable, GhostsEntry};
use super::naming::Naming;
use super::outside::OutsideEntry;
use super::promises::AloneEntry;
use super::text::{self, Names, ReadError, Unwritable};
use crate::proof::{
    Argument, Exploration, Following, Formula, Hint, Instance, Invariants, Part, Point, Proof,
    VALUE_SORT, Variable, with_bounds,
};

/// The version that this code writes and reads.
const VERSION: u32 = 1;

/// Files beyond this are not read.
const MAX_BYTES: usize = 256 << 20;

/// A proof as it lies in a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProofFile {
    /// Version of the format.
    pub version: u32,
    /// The [`fingerprint`] of the program as lowered.
    pub program: String,
    /// What was said and assumed of functions that nobody defines.
    #[serde(default)]
    pub(super) outside: OutsideEntry,
    /// The variables that formulas name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    variables: Vec<VariableEntry>,
    /// Bound symbols by name, with their sorts.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    bound: BTreeMap<String, String>,
    /// Elements of large objects that are followed.
    #[serde(default, skip_serializing_if = "GhostsEntry::is_empty")]
    ghosts: GhostsEntry,
    argument: ArgumentEntry,
}

/// A location or edge: function and number.
pub(super) type Ref = (u32, u32);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VariableEntry {
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<Ref>,
    /// A variable of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) variable: Option<u32>,
    /// Or a part of an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cell: Option<CellEntry>,
    /// Or what belongs to an element that is followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) ghost: Option<GhostVariable>,
}

/// A part of an object: the scalar at a distance from its start, or, without one, whether it is alive.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CellEntry {
    of: PlaceEntry,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// A declared object, or what an edge allocates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PlaceEntry {
    Object(u32),
    Allocation(Ref),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum ArgumentEntry {
    Invariants {
        points: Vec<PointEntry>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hints: Vec<HintEntry>,
    },
    Contracts {
        functions: Vec<ContractEntry>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entry: Vec<EntryValue>,
        points: Vec<PointEntry>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hints: Vec<HintEntry>,
    },
    Unrolling {
        depth: u32,
    },
    Execution {
        steps: u64,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        crowd: bool,
    },
    Together {
        steps: u64,
    },
    Shapes {
        steps: u64,
    },
    Tabulation {
        followed: Vec<u32>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        coarse: Vec<(u32, u32)>,
    },
    Exploration {
        followed: Vec<PlacedEntry>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unseen: Vec<PointRef>,
    },
    /// About the program in which bounds are numbers.
    Bounds(Box<ProofFile>),
    /// About one thread among others that keep promises.
    Alone(AloneEntry),
    /// About the program asked for some targets each.
    Parts(Vec<PartEntry>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartEntry {
    targets: Vec<u32>,
    proof: ProofFile,
}

/// A variable, or a part of an object, in one of its activations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlacedEntry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Ref>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    variable: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cell: Option<CellEntry>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointRef {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<Ref>,
    location: Ref,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointEntry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<Ref>,
    pub(super) location: Ref,
    pub(super) formulas: Vec<FormulaEntry>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FormulaEntry {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) bound: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) negated: bool,
    pub(super) matrix: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HintEntry {
    pub(super) from: PointRef,
    pub(super) to: PointRef,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) goal: Option<usize>,
    /// The formula of the beginning that is instantiated; none for the goal itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) premise: Option<usize>,
    pub(super) values: Vec<String>,
}

/// Why a file has no proof for a program.
#[derive(Debug, thiserror::Error)]
pub enum ProofFileError {
    /// It is too large.
    #[error("the certificate is too large")]
    TooLarge,
    /// It is no JSON, or other JSON.
    #[error("the certificate can't be read: {0}")]
    Json(#[from] serde_json::Error),
    /// It is of another version of the format.
    #[error("the certificate has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// It is for another program.
    #[error("the certificate is for another program")]
    OtherProgram,
    /// A name is declared twice.
    #[error("the certificate declares `{0}` twice")]
    Twice(String),
    /// A bound symbol that is not declared, or has a sort that there isn't.
    #[error("the certificate does not say what `{0}` is")]
    Bound(String),
    /// A formula can't be read.
    #[error("a formula of the certificate can't be read, {0}")]
    Formula(#[from] ReadError),
    /// It is about bounds, which the program has not.
    #[error("the certificate is about bounds that the program doesn't have")]
    NoBounds,
    /// It is about one thread among others, and the program is none of which that can be said.
    #[error("the certificate is about threads and promises that the program doesn't have")]
    NoPromises,
    /// A formula can't be written.
    #[error(transparent)]
    Unwritable(#[from] Unwritable),
}

impl ProofFile {
    /// The file for a proof about a program.
    pub fn new(program: &Program, proof: &Proof) -> Result<ProofFile, ProofFileError> {
        let mut names = Naming::new(program, proof);
        let argument = match &proof.argument {
            Argument::Unrolling { depth } => ArgumentEntry::Unrolling { depth: *depth },
            &Argument::Execution { steps, crowd } => ArgumentEntry::Execution { steps, crowd },
            &Argument::Together { steps } => ArgumentEntry::Together { steps },
            &Argument::Shapes { steps } => ArgumentEntry::Shapes { steps },
            Argument::Bounds(inner) => {
                let program = with_bounds(program).ok_or(ProofFileError::NoBounds)?;
                ArgumentEntry::Bounds(Box::new(ProofFile::new(&program, inner)?))
            }
            Argument::Alone(promises, inner) => {
                ArgumentEntry::Alone(AloneEntry::new(program, promises, inner)?)
            }
            Argument::Parts(parts) => {
                let entries = parts.iter().map(|part| PartEntry::of(program, part));
                ArgumentEntry::Parts(entries.collect::<Result<_, _>>()?)
            }
            Argument::Tabulation(Following { vars, coarse }) => {
                let number = |var: &VarId| var.index() as u32;
                let coarse = coarse.iter().map(|(var, bound)| (number(var), *bound));
                ArgumentEntry::Tabulation {
                    followed: vars.iter().map(number).collect(),
                    coarse: coarse.collect(),
                }
            }
            Argument::Exploration(exploration) => {
                let followed = exploration.followed.iter();
                ArgumentEntry::Exploration {
                    followed: followed.filter_map(PlacedEntry::of).collect(),
                    unseen: exploration.unseen.iter().map(point_ref).collect(),
                }
            }
            Argument::Invariants(invariants) => {
                let (points, hints) = names.invariants(invariants)?;
                ArgumentEntry::Invariants { points, hints }
            }
            Argument::Contracts(contracts) => {
                let (points, hints) = names.invariants(&contracts.invariants)?;
                let (functions, entry) = contracts::write(&mut names, contracts)?;
                ArgumentEntry::Contracts {
                    functions,
                    entry,
                    points,
                    hints,
                }
            }
        };
        Ok(ProofFile {
            version: VERSION,
            program: fingerprint(program),
            outside: OutsideEntry::of(program),
            variables: names.variables()?,
            bound: names.bound()?,
            ghosts: GhostsEntry::of(&proof.ghosts),
            argument,
        })
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String, ProofFileError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Reads the text of a file.
    pub fn from_json(text: &str) -> Result<ProofFile, ProofFileError> {
        if text.len() > MAX_BYTES {
            return Err(ProofFileError::TooLarge);
        }
        let file: ProofFile = serde_json::from_str(text)?;
        match file.version {
            VERSION => Ok(file),
            other => Err(ProofFileError::Version(other)),
        }
    }

    /// The proof, with a store of its own.
    pub fn proof(&self, program: &Program) -> Result<Proof, ProofFileError> {
        if self.program != fingerprint(program) {
            return Err(ProofFileError::OtherProgram);
        }
        let terms = Arc::new(Terms::new());
        let (names, variables) = self.declarations(&terms)?;
        let argument = match &self.argument {
            ArgumentEntry::Unrolling { depth } => Argument::Unrolling { depth: *depth },
            &ArgumentEntry::Execution { steps, crowd } => Argument::Execution { steps, crowd },
            &ArgumentEntry::Together { steps } => Argument::Together { steps },
            &ArgumentEntry::Shapes { steps } => Argument::Shapes { steps },
            ArgumentEntry::Bounds(inner) => {
                let program = with_bounds(program).ok_or(ProofFileError::NoBounds)?;
                Argument::Bounds(Box::new(inner.proof(&program)?))
            }
            ArgumentEntry::Alone(entry) => {
                let (promises, proof) = entry.read(program)?;
                Argument::Alone(promises, Box::new(proof))
            }
            ArgumentEntry::Parts(entries) => {
                let parts = entries.iter().map(|entry| entry.part(program));
                Argument::Parts(parts.collect::<Result<_, _>>()?)
            }
            ArgumentEntry::Tabulation { followed, coarse } => {
                let var = |&var: &u32| VarId::new(var as usize);
                let coarse = coarse.iter().map(|(number, bound)| (var(number), *bound));
                Argument::Tabulation(Following {
                    vars: followed.iter().map(var).collect(),
                    coarse: coarse.collect(),
                })
            }
            ArgumentEntry::Exploration { followed, unseen } => {
                let followed = followed.iter().map(PlacedEntry::variable);
                let unseen = unseen.iter().map(|at| point(&at.calls, at.location));
                Argument::Exploration(Exploration {
                    followed: followed.collect::<Result<_, ProofFileError>>()?,
                    unseen: unseen.collect(),
                })
            }
            ArgumentEntry::Invariants { points, hints } => {
                Argument::Invariants(invariants(&terms, &names, points, hints)?)
            }
            ArgumentEntry::Contracts {
                functions,
                entry,
                points,
                hints,
            } => {
                let invariants = invariants(&terms, &names, points, hints)?;
                let contracts = contracts::read(&terms, &names, functions, entry, invariants)?;
                Argument::Contracts(contracts)
            }
        };
        Ok(Proof {
            terms,
            variables,
            ghosts: Box::new(self.ghosts.plan()),
            argument,
        })
    }

    fn declarations(
        &self,
        terms: &Terms,
    ) -> Result<(Names, FxHashMap<Symbol, Variable>), ProofFileError> {
        let mut names = Names::default();
        let mut variables = FxHashMap::default();
        for entry in &self.variables {
            let symbol = terms.symbol(&*entry.name, VALUE_SORT);
            if names.insert(entry.name.clone(), symbol).is_some() {
                return Err(ProofFileError::Twice(entry.name.clone()));
            }
            let unknown = || ProofFileError::Bound(entry.name.clone());
            let variable = Variable {
                calls: entry.calls.iter().copied().map(edge).collect(),
                var: match entry.ghost {
                    Some(ghost) if entry.variable.is_none() && entry.cell.is_none() => {
                        ghost.origin()
                    }
                    Some(_) => return Err(unknown()),
                    None => origin_of(entry.variable, &entry.cell).ok_or_else(unknown)?,
                },
            };
            variables.insert(symbol, variable);
        }
        for (name, sort) in &self.bound {
            let unknown = || ProofFileError::Bound(name.clone());
            let sort = text::sort_of(sort).ok_or_else(unknown)?;
            let symbol = terms.symbol(&**name, sort);
            if names.insert(name.clone(), symbol).is_some() {
                return Err(ProofFileError::Twice(name.clone()));
            }
        }
        Ok((names, variables))
    }
}

impl PartEntry {
    fn of(program: &Program, part: &Part) -> Result<PartEntry, ProofFileError> {
        let asked = program.asking(&part.targets);
        Ok(PartEntry {
            targets: part.targets.iter().map(|id| id.raw()).collect(),
            proof: ProofFile::new(&asked, &part.proof)?,
        })
    }

    fn part(&self, program: &Program) -> Result<Part, ProofFileError> {
        let targets: Vec<TargetId> = self
            .targets
            .iter()
            .copied()
            .map(TargetId::from_raw)
            .collect();
        if targets.iter().any(|id| id.index() >= program.targets.len()) {
            return Err(ProofFileError::OtherProgram);
        }
        Ok(Part {
            proof: self.proof.proof(&program.asking(&targets))?,
            targets,
        })
    }
}

/// The invariants of points and hints.
fn invariants(
    terms: &Terms,
    names: &Names,
    points: &[PointEntry],
    hints: &[HintEntry],
) -> Result<Invariants, ProofFileError> {
    let mut invariants = Invariants::default();
    for entry in points {
        let formulas = entry.formulas.iter();
        let formulas = formulas.map(|formula| formula.read(terms, names));
        let formulas = formulas.collect::<Result<Vec<Formula>, _>>()?;
        let point = point(&entry.calls, entry.location);
        invariants.at.entry(point).or_default().extend(formulas);
    }
    for hint in hints {
        invariants.hints.push(hint.read(terms, names)?);
    }
    Ok(invariants)
}

impl PlacedEntry {
    /// The entry for a variable; none for what no proof speaks of.
    pub(super) fn of(variable: &Variable) -> Option<PlacedEntry> {
        let (number, cell) = entry_of(variable.var)?;
        Some(PlacedEntry {
            calls: refs(&variable.calls),
            variable: number,
            cell,
        })
    }

    /// The variable that it is for.
    pub(super) fn variable(&self) -> Result<Variable, ProofFileError> {
        let unknown = || ProofFileError::Bound("a variable".to_owned());
        Ok(Variable {
            calls: self.calls.iter().copied().map(edge).collect(),
            var: origin_of(self.variable, &self.cell).ok_or_else(unknown)?,
        })
    }
}

/// What an entry stands for, if it is one thing: a variable, or a part of an object.
fn origin_of(variable: Option<u32>, cell: &Option<CellEntry>) -> Option<VarOrigin> {
    match (variable, cell) {
        (Some(var), None) => Some(VarOrigin::Variable(VarId::from_raw(var))),
        (None, Some(cell)) => Some(VarOrigin::Cell(Cell {
            place: match cell.of {
                PlaceEntry::Object(object) => CellPlace::Object(ObjectId::from_raw(object)),
                PlaceEntry::Allocation(at) => CellPlace::Allocation(edge(at)),
            },
            part: cell.offset.map_or(CellPart::Alive, CellPart::At),
        })),
        _ => None,
    }
}

/// The entry for a variable or a part of an object; none for what no proof speaks of.
pub(super) fn entry_of(origin: VarOrigin) -> Option<(Option<u32>, Option<CellEntry>)> {
    let Cell { place, part } = match origin {
        VarOrigin::Variable(var) => return Some((Some(var.raw()), None)),
        VarOrigin::Part(..) | VarOrigin::Distance(_) | VarOrigin::Ghost(..) => return None,
        VarOrigin::Cell(cell) => cell,
    };
    let of = match place {
        CellPlace::Object(object) => PlaceEntry::Object(object.raw()),
        CellPlace::Allocation(at) => PlaceEntry::Allocation((at.function.raw(), at.edge.raw())),
    };
    let offset = match part {
        CellPart::At(offset) => Some(offset),
        CellPart::Alive => None,
    };
    Some((None, Some(CellEntry { of, offset })))
}

impl FormulaEntry {
    fn read(&self, terms: &Terms, names: &Names) -> Result<Formula, ProofFileError> {
        let symbol = |name: &String| {
            let unknown = || ProofFileError::Bound(name.clone());
            names.get(name).copied().ok_or_else(unknown)
        };
        Ok(Formula {
            bound: self.bound.iter().map(symbol).collect::<Result<_, _>>()?,
            matrix: text::read(terms, &self.matrix, names)?,
            negated: self.negated,
        })
    }
}

impl HintEntry {
    fn read(&self, terms: &Terms, names: &Names) -> Result<Hint, ProofFileError> {
        let values = self
            .values
            .iter()
            .map(|value| text::read(terms, value, names));
        Ok(Hint {
            from: point(&self.from.calls, self.from.location),
            to: point(&self.to.calls, self.to.location),
            goal: self.goal,
            instance: match self.premise {
                Some(place) => Instance::Premise(place),
                None => Instance::Goal,
            },
            values: values.collect::<Result<_, _>>()?,
        })
    }
}

pub(super) fn refs(calls: &[EdgeRef]) -> Vec<Ref> {
    calls
        .iter()
        .map(|call| (call.function.raw(), call.edge.raw()))
        .collect()
}

pub(super) fn point_ref(point: &Point) -> PointRef {
    PointRef {
        calls: refs(&point.calls),
        location: location_ref(point.location),
    }
}

pub(super) fn location_ref(at: LocRef) -> Ref {
    (at.function.raw(), at.location.raw())
}

fn edge((function, edge): Ref) -> EdgeRef {
    EdgeRef {
        function: FuncId::from_raw(function),
        edge: EdgeId::from_raw(edge),
    }
}

fn point(calls: &[Ref], (function, location): Ref) -> Point {
    Point {
        calls: calls.iter().copied().map(edge).collect(),
        location: LocRef {
            function: FuncId::from_raw(function),
            location: LocId::from_raw(location),
        },
    }
}
