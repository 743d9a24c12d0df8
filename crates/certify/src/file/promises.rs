//! Promises between threads, in files.

use rhumb_program::{
    BinOp, Fact, FactSide, IntType, ObjectId, Program, Promise, Promises, SharedNumber, alone,
};
use serde::{Deserialize, Serialize};

use super::proof::{ProofFile, ProofFileError};
use crate::proof::Proof;

/// A proof about one thread among others that keep promises.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AloneEntry {
    numbers: Vec<NumberEntry>,
    promises: Vec<PromiseEntry>,
    proof: Box<ProofFile>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NumberEntry {
    object: u32,
    offset: u64,
    bits: u16,
    signed: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum PromiseEntry {
    Owned {
        lock: usize,
        held: i128,
        number: usize,
    },
    Grows {
        number: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unless: Option<FactEntry>,
    },
    Falls {
        number: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unless: Option<FactEntry>,
    },
    Stays(Vec<FactEntry>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactEntry {
    left: SideEntry,
    is: Comparison,
    right: SideEntry,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Comparison {
    #[serde(rename = "==")]
    Equal,
    #[serde(rename = "!=")]
    NotEqual,
    #[serde(rename = "<")]
    Less,
    #[serde(rename = "<=")]
    LessOrEqual,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum SideEntry {
    Constant(i128),
    Number(usize),
}

impl AloneEntry {
    /// What a file says of a proof about a program.
    pub(super) fn new(
        program: &Program,
        promises: &Promises,
        proof: &Proof,
    ) -> Result<AloneEntry, ProofFileError> {
        let thread = alone(program, promises).map_err(|_| ProofFileError::NoPromises)?;
        let number = |number: &SharedNumber| NumberEntry {
            object: number.object.raw(),
            offset: number.offset,
            bits: number.int.width,
            signed: number.int.signed,
        };
        let promise = |promise: &Promise| match promise {
            &Promise::Owned { lock, held, number } => PromiseEntry::Owned { lock, held, number },
            Promise::Grows { number, unless } => PromiseEntry::Grows {
                number: *number,
                unless: unless.as_ref().map(FactEntry::new),
            },
            Promise::Falls { number, unless } => PromiseEntry::Falls {
                number: *number,
                unless: unless.as_ref().map(FactEntry::new),
            },
            Promise::Stays(facts) => {
                PromiseEntry::Stays(facts.iter().map(FactEntry::new).collect())
            }
        };
        Ok(AloneEntry {
            numbers: promises.numbers.iter().map(number).collect(),
            promises: promises.promises.iter().map(promise).collect(),
            proof: Box::new(ProofFile::new(&thread, proof)?),
        })
    }

    /// The promises, and the proof.
    pub(super) fn read(&self, program: &Program) -> Result<(Promises, Proof), ProofFileError> {
        let number = |entry: &NumberEntry| SharedNumber {
            object: ObjectId::from_raw(entry.object),
            offset: entry.offset,
            int: match entry.signed {
                true => IntType::signed(entry.bits),
                false => IntType::unsigned(entry.bits),
            },
        };
        let promise = |entry: &PromiseEntry| match entry {
            &PromiseEntry::Owned { lock, held, number } => Promise::Owned { lock, held, number },
            PromiseEntry::Grows { number, unless } => Promise::Grows {
                number: *number,
                unless: unless.as_ref().map(FactEntry::fact),
            },
            PromiseEntry::Falls { number, unless } => Promise::Falls {
                number: *number,
                unless: unless.as_ref().map(FactEntry::fact),
            },
            PromiseEntry::Stays(facts) => {
                Promise::Stays(facts.iter().map(FactEntry::fact).collect())
            }
        };
        let has_sizes = (self.numbers.iter()).all(|number| matches!(number.bits, 8 | 16 | 32 | 64));
        if !has_sizes {
            return Err(ProofFileError::NoPromises);
        }
        let promises = Promises {
            numbers: self.numbers.iter().map(number).collect(),
            promises: self.promises.iter().map(promise).collect(),
        };
        let thread = alone(program, &promises).map_err(|_| ProofFileError::NoPromises)?;
        let proof = self.proof.proof(&thread)?;
        Ok((promises, proof))
    }
}

impl FactEntry {
    fn new(fact: &Fact) -> FactEntry {
        let side = |side| match side {
            FactSide::Constant(value) => SideEntry::Constant(value),
            FactSide::Number(number) => SideEntry::Number(number),
        };
        FactEntry {
            left: side(fact.left),
            is: match fact.op {
                BinOp::Eq => Comparison::Equal,
                BinOp::Ne => Comparison::NotEqual,
                BinOp::Lt => Comparison::Less,
                _ => Comparison::LessOrEqual,
            },
            right: side(fact.right),
        }
    }

    fn fact(&self) -> Fact {
        let side = |side: &SideEntry| match *side {
            SideEntry::Constant(value) => FactSide::Constant(value),
            SideEntry::Number(number) => FactSide::Number(number),
        };
        Fact {
            left: side(&self.left),
            op: match self.is {
                Comparison::Equal => BinOp::Eq,
                Comparison::NotEqual => BinOp::Ne,
                Comparison::Less => BinOp::Lt,
                Comparison::LessOrEqual => BinOp::Le,
            },
            right: side(&self.right),
        }
    }
}
