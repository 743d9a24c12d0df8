//! Programs with threads: which engine decides them.

use rhumb_certify::proof::{AllSchedules, Followed, Proof};
use rhumb_logic::{Budget, Work};
use rhumb_program::graph::CallGraph;
use rhumb_program::{Action, Builtin, Callee, FuncId, Program, ThreadOp};

use crate::alone::Alone;
use crate::catalog::{CATALOG, Entry};
use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::execute::Execute;
use crate::task::Task;
use crate::turns::{Make, Share, Turns};

/// Engines that leave a program with threads to the execution of all runs, beside the default one.
const FOLLOW: &[&str] = &["execute", "portfolio"];

/// What the execution of all runs gets before the threads are taken for many.
const OPENING: Work = Work::secs(3);

/// Work between two reports.
const SLICE: Work = Work::millis(250);

/// The engine for a program with threads, where this one was asked for.
pub(crate) fn start<'t>(task: &'t Task<'t>, engine: &Entry) -> Box<dyn Engine + 't> {
    match engine.name {
        "alone" => (engine.start)(task),
        name if name == CATALOG[0].name || FOLLOW.contains(&name) => {
            // If following all schedules doesn't come to an end soon, any number of threads for each that is created may,
            // or what each of them keeps.
            let execute: Make<'t> = Box::new(|| Box::new(Execute::new(task)));
            let crowd = AllSchedules::crowded(task.lowered);
            let is_crowd = creates_any_number(task.lowered);
            let crowd: Make<'t> = Box::new(move || Box::new(Crowd(crowd, is_crowd)));
            let alone: Make<'t> = Box::new(|| Box::new(Alone::new(task)));
            let mut turns = vec![
                (0, Share::AtMost(OPENING, 8)),
                (1, Share::AtMost(OPENING, 8)),
            ];
            // Few threads end soon, or have many states; what they keep is seldom enough.
            match is_crowd {
                true => turns.extend([(2, Share::Part(2)), (1, Share::Part(4)), (0, Share::Rest)]),
                false => turns.push((0, Share::AllBut(4))),
            }
            Turns::of([execute, crowd, alone], &turns, 0)
        }
        name => Box::new(Refuses(name)),
    }
}

/// Whether threads are created in a loop, or by a function that calls itself.
fn creates_any_number(program: &Program) -> bool {
    let calls = CallGraph::of(program);
    let creates = |action: &Action| {
        let op = Builtin::Thread(ThreadOp::Spawn);
        matches!(action, Action::Call { callee: Callee::Builtin(builtin), .. } if *builtin == op)
    };
    let functions = program.functions.indices();
    let creating: Vec<FuncId> = functions
        .filter(|&function| {
            let reached = calls.reachable(function);
            let all = program.functions.iter_enumerated();
            let mut edges = all
                .filter(|(id, _)| reached[*id])
                .flat_map(|(_, function)| &function.cfa.edges);
            edges.any(|edge| creates(&edge.action))
        })
        .collect();
    let is_creating = |action: &Action| match action {
        Action::Call {
            callee: Callee::Function(callee),
            ..
        } => creating.contains(callee),
        _ => creates(action),
    };
    program.functions.iter_enumerated().any(|(id, function)| {
        let nest = function.cfa.loops();
        let mut edges = function.cfa.edges.iter();
        let heads = nest.heads();
        let in_loop = |at| heads.iter().any(|&head| nest.is_in(at, head));
        calls.is_recursive(id) && creating.contains(&id)
            || edges.any(|edge| is_creating(&edge.action) && in_loop(edge.source))
    })
}

/// Follows all schedules, with any number of threads for each that is created; and whether that is what the program
/// does: then it goes on when it has more to spend.
struct Crowd<'t>(AllSchedules<'t>, bool);

impl Engine for Crowd<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let begin = Work::so_far();
        match self.0.go_on(budget, SLICE) {
            Followed::Complete(extent) => Step::Done(Claim::Safe(Proof::crowd(extent.steps))),
            Followed::Working if Work::since(begin) >= SLICE => Step::Working,
            Followed::Working if self.1 => {
                budget.spend(budget.units_for_query().unwrap_or(0));
                let so_far = format!("in the execution of many threads: {} open", self.0.open());
                Step::Done(Claim::Unknown(Reason::Stopped(so_far)))
            }
            _ => Step::Done(Claim::Unknown(Reason::Inconclusive)),
        }
    }

    fn progress(&self) -> Progress {
        let paths = self.0.extent().paths;
        Progress {
            summary: format!("any number of threads: {paths} paths"),
            figures: vec![("extent.paths", paths as f64)],
        }
    }
}

/// An engine that knows of one thread.
struct Refuses(&'static str);

impl Engine for Refuses {
    fn step(&mut self, _: &Budget) -> Step {
        let what = format!("threads, which the engine {} doesn't follow", self.0);
        Step::Done(Claim::Unknown(Reason::Unsupported(what)))
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: String::new(),
            figures: Vec::new(),
        }
    }
}
