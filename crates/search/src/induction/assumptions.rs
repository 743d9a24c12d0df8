//! Which of many assumptions can be made together: induction relative to assumptions that blocks may break.
//!
//! Right where a program says of each assumption, by a truth value that never changes, whether it is made, and has a
//! place where the one that it is asked about turns out to be broken. At first all are made. Whatever is found to be
//! broken is not made any more, and facts that rested on it are weakened until they are kept without it: what is left
//! is the largest set that keeps itself, by facts of the given kind.

use rhumb_encode::{BlockEdgeId, BlockGraph, NodeId, NodeKind};
use rhumb_logic::{Budget, Symbol, Term};
use rhumb_program::{TargetId, Type};
use rustc_hash::FxHashSet;

use crate::facts::Facts;

use super::candidate::Candidate;
use super::prove::plain;
use super::question::Reply;
use super::subset::{Candidates, Induction};

/// How a program says what is assumed.
pub(crate) struct Choosing<'c> {
    /// For each assumption, the symbol of whether it is made; none if nothing depends on that.
    pub(crate) made: Vec<Option<Symbol>>,
    /// The symbol of the number of the one that is asked about; none if none can be broken.
    pub(crate) asked: Option<Symbol>,
    /// Where that one is broken.
    pub(crate) broken: TargetId,
    /// What an assumption makes no sense without.
    pub(crate) supports: &'c dyn Fn(usize) -> Vec<usize>,
}

/// The search for them.
pub(crate) struct Assumptions<'g, 'c> {
    graph: &'g BlockGraph,
    choosing: Choosing<'c>,
    /// What says that an assumption is made.
    says: Vec<Option<Term>>,
    induction: Induction<'g>,
    facts: Facts,
    candidates: Candidates,
    /// Which are still made.
    made: Vec<bool>,
}

/// What a proof still needs.
enum Wanted {
    /// A fact at a node.
    Fact(NodeId, Term),
    /// That an assumption is kept.
    Kept(usize),
}

impl<'g, 'c> Assumptions<'g, 'c> {
    /// All of them.
    pub(crate) fn new(graph: &'g BlockGraph, choosing: Choosing<'c>) -> Assumptions<'g, 'c> {
        let nothing = graph.nodes.iter().map(|_| Vec::new()).collect();
        let induction = Induction::new(graph, nothing);
        let terms = &graph.terms;
        let is_one = |symbol: Symbol| terms.eq(terms.var(symbol), terms.int(1));
        let own = choosing.made.iter().copied().flatten();
        let hidden: FxHashSet<Symbol> = own.chain(choosing.asked).collect();
        let mut candidates = plain(graph, &hidden);
        for (node, candidates) in candidates.iter_mut_enumerated() {
            if node == graph.entry || graph.nodes[node].kind.is_goal() {
                continue;
            }
            let flags = graph.live(node).filter(|cell| cell.ty == Type::Bool);
            for flag in flags.filter(|flag| !hidden.contains(&flag.symbol)) {
                let holds = is_one(flag.symbol);
                let both = [holds, terms.not(holds)];
                candidates.extend(both.map(|formula| Candidate::formula(terms, formula)));
            }
        }
        let says = choosing.made.iter().map(|made| made.map(is_one)).collect();
        Assumptions {
            made: vec![true; choosing.made.len()],
            facts: Facts::new(graph, |_| Vec::new()),
            graph,
            choosing,
            says,
            induction,
            candidates,
        }
    }

    /// Those that are still made.
    pub(crate) fn made(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.made.len()).filter(|&number| self.made[number])
    }

    /// Gives up assumptions until the others are kept; says whether that came to an end.
    pub(crate) fn settle(&mut self, budget: &Budget) -> bool {
        loop {
            let assumed = self.terms();
            self.induction.assume(assumed);
            let (candidates, facts) = (&mut self.candidates, &self.facts);
            if self.induction.subset(candidates, facts, budget).is_none() {
                return false;
            }
            match self.give_up_broken(budget) {
                Some(true) => {}
                Some(false) => return true,
                None => return false,
            }
        }
    }

    /// Whether no other goal is reached where all that are left are kept.
    pub(crate) fn exclude_goals(&mut self, budget: &Budget) -> bool {
        let never = self.graph.terms.bool(false);
        let goals = self.blocks_to(|kind| !self.is_broken(kind));
        goals.into_iter().all(|edge| {
            let given = self.given(edge);
            matches!(
                self.induction.question(edge).ask(&given, &[never], budget),
                Reply::Kept
            )
        })
    }

    /// Few assumptions that keep themselves, by which no other goal is reached; none if they were not found.
    pub(crate) fn needed(&mut self, budget: &Budget) -> Option<Vec<usize>> {
        let terms = self.graph.terms.clone();
        let never = terms.bool(false);
        let mut needed = vec![false; self.made.len()];
        let mut facts: FxHashSet<(NodeId, Term)> = FxHashSet::default();
        let mut open = Vec::new();
        for edge in self.blocks_to(|kind| !self.is_broken(kind)) {
            let given = self.given(edge);
            open.extend(self.reasons(edge, &given, never, budget)?);
        }
        while let Some(wanted) = open.pop() {
            if budget.is_spent() {
                return None;
            }
            match wanted {
                Wanted::Fact(node, fact) => {
                    if !facts.insert((node, fact)) {
                        continue;
                    }
                    for edge in self.graph.nodes[node].incoming.clone() {
                        let given = self.given(edge);
                        open.extend(self.reasons(edge, &given, fact, budget)?);
                    }
                }
                Wanted::Kept(number) => {
                    if std::mem::replace(&mut needed[number], true) {
                        continue;
                    }
                    let supports = (self.choosing.supports)(number);
                    open.extend(supports.into_iter().map(Wanted::Kept));
                    for edge in self.blocks_to(|kind| self.is_broken(kind)) {
                        let mut given = self.given(edge);
                        given.extend(self.asks_about(number));
                        open.extend(self.reasons(edge, &given, never, budget)?);
                    }
                }
            }
        }
        Some((0..needed.len()).filter(|&number| needed[number]).collect())
    }

    /// What is given at the beginning of a block is needed for a fact at its end.
    fn reasons(
        &mut self,
        edge: BlockEdgeId,
        given: &[Term],
        fact: Term,
        budget: &Budget,
    ) -> Option<Vec<Wanted>> {
        let source = self.graph.edges[edge].source;
        let reasons = self.induction.question(edge).reasons(given, fact, budget)?;
        let made = |reason: Term| self.says.iter().position(|&says| says == Some(reason));
        let asked = |reason: &Term| {
            let symbols = self.graph.terms.symbols([*reason]);
            symbols
                .iter()
                .any(|&symbol| Some(symbol) == self.choosing.asked)
        };
        let reasons = reasons.into_iter().filter(|reason| !asked(reason));
        let wanted = reasons.map(|reason| match made(reason) {
            Some(number) => Wanted::Kept(number),
            None => Wanted::Fact(source, reason),
        });
        Some(wanted.collect())
    }

    /// Gives up what is broken somewhere; says whether there was anything, or nothing if the budget is spent.
    fn give_up_broken(&mut self, budget: &Budget) -> Option<bool> {
        let never = self.graph.terms.bool(false);
        let before = self.made().count();
        for edge in self.blocks_to(|kind| self.is_broken(kind)) {
            loop {
                if budget.is_spent() {
                    return None;
                }
                let mut given = self.given(edge);
                given.extend(self.asks_about_made());
                let question = self.induction.question(edge);
                let pair = match question.ask(&given, &[never], budget) {
                    Reply::Kept => break,
                    Reply::Step(pair) => Some(pair),
                    Reply::Unknown => None,
                };
                let number = pair.and_then(|pair| {
                    let value = pair.before.get(&self.choosing.asked?)?.as_int()?;
                    usize::try_from(value.clone()).ok()
                });
                match number.filter(|&number| self.made.get(number) == Some(&true)) {
                    Some(number) => self.give_up(number),
                    None => self.give_up_open(edge, budget)?,
                }
            }
        }
        Some(self.made().count() < before)
    }

    /// Gives up those of which it is not known that a block keeps them.
    fn give_up_open(&mut self, edge: BlockEdgeId, budget: &Budget) -> Option<()> {
        let never = self.graph.terms.bool(false);
        let before = self.made().count();
        for number in self.made().collect::<Vec<_>>() {
            if budget.is_spent() {
                return None;
            }
            let mut given = self.given(edge);
            given.extend(self.asks_about(number));
            let reply = self.induction.question(edge).ask(&given, &[never], budget);
            if !matches!(reply, Reply::Kept) {
                self.give_up(number);
            }
        }
        (self.made().count() < before).then_some(())
    }

    fn give_up(&mut self, number: usize) {
        self.made[number] = false;
        loop {
            let unsupported: Vec<usize> = (self.made())
                .filter(|&number| {
                    let supports = (self.choosing.supports)(number);
                    supports.iter().any(|&support| !self.made[support])
                })
                .collect();
            if unsupported.is_empty() {
                return;
            }
            unsupported
                .into_iter()
                .for_each(|number| self.made[number] = false);
        }
    }

    /// The facts at the beginning of a block, and what is assumed.
    fn given(&self, edge: BlockEdgeId) -> Vec<Term> {
        let candidates = &self.candidates[self.graph.edges[edge].source];
        let mut given: Vec<Term> = candidates
            .iter()
            .flat_map(Candidate::clauses)
            .copied()
            .collect();
        given.extend(self.terms());
        given.sort_unstable();
        given.dedup();
        given
    }

    /// What says that assumptions are made.
    fn terms(&self) -> Vec<Term> {
        self.made().filter_map(|number| self.says[number]).collect()
    }

    fn asks_about(&self, number: usize) -> Option<Term> {
        let terms = &self.graph.terms;
        let asked = terms.var(self.choosing.asked?);
        Some(terms.eq(asked, terms.int(number)))
    }

    /// That it is asked about one of those that are made.
    fn asks_about_made(&self) -> Option<Term> {
        let all = self.made().map(|number| self.asks_about(number));
        let all: Option<Vec<Term>> = all.collect();
        Some(self.graph.terms.or(all?))
    }

    fn is_broken(&self, kind: NodeKind) -> bool {
        kind == NodeKind::Target(self.choosing.broken)
    }

    /// The blocks that lead to goals of some kind.
    fn blocks_to(&self, is_wanted: impl Fn(NodeKind) -> bool) -> Vec<BlockEdgeId> {
        let goals = self.graph.goals();
        let goals = goals.filter(|&goal| is_wanted(self.graph.nodes[goal].kind));
        goals
            .flat_map(|goal| self.graph.nodes[goal].incoming.clone())
            .collect()
    }
}
