//! Which decisions of a run mattered.
//!
//! A decision *mattered* if turning it is enough to miss the target: the run that has the same inputs and goes the same way up to that
//! decision, goes the other way there, and on from there as the program says, ends without getting to the target. An input is named
//! by its place and by how often the run was there, so "the same inputs" has a meaning on other ways, too; what is not given is zero.
//!
//! That is not concluded but tried: the interpreter runs a copy of the program that counts the decisions and turns one of them. Where
//! the other run doesn't come to an end within limits, gets to what is not modelled, or depends on what C leaves open, nothing is said
//! of the decision. Two decisions that are each enough by themselves (`a || b`, both true) did not matter, one by one.

use std::collections::BTreeMap;

use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_program::{
    Action, BinOp, FuncId, InputKind, InputSite, InputSiteId, IntType, LocId, LocKind, Program,
    Scope, Span, TargetId, Type, Var, VarId,
};

use super::{Story, decision, lines};

/// So many edges are executed to weigh the decisions of a run.
const EDGES: u64 = 20_000_000;
/// A turned run may take so much longer than the run itself...
const LONGER: u64 = 3;
/// ... and so many edges more.
const MORE: u64 = 10_000;
/// What it takes to set up a run, in edges, beside a part of the bytes of global objects.
const SETUP: u64 = 1_000;
/// So many bytes are set up in the time of an edge.
const BYTES_PER_EDGE: u64 = 16;
/// A turned run may take so much memory.
const MEMORY: u64 = 64 << 20;

/// Says of the decisions of a run to a target whether they mattered: first of those that are told when loops are folded, then of the
/// others, as far as a limit of work allows. The run took so many steps. Runs of several threads are left as they are: what comes after
/// a turned decision would be another schedule.
pub(super) fn weigh(
    program: &Program,
    inputs: &KeyedInputs,
    target: TargetId,
    steps: u64,
    story: &mut Story,
) {
    if program.schedule().is_some() {
        return;
    }
    let told = lines(story, false)
        .into_iter()
        .filter_map(|line| match line {
            super::Line::Step(step) => Some(&step.decisions),
            super::Line::Folded { .. } => None,
        });
    let mut order: Vec<u64> = told.flatten().map(|decision| decision.number).collect();
    let all = story.steps.iter().flat_map(|step| &step.decisions);
    order.extend(all.map(|decision| decision.number));
    if order.is_empty() {
        return;
    }
    let twin = Twin::of(program);
    let machine = Machine::compile(&twin.program);
    let limits = RunLimits {
        steps: steps.saturating_mul(LONGER).saturating_add(MORE),
        memory: MEMORY,
        ..RunLimits::default()
    };
    let globals = program.objects.iter();
    let globals = globals.filter(|object| object.scope == Scope::Global);
    let bytes: u64 = globals.map(|object| object.size).sum();
    let setup = SETUP + bytes / BYTES_PER_EDGE;
    let mut left = EDGES;
    let mut known: BTreeMap<u64, Option<bool>> = BTreeMap::new();
    for number in order {
        if known.contains_key(&number) {
            continue;
        }
        let Some(rest) = left.checked_sub(setup) else {
            break;
        };
        let run = machine.run(&mut twin.turning(inputs, number), &limits);
        left = rest.saturating_sub(run.steps);
        let mattered = match run.outcome {
            _ if !run.caveats.is_empty() => None,
            Outcome::Target(reached) => Some(reached != target),
            Outcome::Exit(_)
            | Outcome::Abort
            | Outcome::AssumptionFailed
            | Outcome::Undefined(_)
            | Outcome::Deadlock => Some(true),
            Outcome::Unsupported(_)
            | Outcome::StepLimit
            | Outcome::MemoryLimit
            | Outcome::StackLimit => None,
        };
        known.insert(number, mattered);
    }
    let all = story.steps.iter_mut().flat_map(|step| &mut step.decisions);
    for decision in all {
        decision.mattered = known.get(&decision.number).copied().flatten();
    }
}

/// A copy of a program in which one decision of a run is turned.
struct Twin {
    program: Program,
    /// Where it reads which one.
    which: InputSiteId,
}

/// What counts decisions.
const COUNTER: IntType = IntType::unsigned(64);

impl Twin {
    fn of(program: &Program) -> Twin {
        let mut program = program.clone();
        let counter = program.vars.push(Var {
            decl: nameless(),
            ty: Type::Int(COUNTER),
            scope: Scope::Global,
            init: None,
        });
        let which = program.inputs.push(InputSite {
            kind: InputKind::Nondet("turned".into()),
            ty: Some(Type::Int(COUNTER)),
            function: program.start,
            span: Span::default(),
        });
        let branches: Vec<(FuncId, LocId)> = program
            .functions
            .iter_enumerated()
            .flat_map(|(function, known)| {
                let places = known.cfa.locations.indices();
                places.map(move |place| (function, place))
            })
            .filter(|&(function, place)| decision::ways(&program, function, place).is_some())
            .collect();
        for (function, location) in branches {
            turn(&mut program, counter, function, location);
        }
        let start = &mut program.functions[program.start].cfa;
        let first = start.entry;
        start.entry = start.add_location(LocKind::Plain);
        let read = Action::Input {
            dst: counter,
            site: which,
        };
        start.add_edge(start.entry, read, first, Span::default());
        Twin { program, which }
    }

    /// The inputs of a run, with which the twin turns the decision of this number.
    fn turning(&self, inputs: &KeyedInputs, number: u64) -> KeyedInputs {
        let mut inputs = inputs.clone();
        inputs.push_value(self.which, u128::from(u64::MAX - number), 1);
        inputs
    }
}

fn nameless() -> rhumb_program::Decl {
    rhumb_program::Decl {
        name: "".into(),
        span: Span::default(),
        visible: Span::default(),
    }
}

/// Lets a branch count, and go the other way when the counter comes to zero.
fn turn(program: &mut Program, counter: VarId, function: FuncId, location: LocId) {
    let cfa = &mut program.functions[function].cfa;
    let exprs = &mut program.exprs;
    let ways = std::mem::take(&mut cfa.locations[location].outgoing);
    let before = exprs.var(counter, Type::Int(COUNTER));
    let one = exprs.int(COUNTER, 1);
    let value = exprs.binary(BinOp::Add, before, one);
    let counted = cfa.add_location(LocKind::Plain);
    let count = Action::Assign {
        dst: counter,
        value,
    };
    cfa.add_edge(location, count, counted, Span::default());
    let zero = exprs.int(COUNTER, 0);
    let is_turned = exprs.binary(BinOp::Eq, before, zero);
    let mut turned = None;
    for &way in &ways {
        let edge = &mut cfa.edges[way];
        edge.source = counted;
        if let Action::Assume { cond, .. } = &mut edge.action {
            let both = turned.get_or_insert_with(|| exprs.binary(BinOp::Xor, *cond, is_turned));
            *cond = *both;
        }
    }
    cfa.locations[counted].outgoing = ways;
}
