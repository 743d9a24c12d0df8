//! What all tests with a compiler share.

use rhumb_difftest::gcc::Gcc;
use rhumb_difftest::model::DataModel;

/// gcc, and the data models for which it can build and run programs here. What can not be tested
/// is said, with its number of comparisons.
pub(crate) fn gcc_or_skip(comparisons_per_model: usize) -> Option<(Gcc, Vec<DataModel>)> {
    let gcc = match Gcc::find() {
        Ok(gcc) => gcc,
        Err(error) => {
            println!(
                "skipped {} comparisons: {error}",
                comparisons_per_model * DataModel::ALL.len()
            );
            return None;
        }
    };
    let models = DataModel::ALL
        .into_iter()
        .filter(|model| match gcc.check(*model) {
            Ok(()) => true,
            Err(error) => {
                println!("skipped {comparisons_per_model} comparisons: {error}");
                false
            }
        })
        .collect();
    Some((gcc, models))
}
