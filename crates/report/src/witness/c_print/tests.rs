//! What is printed means the same in C.

use rhumb_cfront::{Options, compile_text};
use rhumb_logic::{Assignment, Sort, Value, eval};

use super::*;
use crate::witness::hook::{Hook, understand};

const TEXT: &str = "int main(void) { int x; unsigned u; signed char c; unsigned char b; long l; unsigned long w; _Bool t; for (;;) ; }";

/// The variables of the text and their ranges.
const VARIABLES: [(&str, IntType); 7] = [
    ("x", IntType::signed(32)),
    ("u", IntType::unsigned(32)),
    ("c", IntType::signed(8)),
    ("b", IntType::unsigned(8)),
    ("l", IntType::signed(64)),
    ("w", IntType::unsigned(64)),
    ("t", IntType::unsigned(1)),
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        (rhumb_random::next(&mut self.0) >> 33) % limit
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize].clone()
    }

    fn constant(&mut self) -> Int {
        let small = Int::from(self.below(20) as i64 - 10);
        let wide = self.pick(&[1i64 << 31, i64::MAX, 1 << 32, 255, -128]);
        let offset = Int::from(self.below(3) as i64 - 1);
        match self.below(4) {
            0 => Int::from(wide) + offset,
            _ => small,
        }
    }

    fn number(&mut self, terms: &Terms, symbols: &[Symbol], depth: u32) -> Term {
        let leaf = terms.var(self.pick(symbols));
        if depth == 0 {
            return leaf;
        }
        let part = |random: &mut Random| random.number(terms, symbols, depth - 1);
        match self.below(7) {
            0 => terms.int(self.constant()),
            1 => {
                let (a, b) = (part(self), part(self));
                terms.add(terms.scale(self.constant(), a), b)
            }
            2 => terms.sub(part(self), part(self)),
            3 => terms.div(part(self), self.below(6) as i64 + 2),
            4 => terms.modulo(part(self), self.below(6) as i64 + 2),
            5 => {
                let condition = self.formula(terms, symbols, depth - 1);
                terms.ite(condition, leaf, self.number(terms, symbols, depth - 1))
            }
            _ => leaf,
        }
    }

    fn formula(&mut self, terms: &Terms, symbols: &[Symbol], depth: u32) -> Term {
        let smaller = depth.saturating_sub(1);
        let (a, b) = (
            self.number(terms, symbols, smaller),
            self.number(terms, symbols, smaller),
        );
        match self.below(8) {
            0 => terms.eq(a, b),
            1 => terms.lt(a, b),
            2 => terms.congruent(a, self.below(5) as i64 + 2, self.below(5) as i64),
            3 if depth > 0 => terms.not(self.formula(terms, symbols, smaller)),
            4 if depth > 0 => {
                let other = self.formula(terms, symbols, smaller);
                terms.or([self.formula(terms, symbols, smaller), other])
            }
            5 if depth > 0 => {
                let other = self.formula(terms, symbols, smaller);
                terms.iff(self.formula(terms, symbols, smaller), other)
            }
            _ => terms.le(a, b),
        }
    }

    fn value(&mut self, ty: IntType) -> Int {
        let (low, high) = int_range(ty);
        match self.below(4) {
            0 => low + Int::from(self.below(2)),
            1 => high - Int::from(self.below(2)),
            2 => Int::from(self.below(1 << ty.width.min(16)) as i64).min(high),
            _ => (Int::from(self.below(20) as i64 - 10)).max(low).min(high),
        }
    }
}

/// Random formulas are printed, read again by the front end under C's semantics, and compared on random values and at the ends of ranges.
#[test]
fn what_is_printed_means_the_same_in_c() {
    let program = compile_text("a.c", TEXT, &Options::default()).unwrap();
    let terms = Terms::new();
    let symbols: Vec<Symbol> = VARIABLES
        .iter()
        .map(|(name, _)| terms.symbol(*name, Sort::Int))
        .collect();
    let variable = |symbol: Symbol| {
        let place = symbols.iter().position(|&other| other == symbol).unwrap();
        let (name, ty) = VARIABLES[place];
        Ok(CVariable {
            name: name.to_owned(),
            ty: if name == "t" {
                Type::Bool
            } else {
                Type::Int(ty)
            },
        })
    };
    let printer = Printer {
        terms: &terms,
        variable: &variable,
    };
    let mut random = Random(7);
    let formulas: Vec<Term> = (0..600)
        .map(|_| random.formula(&terms, &symbols, 3))
        .collect();
    let printed: Vec<(Term, String)> = formulas
        .iter()
        .filter_map(|&formula| Some((formula, printer.formula(formula).ok()?)))
        .collect();
    // All but those with results beyond 128 bits.
    assert!(printed.len() > 500, "{}", printed.len());
    let at = TEXT.find("for").unwrap() as u32;
    let hooks: Vec<Hook<'_>> = printed
        .iter()
        .map(|(_, text)| Hook {
            text,
            open: at,
            close: None,
        })
        .collect();
    let meanings = understand(
        &program,
        TEXT.as_bytes(),
        &Options::default(),
        &terms,
        &hooks,
    );
    let meanings = meanings.unwrap_or_else(|error| panic!("{}", error.message));
    let (mut compared, mut held) = (0, 0);
    for ((formula, text), meaning) in printed.iter().zip(meanings) {
        let meaning = meaning.expect("reached");
        let again = meaning.formula.expect("no memory");
        for _ in 0..60 {
            let mut here = Assignment::default();
            let mut there = Assignment::default();
            for (&symbol, (name, ty)) in symbols.iter().zip(VARIABLES) {
                let value = Value::Int(random.value(ty));
                here.insert(symbol, value.clone());
                let named = meaning
                    .variables
                    .iter()
                    .find(|(_, var)| &*program.vars[*var].decl.name == name);
                if let Some((symbol, _)) = named {
                    there.insert(*symbol, value);
                }
            }
            let expected = eval::evaluate(&terms, *formula, &here);
            assert_eq!(
                eval::evaluate(&terms, again, &there),
                expected,
                "{text} {here:?}"
            );
            compared += 1;
            held += usize::from(expected == Some(Value::Bool(true)));
        }
    }
    assert!(
        held > compared / 10 && held < compared * 9 / 10,
        "{held} of {compared}"
    );
}

#[test]
fn simple_formulas_look_simple() {
    let terms = Terms::new();
    let (x, y) = (terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int));
    let variable = |symbol: Symbol| {
        Ok(CVariable {
            name: if symbol == x { "x" } else { "y" }.to_owned(),
            ty: Type::Int(IntType::INT),
        })
    };
    let printer = Printer {
        terms: &terms,
        variable: &variable,
    };
    let (x, y) = (terms.var(x), terms.var(y));
    let show = |formula: Term| printer.formula(formula).unwrap();
    assert_eq!(show(terms.le(x, terms.int(10))), "x <= 10");
    assert_eq!(show(terms.lt(x, y)), "x < y");
    assert_eq!(show(terms.eq(x, y)), "x == y");
    assert_eq!(
        show(terms.le(terms.add(x, y), terms.int(10))),
        "(long long)x + (long long)y <= 10"
    );
    assert_eq!(show(terms.divides(3, x)), "(x) % 3 == 0");
    assert_eq!(
        show(terms.eq(terms.modulo(x, 3), terms.int(2))),
        printer.formula(terms.congruent(x, 3, 2)).unwrap()
    );
}
