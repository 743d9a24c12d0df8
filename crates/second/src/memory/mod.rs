//! Memory in formulas: objects all of whose uses are understood have *cells*, which are variables like others.
//!
//! Right for programs that use memory as a set of variables, and for arrays whose elements are treated alike. An object that is followed
//! lies at a fixed address, and what pointers may point to is known for the whole run ([`points`]); so an access is to this cell or to
//! that one by the pointer's number. A cell has a fixed distance from the start of its object; or one that hangs on an *index*, a number
//! that is chosen before everything else and of which nobody knows anything. What is proved then holds of all elements.
//!
//! **Why one element is enough.** Some loads are the *sites* of an index. Of a run that reaches an error look at what the last site in it
//! has read, and choose the index so that it is that element; if it was no element at all, or there was no site, any choice will do. A
//! truth value says whether that is so (`hit`), and an error counts only where it holds. For each run that reaches an error there is a
//! choice for which it counts.

mod effects;
mod points;

use std::collections::BTreeMap;

use dashu_int::IBig;
use rhumb_program::passes::{EdgeRef, inline};
use rhumb_program::{Access, EdgeId, Init, IntType, ObjectId, Program, Type};
use rustc_hash::FxHashMap;

use self::points::{Analysis, Points, What};
use crate::certificate::{
    Argument, CellOf, Certificate, Expression, GhostName, Meaning, Name, Operator, Part,
};
use crate::unfold::{CallRef, Unfolded, UnfoldedPlace, Var};

pub(crate) use effects::{Address, Effect, Site, Through, To};
pub(crate) use points::What as Home;

/// Programs with more places than this have no cells.
const MAX_PLACES: usize = 60_000;

/// The inliner's limit that names of elements in certificates stand for.
const MAX_EDGES: usize = 1_000_000;

/// Where objects lie of which the proof doesn't say it.
const FIRST_BASE: u64 = 0x2000_0000;
const GAP: u64 = 0x100;

/// A variable that the program doesn't have.
#[derive(Clone, Debug)]
pub(crate) struct Extra {
    pub(crate) ty: Type,
    pub(crate) name: String,
    /// What it is when a run begins: these bits, this expression, or anything.
    pub(crate) first: To,
}

/// What is known of memory.
#[derive(Default)]
pub(crate) struct Memory {
    /// What steps do to cells; they replace what the step does otherwise.
    pub(crate) effects: FxHashMap<UnfoldedPlace, Vec<Effect>>,
    /// The addresses of objects that are followed.
    pub(crate) bases: FxHashMap<What, u64>,
    /// Whether what the last site of an index has read is the element that was chosen.
    pub(crate) hits: Vec<Var>,
    /// Changes whenever something is written: between two equal ones, what is read at one place is the same.
    pub(crate) version: Option<Var>,
    /// Indices, each with the largest number that it may be.
    pub(crate) indices: Vec<(Var, u128)>,
    /// Distances of pointers: the variable, and the address of its object.
    pub(crate) distances: FxHashMap<Name, (Var, u64)>,
    /// The variables that names are.
    pub(crate) named: FxHashMap<Name, Var>,
    /// The objects of known size that variables are to, if each is to one only.
    pub(crate) bounds: FxHashMap<Var, Bounds>,
}

/// What is known of the object that a pointer is to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) base: u64,
    pub(crate) size: u64,
}

/// A cell of an object.
#[derive(Clone, Copy, Debug)]
struct Cell {
    var: Var,
    at: Address,
    size: u64,
}

struct Builder<'a, 'u, 'p> {
    unfolded: &'u mut Unfolded<'p>,
    certificate: &'a Certificate,
    memory: Memory,
    cells: BTreeMap<usize, Vec<Cell>>,
    alive: FxHashMap<usize, Var>,
    /// The cells of a plan with their objects.
    ghost_cells: Vec<Option<(Cell, usize)>>,
    /// The object that a variable is to, if it is one only.
    targets: FxHashMap<Var, usize>,
}

/// Looks at the memory of a program for the sake of a proof. Nothing, if it can't be followed.
pub(crate) fn attach(unfolded: &mut Unfolded<'_>, certificate: &Certificate) -> Option<Memory> {
    if unfolded.places().count() > MAX_PLACES {
        return None;
    }
    let plan = Plan::of(unfolded.program, certificate);
    let shared: &Unfolded<'_> = unfolded;
    let mut analysis = Analysis::new(shared)?;
    for cell in &plan.cells {
        let home = cell.home(shared).and_then(|what| analysis.number(what));
        analysis.ghosts.extend(home);
    }
    analysis.solve();
    let accesses = effects::accesses(&analysis);
    let bases = bases(&analysis, certificate)?;
    let bounds = bounds(&analysis, &bases);
    let times = effects::lifetimes(&analysis);
    let targets = analysis.variables();
    let targets = targets.filter_map(|(var, points)| Some((var, points.only()?)));
    let targets: FxHashMap<Var, usize> = targets.collect();
    let homes = analysis.homes.clone();
    let (refused, ghosts) = (analysis.refused.clone(), analysis.ghosts.clone());
    let numbers: FxHashMap<What, usize> = homes
        .iter()
        .enumerate()
        .map(|(number, home)| (home.what, number))
        .collect();
    let is_kept = |home: usize| !refused.contains(&home);
    let mut builder = Builder {
        unfolded,
        certificate,
        memory: Memory::default(),
        cells: BTreeMap::new(),
        alive: FxHashMap::default(),
        ghost_cells: Vec::new(),
        targets,
    };
    builder.memory.bounds = bounds;
    for (number, home) in homes
        .iter()
        .enumerate()
        .filter(|(number, _)| is_kept(*number))
    {
        builder.memory.bases.insert(home.what, bases[number]);
        let is_global = matches!(home.what, What::Object(None, _));
        let first = To::Bits(u128::from(is_global));
        let alive = builder.extra(Type::Bool, "alive", first);
        builder.alive.insert(number, alive);
    }
    // Cells where accesses are whose places are known.
    for access in &accesses {
        for &(home, distance) in &access.points.to {
            let is_plain = is_kept(home) && !ghosts.contains(&home);
            if let (true, Some(distance)) = (is_plain, distance) {
                builder.cell_at(
                    home,
                    &homes[home].what,
                    bases[home],
                    distance,
                    access.access,
                );
            }
        }
    }
    builder.indices(&plan, &homes, &numbers);
    for cell in &plan.cells {
        builder.ghost_cell(cell, &numbers, &bases, &is_kept);
    }
    for access in &accesses {
        builder.effect(access, &bases, &is_kept);
    }
    builder.begin_and_end(&times, &numbers, &bases);
    builder.versions();
    builder.sites(&plan, &accesses);
    builder.names(&numbers, &bases);
    Some(builder.memory)
}

/// The object of each pointer variable that is to one only.
fn bounds(analysis: &Analysis<'_, '_>, bases: &[u64]) -> FxHashMap<Var, Bounds> {
    let mut found = FxHashMap::default();
    for (var, points) in analysis.variables() {
        if let Some(home) = points.only()
            && !analysis.refused.contains(&home)
            && let Some(size) = analysis.homes[home].size
        {
            let base = bases[home];
            found.insert(var, Bounds { base, size });
        }
    }
    found
}

/// Addresses for objects: where the proof says that a pointer to one is a number, there; others where nothing else is. They lie apart, or
/// there are none.
fn bases(analysis: &Analysis<'_, '_>, certificate: &Certificate) -> Option<Vec<u64>> {
    let mut said: FxHashMap<usize, u64> = FxHashMap::default();
    for (name, number) in equations(certificate) {
        let points = match &certificate.meanings[name] {
            Meaning::Variable(calls, var) => {
                let var = analysis.unfolded.named_var(calls, *var);
                var.and_then(|var| analysis.variable(var))
            }
            Meaning::Cell(part) => {
                let home = what(analysis.unfolded, &part.calls, part.of);
                let home = home.and_then(|what| analysis.number(what));
                home.zip(part.offset)
                    .and_then(|(home, offset)| analysis.cell(home, offset))
            }
            Meaning::Ghost(_) | Meaning::Bound(_) => None,
        };
        if let Some((home, distance)) = points.and_then(Points::known)
            && let Some(base) = i64::try_from(&number)
                .ok()
                .and_then(|n| n.checked_sub(distance))
            && base > 0
        {
            said.entry(home).or_insert(base as u64);
        }
    }
    let mut next = FIRST_BASE;
    let mut bases = Vec::new();
    for (number, home) in analysis.homes.iter().enumerate() {
        bases.push(said.get(&number).copied().unwrap_or(next));
        next = next.saturating_add(
            (home.size.unwrap_or(GAP) / GAP)
                .saturating_add(2)
                .saturating_mul(GAP),
        );
    }
    // Those without a known end are never chosen by their address.
    let homes = analysis.homes.iter().zip(&bases).enumerate();
    let kept = homes.filter(|(number, _)| !analysis.refused.contains(number));
    let ranges = kept.filter_map(|(_, (home, &base))| Some((base, base.checked_add(home.size?)?)));
    let mut ranges: Vec<(u64, u64)> = ranges.collect();
    ranges.sort_unstable();
    let are_apart = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
    let width = analysis.unfolded.program.data_model.pointer_width().min(63);
    let most = u64::MAX >> (64 - width);
    let fit = ranges.iter().all(|range| range.1 < most) && bases.iter().all(|&base| base < most);
    (are_apart && fit).then_some(bases)
}

/// Equations between a name and a number in the formulas of a proof.
fn equations(certificate: &Certificate) -> Vec<(Name, IBig)> {
    let Argument::Invariants { points, .. } = &certificate.argument else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for formula in points.iter().flat_map(|point| &point.1) {
        let Expression { parts, .. } = &formula.matrix;
        for (part, _) in parts {
            if let Part::Apply(Operator::Equal, args) = part
                && let &[a, b] = &args[..]
            {
                match (&parts[a].0, &parts[b].0) {
                    (Part::Name(name), Part::Int(number))
                    | (Part::Int(number), Part::Name(name)) => {
                        found.push((*name, number.clone()));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// An element that a proof follows, in terms of the program as lowered.
struct PlannedCell {
    calls: Vec<CallRef>,
    of: CellOf,
    index: usize,
    offset: i64,
    stride: i64,
    ty: IntType,
}

impl PlannedCell {
    fn home(&self, unfolded: &Unfolded<'_>) -> Option<What> {
        what(unfolded, &self.calls, self.of)
    }
}

/// The object that a proof names.
fn what(unfolded: &Unfolded<'_>, calls: &[CallRef], of: CellOf) -> Option<What> {
    let activation = unfolded.activation(calls)?;
    match of {
        CellOf::Object(object) => {
            let declared = unfolded.program.objects.get(object)?;
            let is_global = declared.scope == rhumb_program::Scope::Global;
            Some(What::Object((!is_global).then_some(activation), object))
        }
        CellOf::Allocation((function, edge)) => {
            let cfa = &unfolded.program.functions.get(function)?.cfa;
            let source = cfa.edges.get(edge)?.source;
            Some(What::Allocation(
                unfolded.named_place(calls, (function, source))?,
            ))
        }
    }
}

/// The elements and sites of a proof.
#[derive(Default)]
struct Plan {
    cells: Vec<PlannedCell>,
    /// For each index the loads that are its sites, each with its cell.
    sites: Vec<Vec<(Vec<CallRef>, CallRef, usize)>>,
}

impl Plan {
    /// Certificates name elements in the program after inlining; what that was before, the inliner says. Nobody has to believe it: no plan
    /// is a wrong one.
    fn of(program: &Program, certificate: &Certificate) -> Plan {
        let Some(ghosts) = &certificate.ghosts else {
            return Plan::default();
        };
        let passed = inline::run(program, MAX_EDGES).passed;
        let restore = &passed.restore;
        let calls = |context| {
            let calls = restore.contexts().calls(context).into_iter();
            calls
                .map(|call| (call.function, call.edge))
                .collect::<Vec<CallRef>>()
        };
        let start = passed.program.start;
        let edges = passed.program.functions[start].cfa.edges.len();
        let edge = |number: u32| {
            let edge = EdgeId::from_raw(number);
            (edge.index() < edges).then(|| {
                let origin = restore
                    .edge(EdgeRef {
                        function: start,
                        edge,
                    })
                    .edge;
                (
                    calls(origin.context),
                    (origin.item.function, origin.item.edge),
                )
            })
        };
        let mut plan = Plan::default();
        for cell in &ghosts.cells {
            let found = match cell.of {
                CellOf::Object(object) if object.index() < passed.program.objects.len() => {
                    let origin = restore.object(object);
                    Some((calls(origin.context), CellOf::Object(origin.item)))
                }
                CellOf::Object(_) => None,
                CellOf::Allocation((_, number)) => {
                    edge(number.raw()).map(|(calls, edge)| (calls, CellOf::Allocation(edge)))
                }
            };
            let nowhere = (
                Vec::new(),
                CellOf::Object(ObjectId::from_raw(u32::MAX >> 1)),
            );
            let (calls, of) = found.unwrap_or(nowhere);
            plan.cells.push(PlannedCell {
                calls,
                of,
                index: cell.index,
                offset: cell.offset,
                stride: cell.stride,
                ty: cell.ty,
            });
        }
        for sites in &ghosts.indices {
            let sites = sites.iter();
            let sites = sites.filter_map(|&(number, cell)| {
                let (calls, edge) = edge(number)?;
                Some((calls, edge, cell))
            });
            plan.sites.push(sites.collect());
        }
        plan
    }
}

impl Builder<'_, '_, '_> {
    fn extra(&mut self, ty: Type, name: &str, first: To) -> Var {
        self.unfolded.add_var(Extra {
            ty,
            name: name.to_owned(),
            first,
        })
    }

    /// A cell at a known distance, if there is none yet.
    fn cell_at(&mut self, home: usize, what: &What, base: u64, distance: i64, access: Access) {
        let (Ok(offset), None) = (u64::try_from(distance), access.bits) else {
            return;
        };
        let at = Address {
            base: base.wrapping_add(offset),
            ghost: None,
        };
        let known = self.cells.entry(home).or_default();
        if known.iter().any(|cell| cell.at.base == at.base) {
            return;
        }
        let size = access.size(self.unfolded.program.data_model);
        let first = match what {
            What::Object(None, object) => self.first(*object, offset, size, access.ty),
            What::Object(..) | What::Allocation(_) => To::Any,
        };
        let var = self.extra(access.ty, "a cell", first);
        let cell = Cell { var, at, size };
        self.cells.entry(home).or_default().push(cell);
    }

    /// What a piece of a global object is at first.
    fn first(&self, object: ObjectId, offset: u64, size: u64, ty: Type) -> To {
        let model = self.unfolded.program.data_model;
        let mut first = To::Bits(0);
        for init in &self.unfolded.program.objects[object].init {
            let (from, length) = match init {
                Init::Bytes { offset, bytes } => (*offset, bytes.len() as u64),
                Init::Scalar { offset, access, .. } => (*offset, access.size(model)),
            };
            if from + length <= offset || offset + size <= from {
                continue;
            }
            first = match init {
                Init::Scalar { access, value, .. }
                    if from == offset && access.ty == ty && access.bits.is_none() =>
                {
                    To::Expr(*value)
                }
                _ => return To::Any,
            };
        }
        first
    }

    fn names(&mut self, numbers: &FxHashMap<What, usize>, bases: &[u64]) {
        for (name, meaning) in self.certificate.meanings.iter().enumerate() {
            match meaning {
                Meaning::Cell(part) => {
                    let home = what(self.unfolded, &part.calls, part.of);
                    let Some(&home) = home.and_then(|what| numbers.get(&what)) else {
                        continue;
                    };
                    let var = match part.offset {
                        None => self.alive.get(&home).copied(),
                        Some(offset) => {
                            let cells = self.cells.get(&home).into_iter().flatten();
                            let mut cells = cells.filter(|cell| cell.at.ghost.is_none());
                            let at = bases[home].wrapping_add(offset);
                            cells.find(|cell| cell.at.base == at).map(|cell| cell.var)
                        }
                    };
                    self.memory.named.extend(var.map(|var| (name, var)));
                }
                Meaning::Ghost(GhostName::Distance(calls, var)) => {
                    let var = self.unfolded.named_var(calls, *var);
                    let home = var.and_then(|var| self.targets.get(&var).copied());
                    if let (Some(var), Some(home)) = (var, home) {
                        self.memory.distances.insert(name, (var, bases[home]));
                    }
                }
                Meaning::Ghost(GhostName::Index(number)) => {
                    let var = self
                        .memory
                        .indices
                        .get(*number as usize)
                        .map(|index| index.0);
                    self.memory.named.extend(var.map(|var| (name, var)));
                }
                Meaning::Ghost(GhostName::Hit(number)) => {
                    let var = self.memory.hits.get(*number as usize).copied();
                    self.memory.named.extend(var.map(|var| (name, var)));
                }
                Meaning::Ghost(GhostName::Cell(number)) => {
                    let var = self.ghost_cells.get(*number as usize).copied().flatten();
                    self.memory.named.extend(var.map(|cell| (name, cell.0.var)));
                }
                Meaning::Variable(..)
                | Meaning::Bound(_)
                | Meaning::Ghost(GhostName::Fold | GhostName::Instance) => {}
            }
        }
    }
}
