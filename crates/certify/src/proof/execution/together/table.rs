//! Accesses to one of many elements, where it is open to which: the value is chosen by the place.

use rhumb_logic::{Int, Term};
use rhumb_program::Action;

use super::super::eval::Machine;
use super::super::state::PathState;
use super::super::step::Within;

impl Machine<'_> {
    /// The state after a right access whose place is one of these; none if it has to be told apart by the place.
    pub(super) fn access_any(
        &mut self,
        state: &PathState,
        action: &Action,
        within: Within,
        places: &[Int],
    ) -> Option<PathState> {
        let instance = within.instance;
        let mut places: Vec<(u64, Term)> = (places.iter())
            .map(|place| {
                let is_it = (self.terms).eq(within.offset, self.terms.int(place.clone()));
                Some((u64::try_from(place.clone()).ok()?, is_it))
            })
            .collect::<Option<_>>()?;
        let mut state = state.clone();
        match *action {
            Action::Load { dst, access, .. } => {
                let (last, _) = places.pop()?;
                let mut value = self.load(&mut state, instance, last, access).ok()?;
                for (place, is_it) in places.into_iter().rev() {
                    let here = self.load(&mut state, instance, place, access).ok()?;
                    value = self.either(is_it, access.ty, &here, &value)?;
                }
                self.set(&mut state, dst, value);
            }
            Action::Store { value, access, .. } if access.bits.is_none() => {
                let size = access.size(self.program.data_model);
                let overlap = places.windows(2).any(|pair| pair[0].0 + size > pair[1].0);
                if overlap {
                    return None;
                }
                let value = self.value(&state, value).ok()?;
                for (place, is_it) in places {
                    let before = self.load(&mut state, instance, place, access).ok()?;
                    let after = self.either(is_it, access.ty, &value, &before)?;
                    self.store(&mut state, instance, place, access, &after)
                        .ok()?;
                }
            }
            _ => return None,
        }
        Some(state)
    }
}
