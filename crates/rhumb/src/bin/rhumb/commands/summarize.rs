//! `rhumb summarize`: what the summaries say, for people to read.

use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Budget, Term, Terms, Transition};
use rhumb_search::Task;
use rhumb_summary::star::{Cost, LoopOperator};
use rhumb_summary::{LoopSummary, Oracle, OracleOptions, Precision, Preset, readable};

use crate::cli::SummarizeArgs;
use crate::exit::Exit;
use crate::input;
use crate::last_word::LastWord;
use crate::watchdog;

/// Prints the block graph, the invariants, the loops with their summaries, and what is known of the ways to the goals.
pub(crate) fn run(args: &SummarizeArgs) -> LastWord {
    let budget = &watchdog::start(args.limits.limits(), |reason| {
        LastWord::err(format!("error: {reason}"), Exit::Unknown)
    });
    let input = match input::load(&args.input, budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let preset: Preset = args.preset.into();
    let task = Task::new(&input.program).with_preset(preset);
    let graph = &task.graph;
    super::print(format!("blocks:\n{}", graph.display()));
    if graph.nodes.is_empty() {
        return Exit::Success.into();
    }
    let options = OracleOptions {
        gas: args.gas,
        preset,
        ..OracleOptions::default()
    };
    let mut oracle = Oracle::new(graph, options, budget);
    let loops = oracle.summaries().loops(budget);
    // Before each operator is asked again, by itself.
    let costs = oracle.summaries().costs();
    for of in loops {
        let operators = oracle.summaries().by_operator(&of, budget);
        super::print(loop_text(graph, oracle.known(of.head), &of, &operators));
        super::print(goals_text(graph, &mut oracle, of.head, budget));
    }
    super::print(format!("\n{}\n", name(graph, graph.entry)));
    super::print(goals_text(graph, &mut oracle, graph.entry, budget));
    if args.stats {
        super::print(costs_text(&costs));
    }
    if budget.is_spent() {
        super::say("warning: out of time, so the summaries are coarse");
    }
    Exit::Success.into()
}

/// What the operators have cost, a line each.
fn costs_text(costs: &[Cost]) -> String {
    let mut text = "\ncosts:\n".to_owned();
    for cost in costs {
        text.push_str(&format!(
            "  {}: {:.1} ms, used {} times, {} queries, {} solver units\n",
            cost.name,
            cost.time.as_secs_f64() * 1e3,
            cost.uses,
            cost.queries,
            cost.units
        ));
    }
    text
}

/// A node with its place.
fn name(graph: &BlockGraph, node: NodeId) -> String {
    let kind = if node == graph.entry { "entry" } else { "loop" };
    match graph.place(node) {
        Some(place) => format!("{kind} {node:?} at {place}:"),
        None => format!("{kind} {node:?}:"),
    }
}

fn loop_text(
    graph: &BlockGraph,
    known: &[Term],
    of: &LoopSummary,
    operators: &[(&LoopOperator, Transition)],
) -> String {
    let terms = &graph.terms;
    let mut text = format!("\n{}\n", name(graph, of.head));
    let invariant = known
        .iter()
        .map(|&conjunct| terms.display(conjunct).to_string());
    if !known.is_empty() {
        section(&mut text, "always", invariant.collect());
    }
    section(
        &mut text,
        "one iteration",
        readable::lines(terms, &of.iteration),
    );
    section(
        &mut text,
        "k iterations",
        readable::lines(terms, &of.iterated),
    );
    for (operator, says) in operators {
        let title = format!("of that by {} ({})", operator.name, operator.about);
        section(&mut text, &title, readable::lines(terms, says));
    }
    text
}

fn section(text: &mut String, title: &str, lines: Vec<String>) {
    text.push_str(&format!("  {title}:\n"));
    for line in lines {
        text.push_str(&format!("    {line}\n"));
    }
}

/// What is known of the ways from a node to the goals: whether there are any, and what they require of the state, in
/// the form for evaluation and, where it is another one, in that for proofs.
fn goals_text(graph: &BlockGraph, oracle: &mut Oracle, node: NodeId, budget: &Budget) -> String {
    let terms = &graph.terms;
    let summary = oracle.summary(node, budget);
    let size = terms.size(summary.guard);
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(summary.guard);
    let answer = match session.check(budget) {
        Answer::Sat(_) => "perhaps".to_owned(),
        Answer::Unsat(_) => "never".to_owned(),
        Answer::Unknown(why) => format!("unknown ({why})"),
    };
    let mut text = format!("  reaches a goal: {answer}, by a summary of {size} terms\n");
    let required = oracle.prune(node, budget);
    let precision = match oracle.precision(node, budget) {
        Precision::Exact => "",
        Precision::Rational => " (as if counters were no integers)",
        Precision::Hull => " (the convex hull of that)",
        Precision::Nothing => " (not found within the limits)",
    };
    let title = format!("reaches a goal only if{precision}");
    section(&mut text, &title, condition(terms, required));
    let for_proofs = oracle.proof(budget)[node];
    if for_proofs != required {
        let weakened = match oracle.weakened(budget).contains(&node) {
            true => " (weakened until it was closed under the blocks)",
            false => "",
        };
        let title = format!("for proofs{weakened}");
        section(&mut text, &title, condition(terms, for_proofs));
    }
    text
}

/// A condition on states for people.
fn condition(terms: &Terms, formula: Term) -> Vec<String> {
    match terms.as_bool(formula) {
        Some(true) => vec!["(nothing is required)".to_owned()],
        Some(false) => vec!["(never)".to_owned()],
        None => readable::formula_lines(terms, formula),
    }
}
