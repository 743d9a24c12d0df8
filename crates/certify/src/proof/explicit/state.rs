//! States: numbers where they are known, symbols where they are not.

use super::zone::{Atom, AtomKind, Sym, ZERO, Zone};

/// The value of a variable or an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::proof) enum Value {
    /// Any of its type.
    Any,
    /// This number; of a truth value, 0 or 1.
    Known(i64),
    /// A symbol and a number together.
    Symbol(Sym, i64),
}

/// The least and the greatest value of a type.
pub(in crate::proof) type Bounds = (i128, i128);

/// A set of states of the program: values for the variables that are followed, by their slots, over symbols of which something is known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::proof) struct KnownState {
    pub(in crate::proof) values: Vec<Value>,
    pub(in crate::proof) zone: Zone,
}

/// A question that has to be answered before an expression has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::proof) struct Open(pub(in crate::proof) Atom);

impl KnownState {
    /// How much memory it takes, counted in bounds.
    pub(in crate::proof) fn weight(&self) -> usize {
        self.zone.len().pow(2) + 2 * self.values.len()
    }

    /// Any state, with so many slots.
    pub(in crate::proof) fn any(slots: usize) -> KnownState {
        KnownState {
            values: vec![Value::Any; slots],
            zone: Zone::new(),
        }
    }

    /// The part of the states in which something holds, or doesn't; none if there is no such state.
    pub(in crate::proof) fn learned(mut self, atom: Atom, holds: bool) -> Option<KnownState> {
        self.zone.learn(atom, holds).then_some(self)
    }

    /// A value as a symbol and a number.
    pub(in crate::proof) fn parts(value: Value) -> Option<(Sym, i128)> {
        match value {
            Value::Any => None,
            Value::Known(number) => Some((ZERO, number.into())),
            Value::Symbol(symbol, number) => Some((symbol, number.into())),
        }
    }

    /// A symbol and a number as a value.
    pub(in crate::proof) fn value(&self, symbol: Sym, number: i128) -> Value {
        let (symbol, number) = match self.zone.fixed(symbol) {
            Some(fixed) => (ZERO, number + fixed),
            None => (symbol, number),
        };
        match (symbol, i64::try_from(number)) {
            (_, Err(_)) => Value::Any,
            (ZERO, Ok(number)) => Value::Known(number),
            (symbol, Ok(number)) => Value::Symbol(symbol, number),
        }
    }

    /// Between which numbers a value is.
    pub(in crate::proof) fn bounds(&self, value: Value) -> Option<Bounds> {
        let (symbol, number) = KnownState::parts(value)?;
        let (least, most) = (
            -self.zone.upper(ZERO, symbol),
            self.zone.upper(symbol, ZERO),
        );
        Some((least + number, most + number))
    }

    /// Compares the difference of two values with a bound; none if one of them may be anything.
    pub(in crate::proof) fn compare(
        &self,
        left: Value,
        right: Value,
        kind: AtomKind,
        bound: i128,
    ) -> Option<Result<bool, Open>> {
        let ((left, more), (right, less)) = (KnownState::parts(left)?, KnownState::parts(right)?);
        let bound = bound - more + less;
        if left == right {
            return Some(Ok(match kind {
                AtomKind::AtMost => 0 <= bound,
                AtomKind::Equal => 0 == bound,
            }));
        }
        let atom = Atom {
            left,
            right,
            kind,
            bound,
        };
        Some(self.zone.decide(atom).ok_or(Open(atom)))
    }

    /// The same states in one form: symbols in the order of slots, each with the value of the first slot that has it,
    /// and none for what is known or may be anything. `types` has the bounds of the slots' types.
    pub(in crate::proof) fn normal(self, types: &[Bounds]) -> KnownState {
        let KnownState { mut values, zone } = self;
        let mut symbols: Vec<(Sym, i128)> = vec![(ZERO, 0)];
        for value in &mut values {
            let Value::Symbol(symbol, number) = *value else {
                continue;
            };
            let number = i128::from(number);
            let known = symbols.iter().zip(0..).find_map(|(&(other, more), new)| {
                let distance = zone.difference(symbol, other)?;
                Some((new, distance + number - more))
            });
            let (new, number) = known.unwrap_or_else(|| {
                symbols.push((symbol, number));
                (symbols.len() as Sym - 1, 0)
            });
            *value = match (new, i64::try_from(number)) {
                (_, Err(_)) => Value::Any,
                (ZERO, Ok(number)) => Value::Known(number),
                (new, Ok(number)) => Value::Symbol(new, number),
            };
        }
        let state = KnownState {
            values,
            zone: zone.renamed(&symbols),
        };
        state.without_free_symbols(types)
    }

    /// The same states without symbols that say nothing: those that one slot has, with all the values of its type.
    fn without_free_symbols(self, types: &[Bounds]) -> KnownState {
        let len = self.zone.len();
        if len == 1 {
            return self;
        }
        let mut uses = vec![0; len];
        let mut is_free = vec![false; len];
        for (slot, &value) in self.values.iter().enumerate() {
            if let Value::Symbol(symbol, number) = value {
                uses[symbol as usize] += 1;
                let (least, most) = types[slot];
                is_free[symbol as usize] = number == 0 && self.zone.is_free(symbol, least, most);
            }
        }
        let mut symbols = Vec::with_capacity(len);
        let mut images = vec![None; len];
        for symbol in 0..len as Sym {
            let at = symbol as usize;
            // A symbol may be left that no slot has: where a number was too large to be told.
            if symbol == ZERO || (uses[at] > 0 && !(uses[at] == 1 && is_free[at])) {
                images[at] = Some(symbols.len() as Sym);
                symbols.push((symbol, 0));
            }
        }
        if symbols.len() == len {
            return self;
        }
        let image = |&value: &Value| match value {
            Value::Symbol(symbol, number) => match images[symbol as usize] {
                Some(image) => Value::Symbol(image, number),
                None => Value::Any,
            },
            value => value,
        };
        KnownState {
            values: self.values.iter().map(image).collect(),
            zone: self.zone.renamed(&symbols),
        }
    }

    /// The values of the slots as a string of bytes, different for different values.
    pub(in crate::proof) fn packed(&self) -> Box<[u8]> {
        let mut bytes = Vec::with_capacity(self.values.len() + 16);
        for &value in &self.values {
            match value {
                Value::Any => bytes.push(0x80),
                Value::Known(number) => match i8::try_from(number) {
                    Ok(small) if (-96..=126).contains(&small) => bytes.push(small as u8),
                    _ => {
                        bytes.push(0x81);
                        bytes.extend(number.to_le_bytes());
                    }
                },
                Value::Symbol(symbol, number) => {
                    bytes.push(0x82);
                    bytes.extend(symbol.to_le_bytes());
                    bytes.extend(number.to_le_bytes());
                }
            }
        }
        bytes.into()
    }

    /// The values of slots out of their bytes.
    pub(in crate::proof) fn unpacked(bytes: &[u8]) -> Vec<Value> {
        let mut values = Vec::new();
        let mut rest = bytes.iter().copied();
        while let Some(first) = rest.next() {
            values.push(match first {
                0x80 => Value::Any,
                0x81 => Value::Known(number(&mut rest)),
                0x82 => {
                    let low = rest.next().unwrap_or_default();
                    let high = rest.next().unwrap_or_default();
                    Value::Symbol(Sym::from_le_bytes([low, high]), number(&mut rest))
                }
                small => Value::Known((small as i8).into()),
            });
        }
        values
    }
}

fn number(bytes: &mut impl Iterator<Item = u8>) -> i64 {
    let mut number = [0; 8];
    number
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = from);
    i64::from_le_bytes(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Bounds = (i32::MIN as i128, i32::MAX as i128);

    #[test]
    fn packing_is_undone() {
        let values = [
            Value::Any,
            Value::Known(0),
            Value::Known(-1),
            Value::Known(126),
            Value::Known(127),
            Value::Known(-96),
            Value::Known(-97),
            Value::Known(i64::MIN),
            Value::Symbol(3, -7),
        ];
        let state = KnownState {
            values: values.to_vec(),
            zone: Zone::new(),
        };
        assert_eq!(KnownState::unpacked(&state.packed()), values);
    }

    #[test]
    fn equal_states_have_one_form() {
        let types = [INT, INT, INT];
        let state = |first: bool, number: i64| {
            let mut state = KnownState::any(3);
            let other = state.zone.add(0, 5);
            let symbol = state.zone.add(INT.0, INT.1);
            let symbol = if first { symbol } else { other };
            state.values = vec![
                Value::Symbol(symbol, number),
                Value::Symbol(symbol, number + 2),
                Value::Known(4),
            ];
            state.normal(&types)
        };
        assert_eq!(state(true, 0).values, state(false, 7).values);
        assert_eq!(
            state(true, 0).values,
            [Value::Symbol(1, 0), Value::Symbol(1, 2), Value::Known(4)]
        );
        assert_ne!(state(true, 0), state(false, 0));
    }

    #[test]
    fn what_may_be_anything_has_no_symbol() {
        let mut state = KnownState::any(2);
        let symbol = state.zone.add(INT.0, INT.1);
        state.values = vec![Value::Symbol(symbol, 0), Value::Symbol(symbol, 1)];
        assert_ne!(state.clone().normal(&[INT, INT]), KnownState::any(2));
        state.values[1] = Value::Any;
        assert_eq!(state.normal(&[INT, INT]), KnownState::any(2));
    }

    #[test]
    fn what_is_known_is_a_number() {
        let mut state = KnownState::any(2);
        let symbol = state.zone.add(0, 9);
        let other = state.zone.add(0, 9);
        state.values = vec![Value::Symbol(symbol, 1), Value::Symbol(other, 0)];
        let atom = Atom {
            left: symbol,
            right: ZERO,
            kind: AtomKind::AtMost,
            bound: 0,
        };
        let state = state.learned(atom, true).expect("0 is at most 0");
        let normal = state.normal(&[INT, INT]);
        assert_eq!(normal.values, [Value::Known(1), Value::Symbol(1, 0)]);
    }
}
