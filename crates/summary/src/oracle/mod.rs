//! The oracle: from which states a goal can still be reached.
//!
//! It knows the forward invariants of a block graph and the summaries of the paths to its goals, and gives what they
//! require of a state in two forms without quantifiers: one for evaluation in tests ([`required`]), and one that is
//! closed under the blocks, for proofs ([`closed`]).

mod clauses;
mod closed;
mod merge;
mod raise;
mod required;
mod simplify;
mod strengthen;
mod window;

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::project::Projector;
use rhumb_logic::{Budget, Symbol, Term, Transition};
use rustc_hash::FxHashMap;

use crate::forward;
use crate::gas::{Gas, Supply};
use crate::preset::Preset;
use crate::steps::Steps;
use crate::sum::Summaries;

use closed::Closed;
use raise::Before;
pub use required::Precision;
use required::{Question, Required};
use strengthen::Further;
use window::Windows;

/// What goes into an oracle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OracleOptions {
    /// Whether loops are summarised. If not, nothing is required of a state from which the graph has a way to a goal.
    pub summaries: bool,
    /// Whether runs are bounded by gas, unless they go through many loops.
    pub gas: bool,
    /// Which operators and invariants there are.
    pub preset: Preset,
}

impl Default for OracleOptions {
    fn default() -> OracleOptions {
        OracleOptions {
            summaries: true,
            gas: false,
            preset: Preset::Full,
        }
    }
}

/// From which states a goal can still be reached.
pub struct Oracle {
    options: OracleOptions,
    known: IndexVec<NodeId, Vec<Term>>,
    /// The analysis that comes next if this is not enough.
    further: Option<Further>,
    /// The steps without gas.
    plain: Steps,
    /// Whether the graph has a way from a node to a goal.
    leads_to_goal: IndexVec<NodeId, bool>,
    summaries: Summaries,
    gas: Option<Gas>,
    projector: Projector,
    required: FxHashMap<NodeId, Required>,
    /// How far the nodes are from the goals, and the summaries of long ways.
    stages: IndexVec<NodeId, u32>,
    windows: Windows,
    closed: Option<Closed>,
    /// What was required before loops were raised; it still is.
    before: Before,
}

impl Oracle {
    /// Prepares an oracle: invariants are computed now, summaries when they are asked for.
    pub fn new(graph: &BlockGraph, options: OracleOptions, budget: &Budget) -> Oracle {
        let known = match options.preset {
            Preset::Full => forward::at_nodes(graph, budget),
            Preset::Paper => forward::signs_and_equalities(graph, budget),
        };
        let plain = Steps::of(graph, &known);
        let stages = match options.preset {
            Preset::Full => window::stages(&plain),
            Preset::Paper => plain.nodes.iter().map(|_| 0).collect(),
        };
        // Gas would be a sum over all loops of a long way.
        let is_long = stages.iter().any(|&stage| stage >= window::LONG);
        let options = OracleOptions {
            gas: options.gas && !is_long,
            ..options
        };
        let mut steps = plain.clone();
        let gas = options
            .gas
            .then(|| Gas::instrument(&mut steps, Supply::of(options.preset)));
        let goals = plain.nodes.iter_enumerated();
        let goals = goals.filter_map(|(node, of)| of.is_goal.then_some(node));
        let leads_to_goal = plain.graph().reaching(goals);
        Oracle {
            options,
            known,
            further: Further::first(options.preset),
            leads_to_goal,
            summaries: Summaries::by(steps, options.preset),
            gas,
            projector: Projector::new(plain.terms.clone()),
            plain,
            required: FxHashMap::default(),
            stages,
            windows: Windows::default(),
            closed: None,
            before: Before::default(),
        }
    }

    /// Gives up the bound on runs, and forgets everything that was derived with it.
    pub fn renounce_gas(&mut self, graph: &BlockGraph) {
        self.options.gas = false;
        self.rebuild(graph);
    }

    /// Forgets everything that was derived from what is known.
    fn rebuild(&mut self, graph: &BlockGraph) {
        self.plain = Steps::of(graph, &self.known);
        let mut steps = self.plain.clone();
        self.gas = self
            .options
            .gas
            .then(|| Gas::instrument(&mut steps, Supply::of(self.options.preset)));
        self.summaries = Summaries::by(steps, self.options.preset);
        self.required.clear();
        self.windows.clear();
        self.closed = None;
        self.before = Before::default();
    }

    /// What holds at a node on every run.
    pub fn known(&self, node: NodeId) -> &[Term] {
        &self.known[node]
    }

    /// The transitions that summaries are made of, with gas if there is any.
    pub fn steps(&self) -> &Steps {
        self.summaries.steps()
    }

    /// The summaries themselves, for those who want to look at loops.
    pub fn summaries(&mut self) -> &mut Summaries {
        &mut self.summaries
    }

    /// The gas, if runs are bounded by it.
    pub fn gas(&self) -> Option<Gas> {
        self.gas
    }

    /// The summary of all paths from a node to a goal: its guard is what they require, over the state (and gas) at the
    /// node and its inputs. Of a long way it has only the first part, and what is required behind it.
    pub fn summary(&mut self, node: NodeId, budget: &Budget) -> Transition {
        if !self.options.summaries {
            return Transition::assume(self.plain.terms.bool(self.leads_to_goal[node]));
        }
        let window = self.window(node, budget);
        window.unwrap_or_else(|| self.summaries.to_goals(node, budget))
    }

    /// What the summary requires of a state, without quantifiers, perhaps less: for evaluation. Over the state, and gas if there is any.
    pub fn prune(&mut self, node: NodeId, budget: &Budget) -> Term {
        self.required(node, budget).formula
    }

    /// How much of what the summary requires [`Oracle::prune`] says.
    pub fn precision(&mut self, node: NodeId, budget: &Budget) -> Precision {
        let here = self.required(node, budget).precision;
        let next = self.summaries.continues_with(node).into_iter();
        let next = next.filter_map(|next| Some(self.required.get(&next)?.precision));
        next.fold(here, Precision::min)
    }

    /// For every node a formula over the state there, without gas, that holds wherever a goal can be reached. The
    /// formulas are closed: whoever gets over a block into the formula at its end was in the formula at its beginning
    /// before, if what is known held there. So their negations, with what is known, are inductive. Everything is
    /// required to be so by the solver, block by block; when the budget is spent, nothing is required where that was
    /// not shown.
    pub fn proof(&mut self, budget: &Budget) -> &IndexVec<NodeId, Term> {
        &self.closed(budget).formulas
    }

    /// The nodes where less is required by [`Oracle::proof`] than projections of the summaries say, since these were not closed.
    pub fn weakened(&mut self, budget: &Budget) -> Vec<NodeId> {
        let weakened = self.closed(budget).weakened.iter_enumerated();
        let weakened = weakened.filter_map(|(node, &is)| is.then_some(node));
        weakened.collect()
    }

    fn closed(&mut self, budget: &Budget) -> &Closed {
        let closed = match self.closed.take() {
            Some(closed) => closed,
            None => self.close(budget),
        };
        self.closed.insert(closed)
    }

    fn close(&mut self, budget: &Budget) -> Closed {
        let nodes = self.plain.nodes.indices();
        let wanted = nodes.map(|node| self.without_gas(node, budget)).collect();
        let closed = closed::closed(&self.plain, wanted, &mut self.projector, budget);
        self.with_former_closed(closed, budget)
    }

    /// What is required at a node. For what there is no work left nothing is required now, and it is looked at again
    /// the next time: where many loops follow one another, one share of the work is not enough for all of them. What
    /// took a whole share by itself is not tried again.
    fn required(&mut self, node: NodeId, budget: &Budget) -> Required {
        // What a node requires follows from what the next ones do: these first.
        let mut stack = vec![(node, false)];
        let mut is_first = true;
        while let Some((node, is_ready)) = stack.pop() {
            if self.required.contains_key(&node) {
                continue;
            }
            if is_ready || !self.options.summaries {
                if budget.is_spent() {
                    break;
                }
                let found = self.require(node, budget);
                let is_cut_short = found.precision == Precision::Nothing && budget.is_spent();
                if is_cut_short && !is_first {
                    break;
                }
                is_first = false;
                self.required.insert(node, found);
                continue;
            }
            stack.push((node, true));
            let next = self.summaries.continues_with(node).into_iter();
            stack.extend(next.rev().map(|next| (next, false)));
        }
        (self.required.get(&node).copied()).unwrap_or_else(|| Required {
            formula: self.plain.terms.bool(self.leads_to_goal[node]),
            precision: Precision::Nothing,
        })
    }

    /// What is required at a node, given what is at the next ones.
    fn require(&mut self, node: NodeId, budget: &Budget) -> Required {
        let mut found = Required {
            formula: self.plain.terms.bool(self.leads_to_goal[node]),
            precision: Precision::Exact,
        };
        if self.options.summaries {
            let summary = self.onwards(node, budget);
            let question = Question {
                formula: summary.guard,
                eliminate: &summary.inputs,
                known: self.steps().nodes[node].known,
            };
            found = question.answer(&mut self.projector, budget);
        }
        found.formula = self.with_former(node, found.formula, budget);
        found
    }

    /// The summary of the paths from a node to the next ones for which it is known what is required there, and that
    /// this is so. It is much smaller than the summary of the whole way; and formulas that come about like this are
    /// closed, if the one at the node is exact, whatever those at the next ones are.
    fn onwards(&mut self, node: NodeId, budget: &Budget) -> Transition {
        let (required, terms) = (&self.required, &self.plain.terms);
        let known: Vec<Term> = self
            .summaries
            .steps()
            .nodes
            .iter()
            .map(|node| node.known)
            .collect();
        let formula = |next: NodeId| {
            let required = required.get(&next)?;
            Some(terms.and([known[next.index()], required.formula]))
        };
        self.summaries.to_goals_by(node, &formula, budget)
    }

    /// What is required of a state for some amount of gas.
    fn without_gas(&mut self, node: NodeId, budget: &Budget) -> Term {
        let required = self.required(node, budget);
        let Some(Gas { symbol }) = self.gas else {
            return required.formula;
        };
        let terms = self.plain.terms.clone();
        let enough = terms.ge(terms.var(symbol), terms.int(0));
        // From the summary itself where the first projection lost something that needn't be lost when gas goes too.
        let (formula, mut eliminate): (Term, Vec<Symbol>) = match required.precision {
            Precision::Exact => (required.formula, Vec::new()),
            _ => {
                let summary = self.onwards(node, budget);
                (summary.guard, summary.inputs)
            }
        };
        eliminate.push(symbol);
        let question = Question {
            formula: terms.and([enough, formula]),
            eliminate: &eliminate,
            known: self.plain.nodes[node].known,
        };
        question.answer(&mut self.projector, budget).formula
    }
}
