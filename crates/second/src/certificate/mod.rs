//! Certificates, read here without the reader of the first checker: the same file, another program that understands it.

mod expression;
mod file;
mod sexpr;

use std::collections::BTreeMap;

use rhumb_program::{EdgeId, FuncId, IntType, LocId, ObjectId, VarId};
use rustc_hash::FxHashMap;

use self::file::{
    ArgumentEntry, ContractEntry, EntryValue, File, FormulaEntry, GhostEntry, GhostsEntry,
    HintEntry, HomeEntry, PlaceEntry, PointEntry, Ref,
};
pub(crate) use expression::{Expression, Operator, Part, Sort};

use crate::tables::Following;
use crate::unfold::CallRef;

/// The version of the format that is read.
const VERSION: u32 = 1;

/// A file that is no proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadCertificate {
    /// It is no JSON, or has other parts than a proof.
    #[error("the certificate can't be read: {0}")]
    Syntax(String),
    /// It is of another version of the format.
    #[error("the certificate has version {0}, this program reads version {VERSION}")]
    Version(u32),
    /// A formula can't be read.
    #[error("a formula of the certificate can't be read: {0}")]
    Formula(String),
    /// It names something that the program doesn't have, or twice what there is once.
    #[error("the certificate does not fit the program: {0}")]
    Program(String),
}

/// A name in formulas, by its place.
pub(crate) type Name = usize;

/// A declared object, or what an edge allocates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellOf {
    Object(ObjectId),
    Allocation(CallRef),
}

/// The scalar at a distance from the start of an object, in the activation that these calls lead to; or whether it is alive.
#[derive(Clone, Debug)]
pub(crate) struct CellPart {
    pub(crate) calls: Vec<CallRef>,
    pub(crate) of: CellOf,
    pub(crate) offset: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) enum GhostName {
    Index(u32),
    Hit(u32),
    Cell(u32),
    /// Something of a sum of elements.
    Fold,
    /// How far a pointer variable is from the start of its object.
    Distance(Vec<CallRef>, VarId),
    /// Of one of many instances of an allocation.
    Instance,
}

/// An element: the integer at `offset + stride * index` of an object. Objects and edges are those of the program after inlining.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) of: CellOf,
    pub(crate) index: usize,
    pub(crate) offset: i64,
    pub(crate) stride: i64,
    pub(crate) ty: IntType,
}

/// Elements that are followed, and for each index the loads that are its sites, each with its element.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    pub(crate) cells: Vec<Element>,
    pub(crate) indices: Vec<Vec<(u32, usize)>>,
    /// Whether there are sums of elements, too.
    pub(crate) has_folds: bool,
    /// Whether one of many instances of an allocation is followed, too: nothing here knows of that.
    pub(crate) has_instances: bool,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Meaning {
    /// A variable of the program, in the activation that these calls lead to.
    Variable(Vec<CallRef>, VarId),
    /// A part of an object.
    Cell(CellPart),
    /// What belongs to an element that is followed.
    Ghost(GhostName),
    /// Something that formulas quantify.
    Bound(Sort),
}

/// A place of the program: calls, then function and location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Point {
    pub(crate) calls: Vec<CallRef>,
    pub(crate) location: (FuncId, LocId),
}

/// `∃ bound. matrix`, or its negation.
#[derive(Clone, Debug)]
pub(crate) struct Formula {
    pub(crate) bound: Vec<Name>,
    pub(crate) negated: bool,
    pub(crate) matrix: Expression,
}

/// Values for the bound names of a formula, on the way between two points.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    pub(crate) from: Point,
    pub(crate) to: Point,
    /// The formula of the end for whose sake it is; none for all of them.
    pub(crate) goal: Option<usize>,
    /// The formula of the beginning whose bound names get the values; none for the goal's.
    pub(crate) premise: Option<usize>,
    pub(crate) values: Vec<Expression>,
}

/// What an exploration is to look at.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// Variables, each in the activation that these calls lead to.
    pub(crate) followed: Vec<(Vec<CallRef>, VarId)>,
    /// Branches where both ways are taken without looking.
    pub(crate) unseen: Vec<Point>,
}

/// What a function asks for and gives.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    pub(crate) requires: Vec<Formula>,
    pub(crate) ensures: Vec<Formula>,
    /// Whether it lists what is modified, which says that everything else is as it was.
    pub(crate) has_list: bool,
    /// The name of its result.
    pub(crate) result: Option<Name>,
}

/// Contracts, and what holds at points of bodies.
#[derive(Clone, Debug)]
pub(crate) struct Contracts {
    pub(crate) functions: BTreeMap<FuncId, Contract>,
    /// Names for the values that globals and parameters had when the function was entered.
    pub(crate) entry: Vec<(Name, VarId)>,
    pub(crate) points: Vec<(Point, Vec<Formula>)>,
    pub(crate) hints: Vec<Hint>,
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Invariants {
        points: Vec<(Point, Vec<Formula>)>,
        hints: Vec<Hint>,
    },
    Unrolling(u32),
    Exploration(View),
    /// Each body has a proof of its own.
    Contracts(Contracts),
    Tabulation(Following),
    /// All runs were followed.
    Execution,
    /// The proof is about another program, which only the first checker makes.
    Bounds,
    /// About one thread among others, which nobody looks at here.
    Alone,
    /// Proofs about the program asked for some targets each.
    Parts(Vec<(Vec<u32>, Certificate)>),
}

/// A proof as a file tells it.
#[derive(Clone, Debug)]
pub(crate) struct Certificate {
    pub(crate) meanings: Vec<Meaning>,
    /// The elements of large objects that it follows.
    pub(crate) ghosts: Option<Elements>,
    pub(crate) argument: Argument,
}

impl Certificate {
    pub(crate) fn read(text: &str) -> Result<Certificate, BadCertificate> {
        let file: File = serde_json::from_str(text)
            .map_err(|error| BadCertificate::Syntax(error.to_string()))?;
        Certificate::of(file)
    }

    fn of(file: File) -> Result<Certificate, BadCertificate> {
        if file.version != VERSION {
            return Err(BadCertificate::Version(file.version));
        }
        let mut names: FxHashMap<String, (Name, Sort)> = FxHashMap::default();
        let mut meanings = Vec::new();
        let folds = (file.ghosts.as_ref()).map_or(0, |ghosts| ghosts.folds.len());
        let variables = file.variables.into_iter().map(|entry| {
            let calls = calls(&entry.calls);
            let meaning = match (entry.variable, entry.cell, entry.ghost) {
                (Some(var), None, None) => Meaning::Variable(calls, VarId::from_raw(var)),
                (None, Some(cell), None) => Meaning::Cell(CellPart {
                    calls,
                    of: match cell.of {
                        PlaceEntry::Object(object) => CellOf::Object(ObjectId::from_raw(object)),
                        PlaceEntry::Allocation((function, edge)) => {
                            CellOf::Allocation((FuncId::from_raw(function), EdgeId::from_raw(edge)))
                        }
                    },
                    offset: cell.offset,
                }),
                (None, None, Some(ghost)) => Meaning::Ghost(match ghost {
                    GhostEntry::Index(number) => GhostName::Index(number),
                    GhostEntry::Hit(number) => GhostName::Hit(number),
                    GhostEntry::Cell(number) => GhostName::Cell(number),
                    GhostEntry::First(number)
                    | GhostEntry::Next(number)
                    | GhostEntry::Sum(number) => {
                        if number as usize >= folds {
                            return Err(BadCertificate::Syntax("there is no such fold".to_owned()));
                        }
                        GhostName::Fold
                    }
                    GhostEntry::Pick(serde::de::IgnoredAny) => GhostName::Instance,
                    GhostEntry::Distance(var) => GhostName::Distance(calls, VarId::from_raw(var)),
                }),
                _ => {
                    let what = format!(
                        "`{}` is neither a variable nor a part of an object",
                        entry.name
                    );
                    return Err(BadCertificate::Syntax(what));
                }
            };
            Ok((entry.name, meaning, Sort::Int))
        });
        let bound = file.bound.into_iter().map(|(name, sort)| {
            let sort = match &*sort {
                "Int" => Sort::Int,
                "Bool" => Sort::Bool,
                other => return Err(BadCertificate::Formula(format!("no sort {other}"))),
            };
            Ok((name, Meaning::Bound(sort), sort))
        });
        for entry in variables.chain(bound) {
            let (name, meaning, sort) = entry?;
            if names.insert(name.clone(), (meanings.len(), sort)).is_some() {
                let twice = format!("`{name}` is declared twice");
                return Err(BadCertificate::Syntax(twice));
            }
            meanings.push(meaning);
        }
        let argument = match file.argument {
            ArgumentEntry::Unrolling { depth } => Argument::Unrolling(depth),
            ArgumentEntry::Contracts {
                functions,
                entry,
                points,
                hints,
            } => {
                let (points, hints) = invariants(points, &hints, &names)?;
                Argument::Contracts(Contracts {
                    functions: contracts(&functions, &names)?,
                    entry: entry_values(&entry, &names)?,
                    points,
                    hints,
                })
            }
            ArgumentEntry::Tabulation { followed, coarse } => Argument::Tabulation(Following {
                vars: followed,
                coarse,
            }),
            ArgumentEntry::Bounds(_) => Argument::Bounds,
            ArgumentEntry::Alone(_) => Argument::Alone,
            ArgumentEntry::Parts(parts) => {
                let parts = parts
                    .into_iter()
                    .map(|part| Ok((part.targets, Certificate::of(part.proof)?)));
                Argument::Parts(parts.collect::<Result<_, BadCertificate>>()?)
            }
            ArgumentEntry::Exploration { followed, unseen } => {
                let variables = followed.iter().filter_map(|entry| {
                    let var = VarId::from_raw(entry.variable?);
                    Some((calls(&entry.calls), var))
                });
                let unseen = unseen.iter().map(|at| point(&at.calls, at.location));
                Argument::Exploration(View {
                    followed: variables.collect(),
                    unseen: unseen.collect(),
                })
            }
            // They say nothing but that all runs can be followed.
            ArgumentEntry::Execution(_) | ArgumentEntry::Together(_) | ArgumentEntry::Shapes(_) => {
                Argument::Execution
            }
            ArgumentEntry::Invariants { points, hints } => {
                let (points, hints) = invariants(points, &hints, &names)?;
                Argument::Invariants { points, hints }
            }
        };
        Ok(Certificate {
            meanings,
            ghosts: file.ghosts.map(GhostsEntry::read).transpose()?,
            argument,
        })
    }
}

impl GhostsEntry {
    fn read(self) -> Result<Elements, BadCertificate> {
        let bad = || BadCertificate::Syntax("an element is no integer of whole bytes".to_owned());
        let cells = self.cells.iter().map(|cell| {
            let is_fine = matches!(cell.bits, 8 | 16 | 32 | 64);
            Ok(Element {
                of: match cell.of {
                    HomeEntry::Object(object) => CellOf::Object(ObjectId::from_raw(object)),
                    // The function is not used.
                    HomeEntry::Allocation(edge) => {
                        CellOf::Allocation((FuncId::from_raw(0), EdgeId::from_raw(edge)))
                    }
                },
                index: cell.index,
                offset: cell.offset,
                stride: cell.stride,
                ty: IntType {
                    width: is_fine.then_some(cell.bits).ok_or_else(bad)?,
                    signed: cell.signed,
                },
            })
        });
        let cells = cells.collect::<Result<_, BadCertificate>>()?;
        let indices = self.indices.into_iter().map(|index| index.sites);
        Ok(Elements {
            cells,
            indices: indices.collect(),
            has_folds: !self.folds.is_empty(),
            has_instances: !self.instances.is_empty(),
        })
    }
}

type Names = FxHashMap<String, (Name, Sort)>;

impl FormulaEntry {
    fn read(&self, names: &Names) -> Result<Formula, BadCertificate> {
        let matrix = Expression::read(&self.matrix, names).map_err(BadCertificate::Formula)?;
        if matrix.sort() != Sort::Bool {
            let what = "it is no truth value".to_owned();
            return Err(BadCertificate::Formula(what));
        }
        let name = |name: &String| match names.get(name) {
            Some((name, _)) => Ok(*name),
            None => Err(BadCertificate::Formula(format!("what is `{name}`?"))),
        };
        Ok(Formula {
            bound: self.bound.iter().map(name).collect::<Result<_, _>>()?,
            negated: self.negated,
            matrix,
        })
    }
}

impl HintEntry {
    fn read(&self, names: &Names) -> Result<Hint, BadCertificate> {
        let values = self.values.iter();
        let values =
            values.map(|value| Expression::read(value, names).map_err(BadCertificate::Formula));
        Ok(Hint {
            from: point(&self.from.calls, self.from.location),
            to: point(&self.to.calls, self.to.location),
            goal: self.goal,
            premise: self.premise,
            values: values.collect::<Result<_, _>>()?,
        })
    }
}

type Invariants = (Vec<(Point, Vec<Formula>)>, Vec<Hint>);

fn invariants(
    points: Vec<PointEntry>,
    hints: &[HintEntry],
    names: &Names,
) -> Result<Invariants, BadCertificate> {
    let points = points.into_iter().map(|entry| {
        let formulas = entry.formulas.iter().map(|entry| entry.read(names));
        let formulas = formulas.collect::<Result<Vec<_>, _>>()?;
        Ok((point(&entry.calls, entry.location), formulas))
    });
    let hints = hints.iter().map(|entry| entry.read(names));
    let points = points.collect::<Result<_, BadCertificate>>()?;
    Ok((points, hints.collect::<Result<_, BadCertificate>>()?))
}

fn contracts(
    entries: &[ContractEntry],
    names: &Names,
) -> Result<BTreeMap<FuncId, Contract>, BadCertificate> {
    let mut contracts = BTreeMap::new();
    for entry in entries {
        let read = |texts: &[String]| {
            let formulas = texts.iter().map(|matrix| {
                FormulaEntry {
                    bound: Vec::new(),
                    negated: false,
                    matrix: matrix.clone(),
                }
                .read(names)
            });
            formulas.collect::<Result<Vec<_>, _>>()
        };
        let result = entry.result.as_ref().map(|name| named(name, names));
        let contract = Contract {
            requires: read(&entry.requires)?,
            ensures: read(&entry.ensures)?,
            has_list: entry.modifies.is_some(),
            result: result.transpose()?,
        };
        let function = FuncId::from_raw(entry.function);
        if contracts.insert(function, contract).is_some() {
            let twice = format!("function {} has two contracts", entry.function);
            return Err(BadCertificate::Syntax(twice));
        }
    }
    Ok(contracts)
}

fn entry_values(
    entries: &[EntryValue],
    names: &Names,
) -> Result<Vec<(Name, VarId)>, BadCertificate> {
    let mut values = Vec::new();
    for entry in entries {
        // Parts of objects have no such name here: it stands for anything.
        if let (Some(var), []) = (entry.variable.variable, &entry.variable.calls[..]) {
            values.push((named(&entry.name, names)?, VarId::from_raw(var)));
        }
    }
    Ok(values)
}

/// A name of the certificate that stands for a number.
fn named(name: &str, names: &Names) -> Result<Name, BadCertificate> {
    match names.get(name) {
        Some((name, Sort::Int)) => Ok(*name),
        _ => Err(BadCertificate::Formula(format!("what is `{name}`?"))),
    }
}

fn calls(refs: &[Ref]) -> Vec<CallRef> {
    let call = |&(function, edge): &Ref| (FuncId::from_raw(function), EdgeId::from_raw(edge));
    refs.iter().map(call).collect()
}

fn point(refs: &[Ref], (function, location): Ref) -> Point {
    Point {
        calls: calls(refs),
        location: (FuncId::from_raw(function), LocId::from_raw(location)),
    }
}
