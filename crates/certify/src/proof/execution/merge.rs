//! Both sides of a branch as one path, where they meet again soon.
//!
//! Right for folds with a condition: maximum, count, sum of some elements. If both sides only compute and read, and
//! then get to one place, the run goes on from there with values that are chosen by the condition, and nobody has to
//! follow twice as many paths for each element. Values are written down so that folds of the same elements in another
//! order are the same terms: a difference that is known counts if the condition holds; the larger and the smaller of
//! several are those of a sorted list.

use rhumb_logic::{Term, Terms};
use rhumb_program::{Action, Callee, ExprId, FuncId, LocId, LocKind, Program, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::branch::Branch;
use super::eval::Machine;
use super::live::Live;
use super::state::PathState;
use super::step::Done;
use super::value::Value;
use crate::proof::encode::number::Number;

/// Steps of each side.
const MOST_STEPS: usize = 12;

/// What is known for making one path of two.
pub(super) struct Merging<'p> {
    program: &'p Program,
    live: Live<'p>,
    /// Variables that say where a run goes or what it accesses: they are told apart by paths.
    steering: Option<FxHashSet<VarId>>,
    extremes: Extremes,
}

/// Terms that are the largest, or the smallest, of some others.
#[derive(Default)]
struct Extremes {
    /// By the term and whether it is the largest: of which terms, sorted.
    known: FxHashMap<(Term, bool), Vec<Term>>,
}

impl<'p> Merging<'p> {
    pub(super) fn new(program: &'p Program) -> Merging<'p> {
        Merging {
            program,
            live: Live::new(program),
            steering: None,
            extremes: Extremes::default(),
        }
    }

    /// Whether a variable is looked at from a location on, before it is set.
    pub(super) fn is_live(&mut self, function: FuncId, at: LocId, var: VarId) -> bool {
        self.live.at(function, at).contains(&var)
    }

    fn is_steering(&mut self, var: VarId) -> bool {
        let program = self.program;
        let steering = self.steering.get_or_insert_with(|| steering(program));
        steering.contains(&var)
    }
}

/// Variables in places, sizes and conditions of loops, and those that such a variable is computed from. A guess: it
/// decides how runs are followed, not what is said of them.
fn steering(program: &Program) -> FxHashSet<VarId> {
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    let mut assigned: Vec<(VarId, ExprId)> = Vec::new();
    let results = |function: FuncId| {
        let edges = program.functions[function].cfa.edges.iter();
        edges.filter_map(|edge| match edge.action {
            Action::Return { value } => value,
            _ => None,
        })
    };
    for function in &program.functions {
        let loops = function.cfa.loops();
        for edge in &function.cfa.edges {
            let mut note = |expr: ExprId| {
                program.exprs.for_each_var(expr, &mut |var| {
                    found.insert(var);
                });
            };
            match &edge.action {
                Action::Assign { dst, value } => assigned.push((*dst, *value)),
                Action::Assume { cond, .. } if loops.heads().contains(&edge.source) => note(*cond),
                Action::Load { ptr, .. } | Action::Store { ptr, .. } => note(*ptr),
                &Action::Call {
                    ref dst,
                    callee: Callee::Function(callee),
                    ref args,
                } => {
                    let params = program.functions[callee].params.iter().copied();
                    assigned.extend(params.zip(args.iter().copied()));
                    let values = results(callee);
                    assigned.extend(
                        dst.iter()
                            .flat_map(|&dst| values.clone().map(move |value| (dst, value))),
                    );
                }
                action @ (Action::InputBytes { .. }
                | Action::Copy { .. }
                | Action::Fill { .. }
                | Action::Alloc { .. }
                | Action::Free { .. }) => action.for_each_expr(note),
                _ => {}
            }
        }
    }
    let mut before = usize::MAX;
    while before != found.len() {
        before = found.len();
        for &(dst, value) in &assigned {
            if found.contains(&dst) {
                program.exprs.for_each_var(value, &mut |var| {
                    found.insert(var);
                });
            }
        }
    }
    found
}

impl Machine<'_> {
    /// The state in which both sides of a branch meet, if they do soon and nothing but values tells them apart.
    ///
    /// A run for which the condition holds is an instance of the first side, and of the result, since every value there
    /// is the first side's if the condition holds; likewise for the other side. What one side alone knows is left out,
    /// unless nobody looks at it any more.
    pub(super) fn merged(
        &mut self,
        state: &PathState,
        branch: &Branch,
        condition: Term,
    ) -> Option<PathState> {
        if self.terms.as_bool(condition).is_some() || self.touched.is_some() {
            return None;
        }
        let (assumed, approximated) = (self.assumed.len(), self.approximated);
        let first = self.side(state, branch, true);
        let second = self.side(state, branch, false);
        // A side that had to make something up is none that only computes.
        let is_plain = self.assumed.len() == assumed && self.approximated == approximated;
        self.assumed.truncate(assumed);
        self.approximated = approximated;
        if !is_plain {
            return None;
        }
        let (a, b) = second.iter().find_map(|b| {
            let same = |a: &&PathState| a.frame().location == b.frame().location;
            Some((first.iter().find(same)?, b))
        })?;
        self.joined(state, condition, a, b)
    }

    /// The states that a side of a branch gets to, as long as it only computes.
    fn side(&mut self, state: &PathState, branch: &Branch, holds: bool) -> Vec<PathState> {
        let mut state = state.clone();
        branch.go(&mut state, holds);
        let mut all = vec![state];
        while all.len() <= MOST_STEPS
            && let Some(next) = self.quiet_step(&all[all.len() - 1])
        {
            all.push(next);
        }
        all
    }

    /// The state after a step that only computes or reads, and goes one way.
    fn quiet_step(&mut self, state: &PathState) -> Option<PathState> {
        let frame = state.frame();
        let cfa = &self.program.functions[frame.function].cfa;
        let place = &cfa.locations[frame.location];
        let &edge = place.outgoing.first()?;
        if place.kind != LocKind::Plain {
            return None;
        }
        let mut next = state.clone();
        match &cfa.edges[edge].action {
            &Action::Assume { cond, holds } => {
                let truth = self.truth(state, cond).ok()?;
                let taken = self.terms.as_bool(truth)?;
                let &other = place.outgoing.get(1)?;
                let branch = self.branch(state, cfa, [edge, other], (cond, holds), truth);
                branch.go(&mut next, taken);
            }
            action @ (Action::Skip | Action::Assign { .. } | Action::Load { .. }) => {
                let done = self.act(&mut next, action).ok()?;
                if done != Done::Next || next.inputs.len() != state.inputs.len() {
                    return None;
                }
                next.frame_mut().location = cfa.edges[edge].target;
            }
            _ => return None,
        }
        Some(next)
    }

    /// The state with the values of one where the condition holds, and of the other where not.
    fn joined(
        &mut self,
        from: &PathState,
        condition: Term,
        a: &PathState,
        b: &PathState,
    ) -> Option<PathState> {
        let mut result = from.clone();
        let (function, location) = (a.frame().function, a.frame().location);
        result.frame_mut().location = location;
        let (left, right) = (&a.frame().variables, &b.frame().variables);
        let mut variables = left.clone();
        for (&var, value) in left {
            if right.get(&var) == Some(value) {
                continue;
            }
            let chosen = match right.get(&var) {
                Some(other) => self.chosen(var, condition, value, other),
                None => None,
            };
            match chosen {
                Some(chosen) => variables.insert(var, chosen),
                None if self.is_looked_at(function, location, var) => return None,
                None => variables.remove(&var),
            };
        }
        let mut missing = right.keys().filter(|var| !left.contains_key(var));
        if missing.any(|&var| self.is_looked_at(function, location, var)) {
            return None;
        }
        result.frame_mut().variables = variables;
        let mut globals = (*a.globals).clone();
        for (&var, value) in &*a.globals {
            let other = b.globals.get(&var)?;
            if other != value {
                globals.insert(var, self.chosen(var, condition, value, other)?);
            }
        }
        result.globals = globals.into();
        Some(result)
    }

    fn is_looked_at(&mut self, function: FuncId, at: LocId, var: VarId) -> bool {
        self.merging.is_live(function, at, var)
    }

    /// A value by a condition; none for what paths have to tell apart.
    fn chosen(&mut self, var: VarId, condition: Term, a: &Value, b: &Value) -> Option<Value> {
        let (ty, model) = (self.program.vars[var].ty, self.program.data_model);
        if self.merging.is_steering(var) {
            return None;
        }
        let terms = self.terms.clone();
        match ty {
            Type::Bool => {
                let (a, b) = (a.truth(&terms).ok()?, b.truth(&terms).ok()?);
                Some(Value::from_truth(&terms, terms.ite(condition, a, b)))
            }
            Type::Int(_) => {
                let a = a.number(&terms, ty, model).ok()?;
                let b = b.number(&terms, ty, model).ok()?;
                let number = Number {
                    term: self
                        .merging
                        .extremes
                        .chosen(&terms, condition, a.term, b.term),
                    range: a.range.hull(&b.range),
                };
                Some(Value::from_number(&terms, number, ty, model))
            }
            Type::Float(_) | Type::Ptr => None,
        }
    }
}

impl Extremes {
    /// The first if a condition holds, otherwise the second.
    fn chosen(&mut self, terms: &Terms, condition: Term, a: Term, b: Term) -> Term {
        if let Some(difference) = terms.as_int(terms.sub(a, b)) {
            let counts = terms.ite(condition, terms.int(1), terms.int(0));
            return terms.add(b, terms.scale(difference.clone(), counts));
        }
        for largest in [true, false] {
            let (low, high) = if largest { (b, a) } else { (a, b) };
            if condition == terms.lt(low, high) || condition == terms.le(low, high) {
                return self.of(terms, largest, a, b);
            }
        }
        terms.ite(condition, a, b)
    }

    /// The largest, or the smallest, of two.
    fn of(&mut self, terms: &Terms, largest: bool, a: Term, b: Term) -> Term {
        let mut all: Vec<Term> = Vec::new();
        for term in [a, b] {
            match self.known.get(&(term, largest)) {
                Some(parts) => all.extend(parts),
                None => all.push(term),
            }
        }
        all.sort_unstable();
        all.dedup();
        let mut extreme = all[0];
        for &term in &all[1..] {
            let (low, high) = if largest {
                (extreme, term)
            } else {
                (term, extreme)
            };
            extreme = terms.ite(terms.lt(low, high), term, extreme);
        }
        self.known.insert((extreme, largest), all);
        extreme
    }
}

#[cfg(test)]
mod tests {
    use rhumb_logic::eval::evaluate;
    use rhumb_logic::{Assignment, Int, Sort, Value as Constant};

    use super::*;

    /// What is chosen has the value of the plain choice, whatever the order and the condition.
    #[test]
    fn choices_have_the_value_of_the_plain_choice() {
        let terms = Terms::new();
        let symbols = ["x", "y", "z"].map(|name| terms.symbol(name, Sort::Int));
        let mut state = 11;
        for _ in 0..300 {
            let mut extremes = Extremes::default();
            let mut draw = |bound: u64| (rhumb_random::next(&mut state) >> 33) % bound;
            let values: Assignment = symbols
                .iter()
                .map(|&symbol| (symbol, Constant::Int(Int::from(draw(5)))))
                .collect();
            let mut chosen = terms.int(1);
            for _ in 0..6 {
                let next = terms.var(symbols[draw(3) as usize]);
                let (low, high) = if draw(2) == 0 {
                    (chosen, next)
                } else {
                    (next, chosen)
                };
                let condition = match draw(3) {
                    0 => terms.lt(low, high),
                    1 => terms.le(low, high),
                    _ => terms.eq(low, high),
                };
                let (a, b) = match draw(3) {
                    0 => (next, chosen),
                    1 => (chosen, next),
                    _ => (terms.add(chosen, terms.int(2)), chosen),
                };
                let holds = evaluate(&terms, condition, &values) == Some(Constant::Bool(true));
                let expected = evaluate(&terms, if holds { a } else { b }, &values);
                chosen = extremes.chosen(&terms, condition, a, b);
                assert_eq!(evaluate(&terms, chosen, &values), expected);
            }
        }
    }

    #[test]
    fn the_largest_of_some_is_one_term_in_any_order() {
        let terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| terms.fresh(name, Sort::Int));
        let mut extremes = Extremes::default();
        let mut largest = |all: [Term; 3]| {
            let mut most = all[0];
            for &next in &all[1..] {
                most = extremes.chosen(&terms, terms.lt(most, next), next, most);
            }
            most
        };
        assert_eq!(largest([x, y, z]), largest([z, x, y]));
        assert_ne!(largest([x, y, z]), largest([x, y, y]));
    }
}
