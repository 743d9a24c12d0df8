//! Proofs by exploration: all states that can be reached, as far as some variables tell, are finitely many, and none is at an error.
//!
//! The proof says which variables to follow, and at which branches both ways are to be taken. The walk here is simpler than the first checker's: a variable
//! that is followed has a number, or any; nothing is kept of the order of unknown values. What a branch says of one is learned where it is an equation. So
//! whatever the first walk can do without comparing inputs with one another this one can do, too, and where it comes to an error that may be its own fault: then it
//! has no opinion. No solver is asked.

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, ExprId, ExprKind, Type, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::certificate::View;
use crate::check::Opinion;
use crate::decide::Limits;
use crate::unfold::{Activation, Next, Place, Step, Unfolded, Var};

/// More states than this are not looked at.
const MAX_STATES: usize = 3_000_000;

/// More words of liveness than this are not made.
const MAX_WORDS: usize = 40_000_000;

/// Steps between two looks at the clock.
const STRIDE: u32 = 4096;

/// Numbers of the variables that are followed, where they are known.
type Values = Box<[Option<u128>]>;

/// Walks through all states, and looks whether something bad is among them.
pub(crate) fn check(
    view: &View,
    unfolded: &Unfolded<'_>,
    limits: &Limits<'_>,
) -> Result<(), Opinion> {
    let undecided = |why: &str| Err(Opinion::Undecided(why.to_owned()));
    let Some(walk) = Walk::new(view, unfolded) else {
        return undecided("the program is too large to be explored here");
    };
    let mut seen: FxHashSet<(Place, Values)> = FxHashSet::default();
    let mut todo = vec![(unfolded.start(), walk.first())];
    let mut steps = 0_u32;
    while let Some((mut place, mut values)) = todo.pop() {
        loop {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STRIDE) && limits.is_over() {
                return undecided("out of time");
            }
            if walk.is_join[place.0 as usize] {
                walk.forget_dead(place, &mut values);
                if seen.len() > MAX_STATES {
                    return undecided("there are too many states to be explored here");
                }
                if !seen.insert((place, values.clone())) {
                    break;
                }
            }
            match unfolded.next(place) {
                Next::End => break,
                Next::Bad(_) => {
                    let at = unfolded.describe(place);
                    return Err(Opinion::Undecided(format!(
                        "as far as a plain exploration tells, {at} can be reached"
                    )));
                }
                Next::Go(step, to) => {
                    walk.take(step, &mut values);
                    place = *to;
                }
                &Next::Branch { condition, yes, no } => {
                    let activation = unfolded.activation_of(place);
                    let known = match walk.unseen.contains(&place) {
                        true => None,
                        false => walk.evaluate(condition, activation, &values),
                    };
                    place = match known {
                        Some(0) => no,
                        Some(_) => yes,
                        None => {
                            let mut other = values.clone();
                            walk.learn(condition, false, activation, &mut other);
                            todo.push((no, other));
                            walk.learn(condition, true, activation, &mut values);
                            yes
                        }
                    };
                }
            }
        }
    }
    Ok(())
}

struct Walk<'a, 'p> {
    unfolded: &'a Unfolded<'p>,
    slots: FxHashMap<Var, usize>,
    unseen: FxHashSet<Place>,
    /// Places that several others lead to, where states are compared.
    is_join: Vec<bool>,
    /// The slots that may still be looked at, by place: so many words each.
    live: Vec<u64>,
    words: usize,
}

impl<'a, 'p> Walk<'a, 'p> {
    /// A walk that follows what a view says; none if there is too much of it.
    fn new(view: &View, unfolded: &'a Unfolded<'p>) -> Option<Walk<'a, 'p>> {
        let mut slots = FxHashMap::default();
        for (calls, var) in &view.followed {
            if let Some(var) = unfolded.named_var(calls, *var)
                && matches!(unfolded.ty(var), Type::Int(_) | Type::Bool)
            {
                let next = slots.len();
                slots.entry(var).or_insert(next);
            }
        }
        let unseen = view.unseen.iter();
        let unseen = unseen.filter_map(|at| unfolded.named_place(&at.calls, at.location));
        let places = unfolded.places().count();
        let words = slots.len().div_ceil(64);
        if places.checked_mul(words)? > MAX_WORDS {
            return None;
        }
        let mut walk = Walk {
            unfolded,
            slots,
            unseen: unseen.collect(),
            is_join: vec![false; places],
            live: vec![0; places * words],
            words,
        };
        walk.find_live();
        Some(walk)
    }

    /// Finds the places where ways meet, and what may be looked at after each place.
    fn find_live(&mut self) {
        let unfolded = self.unfolded;
        let mut before: Vec<Vec<Place>> = vec![Vec::new(); self.is_join.len()];
        for place in unfolded.places() {
            for next in unfolded.successors(place) {
                before[next.0 as usize].push(place);
            }
        }
        for (is_join, before) in self.is_join.iter_mut().zip(&before) {
            *is_join = before.len() > 1;
        }
        let mut todo: Vec<Place> = unfolded.places().collect();
        let mut is_waiting = vec![true; todo.len()];
        let mut row = vec![0; self.words];
        while let Some(place) = todo.pop() {
            is_waiting[place.0 as usize] = false;
            row.fill(0);
            for next in unfolded.successors(place) {
                let next = self.words * next.0 as usize;
                let after = &self.live[next..next + self.words];
                row.iter_mut()
                    .zip(after)
                    .for_each(|(all, more)| *all |= more);
            }
            self.before(place, &mut row);
            let at = self.words * place.0 as usize;
            let own = &mut self.live[at..at + self.words];
            if own != row {
                own.copy_from_slice(&row);
                for &other in &before[place.0 as usize] {
                    if !std::mem::replace(&mut is_waiting[other.0 as usize], true) {
                        todo.push(other);
                    }
                }
            }
        }
    }

    /// From what may be looked at after a place to what may be before.
    fn before(&self, place: Place, row: &mut [u64]) {
        let mut clear = |var: &Var| {
            let slot = self.slots.get(var).copied()?;
            let was = row[slot / 64] >> (slot % 64) & 1 == 1;
            row[slot / 64] &= !(1 << (slot % 64));
            was.then_some(())
        };
        let mut read: Vec<(Activation, ExprId)> = Vec::new();
        match self.unfolded.next(place) {
            Next::End | Next::Bad(_) | Next::Go(Step::Nothing, _) => {}
            Next::Branch { .. } if self.unseen.contains(&place) => {}
            &Next::Branch { condition, .. } => {
                read.push((self.unfolded.activation_of(place), condition));
            }
            Next::Go(Step::Assign(activation, assignments), _) => {
                for (var, value) in assignments {
                    if clear(var).is_some() {
                        read.push((*activation, *value));
                    }
                }
            }
            Next::Go(Step::Any(var) | Step::Address(var), _) => _ = clear(var),
            Next::Go(Step::Call(sets, dst), _) => {
                for &global in sets.iter() {
                    clear(&self.unfolded.global_var(global));
                }
                _ = dst.as_ref().and_then(clear);
            }
        }
        for (activation, expr) in read {
            self.unfolded.program.exprs.for_each_var(expr, &mut |var| {
                if let Some(&slot) = self.slots.get(&self.unfolded.var(activation, var)) {
                    row[slot / 64] |= 1 << (slot % 64);
                }
            });
        }
    }

    fn forget_dead(&self, place: Place, values: &mut Values) {
        let at = self.words * place.0 as usize;
        let live = &self.live[at..at + self.words];
        for (slot, value) in values.iter_mut().enumerate() {
            if live[slot / 64] >> (slot % 64) & 1 == 0 {
                *value = None;
            }
        }
    }

    /// The values before the first step: global variables have theirs.
    fn first(&self) -> Values {
        let mut values: Values = vec![None; self.slots.len()].into();
        for (&var, &slot) in &self.slots {
            let Some(global) = self.unfolded.global(var) else {
                continue;
            };
            values[slot] = match self.unfolded.program.vars[global].init {
                None => Some(0),
                Some(init) => self.expression(init, None),
            };
        }
        values
    }

    fn set(&self, var: Var, value: Option<u128>, values: &mut Values) {
        if let Some(&slot) = self.slots.get(&var) {
            values[slot] = value;
        }
    }

    fn take(&self, step: &Step, values: &mut Values) {
        match step {
            Step::Nothing => {}
            Step::Assign(activation, assignments) => {
                let followed = assignments.iter();
                let followed = followed.filter(|(var, _)| self.slots.contains_key(var));
                let new: Vec<(Var, Option<u128>)> = followed
                    .map(|&(var, value)| (var, self.evaluate(value, *activation, values)))
                    .collect();
                for (var, value) in new {
                    self.set(var, value, values);
                }
            }
            &Step::Any(var) | &Step::Address(var) => self.set(var, None, values),
            Step::Call(sets, dst) => {
                for &global in sets.iter() {
                    self.set(self.unfolded.global_var(global), None, values);
                }
                if let Some(dst) = dst {
                    self.set(*dst, None, values);
                }
            }
        }
    }

    fn evaluate(&self, expr: ExprId, activation: Activation, values: &Values) -> Option<u128> {
        self.expression(expr, Some((activation, values)))
    }

    /// The number that an expression has, if the known ones tell. Recursive on the depth of the expression, which the model limits.
    fn expression(&self, expr: ExprId, at: Option<(Activation, &Values)>) -> Option<u128> {
        let exprs = &self.unfolded.program.exprs;
        let ty = exprs.ty(expr);
        let of = |expr: ExprId| match exprs.ty(expr) {
            Type::Int(_) | Type::Bool => self.expression(expr, at),
            Type::Ptr | Type::Float(_) => None,
        };
        match exprs[expr].kind {
            ExprKind::Const(bits) => match ty {
                Type::Int(int) => Some(int.wrap(bits)),
                Type::Bool => Some(u128::from(bits != 0)),
                Type::Ptr | Type::Float(_) => None,
            },
            ExprKind::Var(var) => {
                let (activation, values) = at?;
                let slot = self.slots.get(&self.unfolded.var(activation, var))?;
                values[*slot]
            }
            ExprKind::Unary(op, arg) => eval::unary(op, exprs.ty(arg), of(arg)?).ok(),
            ExprKind::Binary(op, lhs, rhs) if exprs.ty(lhs) == Type::Bool => {
                let (a, b) = (of(lhs), of(rhs));
                match (op, a, b) {
                    (BinOp::And, Some(0), _) | (BinOp::And, _, Some(0)) => Some(0),
                    (BinOp::Or, Some(1), _) | (BinOp::Or, _, Some(1)) => Some(1),
                    (BinOp::And, Some(a), Some(b)) => Some(a & b),
                    (BinOp::Or, Some(a), Some(b)) => Some(a | b),
                    (BinOp::Eq, Some(a), Some(b)) => Some(u128::from(a == b)),
                    (BinOp::Ne | BinOp::Xor, Some(a), Some(b)) => Some(u128::from(a != b)),
                    _ => None,
                }
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (of(lhs)?, of(rhs)?);
                eval::binary(op, exprs.ty(lhs), a, exprs.ty(rhs), b).ok()
            }
            ExprKind::Cast(arg) if matches!(ty, Type::Int(_) | Type::Bool) => {
                eval::cast(exprs.ty(arg), ty, of(arg)?).ok()
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (of(lhs)?, of(rhs)?);
                let result = eval::overflows(op, exprs.ty(lhs), a, exprs.ty(rhs), b);
                result.ok().map(u128::from)
            }
            ExprKind::Cast(_)
            | ExprKind::AddrOf(_)
            | ExprKind::FuncAddr(_)
            | ExprKind::PtrAdd(..)
            | ExprKind::PtrDiff(..)
            | ExprKind::CastOverflows(..)
            | ExprKind::AccessOk { .. }
            | ExprKind::FreeOk(_) => None,
        }
    }

    /// Notes what a condition says of variables: those that have to have one number for it to hold, or not to.
    fn learn(&self, condition: ExprId, holds: bool, activation: Activation, values: &mut Values) {
        let exprs = &self.unfolded.program.exprs;
        match exprs[condition].kind {
            ExprKind::Var(_) if exprs.ty(condition) == Type::Bool => {
                self.equate(condition, u128::from(holds), activation, values);
            }
            ExprKind::Unary(UnOp::Not, arg) => self.learn(arg, !holds, activation, values),
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), lhs, rhs)
                if exprs.ty(lhs) == Type::Bool && (op == BinOp::And) == holds =>
            {
                self.learn(lhs, holds, activation, values);
                self.learn(rhs, holds, activation, values);
            }
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), lhs, rhs) => {
                let is_equal = (op == BinOp::Eq) == holds;
                for (one, other) in [(lhs, rhs), (rhs, lhs)] {
                    let Some(number) = self.evaluate(other, activation, values) else {
                        continue;
                    };
                    match exprs[one].kind {
                        // A truth value as a number.
                        ExprKind::Cast(inner) if exprs.ty(inner) == Type::Bool && number <= 1 => {
                            let holds = (number == 1) == is_equal;
                            self.learn(inner, holds, activation, values);
                        }
                        _ if is_equal => self.equate(one, number, activation, values),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// An expression has this number: so has the variable that it is, perhaps in a wider type.
    fn equate(&self, expr: ExprId, number: u128, activation: Activation, values: &mut Values) {
        let exprs = &self.unfolded.program.exprs;
        match exprs[expr].kind {
            ExprKind::Var(var) => {
                let var = self.unfolded.var(activation, var);
                self.set(var, Some(number), values);
            }
            ExprKind::Cast(inner) => {
                let (Type::Int(from), Type::Int(to)) = (exprs.ty(inner), exprs.ty(expr)) else {
                    return;
                };
                // Into a type that is as wide, different numbers stay different.
                if from.width <= to.width {
                    let before = eval::cast(Type::Int(to), Type::Int(from), number);
                    if let Ok(before) = before {
                        self.equate(inner, before, activation, values);
                    }
                }
            }
            _ => {}
        }
    }
}
