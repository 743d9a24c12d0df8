//! Input vectors, run-length coded.

use std::fmt;
use std::str::FromStr;

/// The values a program reads, in the order in which it reads them.
///
/// The text form separates values by commas and repeats with `*`: `100,1*30,0*10`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Value and how often it comes; neighbours differ and no count is 0.
    runs: Vec<(i64, u64)>,
}

impl Inputs {
    /// No inputs at all.
    pub fn new() -> Inputs {
        Inputs::default()
    }

    /// These inputs, followed by `value` once.
    pub fn then(self, value: i64) -> Inputs {
        self.repeat(value, 1)
    }

    /// These inputs, followed by `value` as often as `count` says.
    pub fn repeat(mut self, value: i64, count: u64) -> Inputs {
        match self.runs.last_mut() {
            _ if count == 0 => {}
            Some((last, times)) if *last == value => *times += count,
            _ => self.runs.push((value, count)),
        }
        self
    }

    /// The runs: a value and how often it comes.
    pub fn runs(&self) -> &[(i64, u64)] {
        &self.runs
    }

    /// How many values there are.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|&(_, count)| count).sum()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

impl FromIterator<i64> for Inputs {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Inputs {
        values.into_iter().fold(Inputs::new(), Inputs::then)
    }
}

impl<const N: usize> From<[i64; N]> for Inputs {
    fn from(values: [i64; N]) -> Inputs {
        values.into_iter().collect()
    }
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (value, count)) in self.runs.iter().enumerate() {
            if position > 0 {
                f.write_str(",")?;
            }
            write!(f, "{value}")?;
            if *count > 1 {
                write!(f, "*{count}")?;
            }
        }
        Ok(())
    }
}

/// A size as an input value. All sizes of our families are far below the limit.
pub(crate) fn value(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// A text that is no input vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is neither a number nor `number*count`")]
pub struct InputsError(String);

impl FromStr for Inputs {
    type Err = InputsError;

    fn from_str(text: &str) -> Result<Inputs, InputsError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Inputs::new());
        }
        let mut inputs = Inputs::new();
        for item in text.split(',') {
            let wrong = || InputsError(item.trim().to_owned());
            let (value, count) = match item.split_once('*') {
                Some((value, count)) => (value, count.trim().parse().map_err(|_| wrong())?),
                None => (item, 1),
            };
            inputs = inputs.repeat(value.trim().parse().map_err(|_| wrong())?, count);
        }
        Ok(inputs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let inputs = Inputs::new()
            .then(100)
            .repeat(1, 30)
            .repeat(-2, 0)
            .then(1)
            .then(-7);
        assert_eq!(inputs.to_string(), "100,1*31,-7");
        assert_eq!(inputs.to_string().parse(), Ok(inputs.clone()));
        assert_eq!(inputs.len(), 33);
        assert_eq!("".parse(), Ok(Inputs::new()));
        assert_eq!(" 3 , 4 * 2\n".parse(), Ok(Inputs::from([3, 4, 4])));
    }

    #[test]
    fn wrong_texts_are_named() {
        for (text, culprit) in [
            ("1,x", "x"),
            ("1,,2", ""),
            ("3*", "3*"),
            ("*3", "*3"),
            ("3*-1", "3*-1"),
        ] {
            assert_eq!(
                text.parse::<Inputs>(),
                Err(InputsError(culprit.to_owned())),
                "{text}"
            );
        }
    }
}
