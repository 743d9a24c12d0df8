//! Horn clauses.

#![allow(missing_docs)]

use std::sync::Arc;

use rhumb_logic::session::horn::{Clause, Clauses, Manner, Solution, solve};
use rhumb_logic::term::{Function, FunctionInfo};
use rhumb_logic::{Budget, Session, SessionOptions, Sort, Symbol, Term, Terms, Unknown, Work};

struct System {
    terms: Arc<Terms>,
    clauses: Clauses,
}

impl System {
    fn new(manner: Manner) -> System {
        let clauses = Clauses {
            manner,
            ..Clauses::default()
        };
        let terms = Arc::new(Terms::new());
        System { terms, clauses }
    }

    fn relation(&mut self, name: &str, arity: usize) -> (Function, Vec<Symbol>) {
        let function = self.terms.function(FunctionInfo {
            name: name.into(),
            params: vec![Sort::Int; arity].into(),
            result: Sort::Bool,
        });
        let symbols = (0..arity).map(|_| self.terms.symbol("argument", Sort::Int));
        let known = (function, symbols.collect::<Vec<_>>());
        self.clauses.relations.push(known.clone());
        known
    }

    fn clause(&mut self, body: &[Term], head: Option<Term>) {
        let body = body.to_vec();
        self.clauses.clauses.push(Clause { body, head });
    }

    fn solve(&self, budget: &Budget) -> Solution {
        solve(&self.terms, self.clauses.clone(), budget)
    }
}

/// A counter from 0 up to a limit in steps of 2, which is never at a number.
fn counter(manner: Manner, limit: i32, never: i32) -> System {
    let mut system = System::new(manner);
    let terms = system.terms.clone();
    let (at, _) = system.relation("at", 1);
    let x = terms.fresh("x", Sort::Int);
    let is_at = |value: Term| terms.apply(at, [value]);
    system.clause(&[], Some(is_at(terms.int(0))));
    let next = is_at(terms.add(x, terms.int(2)));
    system.clause(&[is_at(x), terms.lt(x, terms.int(limit))], Some(next));
    system.clause(&[is_at(x), terms.eq(x, terms.int(never))], None);
    system
}

/// Whether formulas for the relations make all clauses true.
fn is_solution(system: &System, relations: &[Option<Term>]) -> bool {
    let terms = &system.terms;
    let mean = |term: Term| {
        let rhumb_logic::Node::Apply(function, args) = terms.node(term) else {
            return term;
        };
        let known = &system.clauses.relations;
        let place = known.iter().position(|known| known.0 == *function);
        let place = place.expect("a relation");
        let values = known[place].1.iter().copied().zip(args.iter().copied());
        terms.substitute(relations[place].expect("a formula"), &values.collect())
    };
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    system.clauses.clauses.iter().all(|clause| {
        let mut parts: Vec<Term> = clause.body.iter().map(|&part| mean(part)).collect();
        parts.extend(clause.head.map(|head| terms.not(mean(head))));
        session.is_sat(&parts, &Budget::unlimited()) == Some(false)
    })
}

#[test]
fn what_is_told_makes_all_clauses_true() {
    for manner in [Manner::Plain, Manner::Guided] {
        let system = counter(manner, 10, 13);
        match system.solve(&Budget::unlimited()) {
            Solution::Relations(relations) => assert!(is_solution(&system, &relations)),
            other => panic!("{other:?}"),
        }
        assert_eq!(
            counter(manner, 10, 8).solve(&Budget::unlimited()),
            Solution::None
        );
    }
}

#[test]
fn recursion_has_summaries() {
    let mut system = System::new(Manner::Plain);
    let terms = system.terms.clone();
    let (sum, _) = system.relation("sum", 2);
    // Never derived, and of no use.
    let (unused, _) = system.relation("unused", 1);
    let [n, r] = ["n", "r"].map(|name| terms.fresh(name, Sort::Int));
    let zero = terms.int(0);
    system.clause(&[terms.le(n, zero)], Some(terms.apply(sum, [n, zero])));
    let rest = terms.apply(sum, [terms.sub(n, terms.int(1)), r]);
    let head = terms.apply(sum, [n, terms.add(r, n)]);
    system.clause(&[terms.gt(n, zero), rest], Some(head));
    system.clause(&[terms.apply(sum, [n, r]), terms.lt(r, n)], None);
    system.clause(&[terms.apply(unused, [n])], None);
    match system.solve(&Budget::unlimited()) {
        Solution::Relations(relations) => assert!(is_solution(&system, &relations)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_answer_is_the_same_every_time() {
    let told = || {
        let system = counter(Manner::Guided, 10, 13);
        match system.solve(&Budget::unlimited()) {
            Solution::Relations(relations) => {
                let shown = relations.iter().flatten();
                let shown = shown.map(|&term| system.terms.display(term).to_string());
                shown.collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(told(), told());
}

#[test]
fn work_and_cancelling_bound_it() {
    // x goes on for ever and y follows; that x is not y + 1 modulo a large prime takes more than it may.
    let mut system = System::new(Manner::Plain);
    let terms = system.terms.clone();
    let (at, _) = system.relation("at", 2);
    let [x, y] = ["x", "y"].map(|name| terms.fresh(name, Sort::Int));
    let is_at = |x: Term, y: Term| terms.apply(at, [x, y]);
    system.clause(&[], Some(is_at(terms.int(1), terms.int(1))));
    let next = is_at(terms.scale(3, x), terms.add(terms.scale(2, y), x));
    system.clause(&[is_at(x, y)], Some(next));
    system.clause(
        &[is_at(x, y), terms.eq(x, terms.add(y, terms.int(1)))],
        None,
    );
    let little = Budget::unlimited().within(Work::millis(50));
    let answer = system.solve(&little);
    assert!(
        matches!(
            answer,
            Solution::Unknown(Unknown::Units) | Solution::Relations(_)
        ),
        "{answer:?}"
    );
    let cancelled = Budget::unlimited();
    cancelled.cancel.cancel();
    assert!(matches!(system.solve(&cancelled), Solution::Unknown(_)));
}
