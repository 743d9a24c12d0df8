//! Inputs that follow a violation witness.

use rhumb_program::interp::{InputSource, KeyedInputs, input_value};
use rhumb_program::{FloatType, InputSiteId, Type};

/// A result that a call of an input function is to have.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Wanted {
    /// The calls that it may be about.
    pub(super) sites: Vec<InputSiteId>,
    pub(super) operator: Operator,
    pub(super) value: Number,
}

/// A number that a tool wrote down.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

/// How a result is compared with the number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Operator {
    const ALL: [(&'static str, Operator); 6] = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::AtMost),
        (">=", Operator::AtLeast),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];

    /// The operator with its sides exchanged.
    fn mirrored(self) -> Operator {
        match self {
            Operator::Less => Operator::Greater,
            Operator::AtMost => Operator::AtLeast,
            Operator::Greater => Operator::Less,
            Operator::AtLeast => Operator::AtMost,
            same => same,
        }
    }

    fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::AtMost => order.is_le(),
            Operator::Greater => order.is_gt(),
            Operator::AtLeast => order.is_ge(),
        }
    }
}

/// Reads `\result == 5` and the like.
pub(super) fn read_result(text: &str) -> Option<(Operator, Number)> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    let (name, operator) = Operator::ALL
        .into_iter()
        .find(|named| text.contains(named.0))?;
    let (left, right) = text.split_once(name)?;
    match (left.trim(), right.trim()) {
        ("\\result", number) => Some((operator, read_number(number)?)),
        (number, "\\result") => Some((operator.mirrored(), read_number(number)?)),
        _ => None,
    }
}

/// Reads a constant of C, with a sign and perhaps in parentheses.
pub(super) fn read_number(text: &str) -> Option<Number> {
    let text: String = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '(' | ')'))
        .collect();
    let (text, sign) = match text.strip_prefix('-') {
        Some(rest) => (rest, -1),
        None => (&*text, 1),
    };
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let magnitude = match is_hex {
        true => u128::from_str_radix(&digits[2..], 16).ok(),
        false => digits.parse().ok(),
    };
    if let Some(magnitude) = magnitude {
        let value = i128::try_from(magnitude).unwrap_or(magnitude as i128);
        return Some(Number::Integer(value.wrapping_mul(sign)));
    }
    let float: f64 = text.trim_end_matches(['f', 'F', 'l', 'L']).parse().ok()?;
    Some(Number::Float(float * sign as f64))
}

/// All integers in a text.
pub(super) fn numbers(text: &str) -> Vec<i128> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let words = text.split(|c: char| !is_part(c)).filter_map(read_number);
    let integers = words.filter_map(|number| match number {
        Number::Integer(value) => Some(value),
        Number::Float(_) => None,
    });
    integers.collect()
}

impl Wanted {
    /// A value that satisfies it.
    fn value(&self, ty: Type) -> u128 {
        let number = match (self.operator, self.value) {
            (Operator::Less, Number::Integer(value)) => Number::Integer(value.wrapping_sub(1)),
            (Operator::Greater | Operator::NotEqual, Number::Integer(value)) => {
                Number::Integer(value.wrapping_add(1))
            }
            (_, number) => number,
        };
        match (number, ty) {
            (Number::Integer(value), Type::Float(float)) => float_bits(value as f64, float),
            (Number::Float(value), Type::Float(float)) => float_bits(value, float),
            (Number::Integer(value), _) => value as u128,
            (Number::Float(value), _) => value as i128 as u128,
        }
    }

    /// Whether a value satisfies it; a float is taken as it is.
    pub(super) fn holds(&self, ty: Type, bits: u128) -> bool {
        match (ty, self.value) {
            (Type::Int(int), Number::Integer(value)) => {
                // Tools write values of unsigned types as either kind of number.
                let given = int.extend(bits);
                self.operator.holds(given.cmp(&value))
                    || self.operator == Operator::Equal && int.wrap(value as u128) == bits
            }
            (Type::Bool, Number::Integer(value)) => self.operator.holds((bits as i128).cmp(&value)),
            _ => self.operator == Operator::Equal && self.value(ty) == bits,
        }
    }
}

fn float_bits(value: f64, ty: FloatType) -> u128 {
    match ty {
        FloatType::F32 => u128::from((value as f32).to_bits()),
        // Wider formats are not written by anybody so far.
        _ => u128::from(value.to_bits()),
    }
}

/// Gives the wanted results in their order, and other values from elsewhere.
pub(super) struct Follower<'a> {
    pub(super) wanted: &'a [Wanted],
    /// How many of them were given.
    pub(super) passed: usize,
    /// What is given where nothing is wanted, by the number of the event.
    pub(super) other: &'a mut dyn FnMut(usize) -> i128,
    /// How often that happened.
    pub(super) others: usize,
    /// All that was given.
    pub(super) given: KeyedInputs,
}

impl Follower<'_> {
    fn choose(&mut self, site: InputSiteId, ty: Type) -> u128 {
        if let Some(next) = self.wanted.get(self.passed)
            && next.sites.contains(&site)
        {
            self.passed += 1;
            return next.value(ty);
        }
        let value = (self.other)(self.others);
        self.others += 1;
        match ty {
            Type::Float(float) => float_bits(value as f64, float),
            Type::Ptr => 0,
            _ => value as u128,
        }
    }
}

impl InputSource for Follower<'_> {
    fn value(&mut self, site: InputSiteId, _occurrence: u64, ty: Type) -> u128 {
        let bits = input_value(ty, self.choose(site, ty));
        self.given.push_value(site, bits, 1);
        bits
    }

    fn bytes(&mut self, site: InputSiteId, _occurrence: u64, out: &mut [u8]) {
        // Contents that nobody initialised stay zero.
        self.others += 1;
        self.given.push_bytes(site, out, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read() {
        let equal = |value: i128| Some((Operator::Equal, Number::Integer(value)));
        assert_eq!(read_result("\\result == 5"), equal(5));
        assert_eq!(read_result("(\\result==-7)"), equal(-7));
        assert_eq!(read_result("0x10u == \\result"), equal(16));
        assert_eq!(read_result("\\result == 4294967295U"), equal(4294967295));
        let less = Some((Operator::Greater, Number::Integer(3)));
        assert_eq!(read_result("3 < \\result"), less);
        let half = Some((Operator::Equal, Number::Float(-0.5)));
        assert_eq!(read_result("\\result == -0.5"), half);
        assert_eq!(read_result("x == 5"), None);
        assert_eq!(read_result("\\result"), None);
        assert_eq!(read_result("\\result == 0x"), None);
        assert_eq!(read_result(""), None);
    }

    #[test]
    fn numbers_are_found_in_expressions() {
        assert_eq!(
            numbers("x == 1024 && y >= -3 || a1 == 0x1f"),
            [1024, -3, 31]
        );
    }
}
