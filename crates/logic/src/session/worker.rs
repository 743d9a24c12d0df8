//! The thread that a session's solver lives on.
//!
//! It owns everything of Z3, and serves one session after the other. It gets commands together with the query that
//! needs them, and answers each query once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use z3_sys::Z3_mk_implies;

use crate::process::Thread;
use crate::term::{Node, Sort, Symbol, Term, Terms};
use crate::value::Value;

use super::SessionOptions;
use super::horn::{self, Clauses, Solved};
use super::mailbox::{Receiver, Sender, mailbox};
use super::model::{Model, Wanted};
use super::translate::{Translator, Trouble};
use super::z3::{Ast, Context, Interrupter, ModelRef, Outcome, Refused, Solver, SolverKind};

/// Z3 recurses over deep formulas in places; untouched pages of a stack cost nothing.
const STACK: usize = 256 << 20;

/// So many definitions of assumptions may be left over from earlier queries.
const DEFINITIONS: usize = 32;

/// A change of what is asserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Push,
    Pop(u32),
    Assert(Term),
}

/// A query, and what changed since the last one.
pub(super) struct Request {
    pub(super) commands: Vec<Command>,
    pub(super) assumptions: Vec<Term>,
    pub(super) wanted: Wanted,
    /// Clauses to be solved, instead of a query about what is asserted.
    pub(super) clauses: Option<Arc<Clauses>>,
    /// Resource units of Z3; zero for no limit.
    pub(super) units: u32,
}

/// The answer to a request, and the resource units that it took.
pub(super) struct Answered {
    pub(super) reply: Reply,
    pub(super) units: u64,
}

/// The answer to a request.
pub(super) enum Reply {
    Sat(Model),
    Unsat(Vec<Term>),
    Unknown(String),
    /// What became of clauses.
    Solved(Solved),
    /// Stopped before anything was changed: the commands are still to be carried out.
    Stopped(Vec<Command>),
    /// What is asserted now is not known: the worker is of no more use.
    Broken(String),
}

/// What the session and its worker share.
#[derive(Default)]
pub(super) struct Control {
    /// Whether to end what is running.
    stop: AtomicBool,
    /// Whether the context was interrupted since this was last looked at.
    interrupted: AtomicBool,
    /// Whether it can't be asked anything: it is at work, or its context is not to be trusted.
    is_taken: AtomicBool,
    interrupter: Interrupter,
    thread: OnceLock<Thread>,
}

impl Control {
    /// Notes which thread it is: this one.
    fn begin(&self) {
        if let Some(thread) = Thread::this() {
            let _ = self.thread.set(thread);
        }
    }
}

/// A thread with a context of Z3, which serves one session after the other: to make a context and to free it takes
/// longer than dozens of short queries.
struct Host {
    sessions: Sender<Service>,
    control: Arc<Control>,
    /// How many sessions it has served.
    served: u32,
}

/// What a session wants of a host.
struct Service {
    terms: Arc<Terms>,
    options: SessionOptions,
    inbox: Receiver<Request>,
    outbox: Sender<Answered>,
}

/// Hosts that nobody uses, the last one used on top.
static IDLE: Mutex<Vec<Host>> = Mutex::new(Vec::new());

/// Whether there are any.
static REUSES: AtomicBool = AtomicBool::new(false);

/// From now on sessions that end leave their context to later ones. What a solver answers (which model, which core)
/// depends on what its context was used for before: so this is for processes that ask one question after the other,
/// always in the same order, and not for tests that run side by side.
pub fn reuse_contexts() {
    REUSES.store(true, Ordering::Relaxed);
}

/// So many of them are kept.
const KEPT: usize = 16;

/// So many sessions are served by one host: a context doesn't give back all that it took.
const SERVED: u32 = 500;

impl Host {
    /// One that is idle, or a new one.
    fn find() -> std::io::Result<Host> {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(Host::start, Ok)
    }

    fn start() -> std::io::Result<Host> {
        let (sessions, services) = mailbox::<Service>();
        let control = Arc::new(Control::default());
        let shared = Arc::clone(&control);
        std::thread::Builder::new()
            .name("solver".into())
            .stack_size(STACK)
            .spawn(move || host(&shared, &services))?;
        Ok(Host {
            sessions,
            control,
            served: 0,
        })
    }
}

/// The session's end of a worker.
pub(super) struct Worker {
    requests: Sender<Request>,
    pub(super) replies: Receiver<Answered>,
    /// There until the worker is dropped.
    host: Option<Host>,
    control: Arc<Control>,
}

impl Worker {
    /// Finds a thread. When the worker is dropped and no query is running, it is free for others.
    pub(super) fn start(terms: &Arc<Terms>, options: &SessionOptions) -> std::io::Result<Worker> {
        Ok(Worker::with_host(Host::find()?, terms, options))
    }

    /// Starts a thread with a context that has served nobody yet: what a solver answers can depend on what its context was used for.
    pub(super) fn start_fresh(
        terms: &Arc<Terms>,
        options: &SessionOptions,
    ) -> std::io::Result<Worker> {
        Ok(Worker::with_host(Host::start()?, terms, options))
    }

    fn with_host(mut host: Host, terms: &Arc<Terms>, options: &SessionOptions) -> Worker {
        let (requests, inbox) = mailbox::<Request>();
        let (outbox, replies) = mailbox::<Answered>();
        host.served += 1;
        let service = Service {
            terms: Arc::clone(terms),
            options: options.clone(),
            inbox,
            outbox,
        };
        // A host that is gone drops the service, and so the first request fails.
        host.sessions.send(service);
        Worker {
            requests,
            replies,
            control: Arc::clone(&host.control),
            host: Some(host),
        }
    }

    /// Sends a request; false if the worker is gone.
    pub(super) fn send(&self, request: Request) -> bool {
        self.control.stop.store(false, Ordering::Relaxed);
        self.control.is_taken.store(true, Ordering::Release);
        self.requests.send(request)
    }

    /// Time that its thread has had on a processor; none where the system doesn't tell.
    pub(super) fn processor_time(&self) -> Option<Duration> {
        self.control.thread.get()?.processor_time()
    }

    /// Asks it to end what it is doing.
    pub(super) fn interrupt(&self) {
        self.control.stop.store(true, Ordering::Relaxed);
        self.control.interrupted.store(true, Ordering::Release);
        self.control.interrupter.interrupt();
    }
}

impl Drop for Worker {
    /// Whoever is left behind in the middle of a query is not used again.
    fn drop(&mut self) {
        let Some(host) = self.host.take() else {
            return;
        };
        let is_wanted = REUSES.load(Ordering::Relaxed) && host.served < SERVED;
        if !is_wanted || host.control.is_taken.load(Ordering::Acquire) {
            return;
        }
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(host);
        }
    }
}

/// Serves one session after the other.
fn host(control: &Control, services: &Receiver<Service>) {
    control.begin();
    let context = Context::new(control.interrupter.clone());
    let used = Cell::new(0);
    while let Some(service) = services.receive() {
        match &context {
            Ok(context) => serve(context, &used, control, &service),
            Err(refused) => {
                control.is_taken.store(true, Ordering::Release);
                service.outbox.send(broken(refused));
            }
        }
    }
}

fn broken(refused: &Refused) -> Answered {
    Answered {
        reply: Reply::Broken(refused.to_string()),
        units: 0,
    }
}

/// Serves a session. A reply that nobody waits for any more, and a request that will not come, are its end: both are no errors.
fn serve(context: &Context, used: &Cell<u64>, control: &Control, service: &Service) {
    let Service {
        terms,
        options,
        inbox,
        outbox,
    } = service;
    let mut state = match WorkerState::new(context, used, terms, options) {
        Ok(state) => state,
        Err(refused) => {
            control.is_taken.store(true, Ordering::Release);
            outbox.send(broken(&refused));
            return;
        }
    };
    while let Some(request) = inbox.receive() {
        let mut ready = Ok(());
        if control.interrupted.swap(false, Ordering::Acquire) {
            ready = state.forget_interrupt();
        }
        let reply = ready.and_then(|()| state.answer(request, &control.stop));
        let answered = match reply {
            Ok(reply) => {
                control.is_taken.store(false, Ordering::Release);
                Answered {
                    reply,
                    units: state.units_since(),
                }
            }
            Err(refused) => broken(&refused),
        };
        if !outbox.send(answered) {
            return;
        }
    }
}

struct WorkerState<'z> {
    translator: Translator<'z>,
    solver: Solver<'z>,
    /// Literals that stand for assumptions that are no literals themselves.
    literals: FxHashMap<Term, Ast<'z>>,
    /// The assumptions whose literals are defined now. The definitions have a level of their own, above those of the
    /// session: it stays open as long as nothing is pushed, popped or asserted, and is closed when it has grown, lest
    /// queries pay for the assumptions of all earlier ones.
    defined: FxHashSet<Term>,
    /// Whether that level is open.
    has_definitions: bool,
    /// The limit that is set for a query.
    units: u32,
    /// Resource units of the context that were used up when they were last asked for.
    used: &'z Cell<u64>,
}

impl<'z> WorkerState<'z> {
    fn new(
        context: &'z Context,
        used: &'z Cell<u64>,
        terms: &'z Terms,
        options: &SessionOptions,
    ) -> Result<WorkerState<'z>, Refused> {
        let solver = Solver::new(context, options.solver)?;
        solver.set(c"random_seed", options.seed)?;
        Ok(WorkerState {
            translator: Translator::new(context, terms),
            solver,
            literals: FxHashMap::default(),
            defined: FxHashSet::default(),
            has_definitions: false,
            units: 0,
            used,
        })
    }

    /// An interrupt that came when nothing was running would hit the next change of what is asserted; a check begins by forgetting it.
    fn forget_interrupt(&self) -> Result<(), Refused> {
        Solver::new(self.translator.context(), SolverKind::Incremental)?.check(&[]);
        Ok(())
    }

    /// Resource units since this was last asked in this context. Z3 counts modulo 2^32.
    fn units_since(&self) -> u64 {
        let now = self.solver.units();
        let before = self.used.replace(now);
        now.wrapping_sub(before) & u64::from(u32::MAX)
    }

    fn answer(&mut self, request: Request, stop: &AtomicBool) -> Result<Reply, Refused> {
        match self.translate(&request, stop) {
            Ok(()) => {}
            Err(Trouble::Stopped) => return Ok(Reply::Stopped(request.commands)),
            Err(Trouble::Refused(refused)) => return Err(refused),
        }
        let crowded = self.defined.len() > DEFINITIONS.max(2 * request.assumptions.len());
        if self.has_definitions && (crowded || !request.commands.is_empty()) {
            self.solver.pop(1)?;
            self.defined.clear();
            self.has_definitions = false;
        }
        for &command in &request.commands {
            self.carry_out(command, stop)?;
        }
        let mut literals = Vec::with_capacity(request.assumptions.len());
        for &assumption in &request.assumptions {
            literals.push(self.literal(assumption, stop)?);
        }
        if let Some(clauses) = &request.clauses {
            return match horn::ask(&mut self.translator, clauses, request.units, stop) {
                Ok(solved) => Ok(Reply::Solved(solved)),
                Err(Trouble::Stopped) => Ok(Reply::Stopped(Vec::new())),
                Err(Trouble::Refused(refused)) => Err(refused),
            };
        }
        if request.units != self.units {
            self.solver.set(c"rlimit", request.units)?;
            self.units = request.units;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Reply::Stopped(Vec::new()));
        }
        Ok(match self.solver.check(&literals) {
            Outcome::Sat => Reply::Sat(match request.wanted {
                Wanted::Nothing => Model::default(),
                wanted => self.model(&self.solver.model()?, &wanted),
            }),
            Outcome::Unsat if literals.is_empty() => Reply::Unsat(Vec::new()),
            Outcome::Unsat => {
                let core = self.solver.core()?;
                let pairs = request.assumptions.iter().zip(&literals);
                let members = pairs.filter(|(_, literal)| core.contains(literal));
                Reply::Unsat(members.map(|(&assumption, _)| assumption).collect())
            }
            Outcome::Unknown(reason) => Reply::Unknown(reason),
        })
    }

    /// Translates all that a request needs, so that it is either carried out as a whole or not at all.
    fn translate(&mut self, request: &Request, stop: &AtomicBool) -> Result<(), Trouble> {
        for command in &request.commands {
            if let Command::Assert(formula) = *command {
                self.translator.term(formula, stop)?;
            }
        }
        for &assumption in &request.assumptions {
            self.translator.term(assumption, stop)?;
        }
        Ok(())
    }

    /// The translation of a term that [`WorkerState::translate`] has seen.
    fn known(&mut self, term: Term, stop: &AtomicBool) -> Result<Ast<'z>, Refused> {
        self.translator
            .term(term, stop)
            .map_err(|trouble| match trouble {
                Trouble::Refused(refused) => refused,
                Trouble::Stopped => Refused("stopped".into()),
            })
    }

    fn carry_out(&mut self, command: Command, stop: &AtomicBool) -> Result<(), Refused> {
        match command {
            Command::Push => self.solver.push(),
            Command::Pop(levels) => self.solver.pop(levels),
            Command::Assert(formula) => {
                let formula = self.known(formula, stop)?;
                self.solver.assert(formula)
            }
        }
    }

    /// The literal that an assumption is or that stands for it.
    fn literal(&mut self, assumption: Term, stop: &AtomicBool) -> Result<Ast<'z>, Refused> {
        let formula = self.known(assumption, stop)?;
        let terms = self.translator.terms();
        let atom = match *terms.node(assumption) {
            Node::Not(inner) => inner,
            _ => assumption,
        };
        if terms.as_symbol(atom).is_some() {
            return Ok(formula);
        }
        let literal = match self.literals.get(&assumption) {
            Some(&literal) => literal,
            None => {
                let literal = self.translator.fresh_literal()?;
                self.literals.insert(assumption, literal);
                literal
            }
        };
        if self.defined.insert(assumption) {
            if !self.has_definitions {
                self.solver.push()?;
                self.has_definitions = true;
            }
            let context = self.translator.context();
            let definition = context.binary(Z3_mk_implies, literal, formula)?;
            self.solver.assert(definition)?;
        }
        Ok(literal)
    }

    fn model(&self, found: &ModelRef<'z>, wanted: &Wanted) -> Model {
        let mut model = Model {
            is_complete: true,
            ..Model::default()
        };
        match wanted {
            Wanted::Nothing => {}
            Wanted::All => {
                for place in 0..found.len() {
                    let Some(constant) = found.constant(place) else {
                        continue;
                    };
                    if let Some(symbol) = self.translator.symbol_of(constant) {
                        self.add_value(&mut model, symbol, found.value(constant));
                    }
                }
            }
            Wanted::Symbols(symbols) => {
                for &symbol in &**symbols {
                    if let Some(constant) = self.translator.constant(symbol) {
                        self.add_value(&mut model, symbol, found.value(constant));
                    }
                }
            }
        }
        model
    }

    fn add_value(&self, model: &mut Model, symbol: Symbol, value: Option<Ast<'_>>) {
        let Some(value) = value else {
            return;
        };
        let context = self.translator.context();
        let value = match self.translator.terms().symbol_info(symbol).sort {
            Sort::Bool => context.bool_value(value).map(Value::Bool),
            Sort::Int => context.int_value(value).map(Value::Int),
            Sort::Real => context.rational_value(value).map(Value::Real),
            Sort::BitVec(_) => context.bits_value(value).map(Value::Bits),
            Sort::Float(..) | Sort::Array(_) => None,
        };
        match value {
            Some(value) => {
                model.values.insert(symbol, value);
            }
            None => model.is_complete = false,
        }
    }
}
