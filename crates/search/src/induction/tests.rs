//! What induction leaves of candidates is inductive, as much as possible, and never contradicted by a run: on random programs.

use std::fmt::Write;
use std::sync::Arc;

use rhumb_cfront::{Options, compile};
use rhumb_encode::{BlockEdge, BlockGraph, NodeId, NodeKind};
use rhumb_logic::num::Int;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Symbol, Term, Value, eval};
use rhumb_program::{Program, SourceMap};
use rhumb_summary::forward;

use super::atoms::live;
use super::candidate::Candidate;
use super::implied::Implied;
use super::prove::{Means, Prover};
use super::subset::{Candidates, Formulas, Induction};
use super::walk::explore;
use crate::facts::Facts;
use crate::task::Task;

/// Random programs of each test.
const PROGRAMS: u64 = 20;

const VARIABLES: [&str; 3] = ["x", "y", "z"];

fn compiled(text: &str) -> Program {
    let sources = SourceMap::new("program.c", Arc::from(text.as_bytes()));
    compile(sources, &Options::default())
        .program
        .expect("a valid program")
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.below(3) as usize]
    }

    fn condition(&mut self) -> String {
        let (a, b, c) = (self.variable(), self.variable(), self.below(9));
        match self.below(5) {
            0 => format!("{a} < {c}"),
            1 => format!("{a} == {b}"),
            2 => format!("{a} <= {b} + {c}"),
            3 => format!("{a} % 2 == 0"),
            _ => "__VERIFIER_nondet_int()".to_owned(),
        }
    }

    fn statements(&mut self, text: &mut String, depth: u32) {
        for _ in 0..1 + self.below(3) {
            let (a, b, c) = (self.variable(), self.variable(), self.below(4));
            let condition = self.condition();
            let _ = match self.below(7) {
                0 | 1 => writeln!(text, "if ({a} < 1000) {a} = {a} + {c};"),
                2 => writeln!(text, "{a} = {b};"),
                3 => writeln!(text, "{a} = {c};"),
                4 if depth > 0 => {
                    let _ = writeln!(text, "while ({condition}) {{");
                    self.statements(text, depth - 1);
                    writeln!(text, "}}")
                }
                _ if depth > 0 => {
                    let _ = writeln!(text, "if ({condition}) {{");
                    self.statements(text, depth - 1);
                    let _ = writeln!(text, "}} else {{");
                    self.statements(text, depth - 1);
                    writeln!(text, "}}")
                }
                _ => writeln!(text, "if ({a} > -1000) {a} = {a} - {c};"),
            };
        }
    }

    fn program(&mut self) -> Program {
        let mut body = String::new();
        let loops = self.condition();
        let _ = writeln!(body, "while ({loops} || __VERIFIER_nondet_int()) {{");
        self.statements(&mut body, 2);
        let _ = writeln!(body, "}}\nif ({}) reach_error();", self.condition());
        let starts: Vec<u64> = (0..3).map(|_| self.below(5)).collect();
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
             int main(void) {{\nint x = {}, y = {}, z = {};\n{body}return 0;\n}}\n",
            starts[0], starts[1], starts[2]
        );
        compiled(&text)
    }

    /// A formula over two of the variables.
    fn atom(&mut self, graph: &BlockGraph, symbols: &[Symbol]) -> Term {
        let terms = &graph.terms;
        let mut pick = || terms.var(symbols[self.below(symbols.len() as u64) as usize]);
        let (a, b) = (pick(), pick());
        let c = terms.int(self.below(12) as i64 - 4);
        match self.below(6) {
            0 => terms.le(a, c),
            1 => terms.ge(a, c),
            2 => terms.le(terms.sub(a, b), c),
            3 => terms.eq(a, terms.add(b, c)),
            4 => terms.divides(2, terms.add(a, b)),
            _ => terms.ne(a, c),
        }
    }

    /// Atoms and clauses of two atoms, at every loop head.
    fn formulas(&mut self, graph: &BlockGraph, count: usize) -> Formulas {
        let at = |id: NodeId| {
            let symbols = live(graph, id);
            if graph.nodes[id].kind != NodeKind::LoopHead || symbols.is_empty() {
                return Vec::new();
            }
            let mut formula = || {
                let first = self.atom(graph, &symbols);
                match self.below(3) {
                    0 => graph.terms.or([first, self.atom(graph, &symbols)]),
                    _ => first,
                }
            };
            (0..count).map(|_| formula()).collect()
        };
        graph.nodes.indices().map(at).collect()
    }
}

fn unlimited() -> Budget {
    Budget::unlimited()
}

/// Which of some facts a block keeps, asked of a solver of its own.
fn kept(
    graph: &BlockGraph,
    edge: &BlockEdge,
    known: &Formulas,
    given: &[Term],
    facts: &[Term],
) -> Vec<bool> {
    let terms = &graph.terms;
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(graph.ranges(edge.source));
    let all = known[edge.source].iter().chain(given);
    all.for_each(|&fact| session.assert(fact));
    let mut is_kept = |&fact: &Term| {
        let broken = edge.transition.before(terms, terms.not(fact));
        session.is_sat(&[broken], &unlimited()) == Some(false)
    };
    facts.iter().map(&mut is_kept).collect()
}

/// The states of a random run, each with its node.
fn run(graph: &BlockGraph, random: &mut Random) -> Vec<(NodeId, Assignment)> {
    let (mut node, mut state) = (graph.entry, Assignment::default());
    let mut states = Vec::new();
    for _ in 0..60 {
        let mut next = None;
        for _ in 0..20 {
            let outgoing = &graph.nodes[node].outgoing;
            if outgoing.is_empty() {
                break;
            }
            let edge = &graph.edges[outgoing[random.below(outgoing.len() as u64) as usize]];
            let inputs = edge.transition.inputs.iter();
            let inputs: Assignment = inputs
                .map(|&input| (input, Value::Int(Int::from(random.below(3)))))
                .collect();
            if let Outcome::To(after) = edge.transition.apply(&graph.terms, &state, &inputs) {
                next = Some((edge.target, after));
                break;
            }
        }
        let Some((target, after)) = next else {
            break;
        };
        (node, state) = (target, after.clone());
        states.push((target, after));
    }
    states
}

#[test]
fn what_is_left_is_inductive_and_no_run_contradicts_it() {
    let (mut heads, mut useful, mut states) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let mut random = Random(seed + 1);
        let program = random.program();
        let task = Task::new(&program);
        let graph = &task.graph;
        if graph.goals().next().is_none() {
            continue;
        }
        let terms = &graph.terms;
        let known = forward::at_nodes(graph, &unlimited());
        let mut facts = Facts::new(graph, |node| known[node].clone());
        if seed % 2 == 0 {
            explore(graph, &mut facts, &unlimited());
        }
        let formulas = random.formulas(graph, 8);
        let mut candidates: Candidates = formulas
            .iter_enumerated()
            .map(|(node, formulas)| {
                let symbols = live(graph, node);
                let mut all: Vec<Candidate> = formulas
                    .iter()
                    .map(|&formula| Candidate::formula(terms, formula))
                    .collect();
                for premise in formulas.iter().copied().take(2).chain([terms.bool(true)]) {
                    let variables = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
                    all.push(Candidate::points(terms, premise, variables));
                    for &symbol in &symbols {
                        let form = terms.as_linear(terms.var(symbol));
                        let limits = vec![Int::from(10)];
                        all.push(Candidate::bound(terms, premise, &form, limits));
                    }
                }
                all
            })
            .collect();
        let left =
            Induction::new(graph, known.clone()).subset(&mut candidates, &facts, &unlimited());
        let left = left.expect("no limit");
        for edge in &graph.edges {
            let facts = &left[edge.target];
            let kept = kept(graph, edge, &known, &left[edge.source], facts);
            assert!(!kept.contains(&false), "seed {seed}: {facts:?} {kept:?}");
        }
        for _ in 0..4 {
            for (node, state) in run(graph, &mut random) {
                states += 1;
                for &fact in &left[node] {
                    let value = eval::evaluate(terms, fact, &state);
                    assert_eq!(value, Some(Value::Bool(true)), "seed {seed}");
                }
            }
        }
        for (node, block) in graph.nodes.iter_enumerated() {
            if block.kind == NodeKind::LoopHead {
                heads += 1;
                useful += usize::from(!left[node].is_empty());
            }
        }
    }
    println!("{useful} of {heads} loop heads with facts, {states} states of runs");
    assert!(states > 500 && useful * 10 >= heads * 7);
}

#[test]
fn of_formulas_the_greatest_inductive_part_is_left() {
    let (mut left_over, mut given) = (0, 0);
    for seed in 0..PROGRAMS {
        let mut random = Random(seed + 1_000);
        let program = random.program();
        let task = Task::new(&program);
        let graph = &task.graph;
        if graph.goals().next().is_none() {
            continue;
        }
        let known = forward::at_nodes(graph, &unlimited());
        let facts = Facts::new(graph, |node| known[node].clone());
        let mut expected = random.formulas(graph, 10);
        let mut candidates: Candidates = expected
            .iter()
            .map(|formulas| {
                let formulas = formulas.iter();
                let formulas = formulas.map(|&formula| Candidate::formula(&graph.terms, formula));
                formulas.collect()
            })
            .collect();
        let left =
            Induction::new(graph, known.clone()).subset(&mut candidates, &facts, &unlimited());
        let left = left.expect("no limit");
        // One at a time, until nothing changes.
        let all: usize = expected.iter().map(Vec::len).sum();
        loop {
            let before: usize = expected.iter().map(Vec::len).sum();
            for edge in &graph.edges {
                let given = expected[edge.source].clone();
                let kept = kept(graph, edge, &known, &given, &expected[edge.target]);
                let mut kept = kept.into_iter();
                expected[edge.target].retain(|_| kept.next() == Some(true));
            }
            if expected.iter().map(Vec::len).sum::<usize>() == before {
                break;
            }
        }
        for (node, expected) in expected.iter_mut_enumerated() {
            // Formulas that follow from others are not told.
            assert!(left[node].iter().all(|fact| expected.contains(fact)));
            let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
            let told = left[node].iter().chain(&known[node]);
            told.for_each(|&fact| session.assert(fact));
            for &fact in expected.iter() {
                let follows = session.entails(fact, &unlimited());
                assert_eq!(follows, Some(true), "seed {seed}");
            }
            expected.sort_unstable();
            expected.dedup();
            left_over += expected.len();
        }
        given += all;
    }
    println!("{left_over} of {given} formulas kept");
    assert!(left_over * 20 >= given && left_over * 2 < given);
}

#[test]
fn candidates_wait_for_those_that_imply_them() {
    let terms = rhumb_logic::Terms::new();
    let [x, y] = ["x", "y"].map(|name| terms.var(terms.symbol(name, rhumb_logic::Sort::Int)));
    let fact = terms.eq(x, terms.int(3));
    let [below, not_above] = [0, 1].map(|limit| terms.le(y, terms.int(limit)));
    let (near, far) = (terms.or([fact, below]), terms.or([fact, not_above]));
    let all = [far, near, fact].map(|formula| Candidate::formula(&terms, formula));
    let mut candidates = all.to_vec();
    let implied = Implied::of(&terms, &[], &mut candidates);
    assert_eq!(implied.strongest(&candidates), [fact]);
    candidates.pop();
    assert_eq!(implied.strongest(&candidates), [near]);
    candidates.pop();
    assert_eq!(implied.strongest(&candidates), [far]);
    // What follows from what is known is no candidate; what does not, is.
    let mut candidates = all.to_vec();
    let implied = Implied::of(&terms, &[near], &mut candidates);
    assert_eq!(implied.strongest(&candidates), [fact]);
    assert_eq!(candidates.len(), 1);
}

/// A value is passed on three times before it does harm. That the last one is harmless takes that all of them are,
/// which no condition of the program says.
#[test]
fn induction_over_several_steps_proves_what_one_step_does_not() {
    let text = "
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void) {
  int last = 0, second = 0, first = 0;
  while (1) {
    if (last == 5) reach_error();
    int next = __VERIFIER_nondet_int();
    last = second;
    second = first;
    first = next > -5 && next < 5 ? next : 11;
  }
}";
    let program = compiled(text);
    let task = Task::new(&program);
    let graph = &task.graph;
    let is_proved = |deeper: bool| {
        let mut facts = Facts::new(graph, |_| Vec::new());
        let mut prover = Prover::new(graph, Means { deeper }, &facts);
        while prover.has_more(&facts) {
            if prover.advance(&mut facts, &unlimited()).is_some() {
                return true;
            }
        }
        false
    };
    assert_eq!([false, true].map(is_proved), [false, true]);
}
