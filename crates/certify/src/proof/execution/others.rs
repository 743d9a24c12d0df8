//! Pointers from outside, where a single run is led: numbers that belong to objects of others.

use rhumb_logic::Int;
use rhumb_program::ExprId;

use super::Halt;
use super::eval::Machine;
use super::state::PathState;
use super::value::{Base, Pointer, Value};
use crate::proof::encode::number::Number;

impl Machine<'_> {
    /// The value of a pointer that is used: one that came as a number belongs to the object of others that it lies in,
    /// where there are such.
    pub(super) fn resolved(&mut self, state: &PathState, ptr: ExprId) -> Result<Value, Halt> {
        let value = self.value(state, ptr)?;
        self.pointing(state, value)
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
            Value::Truth(_) | Value::Pointer(_) | Value::Wild => return Ok(value),
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
