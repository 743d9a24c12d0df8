//! Formulas that are not closed become so, and no weaker than they have to.

use std::sync::Arc;
use std::time::Duration;

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition};

use super::{Closed, closed};
use crate::steps::{Step, StepNode, Steps};

/// A graph over `x` and `y`: an entry, two loop heads and a goal.
struct World {
    terms: Arc<Terms>,
    symbols: [Symbol; 2],
    steps: Steps,
}

const ENTRY: usize = 0;
const FIRST: usize = 1;
const SECOND: usize = 2;
const GOAL: usize = 3;

impl World {
    fn new() -> World {
        let terms = Arc::new(Terms::new());
        let symbols = ["x", "y"].map(|name| terms.symbol(name, Sort::Int));
        let nodes = (0..4).map(|node| StepNode {
            is_goal: node == GOAL,
            known: terms.bool(true),
        });
        let steps = Steps {
            terms: terms.clone(),
            state: symbols.to_vec(),
            entry: NodeId::from_usize(ENTRY),
            nodes: nodes.collect(),
            edges: IndexVec::new(),
        };
        World {
            terms,
            symbols,
            steps,
        }
    }

    fn vars(&self) -> [Term; 2] {
        self.symbols.map(|symbol| self.terms.var(symbol))
    }

    fn edge(&mut self, source: usize, target: usize, guard: Term, values: [Term; 2]) {
        let updates = self.symbols.into_iter().zip(values);
        self.steps.edges.push(Step {
            source: NodeId::from_usize(source),
            target: NodeId::from_usize(target),
            transition: Transition::new(&self.terms, updates, guard, []),
        });
    }

    /// Makes formulas closed, and checks that they are and that they are implied by those that were given.
    fn close(&self, wanted: [Term; 4], budget: &Budget) -> Closed {
        let mut projector = Projector::new(self.terms.clone());
        let found = closed(
            &self.steps,
            IndexVec::from_vec(wanted.to_vec()),
            &mut projector,
            budget,
        );
        let terms = &self.terms;
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        let unlimited = Budget::unlimited();
        for edge in &self.steps.edges {
            let way = edge.transition.before(terms, found.formulas[edge.target]);
            let outside = terms.not(found.formulas[edge.source]);
            assert_eq!(session.is_sat(&[way, outside], &unlimited), Some(false));
        }
        for (&wanted, &found) in wanted.iter().zip(&found.formulas) {
            let lost = [wanted, terms.not(found)];
            assert_eq!(session.is_sat(&lost, &unlimited), Some(false));
        }
        let goal = found.formulas[NodeId::from_usize(GOAL)];
        assert_eq!(terms.as_bool(goal), Some(true));
        found
    }

    fn is_valid(&self, formula: Term) -> bool {
        let mut session = Session::new(self.terms.clone(), SessionOptions::default());
        session.entails(formula, &Budget::unlimited()) == Some(true)
    }
}

/// `x` from 0 to 10, and an error beyond: what is missing is added, and nothing else.
#[test]
fn missing_states_are_added() {
    let mut world = World::new();
    let terms = world.terms.clone();
    let ([x, y], yes) = (world.vars(), terms.bool(true));
    let number = |value: i64| terms.int(value);
    world.edge(ENTRY, FIRST, yes, [number(0), y]);
    let next = terms.add(x, number(1));
    world.edge(FIRST, FIRST, terms.lt(x, number(10)), [next, y]);
    world.edge(FIRST, GOAL, terms.gt(x, number(10)), [x, y]);
    let found = world.close([terms.bool(false); 4], &Budget::unlimited());
    let head = found.formulas[NodeId::from_usize(FIRST)];
    assert!(world.is_valid(terms.iff(head, terms.gt(x, number(10)))));
    let entry = found.formulas[NodeId::from_usize(ENTRY)];
    assert_eq!(terms.as_bool(entry), Some(false));
    assert!(found.weakened[NodeId::from_usize(FIRST)]);
}

/// 7 is reached from 5, that from 3, and so on without end: what is left is what all of them have in common.
#[test]
fn facts_are_given_up_where_adding_doesnt_end() {
    let mut world = World::new();
    let terms = world.terms.clone();
    let ([x, y], yes) = (world.vars(), terms.bool(true));
    let number = |value: i64| terms.int(value);
    world.edge(ENTRY, FIRST, yes, [number(8), y]);
    world.edge(FIRST, FIRST, yes, [terms.add(x, number(2)), y]);
    world.edge(FIRST, GOAL, terms.eq(x, number(7)), [x, y]);
    let found = world.close([terms.bool(false); 4], &Budget::unlimited());
    let head = found.formulas[NodeId::from_usize(FIRST)];
    assert!(world.is_valid(terms.implies(head, terms.le(x, number(7)))));
    let entry = found.formulas[NodeId::from_usize(ENTRY)];
    assert_eq!(terms.as_bool(entry), Some(false));
}

/// Random graphs and random formulas, with much time and without any.
#[test]
fn random_formulas_become_closed() {
    let mut seed = 1_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) % below
    };
    let (mut real, mut all) = (0, 0);
    for _ in 0..60 {
        let mut world = World::new();
        let terms = world.terms.clone();
        let [x, y] = world.vars();
        let mut number = |below: u64| {
            let value = i64::try_from(random(below)).unwrap_or(0);
            terms.int(value - i64::try_from(below / 2).unwrap_or(0))
        };
        let literal = |number: &mut dyn FnMut(u64) -> Term| {
            let (by, kind) = (number(12), number(6));
            match terms.as_int(kind).and_then(|kind| i64::try_from(kind).ok()) {
                Some(-3 | -2) => terms.le(x, by),
                Some(-1) => terms.ge(y, by),
                Some(0) => terms.ge(terms.sub(x, y), by),
                Some(1) => terms.eq(x, by),
                _ => terms.divides(3, terms.add(x, by)),
            }
        };
        for (source, target) in [
            (ENTRY, FIRST),
            (FIRST, FIRST),
            (FIRST, SECOND),
            (SECOND, SECOND),
            (SECOND, FIRST),
            (SECOND, GOAL),
        ] {
            let guard = literal(&mut number);
            let values = [terms.add(x, number(5)), terms.add(y, number(3))];
            world.edge(source, target, guard, values);
        }
        let wanted = [0; 4].map(|_| terms.or([literal(&mut number), literal(&mut number)]));
        let found = world.close(wanted, &Budget::time(Duration::from_secs(20)));
        for &head in &[FIRST, SECOND] {
            all += 1;
            let formula = found.formulas[NodeId::from_usize(head)];
            real += usize::from(terms.as_bool(formula) != Some(true));
        }
        let coarse = world.close(wanted, &Budget::time(Duration::ZERO));
        let is_open = |formula: &Term| terms.as_bool(*formula) == Some(true);
        assert!(coarse.formulas.iter().all(is_open));
    }
    assert!(2 * real >= all, "{real} of {all} formulas say something");
}
