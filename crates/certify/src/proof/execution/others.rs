//! Pointers from outside, where a single run is led: numbers that belong to objects of others.

use rhumb_logic::Int;
use rhumb_program::ExprId;

use super::Halt;
use super::eval::Machine;
use super::state::PathState;
use super::value::{Base, Pointer, Value, WILD};
use crate::proof::encode::number::Number;

impl Machine<'_> {
    /// The value of a pointer that is used: one that came as a number belongs to the object of others that it lies in,
    /// where there are such.
    pub(super) fn resolved(&mut self, state: &PathState, ptr: ExprId) -> Result<Value, Halt> {
        let value = self.pointer(state, ptr)?;
        self.pointing(state, value)
    }

    /// The value of a pointer, which is one of several no longer.
    pub(super) fn pointer(&mut self, state: &PathState, ptr: ExprId) -> Result<Value, Halt> {
        let value = self.value(state, ptr)?;
        self.settled(state, value)
    }

    /// The one of several pointers that a value is in this run; if that is open, runs have to be told apart by it.
    pub(super) fn settled(&self, state: &PathState, value: Value) -> Result<Value, Halt> {
        let Value::Choice(choice) = &value else {
            return Ok(value);
        };
        let index = choice.index(&self.terms);
        let number = match self.terms.as_int(index) {
            Some(number) => number.clone(),
            None => match state.pinned.get(&index) {
                Some(number) => number.clone(),
                None => return Err(Halt::Split(index)),
            },
        };
        let chosen = usize::try_from(number).ok().and_then(|it| choice.0.get(it));
        chosen.map_or(Err(Halt::Gap(WILD)), |(_, value)| Ok(value.clone()))
    }

    /// Two pointers that are compared, or subtracted: with a pointer to an object only a pointer to an object.
    pub(super) fn resolved_together(
        &self,
        state: &PathState,
        a: Value,
        b: Value,
    ) -> Result<(Value, Value), Halt> {
        match (&a, &b) {
            (Value::Pointer(_), _) => Ok((a, self.pointing(state, b)?)),
            (_, Value::Pointer(_)) => Ok((self.pointing(state, a)?, b)),
            _ => Ok((a, b)),
        }
    }

    fn pointing(&self, state: &PathState, value: Value) -> Result<Value, Halt> {
        if self.others.is_none() {
            return Ok(value);
        }
        let address = match &value {
            Value::Known(bits) => u64::try_from(*bits).ok(),
            Value::Number(number) => match self.constant(state, number) {
                Ok(address) => u64::try_from(address).ok(),
                Err(_) => return Err(Halt::Point(number.term)),
            },
            Value::Truth(_) | Value::Pointer(_) | Value::Wild | Value::Choice(_) => {
                return Ok(value);
            }
        };
        let Some(address) = address else {
            return Ok(value);
        };
        Ok(match self.other(state, address) {
            Some((instance, offset)) => Value::Pointer(Pointer {
                base: Base::Instance(instance),
                offset: Number::constant(&self.terms, Int::from(offset)),
            }),
            None => Value::Known(address.into()),
        })
    }

    /// The object of others that an address lies in, and the distance from its start.
    pub(super) fn other(&self, state: &PathState, address: u64) -> Option<(u32, u64)> {
        let (number, offset) = self.others?.find(address)?;
        let &instance = state.others.get(usize::try_from(number).ok()?)?;
        Some((instance, offset))
    }
}
