//! Which values of a variable can follow which, and after how many iterations.
//!
//! The class: loops with a variable that only ever gets some few constants as new values, such as the state of a
//! machine, with any number of states. The values are the nodes of a graph, with some that are never new and one more
//! node for all the others; an edge is a change that an iteration can make, by the solver. Distances in this graph,
//! from a node or to one, say how many iterations it takes at least: the distance of the value after `k` of them is at
//! most that of the value before, plus `k`. Where the components of the graph are numbered in the order in which they
//! are passed, the number never goes down. And a value afterwards is the one before or one of the new ones.
//!
//! The contract: an iteration changes a distance by at most one, which is what the bound grows by, and the number of
//! the component not downwards.

use std::collections::VecDeque;

use index_vec::IndexVec;
use rhumb_logic::eval::evaluate;
use rhumb_logic::session::{Answer, Session};
use rhumb_logic::{Budget, Node, Sort, Symbol, Term, Terms, Value};
use rhumb_program::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Closure, How, Loop, LoopOperator, closure_of};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "value graph",
    about: "loops with a variable that gets few constants as values: machines with many states",
    how: How::Whole(by_distance),
};

/// Variables with new values that are larger than this, or with more of them, are not looked at.
const LARGEST: i64 = 1 << 20;
const MOST: usize = 256;

/// The edges that a graph may have: so many for each value, and some more. Where everything follows everything, distances say nothing.
const DEGREE: usize = 2;
const FREE: usize = 16;

/// So many values that are never new, but lead to others, are told apart.
const BEGINNINGS: usize = 16;

/// With fewer values there is nothing that hulls and cases don't say.
const LEAST: usize = 4;

/// Nodes to or from which distances are measured, in each direction.
const CENTRES: usize = 2;

fn by_distance(of: Loop<'_>, _: &Closure, budget: &Budget) -> Option<Closure> {
    let terms = of.terms;
    let mut found: Vec<(Symbol, Changes)> = Vec::new();
    for &(symbol, value) in &of.iteration.updates {
        if terms.symbol_info(symbol).sort == Sort::Int
            && is_kept_or_constant(terms, symbol, value)
            && let Some(changes) = Changes::of(of, symbol, value, budget)
            && changes.values.len() >= LEAST
        {
            found.push((symbol, changes));
        }
    }
    if found.is_empty() {
        return None;
    }
    Some(closure_of(of, |ends| {
        let facts = found.iter().filter_map(|(symbol, changes)| {
            let before = terms.var(*symbol);
            let &ends_of = ends.changed.iter().find(|pair| pair.0 == before)?;
            Some(changes.facts(terms, ends_of, ends.count))
        });
        terms.and(facts.collect::<Vec<_>>())
    }))
}

/// Whether a new value is the old one or one of some constants, in each case that is told apart, and there are enough cases.
fn is_kept_or_constant(terms: &Terms, symbol: Symbol, value: Term) -> bool {
    let mut cases = 1;
    // Cases, and whether they are values by themselves, not parts of a sum.
    let mut waiting = vec![(value, true)];
    let mut seen: FxHashSet<Term> = FxHashSet::from_iter([value]);
    while let Some((value, is_whole)) = waiting.pop() {
        match terms.node(value) {
            &Node::Ite(_, then, other) => {
                cases += 1;
                let new = [then, other].into_iter().filter(|&case| seen.insert(case));
                waiting.extend(new.map(|case| (case, is_whole)));
            }
            Node::Sum(sum) => waiting.extend(sum.parts.iter().map(|part| (part.0, false))),
            &Node::Symbol(kept) if kept == symbol && is_whole => {}
            Node::Int(_) => {}
            _ => return false,
        }
    }
    cases >= LEAST
}

/// The values that a variable changes to, and the changes.
struct Changes {
    values: IndexVec<ValueId, i64>,
    /// Over the values, and one node more.
    graph: Graph<ValueId>,
}

index_vec::define_index_type! {
    /// A value; the last one stands for all that are not told apart.
    struct ValueId = u32;
}

impl Changes {
    /// The changes of a variable with this value after an iteration, if there are few.
    fn of(of: Loop<'_>, symbol: Symbol, value: Term, budget: &Budget) -> Option<Changes> {
        let terms = of.terms;
        let mut session = of.tools.session();
        session.assert(of.iteration.guard);
        // Much will be said of the value after an iteration, which may be a large term: better of a symbol.
        let after = terms.var(terms.symbol("after", Sort::Int));
        session.assert(terms.eq(after, value));
        session.assert(terms.ne(after, terms.var(symbol)));
        let large = [
            terms.gt(after, terms.int(LARGEST)),
            terms.lt(after, terms.int(-LARGEST)),
        ];
        let large = terms.or(large);
        if !session.check_assuming(&[large], budget).is_unsat() {
            return None;
        }
        let explorer = Explorer {
            of,
            symbol,
            value,
            after,
            session,
            nodes: FxHashMap::default(),
            values: IndexVec::new(),
            edges: Vec::new(),
            budget,
        };
        explorer.explore()
    }

    /// What is known of the values before and after a number of iterations.
    fn facts(&self, terms: &Terms, (before, after): (Term, Term), count: Term) -> Term {
        let look_up = |numbers: &IndexVec<ValueId, i64>| {
            [before, after].map(|value| self.look_up(terms, value, numbers))
        };
        let reversed = self.graph.reversed();
        let new = (self.values.iter_enumerated())
            .filter(|(node, _)| !reversed.successors(*node).is_empty())
            .map(|(_, &value)| terms.eq(after, terms.int(value)));
        let mut facts = vec![terms.or(new.chain([terms.eq(before, after)]).collect::<Vec<_>>())];
        for centre in self.centres(&reversed) {
            let [before, after] = look_up(&distances(&self.graph, centre));
            facts.push(terms.le(after, terms.add(before, count)));
        }
        for centre in self.centres(&self.graph) {
            let [before, after] = look_up(&distances(&reversed, centre));
            facts.push(terms.le(before, terms.add(after, count)));
        }
        // Components come after those that they lead to.
        let components = self.graph.components();
        let number = |node: ValueId| components.of(node) as i64;
        let [before, after] = look_up(&self.graph.nodes().map(number).collect());
        facts.push(terms.ge(before, after));
        terms.and(facts)
    }

    /// The number of the node that a value belongs to.
    fn look_up(&self, terms: &Terms, value: Term, numbers: &IndexVec<ValueId, i64>) -> Term {
        let others = self.values.next_idx();
        let known = self.values.iter_enumerated();
        known.fold(terms.int(numbers[others]), |rest, (node, &known)| {
            let is_known = terms.eq(value, terms.int(known));
            terms.ite(is_known, terms.int(numbers[node]), rest)
        })
    }

    /// The nodes that tell most by distances from them: where runs begin, and where many edges come in, since machines
    /// return there. For distances to nodes it is the same with the edges reversed.
    fn centres(&self, incoming: &Graph<ValueId>) -> Vec<ValueId> {
        let others = self.values.next_idx();
        let is_left = !self.graph.successors(others).is_empty();
        let mut nodes: Vec<ValueId> = incoming.nodes().collect();
        nodes.retain(|&node| node != others || is_left);
        nodes.sort_by_key(|&node| {
            let degree = incoming.successors(node).len();
            (degree > 0, std::cmp::Reverse(degree))
        });
        nodes.truncate(CENTRES);
        nodes
    }
}

/// The distance of every node from one. Nodes that can't be reached are farther away than all others: who is there may come from anywhere.
fn distances(graph: &Graph<ValueId>, from: ValueId) -> IndexVec<ValueId, i64> {
    let far = graph.len() as i64;
    let mut distances: IndexVec<ValueId, i64> = graph.nodes().map(|_| far).collect();
    let mut waiting = VecDeque::from([from]);
    distances[from] = 0;
    while let Some(node) = waiting.pop_front() {
        for &next in graph.successors(node) {
            if distances[next] == far {
                distances[next] = distances[node] + 1;
                waiting.push_back(next);
            }
        }
    }
    distances
}

/// Changes that are being looked for.
struct Explorer<'a> {
    of: Loop<'a>,
    symbol: Symbol,
    /// The value after an iteration, and the symbol for it in the session.
    value: Term,
    after: Term,
    /// Knows an iteration that changes the value.
    session: Session,
    nodes: FxHashMap<i64, ValueId>,
    values: IndexVec<ValueId, i64>,
    edges: Vec<(ValueId, ValueId)>,
    budget: &'a Budget,
}

impl Explorer<'_> {
    /// All changes. Nothing if there are too many, or if the solver doesn't know.
    fn explore(mut self) -> Option<Changes> {
        let terms = self.of.terms.clone();
        let (before, after) = (terms.var(self.symbol), self.after);
        while let Some(value) = self.other(after)? {
            self.follow(value)?;
        }
        // Where a run can begin: some values by themselves, the rest together.
        for _ in 0..BEGINNINGS {
            match self.other(before)? {
                Some(value) => self.follow(value)?,
                None => break,
            }
        }
        let known = self.values.iter();
        let elsewhere = known.map(|&known| terms.ne(before, terms.int(known)));
        let elsewhere = terms.and(elsewhere.collect::<Vec<_>>());
        self.session.assert(elsewhere);
        let others = self.values.next_idx();
        let mut found = Vec::new();
        while let Some(value) = different(&mut self.session, after, &found, self.budget)? {
            found.push(value);
            self.edges.push((others, *self.nodes.get(&value)?));
        }
        Some(Changes {
            graph: Graph::new(self.values.len() + 1, self.edges.iter().copied()),
            values: self.values,
        })
    }

    /// A value of a term in a change, other than all that are known.
    fn other(&mut self, term: Term) -> Option<Option<i64>> {
        different(&mut self.session, term, &self.values.raw, self.budget)
    }

    /// Adds a value, and all that follow.
    fn follow(&mut self, value: i64) -> Option<()> {
        let mut waiting = vec![self.add(value)?];
        while let Some(node) = waiting.pop() {
            for value in self.after(self.values[node])? {
                let known = self.nodes.get(&value).copied();
                let next = match known {
                    Some(known) => known,
                    None => self.add(value)?,
                };
                if known.is_none() {
                    waiting.push(next);
                }
                self.edges.push((node, next));
            }
            if self.edges.len() > FREE + DEGREE * self.values.len() {
                return None;
            }
        }
        Some(())
    }

    fn add(&mut self, value: i64) -> Option<ValueId> {
        if self.values.len() >= MOST {
            return None;
        }
        let node = self.values.push(value);
        self.nodes.insert(value, node);
        Some(node)
    }

    /// The values that an iteration changes a value to. What it does to one value is little, so the solver is asked about that alone.
    fn after(&self, value: i64) -> Option<Vec<i64>> {
        let terms = self.of.terms;
        let here = FxHashMap::from_iter([(self.symbol, terms.int(value))]);
        let guard = terms.substitute(self.of.iteration.guard, &here);
        let after = terms.substitute(self.value, &here);
        if terms.as_bool(guard) == Some(false) {
            return Some(Vec::new());
        }
        let mut session = self.of.tools.session();
        session.assert(guard);
        let mut found = vec![value];
        while let Some(next) = different(&mut session, after, &found, self.budget)? {
            found.push(next);
        }
        Some(found.split_off(1))
    }
}

/// A value of a term, other than some. Nothing if the solver doesn't know.
fn different(
    session: &mut Session,
    term: Term,
    known: &[i64],
    budget: &Budget,
) -> Option<Option<i64>> {
    let terms = session.terms().clone();
    let others = known.iter().map(|&known| terms.ne(term, terms.int(known)));
    let others: Vec<Term> = others.collect();
    match session.check_assuming(&[terms.and(others)], budget) {
        Answer::Sat(model) => match evaluate(&terms, term, model.assignment()) {
            Some(Value::Int(value)) => Some(Some(i64::try_from(&value).ok()?)),
            _ => None,
        },
        Answer::Unsat(_) => Some(None),
        Answer::Unknown(_) => None,
    }
}
