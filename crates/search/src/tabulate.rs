//! Functions explored one by one, for large programs in which few variables matter.
//!
//! Right for programs of many functions whose errors hang on a handful of numbers: nothing is inlined, and the
//! variables are followed that are found to matter. At first none is. A way to an error that no run can go says which
//! other ones matter: those of the condition that stands in the way, and what gave them their values. A counter that
//! takes value after value is followed coarsely: only values near zero are told apart.
//!
//! The same search is right for state machines whose state lies in records behind pointers, on the program in which
//! calls are inlined and objects are variables: of all that the records hold, few numbers matter.

use rhumb_certify::proof::{
    Avoided, CallingWay, Exploration, Following, Judged, Led, Procedures, Proof, Tabulated,
    Tabulation, Variable,
};
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Action, Callee, EdgeId, FuncId, Program, VarId};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::runs::{Replayed, replay, replay_within};
use crate::task::Task;

/// Work between two reports.
const STEP: Work = Work::millis(100);

/// What is done at most to find out about one way.
const JUDGE: Work = Work::secs(2);

/// What is done at most to lead a run along one way: at first, and where nothing else is left to do about the way.
const GLANCE: Work = Work::secs(1);
const LEAD: Work = Work::secs(6);

/// Who has less left than this has stopped for that.
const LITTLE: Work = Work::millis(500);

/// From so many states on it is asked whether there are counters; they have at least so many values, one next to the other.
const MANY_STATES: usize = 20_000;
const MANY_VALUES: usize = 16;

/// The numbers up to which values of counters are told apart: the next one where the last has not been enough.
const BOUNDS: [u32; 3] = [3, 20, 130];

/// So many edges are avoided at most.
const MAX_AVOIDED: usize = 64;

/// Where a run got stuck that was led along a way.
struct Stuck {
    what: &'static str,
    at: Option<(FuncId, EdgeId)>,
    /// Whether it would have gone on with more work.
    is_spent: bool,
}

/// Which form of a program is explored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As it was lowered: functions are entered, and memory may hold anything.
    Lowered,
    /// With calls inlined, and variables for objects.
    Inlined,
}

/// The engines `tabulate` and `values`.
pub(crate) struct Tabulate<'t> {
    task: &'t Task<'t>,
    form: Form,
    program: &'t Program,
    procedures: Procedures<'t>,
    following: Following,
    walk: Tabulation<'t>,
    /// Up to which number counters are followed: a place in [`BOUNDS`].
    bound: usize,
    /// The number of states at which counters are looked for.
    patience: usize,
    /// How often variables were added.
    refinements: usize,
    /// Edges of which led runs have shown that they get stuck there. From the first one on, only errors are looked for.
    avoided: Avoided,
    /// Why there would be no answer without that.
    reason: Option<Reason>,
    /// The work that was done so far, and what of it was done to lead runs.
    worked: Work,
    led: Work,
}

impl<'t> Tabulate<'t> {
    /// An engine for large programs, of which nothing is inlined. It has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Tabulate<'t> {
        Tabulate::of(task, Form::Lowered, task.lowered)
    }

    /// The same for programs whose numbers lie in records: calls are inlined, and objects are variables. What it finds
    /// is proved by exploration.
    pub(crate) fn of_values(task: &'t Task<'t>) -> Tabulate<'t> {
        Tabulate::of(task, Form::Inlined, &task.prepared.inlined)
    }

    fn of(task: &'t Task<'t>, form: Form, program: &'t Program) -> Tabulate<'t> {
        let procedures = Procedures::new(program);
        Tabulate {
            task,
            form,
            program,
            walk: procedures.walk(&Following::default()),
            procedures,
            following: Following::default(),
            bound: 0,
            patience: MANY_STATES,
            refinements: 0,
            avoided: Avoided::default(),
            reason: None,
            worked: Work::default(),
            led: Work::default(),
        }
    }

    /// The proof that the variables which are followed are enough.
    fn proof(&self) -> Proof {
        if self.form == Form::Lowered {
            return Proof::tabulation(self.following.clone());
        }
        let restore = &self.task.prepared.restore_inlined;
        let followed = self.following.vars.iter();
        Proof::exploration(Exploration {
            followed: followed.map(|&var| Variable::of(restore, var)).collect(),
            unseen: Vec::new(),
        })
    }

    fn as_lowered(&self, inputs: KeyedInputs) -> KeyedInputs {
        match self.form {
            Form::Lowered => inputs,
            Form::Inlined => self.task.prepared.inputs_as_lowered(inputs),
        }
    }

    fn stopped(&self) -> Step {
        let so_far = format!("at {} states of functions", self.walk.states());
        Step::Done(Claim::Unknown(Reason::Stopped(so_far)))
    }

    /// Begins again, with more variables.
    fn follow(&mut self, more: Vec<VarId>) -> Step {
        let names = || more.iter().map(|&var| &*self.program.vars[var].decl.name);
        tracing::debug!("follow {}", names().collect::<Vec<_>>().join(", "));
        self.following.vars.extend(more);
        self.refinements += 1;
        self.begin()
    }

    fn begin(&mut self) -> Step {
        self.walk = match self.avoided.count() {
            0 => self.procedures.walk(&self.following),
            _ => (self.procedures).walk_avoiding(&self.following, &self.avoided),
        };
        self.patience = MANY_STATES;
        Step::Working
    }

    /// Looks for counters, and begins again if there are new ones. Says whether there are.
    fn look_for_counters(&mut self) -> bool {
        // Explorations follow a number or don't.
        if self.form == Form::Inlined {
            return false;
        }
        let mut counters = self.walk.restless(MANY_VALUES);
        let coarse = &mut self.following.coarse;
        counters.retain(|var| coarse.iter().all(|(known, _)| known != var));
        let are_there = !counters.is_empty();
        if are_there {
            coarse.extend(counters.into_iter().map(|var| (var, BOUNDS[self.bound])));
            self.begin();
        }
        are_there
    }

    /// Begins again with counters that are followed further. Says whether there are any.
    fn look_closer(&mut self) -> bool {
        if self.following.coarse.is_empty() || self.bound + 1 >= BOUNDS.len() {
            return false;
        }
        self.bound += 1;
        for (_, bound) in &mut self.following.coarse {
            *bound = BOUNDS[self.bound];
        }
        self.begin();
        true
    }

    /// Leads a run along a way, for a moment. That finds errors early, and of a program without any it is in vain each
    /// time: so at most half of the work is done for it as long as there is something else to do about ways.
    fn glance(&mut self, way: &CallingWay, budget: &Budget) -> Result<Claim, Stuck> {
        if self.led * 2 <= self.worked + GLANCE {
            return self.lead(way, GLANCE, budget);
        }
        Err(Stuck {
            what: "a run that was not led",
            at: None,
            is_spent: true,
        })
    }

    /// Leads a run along a way: the error that it reaches, or what was in its way.
    fn lead(&mut self, way: &CallingWay, work: Work, budget: &Budget) -> Result<Claim, Stuck> {
        let begin = Work::so_far();
        let led = self.lead_within(way, &budget.within(work));
        self.led += Work::since(begin);
        led
    }

    fn lead_within(&self, way: &CallingWay, budget: &Budget) -> Result<Claim, Stuck> {
        let stuck = |what| Stuck {
            what,
            at: None,
            is_spent: false,
        };
        let lowered = self.task.lowered;
        let led = match self.form {
            Form::Lowered => way.lead(lowered, budget),
            // Where objects are variables, pointers are numbers of another kind.
            Form::Inlined => {
                let restore = &self.task.prepared.restore_inlined;
                let way = way.as_lowered(self.program, restore, lowered);
                way.ok_or(stuck("state"))?.lead(lowered, budget)
            }
        };
        match led {
            Led::Reached(inputs) => match replay(self.task, &inputs) {
                Replayed::Target(target) => Ok(Claim::Unsafe { target, inputs }),
                Replayed::Unsupported(_) | Replayed::Other => {
                    Err(stuck("a run that goes another way"))
                }
            },
            Led::Blocked { why, at } => {
                let edge = at.map(|(function, edge)| &lowered.functions[function].cfa.edges[edge]);
                let place = edge.map_or_else(String::new, |edge| self.task.place(edge.span));
                tracing::debug!("a led run is stuck at {place}: {why}");
                Err(Stuck {
                    what: why,
                    at: at.filter(|_| self.form == Form::Lowered),
                    is_spent: budget.left().is_some_and(|left| left < LITTLE),
                })
            }
            Led::Spent => Err(Stuck {
                is_spent: true,
                ..stuck("the length of a run")
            }),
        }
    }

    /// Goes on after a way that has been judged to be none, or nothing that is understood: with more variables, or
    /// closer, or with ways that avoid where a run got stuck.
    fn refine(
        &mut self,
        more: Option<Vec<VarId>>,
        at: Option<(FuncId, EdgeId)>,
        reason: Reason,
    ) -> Step {
        match (more.filter(|more| !more.is_empty()), at) {
            (Some(more), _) => self.follow(more),
            (None, _) if self.look_closer() => Step::Working,
            (None, Some(at)) if self.avoided.count() < MAX_AVOIDED && self.avoided.add(at) => {
                self.reason.get_or_insert(reason);
                self.begin()
            }
            (None, _) => Step::Done(Claim::Unknown(self.reason.take().unwrap_or(reason))),
        }
    }
}

impl Tabulate<'_> {
    /// Goes on with the walk, or with a way that it has found.
    fn advance(&mut self, budget: &Budget) -> Step {
        let way = match self.walk.go_on(budget, STEP) {
            // An exploration doesn't look into calls that are left, so it would not come to the same.
            Tabulated::Closed if self.form == Form::Inlined && has_calls(self.program) => {
                let what = "calls of functions that call themselves".to_owned();
                return Step::Done(Claim::Unknown(Reason::Approximated(what)));
            }
            Tabulated::Closed => {
                return Step::Done(Claim::Safe(self.proof()));
            }
            Tabulated::Exhausted => {
                let reason = self.reason.take().unwrap_or(Reason::Inconclusive);
                return Step::Done(Claim::Unknown(reason));
            }
            Tabulated::Paused if self.walk.states() < self.patience => return Step::Working,
            Tabulated::Paused => {
                self.patience *= 4;
                self.look_for_counters();
                return Step::Working;
            }
            Tabulated::Spent if !budget.is_spent() && self.look_for_counters() => {
                return Step::Working;
            }
            Tabulated::Spent => return self.stopped(),
            Tabulated::Malformed(span) => {
                let place = self.task.place(span);
                let what = format!("edges of a location, {place}");
                return Step::Done(Claim::Unknown(Reason::Unsupported(what)));
            }
            Tabulated::Reached(way) => way,
        };
        let span = way.end(self.program);
        let place = span.map_or_else(String::new, |span| self.task.place(span));
        let own = budget.within(JUDGE);
        let judged = self.procedures.judge(&way, &self.following, &own);
        if budget.is_spent() {
            return self.stopped();
        }
        match judged {
            Judged::Possible(inputs) => {
                let inputs = self.as_lowered(inputs);
                if let Replayed::Target(target) = replay_within(self.task, &inputs, steps(&way)) {
                    return Step::Done(Claim::Unsafe { target, inputs });
                }
                let mut stuck = match self.glance(&way, budget) {
                    Ok(claim) => return Step::Done(claim),
                    Err(stuck) => stuck,
                };
                let skipped = self.procedures.skipped(&way, &self.following.vars);
                let more = match skipped.is_empty() {
                    true => (self.procedures).refute(&way, &self.following, &budget.within(JUDGE)),
                    false => Some(skipped),
                };
                if more.as_ref().is_none_or(Vec::is_empty) && stuck.is_spent {
                    stuck = match self.lead(&way, LEAD, budget) {
                        Ok(claim) => return Step::Done(claim),
                        Err(stuck) => stuck,
                    };
                }
                let what = format!("{} on a way to {place}", stuck.what);
                self.refine(more, stuck.at, Reason::Approximated(what))
            }
            Judged::Impossible(more) => self.follow(more),
            Judged::Unclear => match self.lead(&way, LEAD, budget) {
                Ok(claim) => Step::Done(claim),
                Err(stuck) => {
                    let what = format!("what functions know of each other on a way to {place}");
                    self.refine(None, stuck.at, Reason::Approximated(what))
                }
            },
        }
    }
}

impl Engine for Tabulate<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let begin = Work::so_far();
        let step = self.advance(budget);
        self.worked += Work::since(begin);
        step
    }

    fn progress(&self) -> Progress {
        let (states, open) = (self.walk.states(), self.walk.open());
        let followed = self.following.vars.len();
        Progress {
            summary: format!("{states} states of functions, {open} open, {followed} variables"),
            figures: vec![
                ("states", states as f64),
                ("open", open as f64),
                ("followed", followed as f64),
                ("coarse", self.following.coarse.len() as f64),
                ("avoided", self.avoided.count() as f64),
                ("refinements", self.refinements as f64),
            ],
        }
    }
}

/// Steps of a run that is tried because of a way. Calls that a way doesn't enter take steps, too.
fn steps(way: &CallingWay) -> u64 {
    100_000 + 1_000 * way.length() as u64
}

/// Whether the start calls functions of the program.
fn has_calls(program: &Program) -> bool {
    let is_call = |action: &Action| match action {
        Action::Call { callee, .. } => !matches!(callee, Callee::Builtin(_)),
        _ => false,
    };
    let cfa = &program.functions[program.start].cfa;
    cfa.edges.iter().any(|edge| is_call(&edge.action))
}
