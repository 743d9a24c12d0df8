//! What a proof can speak of, for those who write proofs or tell of them.

use rhumb_logic::{Symbol, Term, Terms};
use rhumb_program::passes::LocRef;
use rhumb_program::{Cfa, IndexVec, LocId, Program, VarId};

use super::encode::{Calls, Encoder, GoalKind, Paths, Region, SymbolicState};
use super::name::Point;
use super::subject::Subject;

/// The locations of a program, each in all its activations, and whether they can be reached, as far as the graph says.
pub fn points(program: &Program) -> Vec<(Point, bool)> {
    let subject = Subject::new(program);
    let reachable = subject.start().reachable();
    let function = subject.program.start;
    let points = reachable
        .iter_enumerated()
        .filter_map(|(location, &is_reached)| {
            let at = LocRef { function, location };
            Some((Point::of(&subject.restore, at)?, is_reached))
        });
    points.collect()
}

/// The checker's own idea of what an expression means that a program evaluates.
pub struct Meanings<'p> {
    program: &'p Program,
    terms: &'p Terms,
    symbols: IndexVec<VarId, Symbol>,
    calls: Calls,
}

impl<'p> Meanings<'p> {
    /// For a program whose variables have these symbols.
    pub fn new(
        program: &'p Program,
        terms: &'p Terms,
        symbols: IndexVec<VarId, Symbol>,
    ) -> Meanings<'p> {
        Meanings {
            program,
            terms,
            symbols,
            calls: Calls::of(program),
        }
    }

    /// When a run from one location comes to another with a value that is not zero in this variable. What is computed
    /// on the way may be undefined; then it doesn't come there. None if there is a cycle on the way.
    pub fn is_true_at(&self, cfa: &Cfa, start: LocId, end: LocId, value: VarId) -> Option<Term> {
        let mut encoder = Encoder::new(self.program, self.terms, &self.symbols);
        let mut paths = Paths::default();
        let region = Region {
            cfa,
            calls: &self.calls,
            is_cut: &|location| location == end,
            agreed: None,
            matters: &cfa.locations.iter().map(|_| true).collect(),
        };
        let first = vec![(start, SymbolicState::default())];
        let goals = region.explore(&mut encoder, &mut paths, first).ok()?;
        let Some(goal) = goals.iter().find(|goal| goal.kind == GoalKind::Cut(end)) else {
            return Some(self.terms.bool(false));
        };
        let value = encoder.read_int(value, &goal.state);
        let mut parts = goal.state.reached(&paths);
        parts.push(self.terms.ne(value, self.terms.int(0)));
        Some(self.terms.and(parts))
    }
}
