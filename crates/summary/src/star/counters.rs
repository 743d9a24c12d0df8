//! Counters that several cases add to and reset, in any order: vector addition systems with resets.
//!
//! The class: bodies of a few cases, each of which adds a constant to a variable or resets it to something that the
//! loop doesn't change. How often each case was taken, `n_j`, and for all variables that the same cases reset how often
//! since the last reset, `m_j`, with the case that did it, determine the values (C. Haase, S. Halfon, *Integer vector
//! addition systems with states*, 2014; J. Silverman, Z. Kincaid, *Loop summarization with rational vector addition
//! systems*, 2019). Two such groups were last reset at the same time, or one of them later, and then by a case that the
//! other one has counted. Without guards that the loop influences, this is the closure itself. With guards, it says
//! which case can be the first, what the last one leaves behind, and how often a case can have been taken whose guard
//! bounds what no case lets fall, or none lets rise.
//!
//! The contract: with a case before a run, its `n` grows by one; the groups that were not reset yet count it, or are
//! reset by it, earlier than all others, and the `m` of these are what the `n` of the others were. Bounds on `n_j`: if
//! nothing lets a sum `s` fall, and `s <= 0` is in the guard of `j`, which adds `d` to it, then `s + (n_j - 1)·d <= 0`
//! before the run; if nothing lets it rise, `s - n_j·d <= 0` after it.

use rhumb_logic::num::Int;
use rhumb_logic::{Budget, Linear, Node, Renaming, Sort, Symbol, Term, Terms, Transition};
use rustc_hash::FxHashMap;

use super::{Closure, How, Loop, LoopOperator, Said};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "counters",
    about: "loops whose cases add constants to variables and reset them, in any order",
    how: How::Cases(counted),
};

/// With more cases there would be too many numbers.
const CASES: usize = 8;

/// Likewise with more groups of variables that are reset together.
const GROUPS: usize = 4;

fn counted(of: Loop<'_>, cases: &[Transition], _: usize, _: &Budget) -> Option<Said> {
    if cases.len() < 2 || cases.len() > CASES {
        return None;
    }
    let counters = Counter::all(of, cases);
    let mut system = System::new(of, cases);
    system.add_groups(&counters)?;
    let is_exact = cases.iter().all(|case| system.is_free(case))
        && (of.iteration.updates.iter())
            .all(|update| counters.iter().any(|counter| counter.variable == update.0));
    let says_more = system.groups.len() > 1 || system.bounds_some(&counters);
    if !is_exact && !says_more {
        return None;
    }
    let closure = system.closure(&counters);
    Some(if is_exact {
        Said::Everything(closure)
    } else {
        Said::Something(closure)
    })
}

/// What a case does to a variable.
#[derive(Clone, PartialEq, Eq)]
enum Change {
    Add(Int),
    Set(Term),
}

/// A variable, with what each case does to it.
#[derive(PartialEq, Eq)]
struct Counter {
    variable: Symbol,
    changes: Vec<Change>,
}

impl Counter {
    /// The variables of which it is known for each case. One whose value every case fixes, like the state of a machine,
    /// is reset by all of them; if some add to it as well, it counts twice.
    fn all(of: Loop<'_>, cases: &[Transition]) -> Vec<Counter> {
        let terms = of.terms;
        let mut counters: Vec<Counter> = Vec::new();
        for &(variable, _) in &of.iteration.updates {
            if terms.symbol_info(variable).sort != Sort::Int {
                continue;
            }
            let changes = cases.iter().map(|case| change(of, case, variable));
            let Some(changes) = changes.collect::<Option<Vec<Change>>>() else {
                continue;
            };
            let settled = changes
                .iter()
                .zip(cases)
                .map(|(change, case)| match change {
                    Change::Add(by) => match fixed(terms, case, variable) {
                        Some(value) => Change::Set(terms.int(value + by)),
                        None => change.clone(),
                    },
                    Change::Set(_) => change.clone(),
                });
            let settled = Counter {
                variable,
                changes: settled.collect(),
            };
            let counter = Counter { variable, changes };
            let is_state = (0..cases.len()).all(|case| settled.is_reset_by(case));
            if settled != counter && is_state {
                counters.push(settled);
            }
            counters.push(counter);
        }
        counters
    }

    fn is_reset_by(&self, case: usize) -> bool {
        matches!(self.changes[case], Change::Set(_))
    }

    /// Which cases reset it.
    fn resets(&self) -> Vec<bool> {
        (0..self.changes.len())
            .map(|case| self.is_reset_by(case))
            .collect()
    }

    /// What a case adds.
    fn added(&self, case: usize) -> Int {
        match &self.changes[case] {
            Change::Add(by) => by.clone(),
            Change::Set(_) => Int::ZERO,
        }
    }
}

/// What a case does to a variable, if it adds a constant or resets it.
fn change(of: Loop<'_>, case: &Transition, variable: Symbol) -> Option<Change> {
    let terms = of.terms;
    let value = case.value_of(terms, variable);
    if let Some(by) = terms.as_int(terms.sub(value, terms.var(variable))) {
        return Some(Change::Add(by.clone()));
    }
    let used = terms.symbols([value]);
    (used.iter().all(|&symbol| is_fixed(of, symbol))).then_some(Change::Set(value))
}

/// Whether a symbol is of the state and never changed.
fn is_fixed(of: Loop<'_>, symbol: Symbol) -> bool {
    let updates = &of.iteration.updates;
    of.state.binary_search(&symbol).is_ok()
        && updates
            .binary_search_by_key(&symbol, |update| update.0)
            .is_err()
}

/// The one value of a variable that the guard of a case allows.
fn fixed(terms: &Terms, case: &Transition, variable: Symbol) -> Option<Int> {
    let var = terms.var(variable);
    let conjuncts = terms.conjuncts(case.guard);
    conjuncts
        .iter()
        .find_map(|&conjunct| match terms.node(conjunct) {
            Node::Zero(Linear { parts, constant }) => match &parts[..] {
                [(part, factor)] if *part == var && *factor == Int::ONE => Some(-constant),
                [(part, factor)] if *part == var && *factor == Int::NEG_ONE => {
                    Some(constant.clone())
                }
                _ => None,
            },
            _ => None,
        })
}

/// Variables that the same cases reset.
struct Group {
    resets: Vec<bool>,
    /// How often each case was taken since.
    since: Vec<Term>,
    /// The number of the case that reset them last, or the number of cases.
    by: Term,
}

struct System<'a> {
    of: Loop<'a>,
    cases: &'a [Transition],
    /// How often each case was taken.
    taken: Vec<Term>,
    /// The first one is that of variables that are never reset.
    groups: Vec<Group>,
    inputs: Vec<Symbol>,
}

impl<'a> System<'a> {
    fn new(of: Loop<'a>, cases: &'a [Transition]) -> System<'a> {
        let mut system = System {
            of,
            cases,
            taken: Vec::new(),
            groups: Vec::new(),
            inputs: Vec::new(),
        };
        system.taken = cases.iter().map(|_| system.number("n")).collect();
        system.groups.push(Group {
            resets: vec![false; cases.len()],
            since: system.taken.clone(),
            by: system.case(cases.len()),
        });
        system
    }

    fn number(&mut self, name: &str) -> Term {
        let symbol = self.of.terms.symbol(name, Sort::Int);
        self.inputs.push(symbol);
        self.of.terms.var(symbol)
    }

    fn case(&self, number: usize) -> Term {
        self.of.terms.int(Int::from(number))
    }

    /// Makes groups for all counters, if they are not too many.
    fn add_groups(&mut self, counters: &[Counter]) -> Option<()> {
        for counter in counters {
            let resets = counter.resets();
            if self.groups.iter().any(|group| group.resets == resets) {
                continue;
            }
            let zero = self.of.terms.int(0);
            let since = resets
                .iter()
                .map(|&is_reset| if is_reset { zero } else { self.number("m") });
            let since = since.collect();
            let by = self.number("by");
            self.groups.push(Group { resets, since, by });
        }
        (self.groups.len() <= GROUPS + 1).then_some(())
    }

    /// The literals of the guard of a case, and whether each is about nothing that changes.
    fn literals(&self, case: &Transition) -> Vec<(Term, bool)> {
        let terms = self.of.terms;
        let conjuncts = terms.conjuncts(case.guard).into_iter();
        conjuncts
            .map(|literal| {
                let used = terms.symbols([literal]);
                (
                    literal,
                    used.iter().all(|&symbol| is_fixed(self.of, symbol)),
                )
            })
            .collect()
    }

    /// Whether nothing that changes decides if a case can be taken.
    fn is_free(&self, case: &Transition) -> bool {
        self.literals(case).iter().all(|&(_, is_fixed)| is_fixed)
    }

    /// Whether a case has a bound of its own that limits how often it is taken: neither the others have it, nor is it
    /// there anyway, before or after.
    fn bounds_some(&self, counters: &[Counter]) -> bool {
        let terms = self.of.terms;
        let guards = self.cases.iter().map(|case| terms.conjuncts(case.guard));
        let guards: Vec<Vec<Term>> = guards.collect();
        let always = self.of.invariant;
        self.cases.iter().zip(&guards).any(|(case, guard)| {
            let after = case.substitution().apply(terms, always);
            let known = terms.conjuncts(terms.and([always, after]));
            let is_own = |literal: &&Term| {
                !known.contains(literal) && !guards.iter().all(|guard| guard.contains(literal))
            };
            let mut own = guard.iter().filter(is_own);
            own.any(|&literal| self.drifts(literal, counters).is_some())
        })
    }

    /// What each case adds to the sum that a literal bounds from above, if that is known and all go the same way.
    fn drifts(&self, literal: Term, counters: &[Counter]) -> Option<(&'a Linear, Vec<Int>)> {
        let terms = self.of.terms;
        let Node::AtMostZero(sum) = terms.node(literal) else {
            return None;
        };
        let mut drifts = vec![Int::ZERO; self.cases.len()];
        for (part, factor) in &sum.parts {
            let symbol = terms.as_symbol(*part)?;
            if is_fixed(self.of, symbol) {
                continue;
            }
            let is_it = |counter: &&Counter| {
                counter.variable == symbol && !counter.resets().contains(&true)
            };
            let counter = counters.iter().find(is_it)?;
            for (case, drift) in drifts.iter_mut().enumerate() {
                *drift += factor * counter.added(case);
            }
        }
        let is_one_way = drifts.iter().all(|drift| *drift >= Int::ZERO)
            || drifts.iter().all(|drift| *drift <= Int::ZERO);
        is_one_way.then_some((sum, drifts))
    }

    fn closure(mut self, counters: &[Counter]) -> Closure {
        let terms = self.of.terms;
        let count = self.number("k");
        let ends: FxHashMap<Symbol, Symbol> = (self.of.iteration.updates.iter())
            .map(|&(symbol, _)| (symbol, terms.fresh_copy(symbol)))
            .collect();
        let after: FxHashMap<Symbol, Term> = (ends.iter())
            .map(|(&before, &after)| (before, terms.var(after)))
            .collect();
        let mut facts = vec![
            terms.ge(count, terms.int(1)),
            terms.eq(count, self.sum(&self.taken)),
        ];
        facts.extend(
            self.taken
                .iter()
                .map(|&taken| terms.ge(taken, terms.int(0))),
        );
        for group in &self.groups {
            facts.extend(self.order_of_counts(group));
            facts.push(self.values(group, counters, &after));
        }
        for (number, one) in self.groups.iter().enumerate().skip(1) {
            let others = self.groups.iter().skip(number + 1);
            facts.extend(others.map(|other| self.in_time(one, other)));
        }
        let first = self.first();
        facts.push(first);
        facts.push(self.last(&after));
        for case in 0..self.cases.len() {
            facts.extend(self.bounds(case, counters, &after));
        }
        let same = after
            .iter()
            .map(|(&symbol, &value)| terms.eq(terms.var(symbol), value));
        let none = same
            .chain([terms.eq(count, terms.int(0))])
            .collect::<Vec<_>>();
        let guard = terms.or([terms.and(none), terms.and(facts)]);
        self.inputs.extend(ends.values());
        Closure {
            transition: Transition::new(terms, after, guard, self.inputs),
            count,
        }
    }

    fn sum(&self, parts: &[Term]) -> Term {
        let zero = self.of.terms.int(0);
        parts
            .iter()
            .fold(zero, |sum, &part| self.of.terms.add(sum, part))
    }

    /// That a group counts no more than there was.
    fn order_of_counts(&self, group: &Group) -> Vec<Term> {
        let terms = self.of.terms;
        let pairs = group.since.iter().zip(&self.taken);
        pairs
            .filter(|(since, taken)| since != taken)
            .flat_map(|(&since, &taken)| [terms.ge(since, terms.int(0)), terms.le(since, taken)])
            .collect()
    }

    /// The values of the variables of a group after the run.
    fn values(&self, group: &Group, counters: &[Counter], after: &FxHashMap<Symbol, Term>) -> Term {
        let terms = self.of.terms;
        let members = counters
            .iter()
            .filter(|counter| counter.resets() == group.resets);
        let members: Vec<&Counter> = members.collect();
        let from = |start: &dyn Fn(&Counter) -> Term| {
            let equal = members.iter().map(|counter| {
                let since = group.since.iter().enumerate();
                let value = since.fold(start(counter), |sum, (case, &since)| {
                    terms.add(sum, terms.scale(counter.added(case), since))
                });
                terms.eq(after[&counter.variable], value)
            });
            terms.and(equal.collect::<Vec<_>>())
        };
        let never = from(&|counter: &Counter| terms.var(counter.variable));
        let resetting = |case: &usize| group.resets[*case];
        let mut ways = Vec::new();
        let all_taken =
            (group.since.iter().zip(&self.taken)).map(|(&since, &taken)| terms.eq(since, taken));
        let mut none: Vec<Term> = all_taken.collect();
        none.extend([never, terms.eq(group.by, self.case(self.cases.len()))]);
        ways.push(terms.and(none));
        for case in (0..self.cases.len()).filter(resetting) {
            let start = from(&|counter: &Counter| match &counter.changes[case] {
                Change::Set(value) => *value,
                Change::Add(_) => terms.var(counter.variable),
            });
            ways.push(terms.and([
                start,
                terms.eq(group.by, self.case(case)),
                terms.ge(self.taken[case], terms.int(1)),
            ]));
        }
        terms.or(ways)
    }

    /// That two groups were last reset at the same time, or one of them earlier so that it has counted what reset the other.
    fn in_time(&self, one: &Group, other: &Group) -> Term {
        let terms = self.of.terms;
        let pairs = || one.since.iter().copied().zip(other.since.iter().copied());
        let same = pairs()
            .map(|(a, b)| terms.eq(a, b))
            .chain([terms.eq(one.by, other.by)]);
        let same = terms.and(same.collect::<Vec<_>>());
        let later = |late: &Group, early: &Group| {
            let counts = late.since.iter().zip(&early.since);
            let fewer = counts.map(|(&late, &early)| terms.le(late, early));
            let counted =
                (0..self.cases.len()).filter(|&case| late.resets[case] && !early.resets[case]);
            let counted = counted.map(|case| {
                terms.and([
                    terms.eq(late.by, self.case(case)),
                    terms.ge(early.since[case], terms.int(1)),
                ])
            });
            let counted = terms.or(counted.collect::<Vec<_>>());
            terms.and(fewer.chain([counted]).collect::<Vec<_>>())
        };
        terms.or([same, later(one, other), later(other, one)])
    }

    /// That the state before allows a case that was taken.
    fn first(&mut self) -> Term {
        let terms = self.of.terms;
        let mut ways = Vec::new();
        for (case, &taken) in self.cases.iter().zip(&self.taken) {
            let (case, inputs) = case.rename_apart(terms);
            self.inputs.extend(inputs);
            ways.push(terms.and([terms.ge(taken, terms.int(1)), case.guard]));
        }
        terms.or(ways)
    }

    /// That the state after is one that a case leads to which was taken and resets what it resets.
    fn last(&self, after: &FxHashMap<Symbol, Term>) -> Term {
        let terms = self.of.terms;
        let ways = self.cases.iter().enumerate().map(|(number, case)| {
            let mut facts = vec![terms.ge(self.taken[number], terms.int(1))];
            for group in self.groups.iter().skip(1) {
                if group.resets[number] {
                    facts.push(terms.eq(group.by, self.case(number)));
                    facts.extend(
                        group
                            .since
                            .iter()
                            .map(|&since| terms.eq(since, terms.int(0))),
                    );
                } else {
                    facts.push(terms.ge(group.since[number], terms.int(1)));
                }
            }
            facts.extend(self.left_behind(case, after));
            terms.and(facts)
        });
        terms.or(ways.collect::<Vec<_>>())
    }

    /// What holds after a case, as far as the state after tells the state before: of variables that it doesn't reset.
    fn left_behind(&self, case: &Transition, after: &FxHashMap<Symbol, Term>) -> Vec<Term> {
        let terms = self.of.terms;
        let mut before: FxHashMap<Symbol, Term> = FxHashMap::default();
        for (&symbol, &end) in after {
            let grown = terms.sub(case.value_of(terms, symbol), terms.var(symbol));
            if terms.sort(end) == Sort::Int && terms.as_int(grown).is_some() {
                before.insert(symbol, terms.sub(end, grown));
            }
        }
        let is_told = |term: Term| {
            let used = terms.symbols([term]);
            let mut used = used.iter();
            used.all(|symbol| before.contains_key(symbol) || is_fixed(self.of, *symbol))
        };
        let mut told = Renaming::new(before.clone());
        let mut facts: Vec<Term> = Vec::new();
        for literal in terms.conjuncts(case.guard) {
            if is_told(literal) {
                facts.push(told.apply(terms, literal));
            }
        }
        for &(symbol, value) in &case.updates {
            if !before.contains_key(&symbol) && is_told(value) {
                facts.push(terms.eq(after[&symbol], told.apply(terms, value)));
            }
        }
        facts
    }

    /// What the guard of a case says if the case was taken at all.
    fn bounds(
        &self,
        case: usize,
        counters: &[Counter],
        after: &FxHashMap<Symbol, Term>,
    ) -> Vec<Term> {
        let terms = self.of.terms;
        let taken = self.taken[case];
        let mut facts = Vec::new();
        for (literal, is_fixed) in self.literals(&self.cases[case]) {
            if is_fixed {
                facts.push(literal);
            } else if let Some((sum, drifts)) = self.drifts(literal, counters) {
                let sum = terms.linear(sum);
                let drift = drifts[case].clone();
                let bounded = if drifts.iter().all(|drift| *drift >= Int::ZERO) {
                    let others = terms.sub(taken, terms.int(1));
                    terms.add(sum, terms.scale(drift, others))
                } else {
                    let finally = terms.substitute(sum, after);
                    terms.sub(finally, terms.scale(drift, taken))
                };
                facts.push(terms.le(bounded, terms.int(0)));
            }
        }
        let never = terms.eq(taken, terms.int(0));
        facts.iter().map(|&fact| terms.or([never, fact])).collect()
    }
}
