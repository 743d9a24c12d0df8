//! Which engines take turns on which programs.

use rhumb_certify::proof::{asks_for_bounds, has_shapes};
use rhumb_encode::NodeKind;
use rhumb_logic::Work;
use rhumb_program::{Action, BinOp, ExprId, ExprKind, Program, Type};

use crate::bmc::Bmc;
use crate::engine::Engine;
use crate::execute::Execute;
use crate::explicit::Explicit;
use crate::gps;
use crate::induction::Inductive;
use crate::predicate::PREDICATE;
use crate::shapes::Shapes;
use crate::sliced::Sliced;
use crate::tabulate::Tabulate;
use crate::task::Task;
use crate::turns::{Make, Share, Turns};

/// A program with at least so many edges, in all of its functions, is large.
const LARGE: usize = 1000;

/// A program of at least so many functions with so many reads from memory is too much for whoever inlines calls or
/// makes variables of objects: drivers, and other large programs that live in records.
const MANY_FUNCTIONS: usize = 50;
const MANY_READS: usize = 50;

/// Branches that matter for a target; from so many on explicit states go first.
const MANY_BRANCHES: usize = 40;

/// From so many loops in a row on summaries go first: they grow with the number of loops, states with the product of
/// what each of them can do.
const MANY_LOOPS: u32 = 16;

/// Work that is too little to be shared: the guided search plans its steps by what it has.
const LITTLE: Work = Work::secs(15);

/// Function by function first, if the program is large: that is quick if it is good at all, and others need much before
/// they can begin. Where the program is spread out over many functions and in memory besides, it has half of the work,
/// in two turns: what takes the others no time at all shouldn't wait for so long.
pub(crate) fn large_first<'t>(
    task: &'t Task<'t>,
    next: fn(&'t Task<'t>) -> Box<dyn Engine + 't>,
) -> Box<dyn Engine + 't> {
    if !is_large(task.lowered) {
        return next(task);
    }
    let tabulate: Make<'t> = Box::new(|| Box::new(Tabulate::new(task)));
    let turns: &[(usize, Share)] = match has_many_loops(task.lowered) {
        true => &[(1, Share::AllBut(8)), (0, Share::Rest)],
        false if is_spread_out(task.lowered) => &[
            (0, Share::Part(4)),
            (1, Share::Part(3)),
            (0, Share::Part(2)),
            (1, Share::Rest),
        ],
        false => &[(0, Share::AtMost(Work::secs(15), 4)), (1, Share::Rest)],
    };
    Turns::of([tabulate, Box::new(move || next(task))], turns, 1)
}

fn is_large(program: &Program) -> bool {
    let edges = program.functions.iter().map(|body| body.cfa.edges.len());
    edges.sum::<usize>() >= LARGE
}

/// Whether a program has many functions, and much of what it does is in memory.
fn is_spread_out(program: &Program) -> bool {
    let edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
    let reads = edges.filter(|edge| matches!(edge.action, Action::Load { .. }));
    program.functions.len() >= MANY_FUNCTIONS && reads.count() >= MANY_READS
}

/// Whether a function has many loops, one after the other.
fn has_many_loops(program: &Program) -> bool {
    let mut rows = (program.functions.iter()).map(|body| body.cfa.graph().loops_in_a_row());
    rows.any(|row| row.iter().any(|&loops| loops >= MANY_LOOPS))
}

/// Explicit states and formulas, each where it is good.
///
/// Formulas do well where there are few branches and much arithmetic, and their proofs are the better ones to read. Of
/// programs with many branches their summaries and interpolants grow out of hand, while there an exploration of
/// explicit states often ends soon: the branches are what tells the states apart. So in a program with many branches
/// the exploration goes first, for a while; then the guided search has its turn, and what that leaves of the work is
/// for the exploration again, which goes on where it was. In other programs the exploration comes last.
///
/// Where variables are multiplied, equations between products are looked for first, behind a glance of the guided
/// search: nobody else finds them, and whoever asks a solver about products waits for long. Before that, a look at
/// explicit states: the numbers that are multiplied may be few.
///
/// Before all that, in programs with many branches, explicit states of few variables are tried, those that ways to a
/// target show to matter: of a protocol whose state lies in records, most of what is in the records doesn't.
///
/// Where loops decide nothing about the targets, the guided search is tried without them first.
///
/// The guided search ends on what it is good at, or hardly ever. So unrolling (steps that are hard, loops that are
/// short) and predicate abstraction (long programs with little arithmetic) have a part of what is left, and from then
/// on all take turns.
pub(crate) fn states_and_formulas<'t>(task: &'t Task<'t>) -> Box<dyn Engine + 't> {
    const EXPLICIT: usize = 0;
    const GUIDED: usize = 1;
    const VALUES: usize = 2;
    const UNROLLING: usize = 3;
    const PREDICATES: usize = 4;
    const PRODUCTS: usize = 5;
    let explicit = Explicit::new(task);
    let has_products = task.graph.is_nonlinear();
    let mut turns = match explicit.branches() >= MANY_BRANCHES {
        true if has_many_loops(task.lowered) => {
            vec![(GUIDED, Share::AllBut(8)), (EXPLICIT, Share::Part(3))]
        }
        true => vec![
            (VALUES, Share::AtMost(Work::secs(4), 4)),
            (EXPLICIT, Share::Part(3)),
            (VALUES, Share::Part(6)),
            (GUIDED, Share::Part(2)),
            (EXPLICIT, Share::Part(3)),
        ],
        false if has_products => vec![
            (EXPLICIT, Share::AtMost(Work::secs(1), 16)),
            (GUIDED, Share::AtMost(Work::secs(1), 8)),
            (PRODUCTS, Share::Part(3)),
            (GUIDED, Share::AllButIfMore(LITTLE, 4)),
        ],
        false => vec![(GUIDED, Share::AllButIfMore(LITTLE, 4))],
    };
    turns.extend([
        (EXPLICIT, Share::AtMost(Work::secs(2), 8)),
        (VALUES, Share::AtMost(Work::secs(2), 8)),
        (UNROLLING, Share::AtMost(Work::secs(6), 4)),
        (PREDICATES, Share::AtMost(Work::secs(6), 4)),
    ]);
    let mut engines: Vec<Make<'t>> = vec![
        Box::new(|| Box::new(explicit)),
        Box::new(|| Box::new(gps::whole(task))),
        Box::new(|| Box::new(Tabulate::of_values(task))),
        Box::new(|| Box::new(Bmc::new(task))),
        Box::new(|| (PREDICATE.start)(task)),
    ];
    if has_products {
        engines.push(Box::new(|| Box::new(Inductive::of_products(task))));
    }
    let guided = turns.iter().position(|turn| turn.0 == GUIDED);
    if let (Some(guided), Some(sliced)) = (guided, task.sliced()) {
        turns.insert(guided, (engines.len(), Share::Part(2)));
        engines.push(Box::new(|| Box::new(Sliced::new(sliced))));
    }
    Turns::of(engines, &turns, GUIDED)
}

/// Where variables are multiplied, a look whether equations that the program itself compares are kept by all of its
/// steps, and then another engine: that is quick if it is good at all, and who executes such a program waits for long.
pub(crate) fn equations_first<'t>(
    task: &'t Task<'t>,
    next: Box<dyn Engine + 't>,
) -> Box<dyn Engine + 't> {
    if !task.graph.is_nonlinear() || task.graph.goals().next().is_none() {
        return next;
    }
    let equations: Make<'t> = Box::new(|| Box::new(Inductive::of_equations(task)));
    let turns = [(0, Share::AtMost(Work::secs(1), 12)), (1, Share::All)];
    Turns::of([equations, Box::new(move || next)], &turns, 1)
}

/// Where memory of the heap is used, a look at all that it can look like, and another engine. The look comes first if
/// accesses or losses are asked for: that is what it is good at. Else it comes behind the other engine, whose proofs say
/// more to a reader.
pub(crate) fn shapes_first<'t>(
    task: &'t Task<'t>,
    next: Box<dyn Engine + 't>,
) -> Box<dyn Engine + 't> {
    if !has_shapes(task.lowered) || task.graph.goals().next().is_none() {
        return next;
    }
    let shapes: Make<'t> = Box::new(|| Box::new(Shapes::new(task)));
    let turns = match asks_for_bounds(task.lowered) {
        true => [(0, Share::AtMost(Work::secs(1), 8)), (1, Share::All)],
        false => [(1, Share::AllBut(3)), (0, Share::Rest)],
    };
    Turns::of([shapes, Box::new(move || next)], &turns, 1)
}

/// An engine that is given a hand by execution, path by path and side by side. Where formulas can't follow the program,
/// or only with a choice for each element of an array, with products or with bits: before it, and again when it has
/// given up or, if formulas can't follow, had half of the rest. Everywhere else, also where simplification has left
/// nothing to look for: only when it has given up, as it does where its evidence is not accepted.
pub(crate) fn with_execution<'t>(
    task: &'t Task<'t>,
    inner: Box<dyn Engine + 't>,
) -> Box<dyn Engine + 't> {
    const PATHS: usize = 0;
    const INNER: usize = 1;
    const TOGETHER: usize = 2;
    let graph = &task.graph;
    let is_followed = graph
        .edges
        .iter()
        .all(|edge| edge.approximations.is_empty())
        && (graph.nodes.iter())
            .all(|node| !matches!(node.kind, NodeKind::Unsupported(_) | NodeKind::Call(_)));
    let is_computed = computes_places(task.lowered);
    let has_goals = graph.goals().next().is_some();
    let paths: Make<'t> =
        Box::new(move || Box::new(Execute::new(task).after_long_runs(is_computed)));
    let together: Make<'t> = Box::new(move || Box::new(Execute::together(task)));
    // Questions about few variables take much less time than their work says. Bits that states, not formulas, depend on
    // are soon done with by who follows states.
    let turns: &[(usize, Share)] = match is_followed {
        _ if !has_goals => &[
            (INNER, Share::Part(2)),
            (PATHS, Share::Part(2)),
            (TOGETHER, Share::Part(2)),
        ],
        true if !is_computed && !graph.is_nonlinear() => match works_on_bits(task.lowered) {
            true => &[
                (INNER, Share::AtMost(Work::secs(1), 8)),
                (TOGETHER, Share::AtMost(Work::secs(6), 4)),
                (INNER, Share::All),
                (TOGETHER, Share::Part(2)),
                (PATHS, Share::All),
            ],
            false => &[
                (INNER, Share::All),
                (TOGETHER, Share::Part(2)),
                (PATHS, Share::All),
            ],
        },
        // Equations have had a part already.
        true if !is_computed => &[
            (PATHS, Share::AtMost(Work::secs(4), 3)),
            (TOGETHER, Share::AtMost(Work::secs(6), 6)),
            (INNER, Share::All),
            (TOGETHER, Share::Part(2)),
            (PATHS, Share::All),
        ],
        true => &[
            (PATHS, Share::AtMost(Work::secs(4), 4)),
            (TOGETHER, Share::AtMost(Work::secs(6), 6)),
            (INNER, Share::Rest),
            (TOGETHER, Share::Part(2)),
            (PATHS, Share::Rest),
        ],
        false => &[
            (PATHS, Share::AtMost(Work::secs(2), 4)),
            (TOGETHER, Share::AtMost(Work::secs(2), 8)),
            (INNER, Share::Part(2)),
            (TOGETHER, Share::Part(2)),
            (PATHS, Share::Rest),
        ],
    };
    Turns::of([paths, Box::new(move || inner), together], turns, INNER)
}

/// Whether a program puts bits of numbers together, or moves them.
fn works_on_bits(program: &Program) -> bool {
    let exprs = &program.exprs;
    let mut waiting: Vec<ExprId> = Vec::new();
    for edge in (program.functions.iter()).flat_map(|function| &function.cfa.edges) {
        edge.action.for_each_expr(|expr| waiting.push(expr));
    }
    while let Some(expr) = waiting.pop() {
        if let ExprKind::Binary(op, ..) = exprs[expr].kind
            && matches!(exprs.ty(expr), Type::Int(_))
            && matches!(
                op,
                BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr
            )
        {
            return true;
        }
        waiting.extend(exprs.children(expr));
    }
    false
}

/// Whether a program reads or writes at a place that isn't a variable's or a constant one.
fn computes_places(program: &Program) -> bool {
    let mut edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
    edges.any(|edge| match edge.action {
        Action::Load { ptr, .. } | Action::Store { ptr, .. } => {
            !matches!(program.exprs[ptr].kind, ExprKind::AddrOf(_))
        }
        _ => false,
    })
}

/// Proofs about all elements of arrays: the engines for numbers, put to work on the program in which some elements are
/// followed, and then another engine.
///
/// Right for programs whose loops do the same to every element of an array that is long, or of a size that is not
/// known. Invariants are looked for first, with what the places of elements suggest ([`crate::induction`]); then the
/// guided search has its turn. The other engine comes back if no element can be followed.
pub(crate) fn elements_first<'t>(
    task: &'t Task<'t>,
    rest: Option<Box<dyn Engine + 't>>,
) -> Result<Box<dyn Engine + 't>, Option<Box<dyn Engine + 't>>> {
    let Some(task) = task.elements() else {
        return Err(rest);
    };
    let invariants: Make<'t> = Box::new(|| Box::new(Inductive::new(task)));
    let mut engines = vec![invariants, Box::new(|| Box::new(gps::whole(task)))];
    let mut turns = vec![(0, Share::AllBut(3)), (1, Share::AllBut(2))];
    if let Some(rest) = rest {
        engines.push(Box::new(move || rest));
        turns.push((2, Share::Rest));
    }
    Ok(Turns::of(engines, &turns, 1))
}

/// The search guided by summaries first; then, with what is left of the budget, unrolling, which needs neither
/// summaries nor interpolants: right for programs whose loops are short and whose steps are hard.
pub(crate) fn portfolio<'t>(task: &'t Task<'t>) -> Box<dyn Engine + 't> {
    let guided: Make<'t> = Box::new(|| Box::new(gps::whole(task)));
    let unrolling: Make<'t> = Box::new(|| Box::new(Bmc::new(task)));
    let turns = [(0, Share::AllBut(3)), (1, Share::Rest)];
    Turns::of([guided, unrolling], &turns, 1)
}
