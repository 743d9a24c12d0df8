//! Formulas of a certificate, as read: operators of SMT-LIB over names.

use dashu_int::IBig;
use rustc_hash::FxHashMap;

use super::sexpr::{Tree, parse};
use super::{Name, Names};

/// Bit-vectors wider than this are not read.
const MAX_WIDTH: u16 = 128;

/// Numbers with more digits than this are not read.
const MAX_DIGITS: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Bool,
    Int,
    Bits(u16),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operator {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
    Add,
    Subtract,
    Multiply,
    Div,
    Mod,
    AtMost,
    Below,
    AtLeast,
    Above,
    Unsigned,
    Signed,
    ToBits(u16),
    Extract(u16, u16),
    ZeroExtend(u16),
    SignExtend(u16),
    Concat,
    BvNeg,
    BvNot,
    BvAdd,
    BvSub,
    BvMul,
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvAnd,
    BvOr,
    BvXor,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Bool(bool),
    Int(IBig),
    Bits(u16, u128),
    Name(Name),
    Apply(Operator, Vec<usize>),
}

/// An expression: its parts, each after those that it is made of.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) parts: Vec<(Part, Sort)>,
    pub(crate) root: usize,
}

impl Expression {
    pub(crate) fn sort(&self) -> Sort {
        self.parts[self.root].1
    }

    pub(crate) fn read(text: &str, names: &Names) -> Result<Expression, String> {
        let trees = parse(text)?;
        let mut reader = Reader {
            trees: &trees,
            names,
            parts: Vec::new(),
            bound: FxHashMap::default(),
            values: Vec::new(),
        };
        let mut todo = vec![ReadStep::Read(trees.len() - 1)];
        while let Some(task) = todo.pop() {
            reader.step(task, &mut todo)?;
        }
        let root = reader.values.pop().ok_or("there is nothing")?;
        Ok(Expression {
            parts: reader.parts,
            root,
        })
    }
}

enum ReadStep {
    Read(usize),
    /// Apply the head of a list to the last values.
    Apply(usize, usize),
    /// Bind the last values to the names of a `let`.
    Bind(usize),
    Unbind(usize),
}

struct Reader<'s, 't> {
    trees: &'s [Tree<'t>],
    names: &'s Names,
    parts: Vec<(Part, Sort)>,
    bound: FxHashMap<&'t str, Vec<usize>>,
    values: Vec<usize>,
}

impl<'t> Reader<'_, 't> {
    fn list(&self, tree: usize) -> &[usize] {
        match &self.trees[tree] {
            Tree::List(list) => list,
            _ => &[],
        }
    }

    fn word(&self, tree: usize) -> Option<&'t str> {
        match self.trees[tree] {
            Tree::Word(word) => Some(word),
            _ => None,
        }
    }

    fn push(&mut self, part: Part, sort: Sort) {
        self.values.push(self.parts.len());
        self.parts.push((part, sort));
    }

    fn step(&mut self, task: ReadStep, todo: &mut Vec<ReadStep>) -> Result<(), String> {
        match task {
            ReadStep::Read(tree) => match &self.trees[tree] {
                Tree::Word(word) => self.atom(word)?,
                Tree::Quoted(word) => self.name(word)?,
                Tree::List(list) => {
                    let Some(&head) = list.first() else {
                        return Err("an empty list".to_owned());
                    };
                    match self.word(head) {
                        Some("let") if list.len() == 3 => {
                            let bindings = self.list(list[1]).to_vec();
                            todo.extend([
                                ReadStep::Unbind(list[1]),
                                ReadStep::Read(list[2]),
                                ReadStep::Bind(list[1]),
                            ]);
                            for &binding in bindings.iter().rev() {
                                match *self.list(binding) {
                                    [_, value] => todo.push(ReadStep::Read(value)),
                                    _ => return Err("a bad `let`".to_owned()),
                                }
                            }
                        }
                        Some("_") => self.literal(list.clone())?,
                        _ => {
                            todo.push(ReadStep::Apply(tree, list.len() - 1));
                            todo.extend(list[1..].iter().rev().map(|&arg| ReadStep::Read(arg)));
                        }
                    }
                }
            },
            ReadStep::Apply(tree, count) => {
                let args = self.values.split_off(self.values.len() - count);
                let operator = self.operator(self.list(tree)[0])?;
                self.apply(operator, args)?;
            }
            ReadStep::Bind(bindings) => {
                let bindings = self.list(bindings).to_vec();
                let values = self.values.split_off(self.values.len() - bindings.len());
                for (binding, value) in bindings.into_iter().zip(values) {
                    let name = self.let_name(binding)?;
                    self.bound.entry(name).or_default().push(value);
                }
            }
            ReadStep::Unbind(bindings) => {
                for binding in self.list(bindings).to_vec() {
                    let name = self.let_name(binding)?;
                    self.bound.entry(name).or_default().pop();
                }
            }
        }
        Ok(())
    }

    fn let_name(&self, binding: usize) -> Result<&'t str, String> {
        let name = self.list(binding).first().and_then(|&name| self.word(name));
        name.ok_or_else(|| "a `let` without a name".to_owned())
    }

    fn name(&mut self, word: &str) -> Result<(), String> {
        match self.names.get(word) {
            Some(&(name, sort)) => {
                self.push(Part::Name(name), sort);
                Ok(())
            }
            None => Err(format!("what is `{}`?", shortened(word))),
        }
    }

    fn atom(&mut self, word: &'t str) -> Result<(), String> {
        if let Some(&value) = self.bound.get(word).and_then(|values| values.last()) {
            self.values.push(value);
            return Ok(());
        }
        match word {
            "true" | "false" => self.push(Part::Bool(word == "true"), Sort::Bool),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                let value = number(word)?;
                self.push(Part::Int(value), Sort::Int);
            }
            _ => return self.name(word),
        }
        Ok(())
    }

    /// `(_ bv5 32)`.
    fn literal(&mut self, list: Vec<usize>) -> Result<(), String> {
        let bad = || "a bad literal".to_owned();
        let [_, value, width] = *list else {
            return Err(bad());
        };
        let value = self.word(value).and_then(|word| word.strip_prefix("bv"));
        let value = value.ok_or_else(bad)?.parse::<u128>().map_err(|_| bad())?;
        let width = self.width(width)?;
        match width {
            0 => Err(bad()),
            1..128 if value >> width != 0 => Err(bad()),
            _ => {
                self.push(Part::Bits(width, value), Sort::Bits(width));
                Ok(())
            }
        }
    }

    fn width(&self, tree: usize) -> Result<u16, String> {
        let width = self.word(tree).and_then(|word| word.parse::<u16>().ok());
        width
            .filter(|&width| width <= MAX_WIDTH)
            .ok_or_else(|| "a bad width".to_owned())
    }

    fn operator(&self, head: usize) -> Result<Operator, String> {
        if let [mark, name, ref indices @ ..] = *self.list(head)
            && self.word(mark) == Some("_")
        {
            let indices = indices.iter().map(|&index| self.width(index));
            let indices = indices.collect::<Result<Vec<u16>, _>>()?;
            return match (self.word(name).unwrap_or_default(), &indices[..]) {
                ("int2bv" | "int_to_bv", &[width]) if width > 0 => Ok(Operator::ToBits(width)),
                ("extract", &[high, low]) => Ok(Operator::Extract(high, low)),
                ("zero_extend", &[by]) => Ok(Operator::ZeroExtend(by)),
                ("sign_extend", &[by]) => Ok(Operator::SignExtend(by)),
                (other, _) => Err(format!("unknown operator `{}`", shortened(other))),
            };
        }
        Ok(match self.word(head).unwrap_or_default() {
            "not" => Operator::Not,
            "and" => Operator::And,
            "or" => Operator::Or,
            "=>" => Operator::Implies,
            "xor" => Operator::Xor,
            "=" => Operator::Equal,
            "distinct" => Operator::Distinct,
            "ite" => Operator::Ite,
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "div" => Operator::Div,
            "mod" => Operator::Mod,
            "<=" => Operator::AtMost,
            "<" => Operator::Below,
            ">=" => Operator::AtLeast,
            ">" => Operator::Above,
            "bv2nat" | "ubv_to_int" => Operator::Unsigned,
            "sbv_to_int" => Operator::Signed,
            "concat" => Operator::Concat,
            "bvneg" => Operator::BvNeg,
            "bvnot" => Operator::BvNot,
            "bvadd" => Operator::BvAdd,
            "bvsub" => Operator::BvSub,
            "bvmul" => Operator::BvMul,
            "bvudiv" => Operator::BvUdiv,
            "bvurem" => Operator::BvUrem,
            "bvsdiv" => Operator::BvSdiv,
            "bvsrem" => Operator::BvSrem,
            "bvand" => Operator::BvAnd,
            "bvor" => Operator::BvOr,
            "bvxor" => Operator::BvXor,
            "bvshl" => Operator::BvShl,
            "bvlshr" => Operator::BvLshr,
            "bvashr" => Operator::BvAshr,
            "bvult" => Operator::BvUlt,
            "bvule" => Operator::BvUle,
            "bvslt" => Operator::BvSlt,
            "bvsle" => Operator::BvSle,
            other => return Err(format!("unknown operator `{}`", shortened(other))),
        })
    }

    fn apply(&mut self, operator: Operator, args: Vec<usize>) -> Result<(), String> {
        let sorts: Vec<Sort> = args.iter().map(|&arg| self.parts[arg].1).collect();
        match result(operator, &sorts) {
            Some(sort) => {
                self.push(Part::Apply(operator, args), sort);
                Ok(())
            }
            None => Err("an operator with arguments of other sorts".to_owned()),
        }
    }
}

/// The sort of an application; none if the arguments don't fit.
fn result(operator: Operator, sorts: &[Sort]) -> Option<Sort> {
    let all = |sort: Sort| !sorts.is_empty() && sorts.iter().all(|&other| other == sort);
    let bits = |width: u16| {
        (1..=MAX_WIDTH)
            .contains(&width)
            .then_some(Sort::Bits(width))
    };
    let when = |fits: bool, sort: Sort| fits.then_some(sort);
    match (operator, sorts) {
        (Operator::Not, [_]) => when(all(Sort::Bool), Sort::Bool),
        (Operator::And | Operator::Or, _) => when(all(Sort::Bool), Sort::Bool),
        (Operator::Implies | Operator::Xor, [_, _]) => when(all(Sort::Bool), Sort::Bool),
        (Operator::Equal | Operator::Distinct, [a, b]) => when(a == b, Sort::Bool),
        (Operator::Ite, [Sort::Bool, a, b]) => when(a == b, *a),
        (Operator::Add | Operator::Subtract, _) => when(all(Sort::Int), Sort::Int),
        (Operator::Multiply | Operator::Div | Operator::Mod, [_, _]) => {
            when(all(Sort::Int), Sort::Int)
        }
        (Operator::AtMost | Operator::Below | Operator::AtLeast | Operator::Above, [_, _]) => {
            when(all(Sort::Int), Sort::Bool)
        }
        (Operator::Unsigned | Operator::Signed, [Sort::Bits(_)]) => Some(Sort::Int),
        (Operator::ToBits(width), [Sort::Int]) => bits(width),
        (Operator::Extract(high, low), [Sort::Bits(width)]) => {
            (low <= high && high < *width).then(|| Sort::Bits(high - low + 1))
        }
        (Operator::ZeroExtend(by) | Operator::SignExtend(by), [Sort::Bits(width)]) => {
            bits(width + by)
        }
        (Operator::Concat, [Sort::Bits(high), Sort::Bits(low)]) => bits(high + low),
        (Operator::BvNeg | Operator::BvNot, [Sort::Bits(width)]) => bits(*width),
        (
            Operator::BvUlt | Operator::BvUle | Operator::BvSlt | Operator::BvSle,
            [Sort::Bits(a), Sort::Bits(b)],
        ) => when(a == b, Sort::Bool),
        (
            Operator::BvAdd
            | Operator::BvSub
            | Operator::BvMul
            | Operator::BvUdiv
            | Operator::BvUrem
            | Operator::BvSdiv
            | Operator::BvSrem
            | Operator::BvAnd
            | Operator::BvOr
            | Operator::BvXor
            | Operator::BvShl
            | Operator::BvLshr
            | Operator::BvAshr,
            [Sort::Bits(a), Sort::Bits(b)],
        ) => when(a == b, Sort::Bits(*a)),
        _ => None,
    }
}

fn number(word: &str) -> Result<IBig, String> {
    let is_number = word.len() <= MAX_DIGITS && word.bytes().all(|byte| byte.is_ascii_digit());
    let bad = || format!("`{}` is no number", shortened(word));
    match is_number {
        true => word.parse().map_err(|_| bad()),
        false => Err(bad()),
    }
}

fn shortened(word: &str) -> String {
    word.chars().take(60).collect()
}
