//! What is established where the verdict is UNKNOWN: that no run goes wrong in which no loop turns more than so often.
//!
//! The question is asked of a copy of the program that counts the rounds of its loops and ends, as at an assumption that doesn't hold,
//! where there would be one more. Every such run of the program is a run of the copy, and the other way round; so what is
//! proved of the copy, by a proof that the checker accepts, is a fact about the program. A round is a passage from the body of
//! a loop back to its head; it is counted from where the loop is entered, each time anew.

use std::time::Duration;

use rhumb_certify::{Verdict, certify_unsafe, counterexample};
use rhumb_logic::{Budget, Work};
use rhumb_program::graph::{CallGraph, LoopNest};
use rhumb_program::interp::{KeyedInputs, Machine};
use rhumb_program::{
    Action, BinOp, Decl, EdgeId, EndKind, ExprId, FuncId, IntType, LocId, LocKind, Program, Scope,
    Span, TargetId, Type, Var, VarId,
};
use rhumb_search::{Decision, Entry, Outcome, decide, entry};
use rhumb_summary::Preset;

/// What of the time is kept for this, as its inverse, and the most.
const SHARE: u32 = 20;
const MOST: Duration = Duration::from_secs(3);
/// What an engine may do. With much less `execute` wouldn't ask a single question.
const EACH: Work = Work::secs(2);
/// Who is asked: one who follows runs, through memory, too, and one who thinks in formulas.
const ENGINES: [&str; 2] = ["execute", "bmc"];
/// More rounds are not tried: such a bound says little, and the formulas for it are large.
const ROUNDS: u32 = 1 << 10;

/// No run goes wrong that stays within these bounds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Established {
    /// So many rounds of each loop, each time that it is entered.
    pub rounds: u32,
    /// The file and the line of the loop, if there is one alone.
    pub place: Option<(String, u32)>,
}

impl std::fmt::Display for Established {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounds = match self.rounds {
            1 => "1 round".to_owned(),
            many => format!("{many} rounds"),
        };
        match &self.place {
            Some((file, line)) => {
                write!(
                    f,
                    "no error in runs of up to {rounds} of the loop at {file}:{line}"
                )
            }
            None => write!(f, "no error in runs of up to {rounds} of any loop"),
        }
    }
}

/// The budget of a search that leaves some of the time to this.
pub(crate) fn all_but_a_share(budget: &Budget) -> Budget {
    let mut all_but = budget.clone();
    if let (Some(deadline), Some(left)) = (budget.deadline, budget.time_left()) {
        let share = (left / SHARE).min(MOST);
        all_but.deadline = Some(deadline.checked_sub(share).unwrap_or(deadline));
    }
    all_but
}

/// What a search with loops cut short comes to.
pub(crate) enum Bounded {
    /// Nothing.
    Nothing,
    /// A bound up to which no run goes wrong.
    Established(Established),
    /// A run that goes wrong: the decision with it.
    Error(Box<Decision>),
}

/// Looks how far runs are known not to go wrong, for a program that a search has left open.
pub(crate) fn look(program: &Program, decision: &Decision, budget: &Budget) -> Bounded {
    let is_open = |outcome: &Outcome| matches!(outcome, Outcome::Unknown(_));
    let open = decision.targets.iter_enumerated();
    let open: Vec<TargetId> = open
        .filter(|(_, outcome)| is_open(outcome))
        .map(|(target, _)| target)
        .collect();
    let is_unknown = matches!(decision.verdict, Verdict::Unknown(_));
    if !is_unknown || open.is_empty() || program.schedule().is_some() || budget.is_over() {
        return Bounded::Nothing;
    }
    let Some(loops) = Loops::of(program) else {
        return Bounded::Nothing;
    };
    let asked = program.asking(&open);
    let mut established = 0;
    for engine in ENGINES.iter().filter_map(|name| entry(name)) {
        let budget = budget.within(EACH);
        let mut rounds = 1;
        while rounds <= ROUNDS && !budget.is_spent() {
            let verdict = ask(&loops.bounded(&asked, rounds), engine, &budget);
            if let Verdict::Unknown(reason) = &verdict {
                tracing::debug!("{} with {rounds} rounds: {reason}", engine.name);
            }
            match verdict {
                Verdict::Safe(_) => established = established.max(rounds),
                Verdict::Unsafe(found) => {
                    let error = error(program, decision, &found.evidence().inputs, &budget);
                    return error.map_or(Bounded::Nothing, Bounded::Error);
                }
                Verdict::Unknown(_) => break,
            }
            rounds *= 2;
        }
    }
    match established {
        0 => Bounded::Nothing,
        rounds => Bounded::Established(Established {
            rounds,
            place: loops.only_place(program),
        }),
    }
}

fn ask(program: &Program, engine: &Entry, budget: &Budget) -> Verdict {
    decide(program, engine, Preset::Full, budget, &mut ()).verdict
}

/// The decision with an error that was found on the way, if the program as it is has it.
fn error(
    program: &Program,
    decision: &Decision,
    inputs: &KeyedInputs,
    budget: &Budget,
) -> Option<Box<Decision>> {
    let machine = Machine::compile(program);
    let within = counterexample::Budget::within(budget);
    let verdict = certify_unsafe(&machine, inputs, &within).ok()?;
    let Verdict::Unsafe(certified) = &verdict else {
        return None;
    };
    let mut decision = decision.clone();
    decision.targets[certified.evidence().target] = Outcome::Unsafe;
    decision.errors.push(verdict.clone());
    decision.verdict = verdict;
    Some(Box::new(decision))
}

/// The loops of a program: in each function their heads, and the edges that lead there.
struct Loops(Vec<Loop>);

struct Loop {
    function: FuncId,
    head: LocId,
    /// The edges that enter it.
    enters: Vec<EdgeId>,
    /// The edges that begin another round.
    turns: Vec<EdgeId>,
}

impl Loops {
    /// The loops that a run can get to. None if there is nothing to be counted, or a loop that can be entered in its middle.
    fn of(program: &Program) -> Option<Loops> {
        let reached = CallGraph::of(program).reachable(program.start);
        let mut loops = Vec::new();
        for (function, known) in program.functions.iter_enumerated() {
            if !reached[function] {
                continue;
            }
            let nest = known.cfa.loops();
            let reachable = known.cfa.reachable();
            let incoming = known.cfa.incoming();
            for &head in nest.heads() {
                if nest.is_irreducible(head) {
                    return None;
                }
                let edges = incoming[head].iter().copied();
                let edges = edges.filter(|&edge| reachable[known.cfa.edges[edge].source]);
                let (turns, enters) =
                    edges.partition(|&edge| is_inside(&nest, known.cfa.edges[edge].source, head));
                loops.push(Loop {
                    function,
                    head,
                    enters,
                    turns,
                });
            }
        }
        (!loops.is_empty()).then_some(Loops(loops))
    }

    /// Where the loop is, if there is only one.
    fn only_place(&self, program: &Program) -> Option<(String, u32)> {
        let [only] = &self.0[..] else {
            return None;
        };
        let head = &program.functions[only.function].cfa.locations[only.head];
        let position = program.sources.position(head.loop_statement?);
        Some((position.file.to_string(), position.line))
    }

    /// The program, whose runs end where a loop would turn more often.
    fn bounded(&self, program: &Program, rounds: u32) -> Program {
        let mut program = program.clone();
        for one in &self.0 {
            one.bound(&mut program, rounds);
        }
        program
    }
}

/// Whether a location is in the loop of a head.
fn is_inside(nest: &LoopNest<LocId>, location: LocId, head: LocId) -> bool {
    let heads = std::iter::successors(nest.innermost(location), |&inner| nest.enclosing(inner));
    heads.into_iter().any(|outer| outer == head)
}

const COUNTER: IntType = IntType::unsigned(32);

impl Loop {
    /// Counts the rounds, and ends runs that go on.
    fn bound(&self, program: &mut Program, rounds: u32) {
        let counter = program.vars.push(Var {
            decl: Decl {
                name: "".into(),
                span: Span::default(),
                visible: Span::default(),
            },
            ty: Type::Int(COUNTER),
            scope: Scope::Local(self.function),
            init: None,
        });
        let zero = program.exprs.int(COUNTER, 0);
        let entered = self.assign(program, counter, zero, self.head);
        self.lead(program, &self.enters, entered);
        let count = program.exprs.var(counter, Type::Int(COUNTER));
        let one = program.exprs.int(COUNTER, 1);
        let more = program.exprs.binary(BinOp::Add, count, one);
        let most = program.exprs.int(COUNTER, i128::from(rounds));
        let cond = program.exprs.binary(BinOp::Le, count, most);
        let cfa = &mut program.functions[self.function].cfa;
        let end = cfa.add_location(LocKind::End(EndKind::AssumptionFailed));
        let branch = cfa.add_location(LocKind::Plain);
        for (holds, target) in [(true, self.head), (false, end)] {
            cfa.add_edge(
                branch,
                Action::Assume { cond, holds },
                target,
                Span::default(),
            );
        }
        let turned = self.assign(program, counter, more, branch);
        self.lead(program, &self.turns, turned);
    }

    /// A location from which the counter gets a value on the way to another one.
    fn assign(&self, program: &mut Program, dst: VarId, value: ExprId, to: LocId) -> LocId {
        let cfa = &mut program.functions[self.function].cfa;
        let from = cfa.add_location(LocKind::Plain);
        cfa.add_edge(from, Action::Assign { dst, value }, to, Span::default());
        from
    }

    fn lead(&self, program: &mut Program, edges: &[EdgeId], to: LocId) {
        for &edge in edges {
            program.functions[self.function].cfa.edges[edge].target = to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    /// Goes wrong in the round after so many.
    fn text(rounds: u32) -> String {
        format!(
            "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
             int main(void) {{ unsigned n = __VERIFIER_nondet_uint(), i = 0;\n\
             while (i < n) {{ i++; if (i > {rounds}) reach_error(); }}\n return 0; }}\n"
        )
    }

    fn verdict(text: &str, rounds: u32) -> Verdict {
        let input = Input::from_text("rounds.c", text).expect("valid C");
        let loops = Loops::of(&input.program).expect("loops");
        let bounded = loops.bounded(&input.program, rounds);
        bounded.validate().expect("a valid program");
        let engine = entry("bmc").expect("an engine");
        ask(&bounded, engine, &Budget::unlimited())
    }

    #[test]
    fn a_bound_is_reached_and_not_passed() {
        // The error is in round 5, which ends the run before the head is reached again: four passages back to the head.
        for (rounds, is_safe) in [(1, true), (3, true), (4, false), (5, false), (8, false)] {
            let found = verdict(&text(4), rounds);
            let expected = match is_safe {
                true => matches!(found, Verdict::Safe(_)),
                false => matches!(found, Verdict::Unsafe(_)),
            };
            assert!(expected, "{rounds}: {found:?}");
        }
    }

    #[test]
    fn inner_loops_are_counted_each_time_anew() {
        let nested = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
            int main(void) { int all = 0;\n\
            for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) all++;\n\
            if (all == 9) reach_error(); return 0; }\n";
        assert!(matches!(verdict(nested, 2), Verdict::Safe(_)));
        assert!(matches!(verdict(nested, 3), Verdict::Unsafe(_)));
    }

    #[test]
    fn what_is_left_open_gets_a_bound_and_an_error_is_told() {
        let budget = Budget::unlimited();
        for (text, is_error) in [(text(1 << 30), false), (text(3), true)] {
            let input = Input::from_text("rounds.c", &text).expect("valid C");
            let mut open = Decision::unknown("out of time".to_owned());
            let unknown = Outcome::Unknown("out of time".to_owned());
            open.targets.resize(input.program.targets.len(), unknown);
            match look(&input.program, &open, &budget) {
                Bounded::Established(found) => {
                    assert!(!is_error && found.rounds >= 8, "{found}");
                    let said = format!("up to {} rounds of the loop at rounds.c:3", found.rounds);
                    assert!(found.to_string().ends_with(&said), "{found}");
                }
                Bounded::Error(decision) => {
                    assert!(is_error);
                    assert!(matches!(decision.verdict, Verdict::Unsafe(_)));
                }
                Bounded::Nothing => panic!("nothing is known"),
            }
        }
    }

    #[test]
    fn loops_with_two_entries_have_no_rounds() {
        let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n\
            int main(void) { int x = 0; if (__VERIFIER_nondet_int()) goto in;\n\
            out: x++; in: if (x++ < 9) goto out; if (x == 5) reach_error(); return 0; }\n";
        let input = Input::from_text("two.c", text).expect("valid C");
        assert!(Loops::of(&input.program).is_none());
    }
}
