//! The formulas of the paper that the method comes from (Fang, Kincaid and Reps, "Software Model Checking via
//! Summary-Guided Search"): ours entail them.
//!
//! The paper's counters are existential. Each is determined by the states at both ends, and that value is put in.

use std::sync::Arc;

use rhumb_cfront::{Options, compile};
use rhumb_encode::{BlockGraph, CutPolicy, NodeId, NodeKind, prepare};
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition};
use rhumb_program::SourceMap;
use rhumb_program::passes::Goals;
use rhumb_summary::{Gas, LoopSummary, Steps, Summaries, Supply, forward};

const HEADER: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// A program with its summaries.
struct Summarised {
    terms: Arc<Terms>,
    graph: BlockGraph,
    summaries: Summaries,
    gas: Option<Gas>,
}

impl Summarised {
    fn new(text: &str, with_gas: bool) -> Summarised {
        let text = format!("{HEADER}{text}");
        let sources = SourceMap::new("paper.c", Arc::from(text.as_bytes()));
        let program = compile(sources, &Options::default()).program;
        let program = program.expect("a valid program");
        let terms = Arc::new(Terms::new());
        let prepared = prepare(&program, &Goals::all_targets(&program));
        let graph = BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads);
        let known = forward::at_nodes(&graph, &Budget::unlimited());
        let mut steps = Steps::of(&graph, &known);
        let gas = with_gas.then(|| Gas::instrument(&mut steps, Supply::ForRun));
        Summarised {
            summaries: Summaries::new(steps),
            terms,
            graph,
            gas,
        }
    }

    /// The loops in the order of the text.
    fn loops(&mut self) -> Vec<LoopSummary> {
        let mut loops = self.summaries.loops(&Budget::unlimited());
        loops.sort_by_key(|of| self.graph.nodes[of.head].location);
        loops
    }

    fn goal(&self) -> NodeId {
        let goals: Vec<NodeId> = self.graph.goals().collect();
        assert_eq!(goals.len(), 1);
        goals[0]
    }

    /// The block between two nodes.
    fn block(&self, source: NodeId, target: NodeId) -> Transition {
        let mut edges = self.summaries.steps().edges.iter();
        let found = edges.find(|edge| (edge.source, edge.target) == (source, target));
        found.expect("a block").transition.clone()
    }

    fn symbol(&self, name: &str) -> Symbol {
        let mut state = self.summaries.steps().state.iter();
        let named = |symbol: &&Symbol| &*self.terms.symbol_info(**symbol).name == name;
        *state.find(named).expect("a variable of that name")
    }

    fn before(&self, name: &str) -> Term {
        self.terms.var(self.symbol(name))
    }
}

/// Whether the relation is contained in the formula, and has any pair of states.
#[track_caller]
fn assert_entails(terms: &Arc<Terms>, relation: &Transition, formula: Term) {
    let unlimited = Budget::unlimited();
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(relation.guard);
    assert!(session.check(&unlimited).is_sat(), "nothing is possible");
    let opposite = session.check_assuming(&[terms.not(formula)], &unlimited);
    assert!(
        opposite.is_unsat(),
        "{}\n{opposite:?}",
        rhumb_summary::readable::lines(terms, relation).join("\n")
    );
}

/// `a => b`.
fn implies(terms: &Terms, a: Term, b: Term) -> Term {
    terms.or([terms.not(a), b])
}

/// ∃k. k ≥ 0 ∧ (k ≥ 1 ⇒ 0 < N ∧ i' ≤ N') ∧ min' = i' = k ∧ N = N' ∧ min' ≥ 1000, from the entry to the assertion. `N`
/// gets its value on the first edge, so it is looked at from the loop on.
#[test]
fn ex_1() {
    let mut program = Summarised::new(
        "int main(void) {\n  int N = __VERIFIER_nondet_int();\n  int i = 0, min = 0;\n  while (i < N) {\n    min++;\n    i++;\n  }\n  \
         if (min < 1000)\n    return 0;\n  else\n    reach_error();\n}\n",
        false,
    );
    let terms = program.terms.clone();
    let loops = program.loops();
    let (head, goal) = (loops[0].head, program.goal());
    let (n, i, min) = (
        program.symbol("N"),
        program.symbol("i"),
        program.symbol("min"),
    );
    let zero = terms.int(0);
    let begin = Transition::assign(&terms, [(i, zero), (min, zero)]);
    let way = begin
        .compose(&terms, &loops[0].iterated)
        .compose(&terms, &program.block(head, goal));
    let [n_after, i_after, min_after] = [n, i, min].map(|of| way.value_of(&terms, of));
    let n = terms.var(n);
    let k = i_after;
    let formula = terms.and([
        terms.ge(k, zero),
        implies(
            &terms,
            terms.ge(k, terms.int(1)),
            terms.and([terms.lt(zero, n), terms.le(i_after, n_after)]),
        ),
        terms.eq(min_after, k),
        terms.eq(n, n_after),
        terms.ge(min_after, terms.int(1000)),
    ]);
    assert_entails(&terms, &way, formula);
}

/// ∃k. ((k = 0 ∧ r' = r) ∨ (k ≥ 1 ∧ 0 < N ∧ N' ≥ 0)) ∧ N' = N − k ∧ r + k ≤ r' ∧ r' = 2, from the loop to the assertion.
#[test]
fn ex_2() {
    let mut program = Summarised::new(
        "int main(void) {\n  int N = __VERIFIER_nondet_int();\n  int r = 0;\n  while (N > 0) {\n    r = r + N;\n    N = N - 1;\n  }\n  \
         if (!(r != 2))\n    reach_error();\n}\n",
        false,
    );
    let terms = program.terms.clone();
    let loops = program.loops();
    let way = loops[0]
        .iterated
        .compose(&terms, &program.block(loops[0].head, program.goal()));
    let (n, r) = (program.before("N"), program.before("r"));
    let [n_after, r_after] = ["N", "r"].map(|of| way.value_of(&terms, program.symbol(of)));
    let k = terms.sub(n, n_after);
    let (zero, one) = (terms.int(0), terms.int(1));
    let formula = terms.and([
        terms.or([
            terms.and([terms.eq(k, zero), terms.eq(r_after, r)]),
            terms.and([terms.ge(k, one), terms.lt(zero, n), terms.ge(n_after, zero)]),
        ]),
        terms.le(terms.add(r, k), r_after),
        terms.eq(r_after, terms.int(2)),
    ]);
    assert_entails(&terms, &way, formula);
}

/// F1 = ∃k. N' = N − k ∧ M' = M ∧ x' ≥ 2 + k ∧ (k ≥ 1 ⇒ N' ≥ 0) ∧ N' ≤ 0, from the entry to the second loop, and F2 =
/// ∃k. N' = N ∧ M' = M − k ∧ x' = x − 2k ∧ (k ≥ 1 ⇒ M' ≥ 0) ∧ M' ≤ 0 ∧ x' = 1, from there to the assertion. In these
/// formulas the counters of the loops are counted down in the bodies.
#[test]
fn ex_3() {
    let mut program = Summarised::new(
        "int main(void) {\n  int N = __VERIFIER_nondet_int();\n  int M = __VERIFIER_nondet_int();\n  int x = 2;\n  while (N > 0) {\n    N--;\n    \
         x = 2 * x;\n  }\n  while (M > 0) {\n    M--;\n    x = x - 2;\n  }\n  if (!(x != 1))\n    reach_error();\n}\n",
        false,
    );
    let terms = program.terms.clone();
    let loops = program.loops();
    let [first, second] = &loops[..] else {
        panic!("two loops");
    };
    let (zero, one, two) = (terms.int(0), terms.int(1), terms.int(2));
    let (n, m, x) = (
        program.before("N"),
        program.before("M"),
        program.before("x"),
    );
    let symbols = ["N", "M", "x"].map(|name| program.symbol(name));

    let way = Transition::assign(&terms, [(symbols[2], two)])
        .compose(&terms, &first.iterated)
        .compose(&terms, &program.block(first.head, second.head));
    let [n_after, m_after, x_after] = symbols.map(|of| way.value_of(&terms, of));
    let k = terms.sub(n, n_after);
    let first_formula = terms.and([
        terms.eq(m_after, m),
        terms.ge(x_after, terms.add(two, k)),
        implies(&terms, terms.ge(k, one), terms.ge(n_after, zero)),
        terms.le(n_after, zero),
    ]);
    assert_entails(&terms, &way, first_formula);

    let way = second
        .iterated
        .compose(&terms, &program.block(second.head, program.goal()));
    let [n_after, m_after, x_after] = symbols.map(|of| way.value_of(&terms, of));
    let k = terms.sub(m, m_after);
    let second_formula = terms.and([
        terms.eq(n_after, n),
        terms.eq(x_after, terms.sub(x, terms.scale(2, k))),
        implies(&terms, terms.ge(k, one), terms.ge(m_after, zero)),
        terms.le(m_after, zero),
        terms.eq(x_after, one),
    ]);
    assert_entails(&terms, &way, second_formula);
}

const STATE_MACHINE: &str = "int main(void) {\n  int state = 0;\n  while (1) {\n    int c = __VERIFIER_nondet_int();\n    \
     int s0 = __VERIFIER_nondet_int();\n    int s1 = __VERIFIER_nondet_int();\n    int s2 = __VERIFIER_nondet_int();\n    \
     if (c == 68 && state == 0)\n      state = 1;\n    if (c == 79 && state == 1)\n      state = 2;\n    if (c == 71 && state == 2)\n      state = 3;\n    \
     if (state == 3 && s0 == 67 && s1 == 65 && s2 == 84)\n      reach_error();\n  }\n}\n";

/// Figure 9: ∃k. k ≥ 0 ∧ gas' = gas − k ∧ state ≤ state' ≤ state + k. From a state with two units of gas the machine
/// has to move on at once.
#[test]
fn gas_of_figure_9() {
    let mut program = Summarised::new(STATE_MACHINE, true);
    let terms = program.terms.clone();
    let loops = program.loops();
    let way = &loops[0].iterated;
    let gas = program.gas.expect("gas").symbol;
    let (gas, gas_after) = (terms.var(gas), way.value_of(&terms, gas));
    let state = program.before("state");
    let state_after = way.value_of(&terms, program.symbol("state"));
    let k = terms.sub(gas, gas_after);
    let formula = terms.and([
        terms.ge(k, terms.int(0)),
        terms.le(state, state_after),
        terms.le(state_after, terms.add(state, k)),
    ]);
    assert_entails(&terms, way, formula);

    // What that is for: with too little gas, no goal.
    let reaches = program
        .summaries
        .to_goals(loops[0].head, &Budget::unlimited());
    for (amount, possible) in [(2, false), (3, true)] {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(reaches.guard);
        session.assert(terms.eq(state, terms.int(0)));
        session.assert(terms.eq(gas, terms.int(amount)));
        let answer = session.check(&Budget::unlimited());
        assert_eq!(answer.is_sat(), possible, "{amount}: {answer:?}");
    }
}

/// Gas takes nothing away: what can reach a goal without can do so with enough of it; and without any, no loop head is left.
#[test]
fn gas_is_free_at_the_entry() {
    let text = STATE_MACHINE;
    for with_gas in [false, true] {
        let mut program = Summarised::new(text, with_gas);
        let entry = program.graph.entry;
        let whole = program.summaries.to_goals(entry, &Budget::unlimited());
        let mut session = Session::new(program.terms.clone(), SessionOptions::default());
        session.assert(whole.guard);
        assert!(session.check(&Budget::unlimited()).is_sat());
    }
    let program = Summarised::new(text, true);
    let gas = program.gas.expect("gas").symbol;
    let empty = program
        .terms
        .eq(program.terms.var(gas), program.terms.int(0));
    for edge in &program.summaries.steps().edges {
        if program.graph.nodes[edge.source].kind == NodeKind::LoopHead {
            let mut session = Session::new(program.terms.clone(), SessionOptions::default());
            session.assert(edge.transition.guard);
            session.assert(empty);
            assert!(session.check(&Budget::unlimited()).is_unsat());
        }
    }
    assert_eq!(program.terms.symbol_info(gas).sort, Sort::Int);
}

/// Where a run begins at a loop head, the entry can't hand out gas; it is there from the beginning, and still bounds the iterations.
#[test]
fn gas_of_a_loop_at_the_entry() {
    let mut program = Summarised::new(STATE_MACHINE, false);
    let head = program.loops()[0].head;
    let terms = program.terms.clone();
    let mut steps = program.summaries.steps().clone();
    steps.entry = head;
    let gas = terms.var(Gas::instrument(&mut steps, Supply::ForRun).symbol);
    let reaches = Summaries::new(steps).to_goals(head, &Budget::unlimited());
    for (amount, possible) in [(-1, false), (0, false), (1, true), (5, true)] {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(reaches.guard);
        session.assert(terms.eq(gas, terms.int(amount)));
        let answer = session.check(&Budget::unlimited());
        assert_eq!(answer.is_sat(), possible, "{amount}: {answer:?}");
    }
}
