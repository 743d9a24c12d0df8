//! Whether two runs of a task agree, with second chances for limits.

use super::{OpenTask, Outcome, TaskRun, UbClass};
use crate::subject::Refusal;

/// How long runs may take.
#[derive(Clone, Copy, Debug)]
pub struct SettleLimits {
    /// Basic blocks in gcc's code.
    pub reference_steps: u64,
    /// Steps of the subject.
    pub subject_steps: u64,
    /// A basic block is at most this many steps of the subject, and the other way round. A run that
    /// ended after n is given n times this many in the other measure before it counts as endless.
    pub patience: u64,
}

impl Default for SettleLimits {
    fn default() -> Self {
        Self {
            reference_steps: 1_000_000,
            subject_steps: 2_000_000,
            patience: 100,
        }
    }
}

/// What comparing two runs came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both ended this way (or both reached their limits).
    Same(Outcome),
    /// They can not be compared, with the reason.
    Skipped(String),
    /// They ended differently.
    Different {
        /// How the reference ended.
        reference: Outcome,
        /// How the subject ended.
        subject: Outcome,
    },
}

/// Compares two runs on one input vector; a side that reached its limit although the other one
/// ended is run again for as long as that allows.
///
/// # Errors
/// When a run had to be repeated and failed.
pub fn settle(
    reference: (&dyn OpenTask, TaskRun),
    subject: (&dyn OpenTask, TaskRun),
    inputs: &[i128],
    limits: &SettleLimits,
) -> Result<Agreement, Refusal> {
    let (mut expected, mut actual) = (reference.1, subject.1);
    let again = |task: &dyn OpenTask,
                 other: TaskRun,
                 limit: u64,
                 run: &mut TaskRun|
     -> Result<(), Refusal> {
        let enough = other
            .steps
            .saturating_add(10)
            .saturating_mul(limits.patience);
        if run.outcome == Outcome::StepLimit
            && other.outcome != Outcome::StepLimit
            && enough > limit
        {
            let repeated = task.run(&[inputs.to_vec()], enough)?;
            *run = repeated
                .into_iter()
                .next()
                .ok_or_else(|| Refusal("no result".to_owned()))?;
        }
        Ok(())
    };
    again(reference.0, actual, limits.reference_steps, &mut expected)?;
    again(subject.0, expected, limits.subject_steps, &mut actual)?;
    Ok(agreement(expected.outcome, actual.outcome))
}

fn agreement(reference: Outcome, subject: Outcome) -> Agreement {
    use Outcome::{Crash, UndefinedBehaviour};
    match (reference, subject) {
        (a, b) if a == b => Agreement::Same(a),
        (UndefinedBehaviour(_), UndefinedBehaviour(_)) => Agreement::Same(subject),
        // gcc's code crashes where it is lucky, and otherwise goes on.
        (Crash(_), UndefinedBehaviour(UbClass::Memory | UbClass::Unknown)) => {
            Agreement::Same(subject)
        }
        (_, UndefinedBehaviour(UbClass::Memory)) => {
            Agreement::Skipped("a bad access that compiled code does not notice".to_owned())
        }
        _ => Agreement::Different { reference, subject },
    }
}

#[cfg(test)]
mod tests {
    use super::{Agreement, SettleLimits, settle};
    use crate::outcome::{OpenTask, Outcome, TaskRun, UbClass};
    use crate::subject::Refusal;

    /// A task that exits after a fixed number of steps.
    struct Exits(u64);

    impl OpenTask for Exits {
        fn run(&self, vectors: &[Vec<i128>], step_limit: u64) -> Result<Vec<TaskRun>, Refusal> {
            let outcome = if self.0 <= step_limit {
                Outcome::Exit(0)
            } else {
                Outcome::StepLimit
            };
            Ok(vec![
                TaskRun {
                    outcome,
                    steps: self.0.min(step_limit)
                };
                vectors.len()
            ])
        }
    }

    fn settled(reference_steps: u64, subject_steps: u64) -> Agreement {
        let limits = SettleLimits {
            reference_steps: 1000,
            subject_steps: 1000,
            patience: 10,
        };
        let (reference, subject) = (Exits(reference_steps), Exits(subject_steps));
        let first = |task: &Exits| task.run(&[Vec::new()], 1000).unwrap()[0];
        settle(
            (&reference, first(&reference)),
            (&subject, first(&subject)),
            &[],
            &limits,
        )
        .unwrap()
    }

    #[test]
    fn a_limit_is_raised_when_the_other_side_ended() {
        assert_eq!(settled(10, 20), Agreement::Same(Outcome::Exit(0)));
        assert_eq!(settled(5000, 900), Agreement::Same(Outcome::Exit(0)));
        assert_eq!(settled(900, 5000), Agreement::Same(Outcome::Exit(0)));
        assert_eq!(settled(5000, 5000), Agreement::Same(Outcome::StepLimit));
        let different = Agreement::Different {
            reference: Outcome::Exit(0),
            subject: Outcome::StepLimit,
        };
        assert_eq!(settled(50, 5000), different);
    }

    #[test]
    fn undefined_behaviour_of_memory_may_be_seen_by_the_subject_alone() {
        let agree = |a, b| super::agreement(a, b);
        let memory = Outcome::UndefinedBehaviour(UbClass::Memory);
        let arithmetic = Outcome::UndefinedBehaviour(UbClass::Arithmetic);
        assert!(matches!(
            agree(Outcome::Exit(0), memory),
            Agreement::Skipped(_)
        ));
        assert!(matches!(
            agree(Outcome::Exit(0), arithmetic),
            Agreement::Different { .. }
        ));
        assert!(matches!(
            agree(arithmetic, Outcome::Exit(0)),
            Agreement::Different { .. }
        ));
        assert!(matches!(
            agree(Outcome::Crash(11), memory),
            Agreement::Same(_)
        ));
    }
}
