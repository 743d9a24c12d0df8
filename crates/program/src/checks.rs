//! Undefined behaviour as something to be found: checks become targets.
//!
//! A program as lowered ends in a location of kind [`LocKind::Ub`] where its behaviour is undefined. Who asks for a
//! kind of it gets another program, in which those locations are targets, one for each kind and place of the text.
//! Nothing else changes: the runs are the same.
//!
//! Some of what can go wrong has no check of its own yet, and gets one here: calls through pointers, and memory that is
//! lost or never freed.

mod alone;
mod asking;
mod build;
mod ending;
mod leaks;
mod shifts;
mod threads;

use std::collections::{BTreeMap, BTreeSet};

pub use alone::{
    Choice as PromiseChoice, Fact, FactSide, Promise, Promises, SharedNumber, Unfit, all_together,
    alone, alone_with_choice,
};
pub use ending::{
    Ending, Endless, Measure, MeasuredPlace, Sum, Term, WatchPoint, WatchedPlace, watched,
};

use crate::builtin::{Builtin, Leak, ThreadFault};
use crate::cfa::{Action, Callee, LocKind, UbKind};
use crate::expr::{BinOp, ExprKind};
use crate::graph::CallGraph;
use crate::ids::{ApproxId, EdgeId, ExprId, FuncId, LocId, ObjectId, VarId};
use crate::model::{Decl, Init, Program, Scope, Target, TargetKind, Unsupported, Var};
use crate::span::Span;
use crate::types::Type;

/// Which undefined behaviour, and what else that is wrong with memory or threads, is asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Checks {
    /// Kinds of undefined behaviour.
    pub undefined: BTreeSet<UbKind>,
    /// What is wrong with memory that was not freed.
    pub leaks: BTreeSet<Leak>,
    /// What threads do to each other.
    pub threads: BTreeSet<ThreadFault>,
    /// Runs without an end.
    pub ending: Option<Ending>,
    /// What can't be checked is assumed to be right, and the verdict says so; otherwise there is no verdict where a run gets there.
    pub assume: bool,
}

/// The word for the last of these.
const ASSUME: &str = "assume";

/// The words of the command line for what can be asked for.
const WORDS: [(&str, Word); 15] = [
    ("overflow", Word::Undefined(&[UbKind::SignedOverflow])),
    ("division", Word::Undefined(&[UbKind::DivisionByZero])),
    (
        "shift",
        Word::Undefined(&[UbKind::BadShift, UbKind::BadShifted]),
    ),
    ("conversion", Word::Undefined(&[UbKind::FloatToInt])),
    (
        "bounds",
        Word::Undefined(&[UbKind::BadRead, UbKind::BadWrite]),
    ),
    ("free", Word::Undefined(&[UbKind::BadFree])),
    ("calls", Word::Undefined(&[UbKind::BadCall])),
    ("array-size", Word::Undefined(&[UbKind::BadArraySize])),
    ("unreachable", Word::Undefined(&[UbKind::Unreachable])),
    ("order", Word::Undefined(&[UbKind::Unsequenced])),
    ("bool", Word::Undefined(&[UbKind::BadBool])),
    ("leaks", Word::Leak(Leak::Lost)),
    ("cleanup", Word::Leak(Leak::Unfreed)),
    ("race", Word::Thread(ThreadFault::Race)),
    ("deadlock", Word::Thread(ThreadFault::Deadlock)),
];

/// What a word asks for.
#[derive(Clone, Copy)]
enum Word {
    Undefined(&'static [UbKind]),
    Leak(Leak),
    Thread(ThreadFault),
}

impl Checks {
    /// All that is undefined. Memory that is lost is wasted, not wrong.
    pub fn undefined() -> Checks {
        Checks {
            undefined: UbKind::ALL.into_iter().collect(),
            ..Checks::none()
        }
    }

    /// What is looked for if nobody says anything else: all that is undefined.
    pub fn usual() -> Checks {
        Checks {
            assume: true,
            ..Checks::undefined()
        }
    }

    /// The list of words that asks for this.
    pub fn words(&self) -> String {
        let asks = |known: &&(&str, Word)| match known.1 {
            Word::Undefined(kinds) => kinds.iter().all(|kind| self.undefined.contains(kind)),
            Word::Leak(leak) => self.leaks.contains(&leak),
            Word::Thread(fault) => self.threads.contains(&fault),
        };
        let words = WORDS.iter().filter(asks).map(|known| known.0.to_owned());
        let ending = self.ending.iter().map(Ending::to_string);
        let assume = self.assume.then(|| ASSUME.to_owned());
        let words: Vec<String> = words.chain(ending).chain(assume).collect();
        words.join(",")
    }

    /// What a list asks for: words like `overflow,bounds`, or `none`, `default` ([`Checks::usual`]), `all` (all that is
    /// undefined, and memory that is lost).
    pub fn parse(list: &str) -> Result<Checks, String> {
        let mut checks = Checks::none();
        for word in list.split(',').map(str::trim) {
            match word {
                "none" | "" => {}
                "default" => checks.add(&Checks::usual()),
                ASSUME => checks.assume = true,
                "all" => {
                    checks.add(&Checks::undefined());
                    checks.leaks.insert(Leak::Lost);
                }
                _ => {
                    if let Some(ending) = Ending::parse(word) {
                        checks.ending = Some(ending?);
                        continue;
                    }
                    let known = WORDS.iter().find(|known| known.0 == word);
                    let Some(&(_, word)) = known else {
                        let words: Vec<&str> = WORDS.iter().map(|known| known.0).collect();
                        return Err(format!(
                            "`{word}` is no check: there are {}, and none, default, all, assume",
                            words.join(", ")
                        ));
                    };
                    match word {
                        Word::Undefined(kinds) => checks.undefined.extend(kinds),
                        Word::Leak(leak) => drop(checks.leaks.insert(leak)),
                        Word::Thread(fault) => drop(checks.threads.insert(fault)),
                    }
                }
            }
        }
        Ok(checks)
    }

    /// No checks.
    pub fn none() -> Checks {
        Checks::default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        let nothing = (&self.undefined, &self.leaks, &self.threads, &self.ending);
        let (undefined, leaks, threads, ending) = nothing;
        undefined.is_empty() && leaks.is_empty() && threads.is_empty() && ending.is_none()
    }

    /// Asks for all that the others ask for, too.
    pub fn add(&mut self, others: &Checks) {
        self.undefined.extend(&others.undefined);
        self.leaks.extend(&others.leaks);
        self.threads.extend(&others.threads);
        self.ending = self.ending.take().or_else(|| others.ending.clone());
        self.assume |= others.assume;
    }

    /// Makes targets of all that is asked for.
    pub fn apply(&self, program: Program) -> Program {
        let mut work = Application {
            checks: self,
            program,
        };
        work.settle_unseen();
        work.settle_waits();
        work.settle_shifts();
        if self.is_empty() {
            return work.program;
        }
        work.program.outside.checks = self.words();
        work.check_threads();
        if work.program.schedule().is_some() {
            match self.assume {
                _ if self.ending.is_some() => work.refuse_start("whether threads end"),
                _ if self.undefined.is_empty() && self.leaks.is_empty() => {}
                true => work.assume("nothing is undefined: with threads, that is not looked for"),
                false => work.refuse_threads(),
            }
            return work.program;
        }
        work.refuse_disorder();
        work.check_calls();
        if work.asks(UbKind::BadRead) && !work.unseen_reads().is_empty() {
            match self.assume {
                true => work.assume("what is printed as a string is one"),
                false => work.refuse_unseen_reads("whether what is printed is a string"),
            }
        }
        work.make_targets();
        work.check_leaks();
        match &self.ending {
            None => {}
            // Nothing is known of any loop.
            Some(Ending::Asked) => work.check_measures(&[]),
            Some(Ending::Measured(measures)) => work.check_measures(measures),
            Some(Ending::MeasuredWrapping(measures)) => {
                work.wrap_overflows();
                work.check_measures(measures);
            }
            Some(Ending::Counted(most)) => work.check_rounds(*most),
            Some(Ending::Repeated) => work.check_repeats(),
        }
        work.program
    }
}

/// A library function without a model, and the pointers that it gets.
fn unseen(action: &Action) -> Option<(ApproxId, &[ExprId])> {
    match action {
        Action::Call {
            callee: Callee::Builtin(Builtin::Unseen(what)),
            args,
            ..
        } => Some((*what, args)),
        _ => None,
    }
}

struct Application<'c> {
    checks: &'c Checks,
    program: Program,
}

impl Application<'_> {
    fn asks(&self, kind: UbKind) -> bool {
        self.checks.undefined.contains(&kind)
    }

    /// Edges of all functions that satisfy a condition.
    fn edges(&self, is_wanted: impl Fn(&Action) -> bool) -> Vec<(FuncId, EdgeId)> {
        let functions = self.program.functions.iter_enumerated();
        let edges = functions.flat_map(|(function, body)| {
            let edges = body.cfa.edges.iter_enumerated();
            let wanted = edges.filter(|(_, edge)| is_wanted(&edge.action));
            wanted.map(move |(edge, _)| (function, edge))
        });
        edges.collect()
    }

    fn add_target(&mut self, kind: TargetKind, function: FuncId, at: LocId, span: Span) {
        let id = self.program.targets.push(Target {
            kind,
            span,
            function,
            location: at,
        });
        self.program.functions[function].cfa.locations[at].kind = LocKind::Target(id);
    }

    /// Puts a branch before an edge: where the condition has the given outcome the run goes on with the edge, otherwise
    /// it goes to the location.
    fn require_before(
        &mut self,
        (function, edge): (FuncId, EdgeId),
        cond: ExprId,
        holds: bool,
        otherwise: LocId,
    ) {
        let cfa = &mut self.program.functions[function].cfa;
        let (source, span) = (cfa.edges[edge].source, cfa.edges[edge].span);
        let next = cfa.add_location(LocKind::Plain);
        cfa.edges[edge].source = next;
        cfa.locations[next].outgoing.push(edge);
        cfa.locations[source].outgoing.clear();
        for outcome in [true, false] {
            let to = if outcome == holds { next } else { otherwise };
            let action = Action::Assume {
                cond,
                holds: outcome,
            };
            cfa.add_edge(source, action, to, span);
        }
    }

    /// Puts a question at a location, before anything else that is done there; gives the location to which the answer yes leads.
    fn insert_question(
        &mut self,
        function: FuncId,
        at: LocId,
        question: Builtin,
        args: &[ExprId],
        span: Span,
    ) -> LocId {
        let answer = self.add_answer(function, span);
        let cfa = &mut self.program.functions[function].cfa;
        let [asked, no] = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
        let outgoing = std::mem::take(&mut cfa.locations[at].outgoing);
        for &edge in &outgoing {
            cfa.edges[edge].source = no;
        }
        cfa.locations[no].outgoing = outgoing;
        let question = Action::Call {
            dst: Some(answer),
            callee: Callee::Builtin(question),
            args: args.into(),
        };
        cfa.add_edge(at, question, asked, span);
        self.branch_on(function, answer, asked, no, span)
    }

    /// A variable for the answer to a question.
    fn add_answer(&mut self, function: FuncId, span: Span) -> VarId {
        self.add_variable(Type::Bool, Scope::Local(function), span)
    }

    /// A variable without a name.
    fn add_variable(&mut self, ty: Type, scope: Scope, span: Span) -> VarId {
        self.program.vars.push(Var {
            decl: Decl {
                name: "".into(),
                span,
                visible: span,
            },
            ty,
            scope,
            init: None,
        })
    }

    /// A branch at a location without edges: the answer no leads to the given location, yes to a new one.
    fn branch_on(
        &mut self,
        function: FuncId,
        answer: VarId,
        at: LocId,
        no: LocId,
        span: Span,
    ) -> LocId {
        let cond = self.program.exprs.var(answer, Type::Bool);
        let cfa = &mut self.program.functions[function].cfa;
        let yes = cfa.add_location(LocKind::Plain);
        for (holds, to) in [(true, yes), (false, no)] {
            cfa.add_edge(at, Action::Assume { cond, holds }, to, span);
        }
        yes
    }

    /// Calls through pointers: what is called has to be a function that takes the arguments.
    fn check_calls(&mut self) {
        if !self.asks(UbKind::BadCall) {
            return;
        }
        let is_indirect = |action: &Action| {
            matches!(
                action,
                Action::Call {
                    callee: Callee::Pointer(_),
                    ..
                }
            )
        };
        let calls = self.edges(is_indirect);
        if calls.is_empty() {
            return;
        }
        let graph = CallGraph::of(&self.program);
        for (function, edge) in calls {
            let action = &self.program.functions[function].cfa.edges[edge].action;
            let Action::Call {
                dst,
                callee: Callee::Pointer(ptr),
                args,
            } = action
            else {
                continue;
            };
            let types = args.iter().map(|&arg| self.program.exprs.ty(arg));
            let (ptr, result) = (*ptr, dst.map(|dst| self.program.vars[dst].ty));
            let known = graph.callees_of(&self.program, action).into_owned();
            let fitting = known
                .into_iter()
                .filter(|&function| self.program.takes(function, types.clone(), result));
            let fitting: Vec<FuncId> = fitting.collect();
            let is_one_of = self.is_one_of(ptr, &fitting);
            let sink = self.program.functions[function]
                .cfa
                .add_location(LocKind::Ub(UbKind::BadCall));
            self.require_before((function, edge), is_one_of, true, sink);
        }
    }

    /// Whether a pointer is the address of one of these functions; a tree that is as flat as can be.
    fn is_one_of(&mut self, ptr: ExprId, functions: &[FuncId]) -> ExprId {
        let exprs = &mut self.program.exprs;
        match functions {
            [] => exprs.bool(false),
            [function] => {
                let address = exprs.func_addr(*function);
                exprs.binary(BinOp::Eq, ptr, address)
            }
            _ => {
                let (first, second) = functions.split_at(functions.len() / 2);
                let first = self.is_one_of(ptr, first);
                let second = self.is_one_of(ptr, second);
                self.program.exprs.binary(BinOp::Or, first, second)
            }
        }
    }

    /// Leaves something unchecked, and says so.
    fn assume(&mut self, what: &str) {
        self.program.outside.unchecked.push(what.to_owned());
    }

    /// What threads do to each other's memory is not asked yet: nothing is known of such a program.
    fn refuse_threads(&mut self) {
        self.refuse_start("undefined behaviour in a program with threads");
    }

    /// Lets no run get anywhere.
    fn refuse_start(&mut self, what: &str) {
        let start = &mut self.program.functions[self.program.start];
        let what = what.to_owned();
        let span = start.span;
        let id = self.program.unsupported.push(Unsupported { what, span });
        let sink = start.cfa.add_location(LocKind::Unsupported(id));
        let entry = start.cfa.entry;
        for edge in start.cfa.locations[entry].outgoing.clone() {
            start.cfa.edges[edge].target = sink;
            // Not even what is called there: it might never come back.
            start.cfa.edges[edge].action = Action::Skip;
        }
    }

    /// Where a variable is changed and accessed in no order, runs are not followed in any. Who asks for something else
    /// that is undefined has no answer there.
    fn refuse_disorder(&mut self) {
        if self.asks(UbKind::Unsequenced) {
            return;
        }
        for function in &mut self.program.functions {
            let cfa = &mut function.cfa;
            for edge in cfa.edges.indices() {
                let (to, span) = (cfa.edges[edge].target, cfa.edges[edge].span);
                if cfa.locations[to].kind == LocKind::Ub(UbKind::Unsequenced) {
                    let what = "a variable that is changed and accessed in no order".to_owned();
                    let id = self.program.unsupported.push(Unsupported { what, span });
                    cfa.locations[to].kind = LocKind::Unsupported(id);
                }
            }
        }
    }

    /// What functions that write text read of strings nobody checks: who asks for bad reads has no answer there, unless they are literals.
    fn refuse_unseen_reads(&mut self, what: &str) {
        for (function, edge) in self.unseen_reads() {
            self.refuse_edge(function, edge, what);
        }
    }

    /// What library functions without a model read and write nobody checks, either. The marks of their calls are gone then.
    fn settle_unseen(&mut self) {
        let asks = self.asks(UbKind::BadRead) || self.asks(UbKind::BadWrite);
        let marks = self.edges(|action| unseen(action).is_some());
        let mut assumed = BTreeSet::new();
        for (function, edge) in marks {
            let action = &mut self.program.functions[function].cfa.edges[edge].action;
            let action = std::mem::replace(action, Action::Skip);
            let Some((what, args)) = unseen(&action) else {
                continue;
            };
            if !asks || args.iter().all(|&arg| self.is_harmless(arg)) {
                continue;
            }
            let what = self.program.approximations[what].what.clone();
            match self.checks.assume {
                true => drop(assumed.insert(what)),
                false => self.refuse_edge(function, edge, &format!("whether {what} may be used")),
            }
        }
        for what in assumed {
            self.assume(&format!("{what} may be used"));
        }
    }

    /// Calls that read strings.
    fn unseen_reads(&self) -> Vec<(FuncId, EdgeId)> {
        let writes = |action: &Action| match action {
            Action::Call {
                callee: Callee::Builtin(Builtin::Printf | Builtin::Puts),
                args,
                ..
            } => !(args.iter()).all(|&arg| self.is_harmless(arg)),
            _ => false,
        };
        self.edges(writes)
    }

    /// Leaves open what comes of an edge.
    fn refuse_edge(&mut self, function: FuncId, edge: EdgeId, what: &str) {
        let cfa = &mut self.program.functions[function].cfa;
        let (what, span) = (what.to_owned(), cfa.edges[edge].span);
        let id = self.program.unsupported.push(Unsupported { what, span });
        let sink = cfa.add_location(LocKind::Unsupported(id));
        cfa.edges[edge].target = sink;
        cfa.edges[edge].action = Action::Skip;
    }

    /// Whether an argument is no string, or one that ends.
    fn is_harmless(&self, arg: ExprId) -> bool {
        match self.program.exprs[arg].kind {
            ExprKind::AddrOf(object) => self.is_string(object),
            _ => self.program.exprs.ty(arg) != Type::Ptr,
        }
    }

    /// Whether an object is a string that nobody can change.
    fn is_string(&self, object: ObjectId) -> bool {
        let object = &self.program.objects[object];
        let mut nonzero = 0;
        for init in &object.init {
            match init {
                Init::Bytes { offset, bytes } => {
                    let zeros = bytes.iter().filter(|&&byte| byte == 0).count();
                    if *offset == 0 && zeros > 0 {
                        return object.read_only;
                    }
                    nonzero += bytes.len() as u64;
                }
                Init::Scalar { .. } => return false,
            }
        }
        object.read_only && nonzero < object.size
    }

    /// Each edge to undefined behaviour that is asked for leads to a target: one for each kind and place. Functions
    /// that nobody calls have none.
    fn make_targets(&mut self) {
        let is_called = CallGraph::of(&self.program).reachable(self.program.start);
        let functions = self.program.functions.indices();
        for function in functions.filter(|&function| is_called[function]) {
            let mut places: BTreeMap<(UbKind, Span), LocId> = BTreeMap::new();
            let mut taken: BTreeSet<LocId> = BTreeSet::new();
            let mut found = Vec::new();
            let cfa = &mut self.program.functions[function].cfa;
            for edge in cfa.edges.indices() {
                let (span, to) = (cfa.edges[edge].span, cfa.edges[edge].target);
                let LocKind::Ub(kind) = cfa.locations[to].kind else {
                    continue;
                };
                if !self.checks.undefined.contains(&kind) {
                    continue;
                }
                let at = match places.get(&(kind, span)) {
                    Some(&at) => at,
                    None => {
                        // The first place of a sink keeps its location.
                        let at = match taken.insert(to) {
                            true => to,
                            false => cfa.add_location(LocKind::Ub(kind)),
                        };
                        places.insert((kind, span), at);
                        found.push((kind, span, at));
                        at
                    }
                };
                cfa.edges[edge].target = at;
            }
            for (kind, span, at) in found {
                self.add_target(TargetKind::Undefined(kind), function, at, span);
            }
        }
    }
}
