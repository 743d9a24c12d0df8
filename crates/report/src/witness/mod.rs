//! Witnesses of the competition's format 2.0: evidence that other tools read, and theirs.
//!
//! [`write()`] makes the witness of a verdict: for UNSAFE the results of the input functions in their order, for SAFE the invariants of the
//! proof at the loops of the source text, as C expressions. [`read`] reads a file, and [`validate`] checks it.

mod c_print;
mod correctness;
mod expression;
mod hook;
mod metadata;
mod model;
mod place;
mod read;
mod scope;
mod validate;
mod violation;
mod yaml;

use std::fmt;

use rhumb_logic::{Symbol, Terms};
use rhumb_program::Program;

pub use c_print::Unprintable;
pub(crate) use metadata::utc;
pub use metadata::{About, file_hash};
pub use model::{
    Constraint, Content, Invariant, InvariantKind, Location, Metadata, Producer, Segment, Waypoint,
    WaypointKind, Witness, WitnessTask,
};
pub use read::{BadWitness, MAX_SIZE, read};
pub use validate::{Against, Validation, Validity, validate};
pub use violation::MAX_WAYPOINTS;

use place::Places;
use rhumb_certify::Verdict;
use rhumb_certify::proof::Proof;

/// Something that a witness doesn't say though the evidence does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// Only so many inputs are there; the run has more, or is too long to be executed.
    InputsCut(usize),
    /// So many inputs are no results of calls, or no numbers.
    InputsUnnamed(usize),
    /// A part of an invariant was left out.
    Dropped {
        /// Line of the loop.
        line: Option<u32>,
        /// The part.
        formula: String,
        /// Why.
        why: Unprintable,
    },
    /// So many cut points of the proof are no loops of the source text.
    NoLoopStatement(usize),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::InputsCut(count) => write!(
                f,
                "the run is long: only its first {count} inputs are in the witness"
            ),
            Note::InputsUnnamed(count) => write!(
                f,
                "{count} inputs are not in the witness: no results of calls, or no numbers"
            ),
            Note::Dropped { line, formula, why } => {
                f.write_str("a part of an invariant is not in the witness")?;
                if let Some(line) = line {
                    write!(f, " (loop on line {line})")?;
                }
                write!(f, ": {why}: {formula}")
            }
            Note::NoLoopStatement(count) => write!(
                f,
                "the invariants of {count} places that are no loop statements are not in the witness"
            ),
        }
    }
}

/// The witness of a verdict, and what it doesn't say; none for UNKNOWN, and if the error lies in another file.
pub fn write(
    program: &Program,
    verdict: &Verdict,
    about: &About<'_>,
) -> Option<(Witness, Vec<Note>)> {
    let places = Places::new(program, about.file_name, about.file);
    let (content, notes) = match verdict {
        Verdict::Safe(certified) => {
            let (invariants, notes) = correctness::invariants(&places, certified.evidence());
            (Content::Correctness(invariants), notes)
        }
        Verdict::Unsafe(certified) => {
            let (segments, notes) = violation::segments(&places, certified.evidence())?;
            (Content::Violation(segments), notes)
        }
        Verdict::Unknown(_) => return None,
    };
    let metadata = Metadata::new(program, about, &content);
    Some((Witness { metadata, content }, notes))
}

/// What holds at the loops of a program that a proof is about: the line of each loop, and a C expression.
pub fn loop_invariants(
    program: &Program,
    proof: &Proof,
    file_name: &str,
    file: &[u8],
) -> Vec<(u32, String)> {
    let places = Places::new(program, file_name, file);
    let (invariants, _) = correctness::invariants(&places, proof);
    let loops = invariants.into_iter();
    let loops = loops.filter(|invariant| invariant.kind == InvariantKind::Loop);
    loops
        .map(|invariant| (invariant.location.line, invariant.value))
        .collect()
}

fn display_name(terms: &Terms, symbol: Symbol) -> String {
    terms.symbol_info(symbol).name.to_string()
}
