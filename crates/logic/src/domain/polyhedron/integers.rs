//! What is known in addition when all coordinates are integers.

use super::{Pending, Polyhedron, to_additions};
use crate::domain::{Constraint, DomainLimits, TooLarge};

impl Polyhedron {
    /// A polyhedron with the same integer points, and perhaps fewer others: each constraint is moved inwards until its
    /// boundary can contain an integer point. New boundaries make new constraints, so this is repeated, at most
    /// once per dimension: a full integer hull may need exponentially many.
    pub fn tightened_to_integers(&self, limits: &DomainLimits) -> Result<Self, TooLarge> {
        let mut result = self.clone();
        for _ in 0..=self.dimensions {
            let constraints = result.constraints(limits)?;
            let tightened: Vec<Constraint> =
                constraints.iter().map(Constraint::tightened).collect();
            if tightened == constraints {
                break;
            }
            result = Polyhedron {
                pending: Pending::Constraints(to_additions(self.dimensions, tightened)),
                ..Self::universe(self.dimensions)
            };
        }
        Ok(result)
    }
}
