//! Explicit states: what a program does from a cut point, by execution of each state of small types, one after the other.
//!
//! Nothing here is symbolic: operators are those of the interpreter's reference, one value at a time.

use rhumb_program::interp::eval;
use rhumb_program::{Action, Cfa, ExprId, ExprKind, LocId, LocKind, Program, Type, VarId};
use rustc_hash::FxHashMap;

/// A state: the bits of each variable; a variable without a value is never read.
pub(crate) type State = FxHashMap<VarId, u128>;

/// Where an execution gets to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A cut point, with the bits of the variables that were asked for.
    Cut(LocId, Vec<u128>),
    Target,
    Nowhere,
}

pub(crate) struct Explicit<'p> {
    pub(crate) program: &'p Program,
    pub(crate) cuts: &'p [LocId],
    /// The variables that make up a state.
    pub(crate) vars: &'p [VarId],
}

impl Explicit<'_> {
    fn cfa(&self) -> &Cfa {
        &self.program.functions[self.program.start].cfa
    }

    /// All ends of executions from a location, with every value of every input.
    pub(crate) fn ends(&self, from: LocId, state: State) -> Vec<End> {
        let mut ends = Vec::new();
        let mut todo = vec![(from, state, true)];
        while let Some((at, mut state, is_first)) = todo.pop() {
            let location = &self.cfa().locations[at];
            match location.kind {
                LocKind::Plain => {}
                LocKind::Target(_) => {
                    ends.push(End::Target);
                    continue;
                }
                _ => {
                    ends.push(End::Nowhere);
                    continue;
                }
            }
            if !is_first && self.cuts.contains(&at) {
                let values = self
                    .vars
                    .iter()
                    .map(|var| state.get(var).copied().unwrap_or(0));
                ends.push(End::Cut(at, values.collect()));
                continue;
            }
            for &edge in &location.outgoing {
                let edge = &self.cfa().edges[edge];
                match &edge.action {
                    Action::Skip | Action::Return { .. } | Action::Exit { .. } => {
                        todo.push((edge.target, state.clone(), false));
                    }
                    Action::Assume { cond, holds } => {
                        if (self.value(*cond, &state) != 0) == *holds {
                            todo.push((edge.target, state.clone(), false));
                        }
                    }
                    Action::Assign { dst, value } => {
                        let value = self.value(*value, &state);
                        state.insert(*dst, value);
                        todo.push((edge.target, state.clone(), false));
                    }
                    Action::Input { dst, .. } => {
                        let values = match self.program.vars[*dst].ty {
                            Type::Bool => 2,
                            Type::Int(int) if int.width == 8 => 256,
                            other => panic!("too many inputs: {other}"),
                        };
                        for value in 0..values {
                            let mut state = state.clone();
                            state.insert(*dst, value);
                            todo.push((edge.target, state, false));
                        }
                    }
                    other => panic!("not in these tests: {other:?}"),
                }
            }
        }
        ends
    }

    fn value(&self, id: ExprId, state: &State) -> u128 {
        let exprs = &self.program.exprs;
        match exprs[id].kind {
            ExprKind::Const(bits) => bits,
            ExprKind::Var(var) => *state
                .get(&var)
                .expect("a variable has a value before it is read"),
            ExprKind::Unary(op, arg) => {
                eval::unary(op, exprs.ty(arg), self.value(arg, state)).expect("checked before")
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs, state), self.value(rhs, state));
                eval::binary(op, exprs.ty(lhs), a, exprs.ty(rhs), b).expect("checked before")
            }
            ExprKind::Cast(arg) => {
                eval::cast(exprs.ty(arg), exprs.ty(id), self.value(arg, state)).expect("integers")
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs, state), self.value(rhs, state));
                eval::overflows(op, exprs.ty(lhs), a, exprs.ty(rhs), b)
                    .expect("integers")
                    .into()
            }
            other => panic!("not in these tests: {other:?}"),
        }
    }
}
