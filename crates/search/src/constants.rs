//! Floating-point variables that are constants: for proofs, whose invariants have to say what simplification put in place of them.
//!
//! Right for tables and parameters that are set once and read in, or behind, loops. A forward analysis over the
//! variables that matter: floats, and what they are computed from. What is known is exact; the checker of proofs looks
//! at it again, edge by edge.

use rhumb_logic::Budget;
use rhumb_program::graph::CallEffects;
use rhumb_program::interp::eval;
use rhumb_program::{
    Action, BinOp, ExprId, ExprKind, FuncId, IndexVec, LocId, Program, Scope, Type, UnOp, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bit patterns of variables.
type Known = FxHashMap<VarId, u128>;

/// The floating-point variables that have one value at each location, and these values as bit patterns; nothing where
/// the budget is spent before that is known.
pub(crate) fn of_floats(
    program: &Program,
    function: FuncId,
    budget: &Budget,
) -> IndexVec<LocId, Vec<(VarId, u128)>> {
    let locations = program.functions[function].cfa.locations.len();
    let is_float = |var: VarId| matches!(program.vars[var].ty, Type::Float(_));
    let analysis = Analysis {
        program,
        function,
        relevant: relevant(program, function),
        effects: CallEffects::of(program, function),
        nearest: !program.sets_rounding(),
    };
    let at = match analysis.relevant.is_empty() {
        true => None,
        false => analysis.solve(budget),
    };
    let Some(at) = at else {
        return IndexVec::from_vec(vec![Vec::new(); locations]);
    };
    let floats = at.into_iter().map(|known| {
        let known = known.into_iter().flatten();
        let mut floats: Vec<(VarId, u128)> = known.filter(|&(var, _)| is_float(var)).collect();
        floats.sort_unstable();
        floats
    });
    floats.collect()
}

/// Floats, and what they are computed from; nothing, if there is no float.
fn relevant(program: &Program, function: FuncId) -> FxHashSet<VarId> {
    let vars = program.vars.iter_enumerated();
    let floats = vars.filter(|(_, var)| matches!(var.ty, Type::Float(_)));
    let mut relevant: FxHashSet<VarId> = floats.map(|(id, _)| id).collect();
    let mut sources: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for edge in &program.functions[function].cfa.edges {
        if let Action::Assign { dst, value } = edge.action {
            let read = sources.entry(dst).or_default();
            program.exprs.for_each_var(value, &mut |var| read.push(var));
        }
    }
    let mut open: Vec<VarId> = relevant.iter().copied().collect();
    while let Some(var) = open.pop() {
        for &source in sources.get(&var).into_iter().flatten() {
            if relevant.insert(source) {
                open.push(source);
            }
        }
    }
    relevant
}

struct Analysis<'p> {
    program: &'p Program,
    function: FuncId,
    relevant: FxHashSet<VarId>,
    effects: CallEffects,
    /// Whether floats are always rounded to nearest.
    nearest: bool,
}

impl Analysis<'_> {
    /// What is known at each location that a run may come to.
    fn solve(&self, budget: &Budget) -> Option<IndexVec<LocId, Option<Known>>> {
        let cfa = &self.program.functions[self.function].cfa;
        let mut at: IndexVec<LocId, Option<Known>> =
            IndexVec::from_vec(vec![None; cfa.locations.len()]);
        at[cfa.entry] = Some(self.first());
        let mut open = vec![cfa.entry];
        while let Some(location) = open.pop() {
            if budget.is_spent() {
                return None;
            }
            for &edge in cfa.outgoing(location) {
                let edge = &cfa.edges[edge];
                let Some(mut next) = at[location].clone() else {
                    continue;
                };
                self.apply(&edge.action, &mut next);
                let changed = match &mut at[edge.target] {
                    Some(known) => {
                        let before = known.len();
                        known.retain(|var, bits| next.get(var) == Some(bits));
                        known.len() < before
                    }
                    unknown => {
                        *unknown = Some(next);
                        true
                    }
                };
                if changed {
                    open.push(edge.target);
                }
            }
        }
        Some(at)
    }

    /// The first values of globals.
    fn first(&self) -> Known {
        let program = self.program;
        let relevant = self.relevant.iter().copied();
        let globals = relevant.filter(|&var| program.vars[var].scope == Scope::Global);
        let known = globals.filter_map(|var| {
            let bits = match program.vars[var].init {
                None => Some(0),
                Some(init) => self.value(init, &Known::default()),
            };
            Some((var, bits?))
        });
        known.collect()
    }

    fn apply(&self, action: &Action, known: &mut Known) {
        let value = match *action {
            Action::Assign { value, .. } => self.value(value, known),
            _ => None,
        };
        for var in self.effects.set_by(self.program, action) {
            known.remove(var);
        }
        if let Some(var) = action.defined_var() {
            match value.filter(|_| self.relevant.contains(&var)) {
                Some(bits) => known.insert(var, bits),
                None => known.remove(&var),
            };
        }
    }

    /// The bit pattern of an expression, if it has one. Recursive on its depth, which the model limits.
    fn value(&self, id: ExprId, known: &Known) -> Option<u128> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        let (bits, is_rounded) = match exprs[id].kind {
            ExprKind::Const(bits) => return Some(bits),
            ExprKind::Var(var) => return known.get(&var).copied(),
            ExprKind::Unary(op, arg) => {
                let bits = eval::unary(op, ty, self.value(arg, known)?);
                (bits, op != UnOp::Neg)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.value(lhs, known)?, self.value(rhs, known)?);
                (eval::binary(op, exprs.ty(lhs), a, exprs.ty(rhs), b), true)
            }
            ExprKind::Cast(arg) => {
                let bits = eval::cast(exprs.ty(arg), ty, self.value(arg, known)?);
                (bits, true)
            }
            _ => return None,
        };
        let bits = bits.ok()?;
        match (ty, is_rounded) {
            // C leaves the pattern of a NaN that is computed open.
            (Type::Float(_), true) => {
                let is_number = eval::binary(BinOp::Eq, ty, bits, ty, bits) == Ok(1);
                (self.nearest && is_number).then_some(bits)
            }
            _ => Some(bits),
        }
    }
}
