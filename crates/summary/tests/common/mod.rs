//! Loops of a few integer variables, and questions about their closures.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test uses a part of these helpers"
)]

pub mod programs;

pub mod exact;

use std::sync::Arc;
use std::time::Duration;

use rhumb_logic::num::Int;
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Assignment, Budget, Sort, Symbol, Term, Terms, Transition, Value};
use rhumb_summary::Preset;
use rhumb_summary::star::{Closure, Loop, LoopOperator, Tools, star_by};

/// The variables of the loops.
pub const NAMES: [&str; 3] = ["x", "y", "z"];

/// A store with three variables, symbols for their values afterwards, and one for the number of iterations.
pub struct World {
    pub terms: Arc<Terms>,
    pub state: Vec<Symbol>,
    pub after: Vec<Symbol>,
    pub count: Symbol,
}

impl World {
    pub fn new() -> World {
        let terms = Arc::new(Terms::new());
        let all = |suffix: &str| -> Vec<Symbol> {
            let name = |name: &&str| terms.symbol(format!("{name}{suffix}"), Sort::Int);
            NAMES.iter().map(name).collect()
        };
        let (state, after) = (all(""), all("'"));
        let count = terms.symbol("n", Sort::Int);
        World {
            terms,
            state,
            after,
            count,
        }
    }

    /// The values before.
    pub fn before(&self) -> [Term; 3] {
        [0, 1, 2].map(|at| self.terms.var(self.state[at]))
    }

    /// The values afterwards.
    pub fn afterwards(&self) -> [Term; 3] {
        [0, 1, 2].map(|at| self.terms.var(self.after[at]))
    }

    pub fn k(&self) -> Term {
        self.terms.var(self.count)
    }

    pub fn plus(&self, term: Term, by: i64) -> Term {
        self.terms.add(term, self.terms.int(by))
    }

    /// A step that is possible under a condition and gives the variables new values.
    pub fn step(&self, guard: Term, values: [Term; 3]) -> Transition {
        let updates = self.state.iter().copied().zip(values);
        Transition::new(&self.terms, updates, guard, [])
    }

    pub fn closure(&self, body: &Body, operators: &[LoopOperator], budget: &Budget) -> Closure {
        let tools = Tools::new(&self.terms, Preset::Full, 0);
        let of = Loop {
            terms: &self.terms,
            iteration: &body.iteration,
            invariant: body.invariant,
            state: &self.state,
            tools: &tools,
        };
        star_by(of, operators, budget)
    }

    /// The closure as a formula over the states and the number of iterations, and its inputs.
    pub fn formula(&self, closure: &Closure) -> Term {
        let pairs = self.state.iter().copied().zip(self.after.iter().copied());
        let relation = closure.transition.to_formula(&self.terms, pairs);
        let count = self.terms.eq(self.k(), closure.count);
        self.terms.and([relation, count])
    }

    /// The closure over the states and the number of iterations alone, if that can be had cheaply.
    pub fn projected(&self, closure: &Closure, limit: Duration) -> Option<Term> {
        let mut projector = Projector::new(self.terms.clone());
        let inputs = &closure.transition.inputs;
        let budget = Budget::time(limit);
        let formula = self.formula(closure);
        projector.exact(formula, inputs, &budget).ok()
    }

    /// Whether a closure keeps both halves of the contract; none where the projection or the solver gives up.
    pub fn keeps_contract(&self, body: &Body, closure: &Closure) -> Option<bool> {
        let terms = &self.terms;
        let relation = self.projected(closure, Duration::from_millis(400))?;
        let same: Vec<_> = (self.state.iter().zip(&self.after))
            .map(|(&before, &after)| terms.eq(terms.var(before), terms.var(after)))
            .collect();
        let same = terms.and(same);
        let zero = terms.eq(self.k(), terms.int(0));
        let identity = terms.and([zero, terms.not(terms.iff(relation, same))]);
        if !self.is_unsat(identity)? {
            return Some(false);
        }
        let iteration = (body.iteration)
            .restrict(terms, body.invariant)
            .restrict_after(terms, body.invariant);
        // One iteration, then the relation for one less.
        let fewer = [(self.count, self.plus(self.k(), -1))].into_iter();
        let middle = iteration.updates.iter().copied().chain(fewer);
        let then = terms.substitute(relation, &middle.collect());
        let positive = terms.ge(self.k(), terms.int(1));
        let escapes = terms.and([iteration.guard, then, positive, terms.not(relation)]);
        self.is_unsat(escapes)
    }

    /// Whether a formula has no model; none if the solver doesn't know.
    pub fn is_unsat(&self, formula: Term) -> Option<bool> {
        let mut session = Session::new(self.terms.clone(), SessionOptions::default());
        session.assert(formula);
        let budget = Budget::time(Duration::from_secs(5));
        session.is_sat(&[], &budget).map(|is_sat| !is_sat)
    }

    /// That variables have the values of a state.
    pub fn has_values(&self, symbols: &[Symbol], state: &Assignment) -> Vec<Term> {
        let equal = |(symbol, of): (&Symbol, &Symbol)| {
            let value = state.get(of).and_then(Value::as_int).cloned();
            let value = self.terms.int(value.unwrap_or(Int::ZERO));
            self.terms.eq(self.terms.var(*symbol), value)
        };
        symbols.iter().zip(&self.state).map(equal).collect()
    }
}

/// A loop: one iteration, and what holds at its head.
pub struct Body {
    pub iteration: Transition,
    pub invariant: Term,
}

/// Numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number of a range.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let width = u64::try_from(high - low + 1).expect("a range");
        low + i64::try_from((self.0 >> 11) % width).expect("a small number")
    }

    pub fn flip(&mut self) -> bool {
        self.range(0, 1) == 1
    }
}

/// What loops are generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// All variables grow by constants, under a conjunction.
    Translation,
    /// Some are reset.
    Resets,
    /// Two paths, chosen by a condition or at will.
    Branching,
    /// A variable grows by multiples of a number.
    Strides,
    /// What is added depends on a remainder.
    Remainders,
    /// What is added depends on whether a bound has been passed.
    Phases,
    /// A counter of four bits that wraps around.
    Unsigned,
    /// An input is added.
    Inputs,
    /// A variable is the state of a machine: what is added depends on it, and which state comes next.
    Machine,
    /// A variable is added that is not changed and has few values.
    Values,
    /// A variable is added that is not changed and not negative.
    Products,
    /// Constants are added or variables reset, on two or three paths that are chosen at will.
    Counters,
    /// A few iterations at most.
    Few,
    /// A machine with many states that has no order: each leads to one or two others.
    Control,
}

pub const CLASSES: [Class; 14] = [
    Class::Translation,
    Class::Resets,
    Class::Branching,
    Class::Strides,
    Class::Remainders,
    Class::Phases,
    Class::Unsigned,
    Class::Inputs,
    Class::Machine,
    Class::Values,
    Class::Products,
    Class::Counters,
    Class::Few,
    Class::Control,
];

/// A random comparison of a variable with a number or with another variable.
fn comparison(world: &World, random: &mut Random) -> Term {
    let terms = &world.terms;
    let vars = world.before();
    let pick = |random: &mut Random| vars[usize::try_from(random.range(0, 2)).expect("an index")];
    let left = pick(random);
    let right = if random.flip() {
        terms.int(random.range(-2, 9))
    } else {
        world.plus(pick(random), random.range(-3, 6))
    };
    match random.range(0, 4) {
        0 | 1 => terms.lt(left, right),
        2 | 3 => terms.ge(left, right),
        _ => terms.ne(left, right),
    }
}

pub fn generate(world: &World, class: Class, random: &mut Random) -> Body {
    let terms = &world.terms;
    let [x, y, z] = world.before();
    let mut invariant = terms.bool(true);
    let grown = |random: &mut Random| {
        [
            world.plus(x, random.range(1, 3)),
            world.plus(y, random.range(-2, 2)),
            z,
        ]
    };
    let bound = if random.flip() {
        terms.lt(x, terms.int(random.range(2, 12)))
    } else {
        terms.lt(x, z)
    };
    let iteration = match class {
        Class::Translation => {
            let guard = terms.and([bound, comparison(world, random)]);
            world.step(guard, grown(random))
        }
        Class::Resets => {
            let guard = terms.and([bound, comparison(world, random)]);
            let mut values = grown(random);
            values[1] = if random.flip() {
                terms.int(random.range(-2, 5))
            } else {
                world.plus(z, random.range(-2, 2))
            };
            world.step(guard, values)
        }
        Class::Branching => {
            let condition = comparison(world, random);
            let other = if random.flip() {
                terms.not(condition)
            } else {
                comparison(world, random)
            };
            let one = world.step(terms.and([bound, condition]), grown(random));
            let two = world.step(terms.and([bound, other]), grown(random));
            one.choice(terms, &two)
        }
        Class::Strides => {
            let by = random.range(2, 4);
            let add = |times: i64| world.step(bound, [world.plus(x, by * times), y, z]);
            add(random.range(1, 2)).choice(terms, &add(random.range(3, 4)))
        }
        Class::Remainders => {
            let (divisor, rest) = (random.range(2, 3), random.range(0, 1));
            let condition = terms.congruent(x, divisor, rest);
            let [one, two] = [random.range(0, 2), random.range(3, 4)];
            let value = terms.ite(condition, world.plus(y, one), world.plus(y, two));
            world.step(bound, [world.plus(x, 1), value, z])
        }
        Class::Phases => {
            let condition = terms.lt(x, terms.int(random.range(1, 5)));
            let [one, two] = [random.range(1, 2), random.range(-2, 0)];
            let value = terms.ite(condition, world.plus(y, one), world.plus(y, two));
            world.step(bound, [world.plus(x, random.range(1, 2)), value, z])
        }
        Class::Unsigned => {
            invariant = terms.within(0, x, 15);
            let by = random.range(1, 5);
            let sum = world.plus(x, by);
            let wrapped = world.plus(x, by - 16);
            let value = terms.ite(terms.le(sum, terms.int(15)), sum, wrapped);
            let guard = terms.ne(x, terms.int(random.range(0, 15)));
            world.step(guard, [value, world.plus(y, 1), z])
        }
        Class::Inputs => {
            let input = terms.symbol("input", Sort::Int);
            let added = terms.var(input);
            let guard = terms.and([bound, terms.within(0, added, random.range(1, 3))]);
            let mut step = world.step(guard, [world.plus(x, 1), terms.add(y, added), z]);
            step.inputs = vec![input];
            step
        }
        Class::Machine => {
            let last = random.range(1, 3);
            invariant = terms.within(0, x, last);
            let goes_round = random.flip();
            let states = (0..=last).map(|state| {
                // At the last state the machine stays, or begins again; before it moves on, or may also wait.
                let next = match (state == last, goes_round) {
                    (true, true) => 0,
                    (true, false) => last,
                    (false, _) => state + 1,
                };
                let here = terms.eq(x, terms.int(state));
                let moves = [terms.int(next), world.plus(y, random.range(-1, 2)), z];
                let moves = world.step(here, moves);
                let waits = world.step(here, [x, world.plus(y, random.range(0, 1)), z]);
                if goes_round || random.flip() {
                    moves
                } else {
                    moves.choice(terms, &waits)
                }
            });
            let zero = Transition::zero(terms);
            states.fold(zero, |all, step| all.choice(terms, &step))
        }
        Class::Control => {
            let states = random.range(6, 12);
            let name = |state: i64| terms.int((state * 7) % 13);
            let steps = (0..states).flat_map(|state| {
                let here = terms.eq(x, name(state));
                let edges = 0..random.range(0, 2);
                let targets: Vec<i64> = edges.map(|_| random.range(1, states - 1)).collect();
                let step = |next: i64| world.step(here, [name(next), world.plus(y, 1), z]);
                targets.into_iter().map(step).collect::<Vec<_>>()
            });
            let begins = world.step(terms.eq(x, name(0)), [name(1), y, z]);
            steps.fold(begins, |all, step| all.choice(terms, &step))
        }
        Class::Values => {
            let low = random.range(-2, 2);
            invariant = terms.within(low, z, low + random.range(1, 4));
            world.step(bound, [terms.add(x, z), world.plus(y, 1), z])
        }
        Class::Products => {
            let low = terms.ge(z, terms.int(random.range(0, 2)));
            let guard = terms.and([bound, low]);
            world.step(guard, [terms.add(x, z), world.plus(y, 1), z])
        }
        Class::Counters => {
            let paths = (0..random.range(2, 3)).map(|_| {
                let value = |random: &mut Random, of: Term| {
                    if random.range(0, 3) == 0 {
                        terms.int(random.range(0, 2))
                    } else {
                        world.plus(of, random.range(0, 2))
                    }
                };
                let values = [value(random, x), value(random, y), z];
                let guard = match random.range(0, 2) {
                    0 => terms.lt(x, z),
                    1 => terms.gt(y, terms.int(0)),
                    _ => terms.bool(true),
                };
                world.step(guard, values)
            });
            let zero = Transition::zero(terms);
            paths.fold(zero, |all, step| all.choice(terms, &step))
        }
        Class::Few => {
            invariant = terms.within(0, x, random.range(2, 5));
            let doubled = terms.add(y, y);
            world.step(terms.bool(true), [world.plus(x, 1), doubled, z])
        }
    };
    Body {
        iteration,
        invariant,
    }
}
