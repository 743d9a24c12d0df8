//! Which variables are live where: those whose value may still be read before it is set again.

use index_vec::IndexVec;
use rhumb_program::graph::CallGraph;
use rhumb_program::{Action, Callee, Cfa, FuncId, LocId, Program, Scope, VarId};
use rustc_hash::FxHashMap;

use crate::calls::{followed, touched as touched_by};

/// The live variables at some locations of an automaton.
pub struct Liveness {
    /// The variables that the automaton names, in the order of their ids.
    vars: Vec<VarId>,
    /// RegionPlace of a variable in `vars`.
    numbers: FxHashMap<VarId, u32>,
    /// RegionPlace of a location's bits.
    rows: IndexVec<LocId, Option<u32>>,
    bits: Vec<u64>,
    words: usize,
}

impl Liveness {
    /// Liveness at the locations that are wanted. For each variable the automaton is walked backwards from its uses to
    /// its definitions, so the cost is the length of all live ranges together.
    pub fn of(program: &Program, cfa: &Cfa, wanted: impl Fn(LocId) -> bool) -> Liveness {
        Liveness::from_uses(Uses::of(program, cfa), cfa, wanted)
    }

    /// The same in a function whose calls are edges of their own: a call uses all globals that matter to what it calls,
    /// and a return those that matter to the function.
    pub(crate) fn across_calls(
        program: &Program,
        function: FuncId,
        wanted: impl Fn(LocId) -> bool,
    ) -> Liveness {
        let cfa = &program.functions[function].cfa;
        let mut uses = Uses::of(program, cfa);
        let calls = CallGraph::of(program);
        let mut known: FxHashMap<FuncId, Vec<VarId>> = FxHashMap::default();
        for edge in &cfa.edges {
            let entered = match edge.action {
                Action::Return { .. } if function != program.start => Some(function),
                _ => followed(program, &edge.action),
            };
            let Some(entered) = entered else { continue };
            let touched = known.entry(entered);
            for &var in &*touched.or_insert_with(|| touched_by(program, &calls, entered)) {
                uses.by_var.entry(var).or_default().push(edge.source);
            }
        }
        Liveness::from_uses(uses, cfa, wanted)
    }

    fn from_uses(uses: Uses, cfa: &Cfa, wanted: impl Fn(LocId) -> bool) -> Liveness {
        let mut vars: Vec<VarId> = uses.by_var.keys().copied().collect();
        vars.sort_unstable();
        let numbers = vars
            .iter()
            .zip(0..)
            .map(|(&var, number)| (var, number))
            .collect();
        let words = vars.len().div_ceil(64);
        let mut count = 0;
        let rows: IndexVec<LocId, Option<u32>> = cfa
            .locations
            .indices()
            .map(|location| {
                wanted(location).then(|| {
                    count += 1;
                    count - 1
                })
            })
            .collect();
        let mut live = Liveness {
            numbers,
            rows,
            bits: vec![0; words * count as usize],
            words,
            vars,
        };
        let incoming = cfa.incoming();
        let mut seen: IndexVec<LocId, u32> =
            IndexVec::from_vec(vec![u32::MAX; cfa.locations.len()]);
        let mut todo: Vec<LocId> = Vec::new();
        for (number, &var) in live.vars.iter().enumerate() {
            let number = number as u32;
            for &at in &uses.by_var[&var] {
                if std::mem::replace(&mut seen[at], number) != number {
                    todo.push(at);
                }
            }
            while let Some(at) = todo.pop() {
                if let Some(row) = live.rows[at] {
                    let word = row as usize * words + number as usize / 64;
                    live.bits[word] |= 1 << (number % 64);
                }
                for &edge in &incoming[at] {
                    let edge = &cfa.edges[edge];
                    if edge.action.defined_var() != Some(var)
                        && std::mem::replace(&mut seen[edge.source], number) != number
                    {
                        todo.push(edge.source);
                    }
                }
            }
        }
        live
    }

    /// Whether the automaton reads or sets a variable anywhere.
    pub(crate) fn mentions(&self, var: VarId) -> bool {
        self.numbers.contains_key(&var)
    }

    /// Whether a variable is live at one of the wanted locations.
    pub fn is_live(&self, at: LocId, var: VarId) -> bool {
        match (self.rows[at], self.numbers.get(&var)) {
            (Some(row), Some(&number)) => {
                let word = self.bits[row as usize * self.words + number as usize / 64];
                word >> (number % 64) & 1 == 1
            }
            _ => false,
        }
    }

    /// The live variables of one of the wanted locations, in the order of their ids.
    pub fn at(&self, at: LocId) -> impl Iterator<Item = VarId> + '_ {
        let start = self.rows[at].map_or(self.bits.len(), |row| row as usize * self.words);
        let row = self.bits.iter().skip(start).take(self.words);
        row.zip((0..).step_by(64)).flat_map(move |(&word, first)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(self.vars[first + bit])
            })
        })
    }
}

/// Where each variable is read.
struct Uses {
    by_var: FxHashMap<VarId, Vec<LocId>>,
}

impl Uses {
    fn of(program: &Program, cfa: &Cfa) -> Uses {
        let mut by_var: FxHashMap<VarId, Vec<LocId>> = FxHashMap::default();
        let mut calls = Vec::new();
        for edge in &cfa.edges {
            edge.action.for_each_expr(|expr| {
                program.exprs.for_each_var(expr, &mut |var| {
                    by_var.entry(var).or_default().push(edge.source);
                });
            });
            if let Some(var) = edge.action.defined_var() {
                by_var.entry(var).or_default();
            }
            if is_left_call(&edge.action) {
                calls.push(edge.source);
            }
        }
        // The body of a call that is left may read every global variable.
        for (&var, uses) in &mut by_var {
            if program.vars[var].scope == Scope::Global {
                uses.extend(&calls);
            }
        }
        Uses { by_var }
    }
}

/// Whether the action runs a body that is not part of the automaton.
pub(crate) fn is_left_call(action: &Action) -> bool {
    matches!(
        action,
        Action::Call {
            callee: Callee::Function(_) | Callee::Pointer(_),
            ..
        }
    )
}
