//! Smaller inputs that lead to the same error: for people.
//!
//! Delta debugging on the run-length coded inputs: runs are taken out, in groups and one by one, made shorter, and
//! their values moved towards zero, by halves and then by small steps. A candidate counts if the run on it, followed
//! with jumps by [`compress`](super::compress), reaches the same target and is simpler.

use dashu_base::BitTest;
use dashu_int::UBig;
use rhumb_program::interp::{KeyedInputs, Machine, RunLimits};
use rhumb_program::{FloatType, InputSiteId, Program, Type};

use super::compress::follow;
use super::{Budget, Counterexample};

/// A candidate may cost so many times what the present counterexample costs, and something on top.
const PATIENCE: u64 = 8;
const ALLOWANCE: u64 = 20_000;

/// Looks for a simpler counterexample of the same error, as long as the budget lasts. What comes out is right if what
/// goes in is; it is to be [checked](super::check) all the same.
pub fn shrink(
    program: &Program,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Counterexample {
    shrink_on(&Machine::compile(program), counterexample, budget)
}

/// The same for a program that is compiled already.
pub(crate) fn shrink_on(
    machine: &Machine<'_>,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Counterexample {
    let best = Draft::of(machine.program(), &counterexample.inputs);
    let mut shrinker = Shrinker {
        machine,
        budget,
        steps_left: budget.limits.steps,
        cost: best.cost(&counterexample.steps().unwrap_or_default()),
        best,
        found: counterexample.clone(),
    };
    while shrinker.pass() {}
    shrinker.found
}

/// Inputs in a form that can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Draft {
    lists: Vec<List>,
}

/// The inputs of one site.
#[derive(Clone, PartialEq, Eq, Debug)]
struct List {
    site: InputSiteId,
    ty: Option<Type>,
    runs: Vec<Piece>,
}

/// Equal inputs in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Piece {
    value: Content,
    count: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Content {
    Scalar(u128),
    Bytes(Vec<u8>),
}

/// How simple a counterexample is: less is simpler. About the length of what a person has to read, then the magnitudes themselves.
type Cost = (usize, u128, UBig);

impl Draft {
    fn of(program: &Program, inputs: &KeyedInputs) -> Draft {
        let mut lists = Vec::new();
        for (site, runs) in inputs.value_runs() {
            let runs = runs.map(|run| Piece {
                value: Content::Scalar(run.value),
                count: run.count,
            });
            lists.push(List {
                site,
                ty: program.inputs.get(site).and_then(|site| site.ty),
                runs: runs.collect(),
            });
        }
        for (site, runs) in inputs.byte_runs() {
            let runs = runs.map(|run| Piece {
                value: Content::Bytes(run.value.to_vec()),
                count: run.count,
            });
            lists.push(List {
                site,
                ty: None,
                runs: runs.collect(),
            });
        }
        Draft { lists }
    }

    fn inputs(&self) -> KeyedInputs {
        let mut inputs = KeyedInputs::new();
        for list in &self.lists {
            for piece in &list.runs {
                match &piece.value {
                    Content::Scalar(value) => inputs.push_value(list.site, *value, piece.count),
                    Content::Bytes(bytes) => inputs.push_bytes(list.site, bytes, piece.count),
                }
            }
        }
        inputs
    }

    fn cost(&self, steps: &UBig) -> Cost {
        let mut length = 2 * steps.bit_len();
        let mut sum = 0u128;
        for list in &self.lists {
            for piece in &list.runs {
                let magnitude = piece.value.magnitude(list.ty);
                let bits = (128 - magnitude.leading_zeros()) as usize;
                length += 4 + bits + (64 - piece.count.leading_zeros()) as usize;
                sum = sum
                    .saturating_add(magnitude)
                    .saturating_add(piece.count.into());
            }
        }
        (length, sum, steps.clone())
    }
}

impl Content {
    fn magnitude(&self, ty: Option<Type>) -> u128 {
        match (self, ty) {
            // One more for the sign: of two opposite numbers the positive one is simpler.
            (Content::Scalar(bits), Some(Type::Int(int))) if int.is_negative(int.wrap(*bits)) => {
                int.extend(int.wrap(*bits)).unsigned_abs().saturating_add(1)
            }
            (Content::Scalar(bits), Some(Type::Int(int))) => int.wrap(*bits),
            // The fewer digits of the fraction are set, the simpler.
            (Content::Scalar(bits), Some(Type::Float(_))) => bits.reverse_bits() >> 64,
            (Content::Scalar(bits), _) => *bits,
            (Content::Bytes(bytes), _) => bytes.iter().map(|&byte| u128::from(byte)).sum(),
        }
    }

    /// Simpler values, the simplest first.
    fn simpler(&self, ty: Option<Type>) -> Vec<Content> {
        match (self, ty) {
            (Content::Scalar(bits), Some(Type::Int(int))) => {
                let value = int.extend(int.wrap(*bits));
                let mut candidates = vec![0, 1, -1, value.saturating_neg()];
                let mut distance = value / 2;
                while distance != 0 {
                    candidates.push(value - distance);
                    distance /= 2;
                }
                let scalars = candidates.into_iter().filter(|&other| other != value);
                scalars
                    .map(|value| Content::Scalar(int.wrap(value as u128)))
                    .collect()
            }
            (Content::Scalar(bits), Some(Type::Float(FloatType::F64))) => {
                let value = f64::from_bits(*bits as u64);
                [0.0, 1.0, -1.0, value.trunc(), value / 2.0]
                    .map(|value| Content::Scalar(value.to_bits().into()))
                    .to_vec()
            }
            (Content::Scalar(bits), Some(Type::Float(FloatType::F32))) => {
                let value = f32::from_bits(*bits as u32);
                [0.0, 1.0, -1.0, value.trunc(), value / 2.0]
                    .map(|value| Content::Scalar(value.to_bits().into()))
                    .to_vec()
            }
            (Content::Scalar(_), _) => vec![Content::Scalar(0)],
            (Content::Bytes(bytes), _) => {
                let mut candidates = vec![Vec::new()];
                // Halves, then single bytes of short objects.
                candidates.push(bytes[..bytes.len() / 2].to_vec());
                for index in (0..bytes.len()).take(64) {
                    for byte in [0, 1, bytes[index] / 2] {
                        let mut other = bytes.clone();
                        other[index] = byte;
                        candidates.push(other);
                    }
                }
                candidates.into_iter().map(Content::Bytes).collect()
            }
        }
    }
}

struct Shrinker<'a, 'p> {
    machine: &'a Machine<'p>,
    budget: &'a Budget,
    /// Steps of all candidates together.
    steps_left: u64,
    best: Draft,
    cost: Cost,
    found: Counterexample,
}

impl Shrinker<'_, '_> {
    fn is_over(&self) -> bool {
        self.steps_left == 0 || self.budget.is_over()
    }

    /// Tries a candidate; keeps it if it is better.
    fn attempt(&mut self, draft: Draft) -> bool {
        if draft == self.best || self.is_over() {
            return false;
        }
        let present = self.found.steps().unwrap_or_default();
        let present = u64::try_from(&present).unwrap_or(u64::MAX);
        let allowed = present
            .saturating_mul(PATIENCE)
            .saturating_add(ALLOWANCE)
            .min(1_000_000.max(self.budget.limits.steps / 64))
            .min(self.steps_left);
        let budget = Budget {
            limits: RunLimits {
                steps: allowed,
                ..self.budget.limits
            },
            operations: allowed,
            ..self.budget.clone()
        };
        // Jumps make long runs cheap; the price of a candidate is counted as if it were executed, up to what it may cost.
        let mut spent = 0;
        let found = follow(
            self.machine,
            &draft.inputs(),
            &budget,
            Some(self.found.target),
            &mut spent,
        );
        let Ok(found) = found else {
            let price = spent.max(ALLOWANCE.min(allowed));
            self.steps_left = self.steps_left.saturating_sub(price);
            return false;
        };
        let steps = found.steps().unwrap_or_default();
        let price = u64::try_from(&steps).unwrap_or(allowed).min(allowed);
        self.steps_left = self.steps_left.saturating_sub(price.max(100).max(spent));
        let cost = draft.cost(&steps);
        if cost >= self.cost {
            return false;
        }
        self.cost = cost;
        self.best = draft;
        self.found = found;
        true
    }

    fn attempt_change(&mut self, change: impl FnOnce(&mut Draft)) -> bool {
        let mut draft = self.best.clone();
        change(&mut draft);
        self.attempt(draft)
    }

    /// Tries everything once. Gives whether something helped.
    fn pass(&mut self) -> bool {
        let mut helped = false;
        for list in (0..self.best.lists.len()).rev() {
            helped |= self.attempt_change(|draft| {
                draft.lists.remove(list);
            });
        }
        for list in 0..self.best.lists.len() {
            helped |= self.take_out(list);
            helped |= self.shorten(list);
            helped |= self.simplify(list);
        }
        helped && !self.is_over()
    }

    fn length(&self, list: usize) -> usize {
        self.best.lists.get(list).map_or(0, |list| list.runs.len())
    }

    /// Takes runs out, in groups of decreasing size.
    fn take_out(&mut self, list: usize) -> bool {
        let mut helped = false;
        let mut size = self.length(list);
        while size > 0 {
            let mut end = self.length(list);
            while end > 0 && !self.is_over() {
                let start = end.saturating_sub(size);
                helped |= self.attempt_change(|draft| {
                    draft.lists[list].runs.drain(start..end);
                });
                end = start.min(self.length(list));
            }
            size /= 2;
        }
        helped
    }

    /// Makes runs shorter.
    fn shorten(&mut self, list: usize) -> bool {
        let mut helped = false;
        let mut index = 0;
        while index < self.length(list) && !self.is_over() {
            let mut distance = self.best.lists[list].runs[index].count;
            while distance > 0 && index < self.length(list) {
                let count = self.best.lists[list].runs[index].count;
                let shorter = count.saturating_sub(distance);
                let better = shorter > 0
                    && self.attempt_change(|draft| draft.lists[list].runs[index].count = shorter);
                helped |= better;
                distance = if better {
                    distance.min(shorter)
                } else {
                    distance / 2
                };
            }
            index += 1;
        }
        helped
    }

    /// Makes values simpler.
    fn simplify(&mut self, list: usize) -> bool {
        let mut helped = false;
        let mut index = 0;
        while index < self.length(list) && !self.is_over() {
            loop {
                let ty = self.best.lists[list].ty;
                let candidates = self.best.lists[list].runs[index].value.simpler(ty);
                let better = candidates.into_iter().any(|value| {
                    self.attempt_change(|draft| draft.lists[list].runs[index].value = value)
                });
                helped |= better;
                if !better {
                    break;
                }
            }
            index += 1;
        }
        helped
    }
}
