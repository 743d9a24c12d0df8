//! Whether runs end, as a question about what can be reached.
//!
//! Nothing that a run does at some moment shows that it has no end. But two things can be reached or not that say so,
//! for each answer:
//! - *Measures* are numbers that fall, and can't fall for ever, each time a loop is gone through again or a function
//!   calls itself. Where nothing gets to a round that its measure doesn't count, every run ends ([`measures`]).
//! - A *number of rounds* that no run goes beyond says the same ([`rounds`]).
//! - A *state that comes back* goes on to come back, on the same inputs again: a run that gets there has no end
//!   ([`repeats`]).
//!
//! The programs that ask for them are ordinary ones, so what is known of their targets is found, proved and replayed as
//! everything else is. Which measures are asked for is somebody's guess: a bad one is a target that is reached.

mod cells;
mod live;
mod measures;
mod repeats;
mod rounds;
mod watched;

pub use watched::{WatchPoint, WatchedPlace, watched};

use std::fmt;
use std::str::FromStr;

use crate::ids::{FuncId, ObjectId, VarId};
use crate::types::IntType;

/// What is asked about runs without an end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// Whether there are any. It takes one of the other questions to know.
    Asked,
    /// Whether these measures fall: if so, there are none.
    Measured(Vec<Measure>),
    /// The same where signed overflow wraps around, so that no run ends in one.
    MeasuredWrapping(Vec<Measure>),
    /// Whether any goes through loops, or calls functions by themselves, more often than this: if not, there are none.
    Counted(u64),
    /// Whether a state comes back: if so, there is one.
    Repeated,
}

/// What shows that a run has no end, or that nothing is known of that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Endless {
    /// A round of a loop, or a call of a function by itself, that its measure doesn't count.
    Uncounted,
    /// A state that was there before.
    Repeated,
}

impl Endless {
    /// What it is, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Endless::Uncounted => "a round without a known end",
            Endless::Repeated => "a run without an end",
        }
    }
}

/// Numbers that fall from round to round: with each one, one of them becomes less, and none before it becomes more. That
/// can't go on for ever: of those that fall again and again take the first; from some round on nothing makes it more.
/// Each is a number of so many bits, so there is a least one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The function.
    pub function: FuncId,
    /// What of it is measured.
    pub place: MeasuredPlace,
    /// The numbers.
    pub parts: Vec<Sum>,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MeasuredPlace {
    /// Rounds of a loop: its number among the heads of the function's loops, outer ones before inner ones.
    Loop(usize),
    /// Calls of the function by itself, directly or not.
    Entry,
}

/// A number plus multiples of what is there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    /// The number.
    pub constant: i64,
    /// Factors, and of what.
    pub parts: Vec<(i64, Term)>,
}

/// Something that has a value at a location.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A variable of integer type; alone in a sum, with the factor 1 or -1, also a pointer, which has an address.
    Var(VarId),
    /// An integer where a pointer variable points to. That nothing can be read there is a target.
    At(VarId, IntType),
    /// An integer at the beginning of an object, which has to be alive.
    In(ObjectId, IntType),
}

impl Ending {
    /// The words of the command line; measures are for certificates.
    const ASKED: &'static str = "termination";
    const REPEATED: &'static str = "repeats";
    const MEASURED: &'static str = "measures:";
    const WRAPPING: &'static str = "wrapping-measures:";
    const COUNTED: &'static str = "rounds:";

    /// What a word asks for.
    pub(super) fn parse(word: &str) -> Option<Result<Ending, String>> {
        Some(match word {
            Self::ASKED => Ok(Ending::Asked),
            Self::REPEATED => Ok(Ending::Repeated),
            _ if word.starts_with(Self::COUNTED) => {
                let number = &word[Self::COUNTED.len()..];
                let number = number.parse().map(Ending::Counted);
                number.map_err(|_| format!("`{word}` has no number of rounds"))
            }
            _ => {
                let (text, ending): (_, fn(Vec<Measure>) -> Ending) =
                    match word.strip_prefix(Self::WRAPPING) {
                        Some(text) => (text, Ending::MeasuredWrapping),
                        None => (word.strip_prefix(Self::MEASURED)?, Ending::Measured),
                    };
                let measures = text.split(';').filter(|text| !text.is_empty());
                let measures: Result<Vec<Measure>, String> = measures.map(str::parse).collect();
                measures.map(ending)
            }
        })
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Asked => f.write_str(Ending::ASKED),
            Ending::Repeated => f.write_str(Ending::REPEATED),
            Ending::Counted(most) => write!(f, "{}{most}", Ending::COUNTED),
            Ending::Measured(measures) | Ending::MeasuredWrapping(measures) => {
                f.write_str(match self {
                    Ending::MeasuredWrapping(_) => Ending::WRAPPING,
                    _ => Ending::MEASURED,
                })?;
                for (number, measure) in measures.iter().enumerate() {
                    let between = if number == 0 { "" } else { ";" };
                    write!(f, "{between}{measure}")?;
                }
                Ok(())
            }
        }
    }
}

/// `5` is variable 5, `5:i32` what it points to, `o5:u8` what is in object 5.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, int) = match self {
            Term::Var(var) => return write!(f, "{}", var.index()),
            Term::At(var, int) => (var.index().to_string(), int),
            Term::In(object, int) => (format!("o{}", object.index()), int),
        };
        let sign = if int.signed { 'i' } else { 'u' };
        write!(f, "{place}:{sign}{}", int.width)
    }
}

impl FromStr for Term {
    type Err = ();

    fn from_str(text: &str) -> Result<Term, ()> {
        let number = |text: &str| text.parse::<u32>().map_err(drop);
        let Some((place, ty)) = text.split_once(':') else {
            return Ok(Term::Var(VarId::from_raw(number(text)?)));
        };
        let sign: fn(u16) -> IntType = match ty.get(..1) {
            Some("i") => IntType::signed,
            Some("u") => IntType::unsigned,
            _ => return Err(()),
        };
        let width = match number(&ty[1..])? {
            width @ (8 | 16 | 32 | 64) => width as u16,
            _ => return Err(()),
        };
        Ok(match place.strip_prefix('o') {
            Some(object) => Term::In(ObjectId::from_raw(number(object)?), sign(width)),
            None => Term::At(VarId::from_raw(number(place)?), sign(width)),
        })
    }
}

/// `3.0=1*5+-1*7+2|1*9+0`: function 3, its first loop, variable 5 less variable 7 plus 2, and then variable 9.
impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.", self.function.index())?;
        match self.place {
            MeasuredPlace::Loop(number) => write!(f, "{number}=")?,
            MeasuredPlace::Entry => f.write_str("entry=")?,
        }
        for (number, sum) in self.parts.iter().enumerate() {
            f.write_str(if number == 0 { "" } else { "|" })?;
            for (factor, term) in &sum.parts {
                write!(f, "{factor}*{term}+")?;
            }
            write!(f, "{}", sum.constant)?;
        }
        Ok(())
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Measure, String> {
        let bad = || format!("`{text}` is no measure");
        let number = |text: &str| text.parse::<u32>().map_err(|_| bad());
        let (place, sums) = text.split_once('=').ok_or_else(bad)?;
        let (function, place) = place.split_once('.').ok_or_else(bad)?;
        let place = match place {
            "entry" => MeasuredPlace::Entry,
            _ => MeasuredPlace::Loop(number(place)? as usize),
        };
        let sum = |text: &str| -> Result<Sum, String> {
            let mut sum = Sum {
                constant: 0,
                parts: Vec::new(),
            };
            for part in text.split('+') {
                match part.split_once('*') {
                    None => sum.constant = part.parse().map_err(|_| bad())?,
                    Some((factor, term)) => {
                        let factor = factor.parse().map_err(|_| bad())?;
                        sum.parts.push((factor, term.parse().map_err(|()| bad())?));
                    }
                }
            }
            Ok(sum)
        };
        let sums = sums.split('|').filter(|sum| !sum.is_empty());
        Ok(Measure {
            function: FuncId::from_raw(number(function)?),
            place,
            parts: sums.map(sum).collect::<Result<Vec<Sum>, String>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_can_be_read_back() {
        for text in [
            "measures:3.0=1*5+-1*7+2|1*9+0;4.entry=-3;5.1=",
            "wrapping-measures:3.0=1*5:i32+-1*o7:u8+2",
        ] {
            let Some(Ok(ending)) = Ending::parse(text) else {
                panic!("it can't be read: {text}");
            };
            assert_eq!(ending.to_string(), text);
        }
        for bad in [
            "measures:3",
            "measures:3.x=1",
            "measures:3.0=1*+2",
            "measures:3.0=1*-2",
            "measures:3.0=1*5:x8+1",
            "measures:3.0=1*5:i7+1",
        ] {
            assert!(matches!(Ending::parse(bad), Some(Err(_))), "{bad}");
        }
        assert!(Ending::parse("overflow").is_none());
    }
}
