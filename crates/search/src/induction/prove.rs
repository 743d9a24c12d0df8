//! Proofs by induction alone.
//!
//! Candidates are tried in stages, from few and cheap to many: what the program compares and how it is bounded; then
//! equations, congruences and bounds under a condition that the program tests; then under two. What a stage proves is
//! known in the next. A goal is never reached if the candidate `false` survives there.

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::num::Int;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Budget, Symbol, Term};
use rustc_hash::FxHashSet;

use crate::facts::{Facts, Origin};

use super::atoms::{Atoms, atoms, atoms_without, live};
use super::candidate::Candidate;
use super::conditions::{conditions, pairs};
use super::deeper::deeper;
use super::elements::{self, Elements};
use super::products::{dimensions, equations};
use super::subset::{Candidates, Formulas, Induction};

/// Variables of a lattice; of nodes with more only these many, those that the node's atoms mention first.
const DIMENSIONS: usize = 16;

/// Candidates of a node in one stage.
const CANDIDATES: usize = 400;

/// Bounds of counters of a node that are looked for together with facts about elements.
const BOUNDS: usize = 32;

/// Conjuncts of what lies ahead that are candidates each for itself.
const CLAUSES: usize = 64;

/// Which candidates are tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Facts about elements of arrays that are followed, and equations between sums of them.
    Elements,
    /// More of them, when it is known how the program's own comparisons are bounded.
    MoreElements,
    /// Equations of the program, where there are products of variables: before questions about products that nobody
    /// can answer. Of those that wrap, what they say modulo the period.
    Equations,
    /// The same, and equations between products of variables.
    Products,
    /// Formulas, equations, congruences and bounds.
    Plain,
    /// Equations and congruences under a condition.
    Points,
    /// Bounds under a condition.
    Bounds,
    /// That no error, and nothing that contradicts a candidate of the store, follows within a few blocks: induction over several steps.
    Deeper,
    /// Equations and congruences under two conditions.
    PointsOfPairs,
    /// New candidates of the store.
    Suggested,
}

impl Stage {
    /// The first stage of a round.
    fn first(has_products: bool) -> Stage {
        match has_products {
            true => Stage::Equations,
            false => Stage::Plain,
        }
    }

    /// The next stage of a round; none after the last one.
    fn next(self) -> Option<Stage> {
        match self {
            Stage::Equations => Some(Stage::Products),
            Stage::Elements | Stage::Products => Some(Stage::Plain),
            Stage::Plain | Stage::MoreElements => Some(Stage::Points),
            Stage::Points => Some(Stage::Bounds),
            Stage::Bounds => Some(Stage::Deeper),
            Stage::Deeper => Some(Stage::PointsOfPairs),
            Stage::PointsOfPairs | Stage::Suggested => None,
        }
    }
}

/// By what means facts are proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Means {
    /// Whether what holds after several blocks is looked at, too.
    pub(crate) deeper: bool,
}

/// Looks for facts by which no goal is reached, stage by stage: in a first round with what the program says, in a second one also with what
/// summaries say of the way to a goal. From then on with what others suggest.
pub(crate) struct Prover<'g> {
    graph: &'g BlockGraph,
    means: Means,
    induction: Induction<'g>,
    /// What is required for a goal, in the round that is under way.
    ahead: IndexVec<NodeId, Term>,
    /// The same for the next round.
    later: Option<IndexVec<NodeId, Term>>,
    atoms: IndexVec<NodeId, Atoms>,
    is_first_round: bool,
    has_products: bool,
    stage: Stage,
    /// What is left of the candidates of a stage that was interrupted.
    interrupted: Option<Candidates>,
    /// How many facts there were after the last stage.
    seen: u64,
    /// The elements of arrays that are followed.
    elements: Elements,
}

impl<'g> Prover<'g> {
    /// A prover that has proved nothing yet.
    pub(crate) fn new(graph: &'g BlockGraph, means: Means, facts: &Facts) -> Prover<'g> {
        let known = graph.nodes.indices();
        let known = known.map(|node| facts.proved(node).collect());
        let nothing = graph.terms.bool(true);
        let anything = graph.nodes.iter().map(|_| nothing).collect();
        let has_products = graph.is_nonlinear();
        Prover {
            graph,
            means,
            has_products,
            induction: Induction::new(graph, known.collect()),
            atoms: atoms(graph, &anything),
            ahead: anything,
            later: None,
            is_first_round: true,
            stage: Stage::first(has_products),
            interrupted: None,
            seen: 0,
            elements: Elements::default(),
        }
    }

    /// Begins with facts about elements of arrays that are followed.
    pub(crate) fn follow(&mut self, elements: Elements) {
        self.stage = Stage::Elements;
        self.elements = elements;
    }

    /// From now on a formula is known at a node.
    pub(crate) fn learn(&mut self, node: NodeId, fact: Term) {
        self.induction.learn(node, fact);
    }

    /// Says what is required of a state for a goal to be reached from there: there is another round with that.
    pub(crate) fn require(&mut self, ahead: IndexVec<NodeId, Term>) {
        let says_nothing = |&formula| self.graph.terms.as_bool(formula) == Some(true);
        if ahead.iter().all(says_nothing) {
            return;
        }
        self.later = Some(ahead);
        if self.stage == Stage::Suggested && self.interrupted.is_none() {
            self.next_stage();
        }
    }

    /// Whether another stage has anything new to try.
    pub(crate) fn has_more(&self, facts: &Facts) -> bool {
        let is_over = self.stage == Stage::Suggested && self.interrupted.is_none();
        !is_over || facts.version() != self.seen
    }

    /// Goes on with the stage, for as long as the budget goes. What it proves is added to the facts. If that is enough:
    /// the facts that a proof needs.
    pub(crate) fn advance(&mut self, facts: &mut Facts, budget: &Budget) -> Option<Formulas> {
        let graph = self.graph;
        let mut candidates = match self.interrupted.take() {
            Some(candidates) => candidates,
            None => self.candidates(facts, budget),
        };
        let tried: usize = candidates.iter().map(Vec::len).sum();
        let Some(proved) = self.induction.subset(&mut candidates, facts, budget) else {
            let left: usize = candidates.iter().map(Vec::len).sum();
            tracing::debug!(
                "{:?}: {left} of {tried} candidates, interrupted",
                self.stage
            );
            self.interrupted = Some(candidates);
            return None;
        };
        let left: usize = proved.iter().map(Vec::len).sum();
        tracing::debug!("{:?}: {left} of {tried} candidates hold", self.stage);
        for (node, proved) in proved.iter_enumerated() {
            let known = self.induction.known(node);
            for fact in independent(graph, node, known, proved, budget) {
                tracing::trace!("{node:?}: {}", graph.terms.display(fact));
                self.induction.learn(node, fact);
                facts.prove(node, fact, Origin::Induction);
            }
        }
        self.seen = facts.version();
        self.next_stage();
        let never = graph.terms.bool(false);
        let is_unreachable = |goal: NodeId| self.induction.known(goal).contains(&never);
        let is_proof = graph.goals().all(is_unreachable);
        is_proof.then(|| support(graph, facts, budget))
    }

    fn next_stage(&mut self) {
        self.is_first_round &= self.stage.next().is_some();
        let has_more_elements =
            self.stage == Stage::Plain && self.is_first_round && !self.elements.cells.is_empty();
        if has_more_elements {
            self.stage = Stage::MoreElements;
            return;
        }
        self.stage = match (self.stage.next(), self.later.take()) {
            (Some(next), later) => {
                self.later = later;
                next
            }
            (None, Some(ahead)) => {
                self.atoms = atoms(self.graph, &ahead);
                self.ahead = ahead;
                Stage::first(self.has_products)
            }
            (None, None) => Stage::Suggested,
        };
    }

    /// The candidates of the stage.
    fn candidates(&mut self, facts: &Facts, budget: &Budget) -> Candidates {
        let (graph, terms) = (self.graph, &self.graph.terms);
        let mut all: Candidates = graph
            .nodes
            .indices()
            .map(|node| {
                let (atoms, ahead) = (&self.atoms[node], self.ahead[node]);
                candidates_at(&self.induction, node, self.stage, atoms, ahead)
            })
            .collect();
        // What others suggest may be large: it has its turn after what the program says.
        if !self.is_first_round && matches!(self.stage, Stage::Plain | Stage::Suggested) {
            for (node, all) in all.iter_mut_enumerated() {
                let others = facts.candidates(node);
                all.extend(others.map(|fact| Candidate::formula(terms, fact)));
            }
        }
        if matches!(self.stage, Stage::Elements | Stage::MoreElements) {
            let is_broad = self.stage == Stage::MoreElements;
            for (node, formula) in elements::candidates(&self.induction, &self.elements, is_broad) {
                all[node].push(Candidate::formula(terms, formula));
            }
        }
        if self.stage == Stage::Elements {
            for (node, all) in all.iter_mut_enumerated() {
                all.extend(self.bounds_of_counters(node));
                let summands = elements::summands(graph, node, &self.elements);
                let is_cut = node != graph.entry && !graph.nodes[node].kind.is_goal();
                if is_cut && !summands.is_empty() {
                    all.push(Candidate::points(terms, terms.bool(true), summands));
                }
            }
        }
        if self.means.deeper && matches!(self.stage, Stage::Deeper | Stage::Suggested) {
            for (node, formula) in deeper(graph, facts, budget) {
                all[node].push(Candidate::formula(terms, formula));
            }
        }
        all
    }
}

impl Prover<'_> {
    /// Bounds of what is no part of an element: where a place lies in its object is decided by how counters are bounded.
    /// Sums are equal or not, wherever their elements lie.
    fn bounds_of_counters(&self, node: NodeId) -> Vec<Candidate> {
        let graph = self.graph;
        let terms = &graph.terms;
        let is_cut = node != graph.entry && !graph.nodes[node].kind.is_goal();
        if !is_cut || !self.elements.folds.is_empty() {
            return Vec::new();
        }
        let atoms = &self.atoms[node];
        let is_counter = |form: &Linear| {
            let symbols = form.parts.iter().flat_map(|part| terms.symbols([part.0]));
            symbols.into_iter().all(|symbol| {
                !self.elements.cells.contains(&symbol) && !self.elements.indices.contains(&symbol)
            })
        };
        let forms = forms(graph, &relevant(graph, node, atoms), atoms);
        let forms = forms.into_iter().filter(|(form, _)| is_counter(form));
        forms
            .take(BOUNDS)
            .map(|(form, thresholds)| Candidate::bound(terms, terms.bool(true), &form, thresholds))
            .collect()
    }
}

/// What a proof needs of what is known; all of it, if that is not found out.
fn support(graph: &BlockGraph, facts: &Facts, budget: &Budget) -> Formulas {
    let nodes = graph.nodes.indices();
    let all: Formulas = nodes.map(|node| facts.proved(node).collect()).collect();
    let goals = graph.goals().map(|goal| (goal, graph.terms.bool(false)));
    let nothing = graph.nodes.iter().map(|_| Vec::new()).collect();
    let mut induction = Induction::new(graph, nothing);
    let needed = induction.support(all.clone(), &goals.collect::<Vec<_>>(), budget);
    needed.unwrap_or(all)
}

/// The facts that don't follow from what is known and the ones before.
fn independent(
    graph: &BlockGraph,
    node: NodeId,
    known: &[Term],
    facts: &[Term],
    budget: &Budget,
) -> Vec<Term> {
    if facts.is_empty() {
        return Vec::new();
    }
    let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
    session.assert(graph.ranges(node));
    known.iter().for_each(|&fact| session.assert(fact));
    // Short ones first: they make others superfluous.
    let mut facts = facts.to_vec();
    facts.sort_by_key(|&fact| graph.terms.disjuncts(fact).len());
    facts.retain(|&fact| {
        let is_new = session.entails(fact, budget) != Some(true);
        if is_new {
            session.assert(fact);
        }
        is_new
    });
    facts
}

/// What the program compares, and how it is bounded, as candidates of every node but the entry and goals; nothing is
/// said of some symbols.
pub(super) fn plain(graph: &BlockGraph, hidden: &FxHashSet<Symbol>) -> Candidates {
    let terms = &graph.terms;
    let everywhere = terms.bool(true);
    let nothing = graph.nodes.iter().map(|_| everywhere).collect();
    let atoms = atoms_without(graph, &nothing, hidden);
    let at = |node: NodeId| -> Vec<Candidate> {
        if node == graph.entry || graph.nodes[node].kind.is_goal() {
            return Vec::new();
        }
        let atoms = &atoms[node];
        let mut symbols = relevant(graph, node, atoms);
        symbols.retain(|symbol| !hidden.contains(symbol));
        let mut all = formulas(graph, atoms, terms.bool(false));
        let variables = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
        all.push(Candidate::points(terms, everywhere, variables));
        let forms = forms(graph, &symbols, atoms).into_iter();
        all.extend(forms.map(|(form, bounds)| Candidate::bound(terms, everywhere, &form, bounds)));
        all
    };
    graph.nodes.indices().map(at).collect()
}

/// The candidates of a node.
fn candidates_at(
    induction: &Induction<'_>,
    node: NodeId,
    stage: Stage,
    atoms: &Atoms,
    ahead: Term,
) -> Vec<Candidate> {
    let graph = induction.graph();
    let terms = &graph.terms;
    if node == graph.entry {
        return Vec::new();
    }
    if graph.nodes[node].kind.is_goal() {
        return vec![Candidate::formula(terms, terms.bool(false))];
    }
    let symbols = relevant(graph, node, atoms);
    let conditions = || conditions(graph, induction.known(node), atoms);
    let variables: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
    let points = |premise: Term| Candidate::points(terms, premise, variables.clone());
    let bounds = |premise: Term| {
        let forms = forms(graph, &symbols, atoms).into_iter();
        forms.map(move |(form, thresholds)| Candidate::bound(terms, premise, &form, thresholds))
    };
    let everywhere = terms.bool(true);
    match stage {
        Stage::Plain => {
            let mut all = formulas(graph, atoms, ahead);
            all.push(points(everywhere));
            all.extend(bounds(everywhere));
            all
        }
        Stage::Equations => equations(terms, atoms).collect(),
        Stage::Products => {
            let products = Candidate::points(terms, everywhere, dimensions(graph, node, atoms));
            equations(terms, atoms).chain([products]).collect()
        }
        Stage::Points => conditions().into_iter().map(points).collect(),
        Stage::Bounds => {
            let all = conditions().into_iter().flat_map(bounds);
            all.take(CANDIDATES).collect()
        }
        Stage::Elements | Stage::MoreElements | Stage::Deeper | Stage::Suggested => Vec::new(),
        Stage::PointsOfPairs => {
            let all = pairs(graph, &conditions()).into_iter().map(points);
            all.take(CANDIDATES).collect()
        }
    }
}

/// That what lies ahead doesn't come, as a whole and part by part; and the atoms that are no inequalities, and their negations.
fn formulas(graph: &BlockGraph, atoms: &Atoms, ahead: Term) -> Vec<Candidate> {
    let terms = &graph.terms;
    let safe = terms.not(ahead);
    let mut all = vec![safe];
    let clauses = terms.conjuncts(safe);
    if clauses.len() <= CLAUSES {
        all.extend(clauses);
    }
    for &atom in &atoms.all {
        if !matches!(terms.node(atom), Node::AtMostZero(_)) {
            all.extend([atom, terms.not(atom)]);
        }
    }
    let all = all.into_iter();
    all.map(|formula| Candidate::formula(terms, formula))
        .collect()
}

/// The variables of the lattices of a node.
fn relevant(graph: &BlockGraph, node: NodeId, atoms: &Atoms) -> Vec<Symbol> {
    let mut symbols = live(graph, node);
    if symbols.len() > DIMENSIONS {
        let mentioned = graph.terms.symbols(atoms.all.iter().copied());
        symbols.sort_by_key(|symbol| mentioned.binary_search(symbol).is_err());
        symbols.truncate(DIMENSIONS);
        symbols.sort_unstable();
    }
    symbols
}

/// The combinations that are bounded: those of the atoms, and each variable.
fn forms(graph: &BlockGraph, symbols: &[Symbol], atoms: &Atoms) -> Vec<(Linear, Vec<Int>)> {
    let terms = &graph.terms;
    let mut forms = atoms.forms(terms);
    for &symbol in symbols {
        let plus = terms.as_linear(terms.var(symbol));
        for form in [plus.times(&Int::NEG_ONE), plus] {
            if !forms.iter().any(|(other, _)| other.parts == form.parts) {
                forms.push((form, Vec::new()));
            }
        }
    }
    forms
}
