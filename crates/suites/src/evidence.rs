//! Evidence for a verdict SAFE: what the tests enumerate.

use std::fmt;

use crate::Inputs;

/// Why a safe program is believed to be safe, besides the argument in its first comment.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The same template with small constants: pairs of programs to enumerate.
    pub small: Vec<SmallInstance>,
    /// The inputs to enumerate.
    pub domains: Domains,
    /// Inputs of the program itself that come close to the error and don't reach it.
    pub near_misses: Vec<Inputs>,
}

impl Evidence {
    /// With one small instance, and the same with one change.
    pub(crate) fn of_one(
        [safe, flipped]: [String; 2],
        domains: Domains,
        near_misses: Vec<Inputs>,
    ) -> Evidence {
        Evidence {
            small: vec![SmallInstance { safe, flipped }],
            domains,
            near_misses,
        }
    }
}

/// A small instance of a template and the same with one change that opens the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallInstance {
    /// No inputs from the domains reach the error of this program.
    pub safe: String,
    /// The program with one constant or its final test changed, so that inputs from the domains do reach the error. It shows that the
    /// enumeration sees the places that matter.
    pub flipped: String,
}

/// Which values each input takes in an enumeration.
#[derive(Clone, Debug)]
pub struct Domains {
    /// The domains of the first inputs.
    pub first: Vec<Domain>,
    /// The domains of all further inputs, over and over.
    pub then: Vec<Domain>,
    /// A run ends when it wants more inputs than this.
    ///
    /// A program that loops forever over finitely many states is enumerated in full when this allows as many rounds as it has states.
    pub reads: usize,
}

impl Domains {
    /// Domains for programs that read a fixed number of inputs.
    pub fn fixed(first: impl Into<Vec<Domain>>) -> Domains {
        let first = first.into();
        Domains {
            reads: first.len(),
            first,
            then: Vec::new(),
        }
    }
}

/// The values that one input takes in an enumeration.
#[derive(Clone, Debug)]
pub enum Domain {
    /// All values from the first to the second.
    Range(i64, i64),
    /// These values.
    Values(Vec<i64>),
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Range(low, high) => write!(f, "{low}..{high}"),
            Domain::Values(values) => {
                let texts: Vec<String> = values.iter().map(i64::to_string).collect();
                f.write_str(&texts.join(","))
            }
        }
    }
}
