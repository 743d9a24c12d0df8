//! Families: templates with a size.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use crate::SuiteTask;

/// A template of programs that differ in one number, the knob.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// What its programs do and when they fail, in a sentence.
    pub description: &'static str,
    /// The class of real programs it stands for.
    pub stands_for: &'static str,
    /// What the size is.
    pub knob: &'static str,
    /// The sizes for which the template makes sense.
    pub sizes: RangeInclusive<u64>,
    /// The sizes that stand in the repository.
    pub shipped: &'static [u64],
    pub(crate) make: fn(u64) -> SuiteTask,
}

/// A size for which a family has no program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{family}: the size must lie between {low} and {high}, not {size}")]
pub struct SizeError {
    family: &'static str,
    size: u64,
    low: u64,
    high: u64,
}

impl Family {
    /// The program of this size.
    pub fn instance(&self, size: u64) -> Result<SuiteTask, SizeError> {
        if self.sizes.contains(&size) {
            Ok((self.make)(size))
        } else {
            let (low, high) = (*self.sizes.start(), *self.sizes.end());
            Err(SizeError {
                family: self.name,
                size,
                low,
                high,
            })
        }
    }

    /// The instances that stand in the repository.
    pub(crate) fn shipped_instances(&self) -> Vec<(SuiteTask, u64)> {
        self.shipped
            .iter()
            .map(|&size| ((self.make)(size), size))
            .collect()
    }
}

/// The text of `family.toml`: what the runner needs to fit how time grows with the size.
pub(crate) fn manifest(
    name: &str,
    description: &str,
    knob: &str,
    instances: &[(SuiteTask, u64)],
) -> String {
    // Our names and descriptions hold neither quotes nor backslashes, so they are TOML strings as they are; `catalogue` tests it.
    let mut text =
        format!("name = \"{name}\"\ndescription = \"{description}\"\nknob = \"{knob}\"\n");
    for (task, size) in instances {
        let _ = write!(
            text,
            "\n[[instance]]\ntask = \"{}\"\nsize = {size}\n",
            task.definition_name()
        );
    }
    text
}
