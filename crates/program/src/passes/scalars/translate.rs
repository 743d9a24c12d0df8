//! The program in which objects are variables.

mod exprs;
mod folds;
mod ghosts;
mod instances;
mod steps;

use std::collections::BTreeMap;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::again::Again;
use super::cells::Cells;
use super::certain::Certain;
use super::ghosts::{Ghosts, Plan};
use super::homes::{Home, Homes};
use super::inputs::Piece;
use super::instances::Instances;
use super::pointees::{HomeId, Pointees};
use super::points_to::PointsTo;
use super::{CellVar, Promoted, Scalars, refused, shape};
use crate::cfa::{Action, Cfa, Edge, EndKind, LocKind, Location, UbKind};
use crate::expr::ExprKind;
use crate::ids::{EdgeId, ExprId, InputSiteId, LocId, ObjectId, VarId};
use crate::model::{Decl, Init, InputSite, Object, Program, Scope, Var};
use crate::passes::restore::{
    Cell, CellPart, CellPlace, ContextId, EdgeOrigin, EdgeRef, FunctionRestore, LocRef, Placed,
    Restore, Role, VarOrigin,
};
use crate::passes::{Passed, finish};
use crate::span::Span;
use crate::types::Type;

/// Makes the program.
pub(super) fn run(facts: &PointsTo<'_>, homes: &Homes, cells: &Cells, plan: &Plan) -> Scalars {
    let mut translator = Translator {
        facts,
        homes,
        certain: (facts.program)
            .asks_for(&[UbKind::BadRead, UbKind::BadWrite, UbKind::BadFree])
            .then(|| Certain::of(facts.program)),
        again: Again::new(facts.program),
        source: facts.program,
        result: facts.program.clone(),
        restore: Restore::without_functions(facts.program),
        objects: BTreeMap::new(),
        pointees: facts.vars.clone(),
        pieces: Vec::new(),
        ghosts: Ghosts::default(),
        instances: Instances::default(),
        gates: BTreeMap::new(),
        unread: FxHashMap::default(),
        exprs: FxHashMap::default(),
        cfa: Cfa::new(),
        origins: FunctionRestore::default(),
    };
    translator.declare(cells);
    translator.declare_ghosts(plan);
    translator.declare_instances(plan);
    translator.find_pieces();
    translator.first_values();
    translator.build();
    translator.finish()
}

/// What takes the place of an edge.
enum Step {
    /// These actions, one after the other.
    Sequence(Vec<Action>),
    /// The first whose condition holds, or the last.
    Choice(Vec<(ExprId, Vec<Action>)>, Vec<Action>),
    /// These actions; then, if the condition holds, these choices, one after the other, and otherwise the actions for outside.
    /// Where the condition holds, so does what is known, if there is something.
    Guarded {
        before: Vec<Action>,
        inside: ExprId,
        known: Option<ExprId>,
        stages: Vec<Stage>,
        outside: Vec<Action>,
        /// What holds behind it then.
        elsewhere: Option<ExprId>,
    },
}

/// A choice: the first whose condition holds, or the last.
type Stage = (Vec<(ExprId, Vec<Action>)>, Vec<Action>);

struct Translator<'a, 'p> {
    facts: &'a PointsTo<'p>,
    homes: &'a Homes,
    /// Set where somebody wants to know of bad accesses: conditions have to be exact then, or open.
    certain: Option<Certain<'p>>,
    again: Again<'p>,
    source: &'p Program,
    result: Program,
    restore: Restore,
    objects: BTreeMap<HomeId, Promoted>,
    pointees: IndexVec<VarId, Pointees>,
    pieces: Vec<Piece>,
    ghosts: Ghosts,
    instances: Instances,
    /// For each target the location where it is decided whether it counts.
    gates: BTreeMap<LocId, LocId>,
    /// Variables for parts of inputs that nobody reads, by the part's site.
    unread: FxHashMap<InputSiteId, VarId>,
    exprs: FxHashMap<ExprId, ExprId>,
    cfa: Cfa,
    origins: FunctionRestore,
}

impl Translator<'_, '_> {
    /// Gives every object its address and its variables.
    fn declare(&mut self, cells: &Cells) {
        for (id, candidate) in self.homes.chosen() {
            let (name, decl, is_global, place) = self.describe(candidate.home);
            let object = match candidate.home {
                Home::Declared(object) => Some(&self.source.objects[object]),
                Home::Allocated(_) => None,
            };
            let scope = match is_global {
                true => Scope::Global,
                false => Scope::Local(self.source.start),
            };
            let mut promoted = Promoted {
                home: candidate.home,
                size: candidate.size,
                base: candidate.base,
                ghost: candidate.ghost,
                alive: None,
                cells: BTreeMap::new(),
            };
            if !is_global {
                let part = CellPart::Alive;
                // It has a first value: the object doesn't live yet.
                let var = self.add_var(
                    format!("{name} is alive"),
                    &decl,
                    Type::Bool,
                    Scope::Global,
                    VarOrigin::Cell(Cell { place, part }),
                );
                promoted.alive = Some(var);
            }
            for (offset, ty) in cells.of_home(id) {
                let path = object.map_or_else(
                    || format!("+{offset}"),
                    |object| shape::path(&object.shape, offset),
                );
                let part = CellPart::At(offset);
                let origin = VarOrigin::Cell(Cell { place, part });
                let var = self.add_var(format!("{name}{path}"), &decl, ty, scope, origin);
                if let Some(contents) = self.facts.contents.get(&(id, offset)) {
                    self.pointees[var] = contents.clone();
                }
                if ty == Type::Ptr && self.facts.vague.contains(&id) {
                    self.pointees[var].other = true;
                }
                promoted.cells.insert(offset, CellVar { var, ty });
            }
            self.objects.insert(id, promoted);
        }
    }

    fn describe(&self, home: Home) -> (String, Decl, bool, CellPlace) {
        match home {
            Home::Declared(id) => {
                let object = &self.source.objects[id];
                let is_global = object.scope == Scope::Global;
                let name = match object.decl.name.is_empty() {
                    true => format!("object {}", id.index()),
                    false => object.decl.name.to_string(),
                };
                (name, object.decl.clone(), is_global, CellPlace::Object(id))
            }
            Home::Allocated(edge) => {
                let function = self.source.start;
                let span = self.source.functions[function].cfa.edges[edge].span;
                let decl = Decl {
                    name: "".into(),
                    span,
                    visible: span,
                };
                let place = CellPlace::Allocation(EdgeRef { function, edge });
                (format!("heap {}", edge.index()), decl, false, place)
            }
        }
    }

    fn add_var(
        &mut self,
        name: String,
        like: &Decl,
        ty: Type,
        scope: Scope,
        origin: VarOrigin,
    ) -> VarId {
        self.restore.vars.push(Placed {
            item: origin,
            context: ContextId::ROOT,
        });
        self.pointees.push(Pointees::default());
        self.result.vars.push(Var {
            decl: Decl {
                name: name.into(),
                ..like.clone()
            },
            ty,
            scope,
            init: None,
        })
    }

    /// The parts that inputs of bytes fall into.
    fn find_pieces(&mut self) {
        let cfa = &self.source.functions[self.source.start].cfa;
        let mut parts: BTreeMap<(InputSiteId, u64), Type> = BTreeMap::new();
        for edge in &cfa.edges {
            for (site, offset, cell) in self.parts(&edge.action) {
                // Two types at one place of one site: the first is as good.
                parts.entry((site, offset)).or_insert(cell.ty);
            }
        }
        for ((whole, offset), ty) in parts {
            let like = &self.source.inputs[whole];
            let site = self.result.inputs.push(InputSite {
                kind: like.kind.clone(),
                ty: Some(ty),
                function: like.function,
                span: like.span,
            });
            self.pieces.push(Piece {
                site,
                whole,
                offset,
                ty,
            });
        }
    }

    /// The variables that an input of bytes sets: each with the site and where in the bytes its value is.
    fn parts(&self, action: &Action) -> Vec<(InputSiteId, u64, CellVar)> {
        let Action::InputBytes { ptr, size, site } = *action else {
            return Vec::new();
        };
        let to = self.facts.eval(self.homes, ptr);
        let [(home, distance)] = to.objects[..] else {
            return Vec::new();
        };
        let (Some(object), Some((_, size)), Ok(start)) = (
            self.objects.get(&home),
            self.source.exprs.as_int_const(size),
            u64::try_from(distance.offset),
        ) else {
            return Vec::new();
        };
        let end = start.saturating_add(size as u64);
        let cells = object.cells.range(start..end);
        cells
            .map(|(&offset, &cell)| (site, offset - start, cell))
            .collect()
    }

    /// First values of global variables and of what were global objects.
    fn first_values(&mut self) {
        for id in self.source.vars.indices() {
            if let Some(init) = self.source.vars[id].init {
                self.result.vars[id].init = Some(self.expr(init));
            }
        }
        let globals: Vec<(ObjectId, Vec<(u64, CellVar)>)> = (self.objects.values())
            .filter_map(|object| match object.home {
                Home::Declared(id) if object.alive.is_none() => {
                    let cells = object.cells.iter().map(|(&at, &cell)| (at, cell));
                    Some((id, cells.collect()))
                }
                _ => None,
            })
            .collect();
        for (id, cells) in globals {
            for (offset, cell) in cells {
                let init = first_value(self.source, &self.source.objects[id], offset, cell.ty);
                self.result.vars[cell.var].init = match init {
                    First::Zero => None,
                    First::Bits(bits) => {
                        Some(self.result.exprs.push(ExprKind::Const(bits), cell.ty))
                    }
                    First::Expr(value) => {
                        let value = self.expr(value);
                        Some(self.result.exprs.cast(cell.ty, value))
                    }
                };
            }
        }
    }

    fn build(&mut self) {
        let function = self.source.start;
        let old = &self.source.functions[function].cfa;
        self.cfa.entry = old.entry;
        self.cfa.exit = old.exit;
        self.cfa.locations = IndexVec::new();
        for (at, location) in old.locations.iter_enumerated() {
            self.cfa.locations.push(Location {
                outgoing: Vec::new(),
                ..location.clone()
            });
            let item = LocRef {
                function,
                location: at,
            };
            self.origins.locations.push(Some(Placed {
                item,
                context: ContextId::ROOT,
            }));
        }
        let first = self.choose_indices(old);
        for location in &old.locations {
            for &id in &location.outgoing {
                let mut edge = old.edges[id].clone();
                if edge.source == old.entry {
                    edge.source = first;
                }
                edge.target = self.gate(old, id);
                edge.source = self.test_late(old, id, &edge);
                let edge = &edge;
                match self.step(id, &edge.action) {
                    Step::Sequence(actions) => {
                        self.sequence(id, edge, edge.source, Role::Step, actions);
                    }
                    Step::Choice(options, last) => {
                        self.choice(
                            id,
                            edge,
                            edge.source,
                            Role::Step,
                            (options, last),
                            edge.target,
                        );
                    }
                    Step::Guarded {
                        before,
                        inside,
                        known,
                        stages,
                        outside,
                        elsewhere,
                    } => self.guarded(
                        id,
                        edge,
                        before,
                        (inside, known),
                        stages,
                        (outside, elsewhere),
                    ),
                }
            }
        }
    }

    fn finish(mut self) -> Scalars {
        let start = self.source.start;
        for function in self.source.functions.indices() {
            if function != start {
                let origins = FunctionRestore::identity(self.source, function);
                self.restore.functions.push(origins);
            } else {
                self.restore
                    .functions
                    .push(std::mem::take(&mut self.origins));
            }
        }
        self.result.functions[start].cfa = self.cfa;
        let Passed { program, restore } = finish(self.result, self.restore);
        Scalars {
            passed: Passed { program, restore },
            objects: self.objects,
            pointees: self.pointees,
            pieces: self.pieces,
            ghosts: self.ghosts,
            instances: self.instances,
            refused: refused(self.homes),
        }
    }

    fn edge(&mut self, id: EdgeId, at: LocId, action: Action, to: LocId, span: Span, role: Role) {
        self.cfa.add_edge(at, action, to, span);
        let item = EdgeRef {
            function: self.source.start,
            edge: id,
        };
        let edge = Placed {
            item,
            context: ContextId::ROOT,
        };
        self.origins.edges.push(EdgeOrigin { edge, role });
    }

    fn location(&mut self) -> LocId {
        self.origins.locations.push(None);
        self.cfa.add_location(crate::cfa::LocKind::Plain)
    }

    fn sequence(&mut self, id: EdgeId, edge: &Edge, from: LocId, role: Role, actions: Vec<Action>) {
        self.chain(id, edge, from, role, actions, edge.target);
    }

    /// Actions one after the other, up to a location.
    fn chain(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        from: LocId,
        mut role: Role,
        actions: Vec<Action>,
        end: LocId,
    ) {
        let mut at = from;
        let count = actions.len();
        if count == 0 {
            self.edge(id, at, Action::Skip, end, edge.span, role);
        }
        for (index, action) in actions.into_iter().enumerate() {
            let to = match index + 1 == count {
                true => end,
                false => self.location(),
            };
            self.edge(id, at, action, to, edge.span, role);
            role = Role::Silent;
            at = to;
        }
    }

    fn choice(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        from: LocId,
        mut role: Role,
        (options, last): Stage,
        end: LocId,
    ) {
        let mut at = from;
        for (cond, actions) in options {
            let (then, other) = (self.location(), self.location());
            for (holds, to) in [(true, then), (false, other)] {
                self.edge(id, at, Action::Assume { cond, holds }, to, edge.span, role);
            }
            role = Role::Silent;
            self.chain(id, edge, then, role, actions, end);
            at = other;
        }
        self.chain(id, edge, at, role, last, end);
    }

    /// What is known to hold: where it doesn't, nothing goes on.
    fn assume(&mut self, id: EdgeId, span: Span, from: LocId, cond: ExprId, to: LocId) {
        let sink = self.location();
        self.cfa.locations[sink].kind = LocKind::End(EndKind::AssumptionFailed);
        for (holds, to) in [(true, to), (false, sink)] {
            self.edge(
                id,
                from,
                Action::Assume { cond, holds },
                to,
                span,
                Role::Silent,
            );
        }
    }

    fn guarded(
        &mut self,
        id: EdgeId,
        edge: &Edge,
        before: Vec<Action>,
        (inside, known): (ExprId, Option<ExprId>),
        stages: Vec<Stage>,
        (outside, elsewhere): (Vec<Action>, Option<ExprId>),
    ) {
        let mut at = edge.source;
        let mut role = Role::Step;
        if !before.is_empty() {
            let end = self.location();
            self.chain(id, edge, at, role, before, end);
            (at, role) = (end, Role::Silent);
        }
        let (then, other) = (self.location(), self.location());
        for (holds, to) in [(true, then), (false, other)] {
            let action = Action::Assume {
                cond: inside,
                holds,
            };
            self.edge(id, at, action, to, edge.span, role);
        }
        let end = match elsewhere {
            Some(_) => self.location(),
            None => edge.target,
        };
        self.chain(id, edge, other, Role::Silent, outside, end);
        if let Some(cond) = elsewhere {
            self.assume(id, edge.span, end, cond, edge.target);
        }
        at = then;
        if let Some(cond) = known {
            at = self.location();
            self.assume(id, edge.span, then, cond, at);
        }
        let count = stages.len();
        for (index, stage) in stages.into_iter().enumerate() {
            let end = match index + 1 == count {
                true => edge.target,
                false => self.location(),
            };
            self.choice(id, edge, at, Role::Silent, stage, end);
            at = end;
        }
    }
}

/// The first value of a piece of a global object.
enum First {
    Zero,
    Bits(u128),
    Expr(ExprId),
}

fn first_value(program: &Program, object: &Object, offset: u64, ty: Type) -> First {
    let size = ty.size(program.data_model);
    let mut bits = [0u8; 16];
    let mut found = First::Zero;
    for init in &object.init {
        match init {
            Init::Scalar {
                offset: at, value, ..
            } if *at == offset => found = First::Expr(*value),
            Init::Bytes {
                offset: at,
                bytes: given,
            } => {
                for (index, &byte) in given.iter().enumerate() {
                    let place = at + index as u64;
                    if place >= offset && place < offset + size {
                        bits[(place - offset) as usize] = byte;
                        found = First::Bits(u128::from_le_bytes(bits));
                    }
                }
            }
            Init::Scalar { .. } => {}
        }
    }
    found
}
