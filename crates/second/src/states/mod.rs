//! States of some variables: each is a number, a symbol plus a number, or anything. What is known of a symbol is a range without some
//! numbers.
//!
//! Two variables with the same symbol are equal up to a number, whatever the number is; of two symbols bounds of their difference may be
//! known. So a state stands for all choices of numbers for its symbols that fit, and one state contains another if it looks alike and what
//! it knows follows from what the other knows.

mod eval;
mod order;
#[cfg(test)]
mod tests;

use rhumb_program::{IntType, Program, Type};

pub(crate) use eval::{Eval, Slots};
use order::Order;

/// So many numbers are taken out of a range, at most.
const MAX_HOLES: usize = 12;

/// A state with more symbols than this gets no new ones.
const MAX_SYMBOLS: usize = 256;

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Value {
    /// Any value of its type.
    Any,
    Number(i128),
    /// A symbol and a number, added without wrapping round.
    Symbol(u16, i128),
}

/// The numbers from `least` to `most`, without `holes`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Range {
    pub(crate) least: i128,
    pub(crate) most: i128,
    /// In increasing order, none at an end.
    holes: Vec<i128>,
}

impl Range {
    pub(crate) fn new(least: i128, most: i128) -> Range {
        Range {
            least,
            most,
            holes: Vec::new(),
        }
    }

    /// The numbers that a type has, if there are not too many to count with.
    pub(crate) fn of(program: &Program, ty: Type) -> Option<Range> {
        let int = match ty {
            Type::Bool => return Some(Range::new(0, 1)),
            Type::Int(int) if int.width <= 64 => int,
            Type::Ptr => program.data_model.size_type(),
            Type::Int(_) | Type::Float(_) => return None,
        };
        Some(Range::of_int(int))
    }

    fn of_int(int: IntType) -> Range {
        match int.signed {
            true => Range::new(-(1 << (int.width - 1)), (1 << (int.width - 1)) - 1),
            false => Range::new(0, (1 << int.width) - 1),
        }
    }

    /// Takes the holes off the ends, and those outside of them; none if nothing is left.
    fn trimmed(mut self) -> Option<Range> {
        self.holes
            .retain(|hole| (self.least..=self.most).contains(hole));
        while self.holes.first() == Some(&self.least) {
            self.holes.remove(0);
            self.least += 1;
        }
        while self.holes.last() == Some(&self.most) && self.least <= self.most {
            self.holes.pop();
            self.most -= 1;
        }
        (self.least <= self.most).then_some(self)
    }

    fn within(mut self, least: i128, most: i128) -> Option<Range> {
        self.least = self.least.max(least);
        self.most = self.most.min(most);
        self.trimmed()
    }

    /// Without a number. (Where there are too many holes already, a larger range is right, too.)
    fn without(mut self, number: i128) -> Option<Range> {
        if let Err(at) = self.holes.binary_search(&number) {
            let is_end = number == self.least || number == self.most;
            if is_end || self.holes.len() < MAX_HOLES {
                self.holes.insert(at, number);
            }
        }
        self.trimmed()
    }

    fn has(&self, number: i128) -> bool {
        (self.least..=self.most).contains(&number) && self.holes.binary_search(&number).is_err()
    }

    fn shifted(&self, by: i128) -> Range {
        Range {
            least: self.least + by,
            most: self.most + by,
            holes: self.holes.iter().map(|hole| hole + by).collect(),
        }
    }

    /// Whether it has all numbers of another.
    fn contains(&self, other: &Range) -> bool {
        let is_out = |hole: &i128| !other.has(*hole);
        self.least <= other.least && other.most <= self.most && self.holes.iter().all(is_out)
    }
}

/// What is known of a symbol.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Entry {
    Range(Range),
    /// It is another one plus a number.
    Same(u16, i128),
}

/// What is known of variables, by their slots.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct KnownState {
    values: Vec<Value>,
    symbols: Vec<Entry>,
    order: Order,
}

/// A state in normal form, in two parts: those with equal first parts can be compared.
pub(crate) type Shape = Box<[Value]>;

/// What is known of the symbols of a state in normal form.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Facts {
    ranges: Box<[Range]>,
    order: Order,
}

impl Facts {
    pub(crate) fn len(&self) -> usize {
        self.ranges.len()
    }
}

/// Whether the facts of one state follow from those of another of the same shape.
pub(crate) fn covers(large: &Facts, small: &Facts) -> bool {
    let range = |symbol: u16| &small.ranges[symbol as usize];
    let most = |a: u16, b: u16| {
        let widest = range(a).most - range(b).least;
        let bound = small.order.bound(a, b);
        bound.map_or(widest, |bound| bound.min(widest))
    };
    let mut pairs = large.ranges.iter().zip(&small.ranges);
    large.ranges.len() == small.ranges.len()
        && pairs.all(|(large, small)| large.contains(small))
        && large
            .order
            .bounds()
            .all(|(a, b, bound)| most(a, b) <= bound)
        && large.order.apart().all(|(a, b, difference)| {
            small.order.is_apart(a, b, difference)
                || most(a, b) < difference
                || most(b, a) < -difference
        })
}

impl KnownState {
    /// Nothing is known of so many variables.
    pub(crate) fn new(slots: usize) -> KnownState {
        KnownState {
            values: vec![Value::Any; slots],
            symbols: Vec::new(),
            order: Order::default(),
        }
    }

    pub(crate) fn of(shape: &Shape, facts: &Facts) -> KnownState {
        KnownState {
            values: shape.to_vec(),
            symbols: facts.ranges.iter().cloned().map(Entry::Range).collect(),
            order: facts.order.clone(),
        }
    }

    /// A value as far as it is known now.
    fn resolve(&self, value: Value) -> Value {
        let Value::Symbol(mut symbol, mut more) = value else {
            return value;
        };
        loop {
            match &self.symbols[symbol as usize] {
                Entry::Range(range) if range.least == range.most => {
                    return Value::Number(range.least + more);
                }
                Entry::Range(_) => return Value::Symbol(symbol, more),
                Entry::Same(other, by) => {
                    symbol = *other;
                    more += by;
                }
            }
        }
    }

    pub(crate) fn get(&self, slot: usize) -> Value {
        self.resolve(self.values[slot])
    }

    pub(crate) fn set(&mut self, slot: usize, value: Value) {
        self.values[slot] = value;
    }

    /// More slots behind the others, with these values. Gives the first of them.
    pub(crate) fn extend(&mut self, values: &[Value]) -> usize {
        self.values.extend(values);
        self.values.len() - values.len()
    }

    /// A new symbol with a range; anything if there are too many.
    pub(crate) fn symbol(&mut self, range: Range) -> Value {
        if range.least == range.most {
            return Value::Number(range.least);
        }
        if self.symbols.len() >= MAX_SYMBOLS {
            return Value::Any;
        }
        self.symbols.push(Entry::Range(range));
        Value::Symbol(self.symbols.len() as u16 - 1, 0)
    }

    /// The numbers that a value may be. None for anything.
    pub(crate) fn range(&self, value: Value) -> Option<Range> {
        match self.resolve(value) {
            Value::Any => None,
            Value::Number(number) => Some(Range::new(number, number)),
            Value::Symbol(symbol, more) => match &self.symbols[symbol as usize] {
                Entry::Range(range) => Some(range.shifted(more)),
                Entry::Same(..) => None,
            },
        }
    }

    /// The states in which a value is in a range; none if there is none. Nothing can be learned of anything.
    fn narrowed(
        &self,
        value: Value,
        change: impl Fn(Range) -> Option<Range>,
    ) -> Option<KnownState> {
        let mut state = self.clone();
        match self.resolve(value) {
            Value::Any => {}
            Value::Number(number) => {
                change(Range::new(number, number))?;
            }
            Value::Symbol(symbol, more) => {
                if let Entry::Range(range) = &self.symbols[symbol as usize] {
                    let range = change(range.shifted(more))?;
                    state.symbols[symbol as usize] = Entry::Range(range.shifted(-more));
                    state.spread(symbol)?;
                }
            }
        }
        Some(state)
    }

    /// What the range of a symbol means for others. (Bounds are closed, so one look at each is enough.)
    fn spread(&mut self, symbol: u16) -> Option<()> {
        if self.order.is_empty() {
            return Some(());
        }
        let Entry::Range(own) = self.symbols[symbol as usize].clone() else {
            return Some(());
        };
        for (a, b, bound) in self.order.clone().bounds() {
            let (other, least, most) = match (a == symbol, b == symbol) {
                (true, _) => (b, own.least - bound, i128::MAX),
                (_, true) => (a, i128::MIN, own.most + bound),
                _ => continue,
            };
            if let Entry::Range(range) = &self.symbols[other as usize] {
                let range = range.clone().within(least, most)?;
                self.symbols[other as usize] = Entry::Range(range);
            }
        }
        Some(())
    }

    /// The states in which one value plus a number is at most another.
    fn below(&self, a: Value, b: Value, gap: i128) -> Option<KnownState> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        let (low, high) = (self.range(a)?, self.range(b)?);
        let state = self.between(a, i128::MIN, high.most - gap)?;
        let mut state = state.between(b, low.least + gap, i128::MAX)?;
        if let (Value::Symbol(one, more), Value::Symbol(other, less)) = (a, b) {
            if one == other {
                return (more + gap <= less).then_some(state);
            }
            if low.most + gap > high.least {
                state
                    .order
                    .add(one, other, less - more - gap)
                    .then_some(())?;
                state.spread(one)?;
                state.spread(other)?;
            }
        }
        Some(state)
    }

    /// The states in which two values are not the same.
    fn parted(&self, a: Value, b: Value) -> Option<KnownState> {
        match (self.resolve(a), self.resolve(b)) {
            (value, Value::Number(number)) | (Value::Number(number), value) => {
                self.differing(value, number)
            }
            (Value::Symbol(one, more), Value::Symbol(other, less)) if one == other => {
                (more != less).then(|| self.clone())
            }
            (Value::Symbol(one, more), Value::Symbol(other, less)) => {
                let mut state = self.clone();
                let can_be = state.order.separate(one, other, less - more);
                can_be.then_some(())?;
                state.spread(one)?;
                state.spread(other)?;
                Some(state)
            }
            _ => Some(self.clone()),
        }
    }

    pub(crate) fn between(&self, value: Value, least: i128, most: i128) -> Option<KnownState> {
        self.narrowed(value, |range| range.within(least, most))
    }

    pub(crate) fn differing(&self, value: Value, number: i128) -> Option<KnownState> {
        self.narrowed(value, |range| range.without(number))
    }

    /// The states in which two values are the same.
    fn equated(&self, a: Value, b: Value) -> Option<KnownState> {
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (a, b) {
            (Value::Any, _) | (_, Value::Any) => Some(self.clone()),
            (value, Value::Number(number)) | (Value::Number(number), value) => {
                let range = self.range(value)?;
                match range.has(number) {
                    true => self.between(value, number, number),
                    false => None,
                }
            }
            (Value::Symbol(one, more), Value::Symbol(other, less)) if one == other => {
                (more == less).then(|| self.clone())
            }
            (Value::Symbol(one, more), Value::Symbol(..)) => {
                let (range, second) = (self.range(a)?, self.range(b)?);
                let mut both = range.within(second.least, second.most)?;
                for &hole in &second.holes {
                    both = both.without(hole)?;
                }
                let mut state = self.clone();
                state.symbols[one as usize] = Entry::Range(both.shifted(-more));
                if let Value::Symbol(other, less) = b {
                    state.symbols[other as usize] = Entry::Same(one, more - less);
                    state.order = self.order.replaced(other, one, more - less)?;
                    state.spread(one)?;
                }
                Some(state)
            }
        }
    }

    /// The same states, written in one way: symbols by their first slots, none that is not used, none that says nothing. `all` has the
    /// ranges of the variables' types.
    pub(crate) fn normal(self, all: &[Option<Range>]) -> (Shape, Facts) {
        let mut uses = vec![0_u32; self.symbols.len()];
        let resolved: Vec<Value> = self.values.iter().map(|&v| self.resolve(v)).collect();
        for value in &resolved {
            if let Value::Symbol(symbol, _) = value {
                uses[*symbol as usize] += 1;
            }
        }
        let mut is_related = vec![false; self.symbols.len()];
        let pairs = self.order.bounds().chain(self.order.apart());
        for (a, b, _) in pairs.filter(|&(a, b, _)| uses[a as usize] > 0 && uses[b as usize] > 0) {
            (is_related[a as usize], is_related[b as usize]) = (true, true);
        }
        let mut numbers: Vec<Option<(u16, i128)>> = vec![None; self.symbols.len()];
        let mut ranges: Vec<Range> = Vec::new();
        let mut values = resolved;
        for (value, all) in values.iter_mut().zip(all) {
            let Value::Symbol(symbol, more) = *value else {
                continue;
            };
            let index = symbol as usize;
            let Entry::Range(range) = &self.symbols[index] else {
                *value = Value::Any;
                continue;
            };
            let own = range.shifted(more);
            let is_alone = uses[index] == 1 && !is_related[index];
            if is_alone && all.as_ref().is_none_or(|all| own.contains(all)) {
                *value = Value::Any;
                continue;
            }
            *value = match numbers[index] {
                Some((number, first)) => Value::Symbol(number, more - first),
                None => {
                    let number = ranges.len() as u16;
                    numbers[index] = Some((number, more));
                    ranges.push(own);
                    Value::Symbol(number, 0)
                }
            };
        }
        let mut order = Order::default();
        let number = |symbol: u16| numbers[symbol as usize];
        for (a, b, bound) in self.order.bounds() {
            if let (Some((a, x)), Some((b, y))) = (number(a), number(b)) {
                let bound = bound + x - y;
                // What ranges say is not said again.
                if ranges[a as usize].most - ranges[b as usize].least > bound {
                    _ = order.add(a, b, bound);
                }
            }
        }
        for (a, b, difference) in self.order.apart() {
            if let (Some((a, x)), Some((b, y))) = (number(a), number(b)) {
                _ = order.separate(a, b, difference + x - y);
            }
        }
        let facts = Facts {
            ranges: ranges.into(),
            order,
        };
        (values.into(), facts)
    }

    /// Takes the values of another state's slots: `pairs` says of which slot there into which here. What is known of its symbols goes
    /// along.
    pub(crate) fn take(&mut self, other: &KnownState, pairs: impl Iterator<Item = (usize, usize)>) {
        let mut numbers: Vec<Option<u16>> = vec![None; other.symbols.len()];
        for (from, to) in pairs {
            let value = match other.get(from) {
                Value::Symbol(symbol, more) => {
                    let new = numbers[symbol as usize].or_else(|| {
                        let Entry::Range(range) = &other.symbols[symbol as usize] else {
                            return None;
                        };
                        match self.symbol(range.clone()) {
                            Value::Symbol(new, _) => Some(new),
                            Value::Any | Value::Number(_) => None,
                        }
                    });
                    numbers[symbol as usize] = new;
                    new.map_or(Value::Any, |new| Value::Symbol(new, more))
                }
                value => value,
            };
            self.values[to] = value;
        }
        let number = |symbol: u16| numbers[symbol as usize];
        for (a, b, bound) in other.order.bounds() {
            if let (Some(a), Some(b)) = (number(a), number(b)) {
                _ = self.order.add(a, b, bound);
            }
        }
        for (a, b, difference) in other.order.apart() {
            if let (Some(a), Some(b)) = (number(a), number(b)) {
                _ = self.order.separate(a, b, difference);
            }
        }
    }
}
