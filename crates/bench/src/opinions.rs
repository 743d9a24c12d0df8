//! Second opinions on proofs, counted.

use std::fmt;

use crate::results::Row;

/// Of a hundred second opinions so many may be none.
const UNDECIDED: usize = 5;

/// What the second opinions of a measurement came to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Opinions {
    /// Proofs that hold.
    pub(crate) for_it: usize,
    /// Proofs that don't.
    pub(crate) against: usize,
    /// Not known, or not to be had.
    pub(crate) none: usize,
}

impl Opinions {
    pub(crate) fn of(rows: &[Row]) -> Opinions {
        let mut opinions = Opinions::default();
        for row in rows.iter().filter(|row| !row.second.is_empty()) {
            let count = match &*row.second {
                "valid" => &mut opinions.for_it,
                second if second.starts_with("rejected") => &mut opinions.against,
                _ => &mut opinions.none,
            };
            *count += 1;
        }
        opinions
    }

    fn all(self) -> usize {
        self.for_it + self.against + self.none
    }

    pub(crate) fn are_too_few(self) -> bool {
        self.none * 100 > UNDECIDED * self.all()
    }
}

impl fmt::Display for Opinions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Second opinions on {} proofs: {} hold, {} do not, {} undecided",
            self.all(),
            self.for_it,
            self.against,
            self.none
        )?;
        if self.are_too_few() {
            write!(f, " (MORE THAN {UNDECIDED} %)")?;
        }
        write!(f, "\n\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::row;
    use crate::verdict::{Status, Verdict};

    fn rows(opinions: &[(&str, usize)]) -> Vec<Row> {
        let each = opinions.iter();
        let each = each.flat_map(|(opinion, count)| std::iter::repeat_n(*opinion, *count));
        each.map(|opinion| {
            let mut row = row("s/a.yml", "gps", Verdict::Safe, Status::Correct, 1.0);
            row.second = opinion.to_owned();
            row
        })
        .collect()
    }

    #[test]
    fn opinions_are_counted() {
        let opinions = Opinions::of(&rows(&[("", 3), ("valid", 19), ("undecided: timeout", 1)]));
        assert_eq!(
            (opinions.for_it, opinions.against, opinions.none),
            (19, 0, 1)
        );
        assert!(!opinions.are_too_few());
        assert_eq!(
            opinions.to_string(),
            "Second opinions on 20 proofs: 19 hold, 0 do not, 1 undecided\n\n"
        );
        let fewer = Opinions::of(&rows(&[
            ("valid", 18),
            ("not available: no way to validate", 1),
        ]));
        assert!(fewer.are_too_few() && fewer.to_string().contains("MORE THAN 5 %"));
        let against = Opinions::of(&rows(&[("rejected: it is not true", 1)]));
        assert_eq!((against.against, against.are_too_few()), (1, false));
        assert!(!Opinions::of(&[]).are_too_few());
    }
}
