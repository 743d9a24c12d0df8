//! Programs.

use std::collections::BTreeMap;

use rhumb_logic::Int;

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The variables: integers without bounds.
    pub variables: Vec<Variable>,
    /// What holds at first, beside what the variables say.
    pub initial: Formula,
    /// The names of the processes.
    pub processes: Vec<String>,
    /// What the processes do.
    pub transitions: Vec<Transition>,
    /// What has to hold in every reachable state.
    pub property: Formula,
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its first value, if it has one.
    pub start: Option<Int>,
    /// Whether it says where a process stands: it has a first value, and is set to constants only.
    pub is_control: bool,
}

/// A guarded transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Whose it is.
    pub process: usize,
    /// Its name.
    pub name: String,
    /// When it can be taken.
    pub guard: Formula,
    /// The variables that it sets, all at once, each at most once.
    pub assigned: Vec<(usize, Assigned)>,
    /// Its line.
    pub line: usize,
}

/// What a variable is set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Assigned {
    /// The value of an expression before the transition.
    Value(Sum),
    /// Anything.
    Anything,
}

/// A linear expression: a constant, and variables with factors that are not 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Sum {
    /// The constant.
    pub constant: Int,
    /// Factors, by variable.
    pub parts: BTreeMap<usize, Int>,
}

/// A condition.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    /// Always or never.
    Constant(bool),
    /// The expression is at most 0.
    AtMostZero(Sum),
    /// The expression is 0.
    Zero(Sum),
    /// Not.
    Not(Box<Formula>),
    /// All of these hold.
    All(Vec<Formula>),
    /// One of these holds.
    Any(Vec<Formula>),
}

impl Sum {
    /// A number.
    pub fn constant(constant: Int) -> Sum {
        Sum {
            constant,
            parts: BTreeMap::new(),
        }
    }

    /// A variable.
    pub fn variable(variable: usize) -> Sum {
        Sum {
            constant: Int::ZERO,
            parts: BTreeMap::from([(variable, Int::ONE)]),
        }
    }

    /// This and a multiple of another one.
    pub fn plus(mut self, factor: &Int, other: &Sum) -> Sum {
        self.constant += factor * &other.constant;
        for (&variable, by) in &other.parts {
            *self.parts.entry(variable).or_default() += factor * by;
        }
        self.parts.retain(|_, factor| !factor.is_zero());
        self
    }

    /// A multiple.
    pub fn times(&self, factor: &Int) -> Sum {
        Sum::default().plus(factor, self)
    }

    /// The expression with others in place of variables.
    pub fn substitute(&self, by: &[Sum]) -> Sum {
        let parts = self.parts.iter();
        parts.fold(
            Sum::constant(self.constant.clone()),
            |sum, (&variable, factor)| sum.plus(factor, &by[variable]),
        )
    }

    /// Its value, if it mentions no variable.
    pub fn as_constant(&self) -> Option<&Int> {
        self.parts.is_empty().then_some(&self.constant)
    }
}

impl Formula {
    /// Not this.
    pub fn negated(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// The condition with expressions in place of variables.
    pub fn substitute(&self, by: &[Sum]) -> Formula {
        let all = |parts: &[Formula]| parts.iter().map(|part| part.substitute(by)).collect();
        match self {
            Formula::Constant(value) => Formula::Constant(*value),
            Formula::AtMostZero(sum) => Formula::AtMostZero(sum.substitute(by)),
            Formula::Zero(sum) => Formula::Zero(sum.substitute(by)),
            Formula::Not(inner) => inner.substitute(by).negated(),
            Formula::All(parts) => Formula::All(all(parts)),
            Formula::Any(parts) => Formula::Any(all(parts)),
        }
    }

    /// Calls for every comparison in it.
    pub fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Formula)) {
        match self {
            Formula::Constant(_) => {}
            Formula::AtMostZero(_) | Formula::Zero(_) => visit(self),
            Formula::Not(inner) => inner.for_each_atom(visit),
            Formula::All(parts) | Formula::Any(parts) => {
                parts.iter().for_each(|part| part.for_each_atom(visit));
            }
        }
    }
}

impl Program {
    /// Everything that holds at first.
    pub fn start(&self) -> Formula {
        let fixed = self.variables.iter().enumerate();
        let fixed = fixed.filter_map(|(variable, of)| {
            let start = Sum::constant(of.start.clone()?);
            Some(Formula::Zero(
                start.plus(&Int::NEG_ONE, &Sum::variable(variable)),
            ))
        });
        Formula::All(fixed.chain([self.initial.clone()]).collect())
    }
}
