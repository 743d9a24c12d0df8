//! `rhumb summarize`: what the summaries say, for people to read.

use rhumb_encode::{BlockGraph, NodeId};
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Budget, Term, Transition};
use rhumb_search::Task;
use rhumb_summary::star::LoopOperator;
use rhumb_summary::{Gas, LoopSummary, Steps, Summaries, forward, readable};

use crate::cli::SummarizeArgs;
use crate::exit::Exit;
use crate::input::Input;
use crate::limits::watched;

/// Prints the block graph, the invariants, the loops with their summaries, and what is known of the ways to the goals.
pub(crate) fn run(args: &SummarizeArgs) -> Exit {
    let budget = watched(args.timeout, None);
    let budget = &budget;
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let task = Task::new(&input.program);
    let graph = &task.graph;
    super::print(format!("blocks:\n{}", graph.display()));
    if graph.nodes.is_empty() {
        return Exit::Success;
    }
    let known = forward::at_nodes(graph, budget);
    let mut steps = Steps::of(graph, &known);
    if args.gas {
        Gas::instrument(&mut steps);
    }
    let mut summaries = Summaries::new(steps);
    for of in summaries.loops(budget) {
        let operators = summaries.by_operator(&of, budget);
        super::print(loop_text(graph, &known[of.head], &of, &operators));
        super::print(goals_text(graph, &mut summaries, of.head, budget));
    }
    super::print(format!("\n{}\n", name(graph, graph.entry)));
    super::print(goals_text(graph, &mut summaries, graph.entry, budget));
    if budget.is_spent() {
        super::say("warning: out of time, so the summaries are coarse");
    }
    Exit::Success
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
    section(&mut text, "always", invariant.collect());
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

/// What is known of the ways from a node to the goals.
fn goals_text(
    graph: &BlockGraph,
    summaries: &mut Summaries,
    node: NodeId,
    budget: &Budget,
) -> String {
    let summary = summaries.to_goals(node, budget);
    let size = graph.terms.size(summary.guard);
    let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
    session.assert(summary.guard);
    let answer = match session.check(budget) {
        Answer::Sat(_) => "perhaps".to_owned(),
        Answer::Unsat(_) => "never".to_owned(),
        Answer::Unknown(why) => format!("unknown ({why})"),
    };
    format!("  reaches a goal: {answer}, by a summary of {size} terms\n")
}
