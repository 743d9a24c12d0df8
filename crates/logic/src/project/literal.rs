//! Literals of a system: what a row is compared with.

use crate::num::{Int, ceil_div, floor_mod, gcd};

use super::row::{Dim, Row};

/// A linear literal over the dimensions of a system.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Literal {
    /// The row is at most zero.
    AtMost(Row),
    /// The row is zero.
    Zero(Row),
    /// The row is not zero.
    NonZero(Row),
    /// The integer, at least 2, divides the row.
    Divides(Int, Row),
    /// The integer, at least 2, doesn't divide the row.
    NotDivides(Int, Row),
}

/// The literal that always holds, or never.
fn constant(value: bool) -> Literal {
    Literal::AtMost(Row::constant(if value { Int::ZERO } else { Int::ONE }))
}

impl Literal {
    /// The row that it speaks of.
    pub(super) fn row(&self) -> &Row {
        match self {
            Literal::AtMost(row)
            | Literal::Zero(row)
            | Literal::NonZero(row)
            | Literal::Divides(_, row)
            | Literal::NotDivides(_, row) => row,
        }
    }

    /// Whether a dimension occurs in it.
    pub(super) fn mentions(&self, dim: Dim) -> bool {
        self.row().coefficient(dim).is_some()
    }

    /// Whether it holds for a value of its row.
    fn accepts(&self, value: &Int) -> bool {
        match self {
            Literal::AtMost(_) => *value <= Int::ZERO,
            Literal::Zero(_) => value.is_zero(),
            Literal::NonZero(_) => !value.is_zero(),
            Literal::Divides(by, _) => floor_mod(value, by).is_zero(),
            Literal::NotDivides(by, _) => !floor_mod(value, by).is_zero(),
        }
    }

    /// Whether it holds at a point.
    pub(super) fn holds(&self, point: &[Int]) -> bool {
        self.accepts(&self.row().value(point))
    }

    /// The truth value that it has everywhere, if that can be seen from its form.
    pub(super) fn as_bool(&self) -> Option<bool> {
        self.row()
            .parts
            .is_empty()
            .then(|| self.accepts(&self.row().constant))
    }

    /// The same literal in normal form: coprime coefficients, the constant rounded to what integers can reach, congruences reduced.
    pub(super) fn normal(self) -> Literal {
        if let Some(value) = self.as_bool() {
            return constant(value);
        }
        let content = self.row().content();
        match self {
            Literal::AtMost(mut row) => {
                row.divided(&content, |c| ceil_div(c, &content));
                Literal::AtMost(row)
            }
            Literal::Zero(_) | Literal::NonZero(_)
                if !floor_mod(&self.row().constant, &content).is_zero() =>
            {
                constant(matches!(self, Literal::NonZero(_)))
            }
            Literal::Zero(row) => Literal::Zero(primitive(row, content)),
            Literal::NonZero(row) => Literal::NonZero(primitive(row, content)),
            Literal::Divides(by, row) => match reduced(by, row) {
                Ok((by, row)) => Literal::Divides(by, row),
                Err(value) => constant(value),
            },
            Literal::NotDivides(by, row) => match reduced(by, row) {
                Ok((by, row)) => Literal::NotDivides(by, row),
                Err(value) => constant(!value),
            },
        }
    }
}

/// Coprime coefficients, the first one positive.
fn primitive(mut row: Row, content: Int) -> Row {
    let negative = row.parts.first().is_some_and(|part| part.1 < Int::ZERO);
    let by = if negative { -content } else { content };
    row.divided(&by, |c| c / &by);
    row
}

/// A congruence with coefficients below its modulus and nothing in common with it; or its truth value.
fn reduced(by: Int, mut row: Row) -> Result<(Int, Row), bool> {
    for part in &mut row.parts {
        part.1 = floor_mod(&part.1, &by);
    }
    row.parts.retain(|part| !part.1.is_zero());
    row.constant = floor_mod(&row.constant, &by);
    let common = gcd(&row.content(), &by);
    if !floor_mod(&row.constant, &common).is_zero() {
        return Err(false);
    }
    let by = by / &common;
    if by <= Int::ONE {
        return Err(true);
    }
    row.divided(&common, |c| c / &common);
    // Of s and -s the one with the smaller first coefficient.
    if row
        .parts
        .first()
        .is_some_and(|part| &part.1 * Int::from(2) > by)
    {
        row = row.times(&Int::NEG_ONE);
        for part in &mut row.parts {
            part.1 = floor_mod(&part.1, &by);
        }
        row.constant = floor_mod(&row.constant, &by);
    }
    Ok((by, row))
}
