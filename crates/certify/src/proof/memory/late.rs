//! Pointers that are set late ([`rhumb_program::passes::scalars::Instances::late`]).
//!
//! What is believed: a pointer in what is allocated, whose memory is given without contents, is in the set that is said
//! of it whenever its truth value is true. For that, the value becomes true only where the pointer is set to something
//! that is in the set ([`Checker::without_late`]), and it becomes false where memory loses its contents.
//!
//! A load of such a pointer is preceded by a question whether it is set, and leads to a target if not
//! ([`Checker::after_late`]). That is enough for all instances of an allocation, whether they are followed or not: look
//! at the first load, in a run of the given program, of such a pointer that is not in its set, and choose the instance
//! that it reads. Up to there every pointer that was read was in its set, so the new program has the run; and there it
//! gets to a target. If no target can be reached in the new program, there is no such load.

use rhumb_program::passes::scalars::HomeId;
use rhumb_program::{Action, BinOp, ExprId, ExprKind, LocId, LocKind, UnOp, VarId};

use super::edges::{Case, Cases, PointedTo};
use super::{Checked, Checker, object_to, parts, require};

impl Checker<'_> {
    /// The pointer of which a variable says whether it is set.
    pub(super) fn late_of(&self, is_set: VarId) -> Option<VarId> {
        let mut late = self.scalars.instances.late.iter();
        late.find(|entry| *entry.1 == is_set).map(|entry| *entry.0)
    }

    /// It is read without asking whether it is set.
    pub(super) fn is_never_late(&self, cell: VarId) -> Checked {
        require(!self.scalars.instances.late.contains_key(&cell), || {
            "a pointer is read that may not be set".to_owned()
        })
    }

    /// Whether a variable is a piece of an object.
    pub(super) fn is_cell_of(&self, home: HomeId, cell: VarId) -> bool {
        let object = self.scalars.objects.get(&home);
        object.is_some_and(|object| object.cells.values().any(|own| own.var == cell))
    }

    /// Where a load begins, after all questions whether the pointers that it may read are set.
    pub(super) fn after_late(&self, from: LocId, ptr: ExprId, cases: &[Case]) -> Checked<LocId> {
        let cfa = &self.new.functions[self.start()].cfa;
        let mut asked: Vec<VarId> = Vec::new();
        let mut at = from;
        while let &[first, second] = cfa.outgoing(at) {
            let (cond, [first, second]) = self.choice([first, second])?;
            let Some(cell) = self.asks_late(cond, ptr) else {
                break;
            };
            let &[last] = cfa.outgoing(self.fresh(first)?) else {
                return object_to("what is not set leads nowhere");
            };
            let last = &cfa.edges[last];
            let is_target = matches!(last.action, Action::Approximate { dst: None, .. })
                && matches!(cfa.locations[last.target].kind, LocKind::Target(_));
            require(is_target, || {
                "what is not set leads to no target".to_owned()
            })?;
            at = self.fresh(second)?;
            require(!asked.contains(&cell), || {
                "a question is asked twice".to_owned()
            })?;
            asked.push(cell);
        }
        for case in cases {
            if let [PointedTo::In(home, offset)] = case[..]
                && let Some(cell) = self.object(home)?.cells.get(&offset)
                && !asked.contains(&cell.var)
            {
                self.is_never_late(cell.var)?;
            }
        }
        Ok(at)
    }

    /// The pointer about which a condition asks: whether it is what is read and is not set.
    fn asks_late(&self, cond: ExprId, ptr: ExprId) -> Option<VarId> {
        let &[is_there, is_open] = &parts(self.new, cond, BinOp::And)[..] else {
            return None;
        };
        let exprs = &self.new.exprs;
        let ExprKind::Unary(UnOp::Not, is_set) = exprs[is_open].kind else {
            return None;
        };
        let ExprKind::Var(is_set) = exprs[is_set].kind else {
            return None;
        };
        let ExprKind::Binary(BinOp::Eq, a, b) = exprs[is_there].kind else {
            return None;
        };
        let address = self.compared(ptr, a, b)?;
        let cell = self.late_of(is_set)?;
        let is_its = self.scalars.objects.values().any(|object| {
            let mut cells = object.cells.iter();
            cells.any(|(offset, own)| own.var == cell && object.base + offset == address)
        });
        is_its.then_some(cell)
    }

    /// What a way does beside noting which pointers are set; and those that are not set any more.
    pub(super) fn without_late<'b>(
        &self,
        cases: &Cases<'_>,
        actions: &[&'b Action],
    ) -> Checked<(Vec<&'b Action>, Vec<VarId>)> {
        self.without_set(actions, |cell| {
            let is_given = |case: &Case| self.is_given(cases, case, cell);
            cases.cases.iter().all(is_given)
        })
    }

    /// The same, where it is known which pointers are given something that is in their set.
    pub(super) fn without_set<'b>(
        &self,
        actions: &[&'b Action],
        is_given: impl Fn(VarId) -> bool,
    ) -> Checked<(Vec<&'b Action>, Vec<VarId>)> {
        let mut rest = Vec::new();
        let mut unset = Vec::new();
        for action in actions {
            let Some(cell) = action.defined_var().and_then(|var| self.late_of(var)) else {
                rest.push(*action);
                continue;
            };
            let Action::Assign { value, .. } = action else {
                return object_to("whether a pointer is set is no constant");
            };
            match self.new.exprs[*value].kind {
                ExprKind::Const(0) => unset.push(cell),
                ExprKind::Const(1) if is_given(cell) => {}
                _ => return object_to("a pointer is not set"),
            }
        }
        Ok((rest, unset))
    }

    /// Whether an edge gives a value to a pointer that the rest of the checks find in its set.
    fn is_given(&self, cases: &Cases<'_>, case: &Case, cell: VarId) -> bool {
        let is_there = |home: HomeId, start: u64, size: u64| {
            let object = self.scalars.objects.get(&home);
            object.is_some_and(|object| {
                let mut cells = object.cells.range(start..start.saturating_add(size));
                cells.any(|(_, own)| own.var == cell)
            })
        };
        match (cases.action, &case[..]) {
            (Action::Store { .. }, &[PointedTo::In(home, offset)]) => is_there(home, offset, 1),
            (Action::Fill { size, .. }, &[PointedTo::In(home, start)]) => {
                is_there(home, start, self.constant(*size).unwrap_or(0))
            }
            (Action::Alloc { .. }, _) => {
                let home = self.allocated.get(&cases.id);
                home.is_some_and(|&home| self.is_cell_of(home, cell))
            }
            _ => false,
        }
    }
}
