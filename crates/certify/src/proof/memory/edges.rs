//! Edges: every way that an edge of the given program becomes does what the edge does.

mod effects;

use rhumb_program::passes::scalars::{HomeId, Pointees};
use rhumb_program::{Action, BinOp, EdgeId, ExprId, ExprKind, LocId, LocKind, Type, VarId};

use super::exprs::Otherwise;
use super::{Checked, Checker, object_to, parts, require};

/// Where the pointers of an action point: what a way through the new program is taken for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PointedTo {
    /// To an object that has become variables, at this distance.
    In(HomeId, u64),
    /// To one of many, at this distance, and not to the one that has become variables.
    Another(HomeId, u64),
    /// To other memory.
    Other,
    /// Nowhere: null.
    Null,
}

/// For each pointer of an action, where it points.
pub(super) type Case = Vec<PointedTo>;

/// An edge under examination.
pub(super) struct Cases<'e> {
    pub(super) id: EdgeId,
    /// Its pointers.
    pointers: Vec<ExprId>,
    /// Where they may point.
    pub(super) cases: Vec<Case>,
    /// Where it leads.
    target: LocId,
    pub(super) action: &'e Action,
}

impl Checker<'_> {
    /// Goes through all edges of the start function.
    pub(super) fn check_edges(&self) -> Checked {
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        require(
            old.entry == new.entry && old.locations.len() <= new.locations.len(),
            || "locations are not the same".to_owned(),
        )?;
        let beginning = self.beginning()?;
        for (at, location) in old.locations.iter_enumerated() {
            self.at.set(Some(at));
            require(location.kind == new.locations[at].kind, || {
                format!("{at:?} is another location")
            })?;
            match *location.outgoing {
                [] => require(new.outgoing(at).is_empty(), || format!("{at:?} goes on"))?,
                [id] => {
                    let edge = &old.edges[id];
                    let from = if at == old.entry { beginning } else { at };
                    let checked = self.edge(id, from, &edge.action, edge.target);
                    checked.map_err(|objection| {
                        let place = self.old.sources.position(edge.span);
                        super::Objection(format!("{}:{}: {objection}", place.file, place.line))
                    })?;
                }
                [first, second] => self.branch(at, [first, second])?,
                _ => return object_to(format!("{at:?} has more than two edges")),
            }
        }
        Ok(())
    }

    fn branch(&self, at: LocId, ids: [rhumb_program::EdgeId; 2]) -> Checked {
        let old = &self.old.functions[self.start()].cfa;
        let new = &self.new.functions[self.start()].cfa;
        let differs = || format!("the branch at {at:?} is another one");
        let [a, b] = *new.outgoing(at) else {
            return object_to(differs());
        };
        let fails = |id: rhumb_program::EdgeId| match old.edges[id].action {
            Action::Assume { holds: false, .. } => Some(old.edges[id].target),
            _ => None,
        };
        let fails = ids.into_iter().find_map(fails);
        let otherwise = match fails.map(|to| old.locations[to].kind) {
            Some(LocKind::Ub(_)) => Otherwise::Ends,
            Some(kind) if self.old.undefined_at(kind).is_some() => Otherwise::Counts,
            _ => Otherwise::GoesOn,
        };
        for (was, is) in ids.into_iter().zip([a, b]) {
            let (was, is) = (&old.edges[was], &new.edges[is]);
            let (
                Action::Assume { cond, holds },
                Action::Assume {
                    cond: new_cond,
                    holds: new_holds,
                },
            ) = (&was.action, &is.action)
            else {
                return object_to(differs());
            };
            require(
                holds == new_holds && self.arrives(is.target, was.target),
                differs,
            )?;
            self.condition(*cond, *new_cond, otherwise)?;
        }
        Ok(())
    }

    /// An edge that is no branch.
    fn edge(&self, id: EdgeId, at: LocId, action: &Action, target: LocId) -> Checked {
        let pointers: Vec<(ExprId, u64)> = match *action {
            Action::Load { ptr, access, .. } | Action::Store { ptr, access, .. } => {
                vec![(ptr, access.size(self.old.data_model))]
            }
            Action::Copy { dst, src, size } => {
                let size = self.constant(size);
                vec![(dst, size.unwrap_or(0)), (src, size.unwrap_or(0))]
            }
            Action::Fill { dst, size, .. } => vec![(dst, self.constant(size).unwrap_or(0))],
            Action::InputBytes { ptr, size, .. } => {
                vec![(ptr, self.constant(size).unwrap_or(0))]
            }
            Action::Free { ptr, .. } => vec![(ptr, 0)],
            _ => Vec::new(),
        };
        if !matches!(action, Action::Free { .. }) {
            let sets = pointers.iter().map(|entry| self.pointees(entry.0));
            let ghost = sets.into_iter().find_map(|to| self.ghost_of(&to));
            if let Some(home) = ghost {
                let is_read = self.scalars.instances.reads.contains(&id);
                require(!is_read, || "a read of an element".to_owned())?;
                return self.ghost_edge(id, at, action, target, home);
            }
        }
        if let Some(home) = self.allocates_many(id) {
            return self.one_of_many(at, action, target, home);
        }
        let mut cases: Vec<Case> = vec![Vec::new()];
        for &(pointer, size) in &pointers {
            let places = self.places(action, &self.pointees(pointer), size)?;
            cases = (cases.iter())
                .flat_map(|case| {
                    places.iter().map(|&place| {
                        let mut longer = case.clone();
                        longer.push(place);
                        longer
                    })
                })
                .collect();
        }
        let at = match *action {
            Action::Load { ptr, .. } => self.after_late(at, ptr, &cases)?,
            _ => at,
        };
        let cases = Cases {
            id,
            pointers: pointers.into_iter().map(|entry| entry.0).collect(),
            cases,
            target,
            action,
        };
        self.ways(at, cases)
    }

    /// Where a pointer may point, for an access of so many bytes.
    fn places(&self, action: &Action, to: &Pointees, size: u64) -> Checked<Vec<PointedTo>> {
        let mut places = Vec::new();
        if let Action::Free { kind, .. } = *action {
            places.push(PointedTo::Null);
            for home in self.freed(to, kind) {
                self.add_places(&mut places, home, 0);
            }
        } else {
            for &(home, distance) in &to.objects {
                let object = self.object(home)?;
                let (count, offsets) = distance.places(size, object.size);
                require(count <= 1 << 12, || {
                    "an access has too many places".to_owned()
                })?;
                for offset in offsets {
                    self.add_places(&mut places, home, offset);
                }
            }
        }
        if to.other {
            places.push(PointedTo::Other);
        }
        Ok(places)
    }

    /// An object at a distance: the one that is variables, and those like it that are not.
    fn add_places(&self, places: &mut Vec<PointedTo>, home: HomeId, offset: u64) {
        places.push(PointedTo::In(home, offset));
        if self.is_many(home) {
            places.push(PointedTo::Another(home, offset));
        }
    }

    /// The condition of a branch, and where it leads to: first where the condition holds.
    pub(super) fn choice(&self, edges: [EdgeId; 2]) -> Checked<(ExprId, [LocId; 2])> {
        let cfa = &self.new.functions[self.start()].cfa;
        let [first, second] = edges.map(|edge| &cfa.edges[edge]);
        match (&first.action, &second.action) {
            (
                Action::Assume { cond, holds: true },
                Action::Assume {
                    cond: other,
                    holds: false,
                },
            ) if cond == other => Ok((*cond, [first.target, second.target])),
            _ => object_to("a choice is no branch"),
        }
    }

    /// Follows the tests of pointers, and looks at what is done at the end of each way.
    fn ways(&self, from: LocId, mut cases: Cases<'_>) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        let mut at = from;
        let mut steps = 0;
        loop {
            let &[first, second] = cfa.outgoing(at) else {
                return self.way(at, &cases);
            };
            let (cond, [first, second]) = self.choice([first, second])?;
            let mut taken = Vec::new();
            let mut rest = Vec::new();
            for case in std::mem::take(&mut cases.cases) {
                match self.is_taken(cond, &cases.pointers, &case)? {
                    true => taken.push(case),
                    false => rest.push(case),
                }
            }
            let way = Cases {
                pointers: cases.pointers.clone(),
                cases: taken,
                ..cases
            };
            self.way(self.fresh(first)?, &way)?;
            cases.cases = rest;
            at = self.fresh(second)?;
            steps += 1;
            require(steps <= cfa.locations.len(), || {
                "a choice is a loop".to_owned()
            })?;
        }
    }

    /// A location between two of the given program.
    pub(super) fn fresh(&self, at: LocId) -> Checked<LocId> {
        let count = self.old.functions[self.start()].cfa.locations.len();
        let kind = self.new.functions[self.start()].cfa.locations[at].kind;
        require(at.index() >= count && kind == LocKind::Plain, || {
            format!("{at:?} is no location of a choice")
        })?;
        Ok(at)
    }

    /// Whether a test of pointers holds: all of it is "this pointer is that address", of an object that has become variables.
    fn is_taken(&self, cond: ExprId, pointers: &[ExprId], case: &Case) -> Checked<bool> {
        let mut all = true;
        for atom in parts(self.new, cond, BinOp::And) {
            let ExprKind::Binary(BinOp::Eq, a, b) = self.new.exprs[atom].kind else {
                return object_to("a choice by something else than an address");
            };
            let mut places = pointers.iter().zip(case);
            let place = places.find_map(|(&ptr, place)| Some((self.compared(ptr, a, b)?, place)));
            let Some((address, place)) = place else {
                return object_to("a choice by something else than an address of the pointer");
            };
            require(self.is_own_address(address), || {
                "a choice by an address of other memory".to_owned()
            })?;
            all &= match *place {
                PointedTo::In(home, offset) => self.object(home)?.base + offset == address,
                PointedTo::Another(..) | PointedTo::Other | PointedTo::Null => false,
            };
        }
        Ok(all)
    }

    /// What is done on one way, up to where the edge leads, is right in all of its cases.
    fn way(&self, from: LocId, cases: &Cases<'_>) -> Checked {
        let actions = self.chain(from, cases.target)?;
        let actions = self.without_distance(cases.action, &actions)?;
        let actions = self.without_met(cases.id, &cases.cases, &actions)?;
        let (actions, unset) = self.without_late(cases, &actions)?;
        for case in &cases.cases {
            self.does(cases, case, &actions, &unset)?;
        }
        Ok(())
    }

    /// What is done from a location on up to where an edge leads.
    pub(super) fn chain(&self, from: LocId, target: LocId) -> Checked<Vec<&Action>> {
        let cfa = &self.new.functions[self.start()].cfa;
        let mut actions: Vec<&Action> = Vec::new();
        let mut at = from;
        loop {
            let &[edge] = cfa.outgoing(at) else {
                return object_to("a way has no end");
            };
            let edge = &cfa.edges[edge];
            actions.push(&edge.action);
            if self.arrives(edge.target, target) {
                break;
            }
            at = self.fresh(edge.target)?;
            require(actions.len() <= cfa.locations.len(), || {
                "a way is a loop".to_owned()
            })?;
        }
        actions.retain(|action| **action != Action::Skip);
        Ok(actions)
    }
}

/// Whether values of one type are values of the other by a conversion that changes no bit.
pub(super) fn is_convertible(a: Type, b: Type) -> bool {
    match (a, b) {
        (Type::Int(a), Type::Int(b)) => a.width == b.width,
        _ => a == b,
    }
}

/// The actions as assignments, each to another variable.
fn assignments(actions: &[&Action]) -> Checked<Vec<(VarId, ExprId)>> {
    let mut set: Vec<(VarId, ExprId)> = Vec::new();
    for action in actions {
        let Action::Assign { dst, value } = action else {
            return object_to("something else than assignments");
        };
        let is_first = set.iter().all(|entry| entry.0 != *dst);
        require(is_first, || format!("{dst:?} is set twice"))?;
        set.push((*dst, *value));
    }
    Ok(set)
}

/// The value that the only action gives to the variable.
fn only_assignment(actions: &[&Action], to: VarId) -> Checked<ExprId> {
    match assignments(actions)?[..] {
        [(dst, value)] if dst == to => Ok(value),
        _ => object_to(format!("something else than {to:?} is set")),
    }
}
