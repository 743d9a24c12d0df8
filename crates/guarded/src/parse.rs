//! Words to a program. The grammar is in `docs/guarded.md`.

use rhumb_logic::Int;
use rustc_hash::FxHashMap;

use crate::lex::{Placed, Word, words};
use crate::syntax::{Assigned, Formula, Program, Sum, Transition, Variable};

/// Formulas may not be deeper than this: whoever goes through one needs a stack for it.
const MAX_DEPTH: usize = 200;

/// Why a text is no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {what}")]
pub struct Problem {
    /// The line, from 1 on.
    pub line: usize,
    /// The character of the line, from 1 on.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

impl Problem {
    /// The problem as people read it: with the name of the file, the line, and a mark below it.
    pub fn report(&self, file: &str, text: &str) -> String {
        let line = text.lines().nth(self.line - 1).unwrap_or("");
        let blank: String = (line.chars().take(self.column - 1))
            .map(|letter| if letter == '\t' { '\t' } else { ' ' })
            .collect();
        let Problem {
            line: number,
            column,
            what,
        } = self;
        format!("{file}:{number}:{column}: error: {what}\n  {line}\n  {blank}^")
    }
}

/// Reads a program.
pub fn parse(text: &str) -> Result<Program, Problem> {
    let mut parser = Parser {
        words: words(text)?,
        next: 0,
        depth: 0,
        program: Program {
            variables: Vec::new(),
            initial: Formula::Constant(true),
            processes: Vec::new(),
            transitions: Vec::new(),
            property: Formula::Constant(true),
        },
        names: FxHashMap::default(),
        allows_deadlock: false,
    };
    parser.program()?;
    Ok(parser.program)
}

struct Parser {
    words: Vec<Placed>,
    next: usize,
    depth: usize,
    program: Program,
    names: FxHashMap<String, usize>,
    /// Whether `deadlock` has a meaning here: all transitions are known.
    allows_deadlock: bool,
}

const KEYWORDS: &[&str] = &[
    "var", "control", "init", "process", "always", "never", "nondet", "skip", "true", "false",
    "and", "or", "not", "deadlock",
];

impl Parser {
    fn program(&mut self) -> Result<(), Problem> {
        loop {
            if self.takes_name("var") {
                self.variables(false)?;
            } else if self.takes_name("control") {
                self.variables(true)?;
            } else {
                break;
            }
        }
        if self.takes_name("init") {
            self.program.initial = self.formula()?;
            self.expect(";")?;
        }
        while self.takes_name("process") {
            self.process()?;
        }
        self.allows_deadlock = true;
        let is_always = self.takes_name("always");
        if !is_always && !self.takes_name("never") {
            let what = "expected `var`, `control`, `init`, `process`, or the property: `always` or `never`, in this order";
            return Err(self.problem(what));
        }
        let property = self.formula()?;
        self.expect(";")?;
        self.program.property = match is_always {
            true => property,
            false => property.negated(),
        };
        match self.peek() {
            Word::End => Ok(()),
            _ => Err(self.problem("nothing may follow the property")),
        }
    }

    fn variables(&mut self, is_control: bool) -> Result<(), Problem> {
        loop {
            let at = self.next;
            let name = self.name("a variable")?;
            let number = self.program.variables.len();
            if self.names.insert(name.clone(), number).is_some() {
                return Err(self.problem_at(at, format!("`{name}` is declared twice")));
            }
            let start = match self.takes("=") {
                true => Some(self.integer()?),
                false if is_control => {
                    let what = format!("`{name}` needs a first value: `control {name} = 1;`");
                    return Err(self.problem(&what));
                }
                false => None,
            };
            self.program.variables.push(Variable {
                name,
                start,
                is_control,
            });
            if !self.takes(",") {
                return self.expect(";");
            }
        }
    }

    fn process(&mut self) -> Result<(), Problem> {
        let name = self.name("a process")?;
        self.program.processes.push(name);
        self.expect("{")?;
        while !self.takes("}") {
            self.transition()?;
        }
        Ok(())
    }

    fn transition(&mut self) -> Result<(), Problem> {
        let line = self.words[self.next].line;
        let process = self.program.processes.len() - 1;
        let is_named = matches!(self.peek(), Word::Name(_))
            && matches!(self.words.get(self.next + 1), Some(placed) if placed.word == Word::Sign(":"));
        let name = match is_named {
            true => {
                let name = self.name("a transition")?;
                self.expect(":")?;
                name
            }
            false => format!("line {line}"),
        };
        let guard = self.formula()?;
        self.expect("->")?;
        let mut assigned: Vec<(usize, Assigned)> = Vec::new();
        if !self.takes_name("skip") {
            loop {
                let at = self.next;
                let variable = self.variable()?;
                if assigned.iter().any(|(other, _)| *other == variable) {
                    let name = &self.program.variables[variable].name;
                    let what = format!("`{name}` is set twice in one transition");
                    return Err(self.problem_at(at, what));
                }
                self.expect(":=")?;
                let value = match self.takes_name("nondet") {
                    true => Assigned::Anything,
                    false => Assigned::Value(self.sum()?),
                };
                let is_constant =
                    matches!(&value, Assigned::Value(sum) if sum.as_constant().is_some());
                let declared = &self.program.variables[variable];
                if declared.is_control && !is_constant {
                    let what = format!(
                        "`{}` says where a process stands and can be set to a number only; declare it with `var`",
                        declared.name
                    );
                    return Err(self.problem_at(at, what));
                }
                assigned.push((variable, value));
                if !self.takes(",") {
                    break;
                }
            }
        }
        self.expect(";")?;
        self.program.transitions.push(Transition {
            process,
            name,
            guard,
            assigned,
            line,
        });
        Ok(())
    }

    fn formula(&mut self) -> Result<Formula, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.problem("this is nested too deeply"));
        }
        let mut parts = vec![self.conjunction()?];
        while self.takes("||") || self.takes_name("or") {
            parts.push(self.conjunction()?);
        }
        self.depth -= 1;
        Ok(one_or(parts, Formula::Any))
    }

    fn conjunction(&mut self) -> Result<Formula, Problem> {
        let mut parts = vec![self.literal()?];
        while self.takes("&&") || self.takes_name("and") {
            parts.push(self.literal()?);
        }
        Ok(one_or(parts, Formula::All))
    }

    fn literal(&mut self) -> Result<Formula, Problem> {
        let mut is_negated = false;
        while self.takes("!") || self.takes_name("not") {
            is_negated = !is_negated;
        }
        let formula = self.atom()?;
        Ok(match is_negated {
            true => formula.negated(),
            false => formula,
        })
    }

    fn atom(&mut self) -> Result<Formula, Problem> {
        if self.takes_name("true") {
            return Ok(Formula::Constant(true));
        }
        if self.takes_name("false") {
            return Ok(Formula::Constant(false));
        }
        if self.peek() == &Word::Name("deadlock".to_owned()) {
            if !self.allows_deadlock {
                return Err(self.problem("only the property can speak of `deadlock`"));
            }
            self.next += 1;
            let guards = self.program.transitions.iter();
            let guards = guards.map(|transition| transition.guard.clone());
            return Ok(Formula::Any(guards.collect()).negated());
        }
        // A parenthesis begins a formula or an expression: which one is seen behind it.
        if self.peek() == &Word::Sign("(") {
            let (at, depth) = (self.next, self.depth);
            self.next += 1;
            let inner = match self.formula() {
                Ok(formula) if self.takes(")") && !self.is_at_operator() => return Ok(formula),
                Ok(_) => self.problem("expected `)`"),
                Err(problem) => problem,
            };
            if self.depth > MAX_DEPTH {
                return Err(inner);
            }
            (self.next, self.depth) = (at, depth);
            // Who got further knows better what is wrong.
            return self.comparison().map_err(|outer| {
                let inner_is_later = (inner.line, inner.column) > (outer.line, outer.column);
                if inner_is_later { inner } else { outer }
            });
        }
        self.comparison()
    }

    fn is_at_operator(&self) -> bool {
        let signs = ["+", "-", "*", "<", "<=", ">", ">=", "=", "==", "!="];
        signs.iter().any(|&sign| self.peek() == &Word::Sign(sign))
    }

    /// Comparisons may be chained.
    fn comparison(&mut self) -> Result<Formula, Problem> {
        let mut left = self.sum()?;
        let mut parts = Vec::new();
        loop {
            let operator = ["<=", ">=", "<", ">", "==", "=", "!="];
            let Some(operator) = operator.into_iter().find(|&sign| self.takes(sign)) else {
                break;
            };
            let right = self.sum()?;
            let (a, b) = (left, right.clone());
            // a - b
            let difference = a.plus(&Int::NEG_ONE, &b);
            let opposite = difference.times(&Int::NEG_ONE);
            let one = Sum::constant(Int::ONE);
            parts.push(match operator {
                "<=" => Formula::AtMostZero(difference),
                ">=" => Formula::AtMostZero(opposite),
                "<" => Formula::AtMostZero(difference.plus(&Int::ONE, &one)),
                ">" => Formula::AtMostZero(opposite.plus(&Int::ONE, &one)),
                "!=" => Formula::Zero(difference).negated(),
                _ => Formula::Zero(difference),
            });
            left = right;
        }
        match parts.is_empty() {
            true => Err(self.problem("expected a comparison: `<`, `<=`, `=`, `!=`, `>=` or `>`")),
            false => Ok(one_or(parts, Formula::All)),
        }
    }

    fn sum(&mut self) -> Result<Sum, Problem> {
        let mut sum = self.product()?;
        loop {
            if self.takes("+") {
                sum = sum.plus(&Int::ONE, &self.product()?);
            } else if self.takes("-") {
                sum = sum.plus(&Int::NEG_ONE, &self.product()?);
            } else {
                return Ok(sum);
            }
        }
    }

    fn product(&mut self) -> Result<Sum, Problem> {
        let mut product = self.factor()?;
        while self.takes("*") {
            let at = self.next;
            let factor = self.factor()?;
            product = match (product.as_constant(), factor.as_constant()) {
                (Some(constant), _) => factor.times(constant),
                (_, Some(constant)) => product.times(constant),
                (None, None) => {
                    let what = "a product of two variables is not linear".to_owned();
                    return Err(self.problem_at(at, what));
                }
            };
        }
        Ok(product)
    }

    fn factor(&mut self) -> Result<Sum, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.problem("this is nested too deeply"));
        }
        let factor = if self.takes("-") {
            self.factor()?.times(&Int::NEG_ONE)
        } else if self.takes("(") {
            let sum = self.sum()?;
            self.expect(")")?;
            sum
        } else if let Word::Number(_) = self.peek() {
            Sum::constant(self.integer()?)
        } else {
            Sum::variable(self.variable()?)
        };
        self.depth -= 1;
        Ok(factor)
    }

    fn integer(&mut self) -> Result<Int, Problem> {
        let is_negative = self.takes("-");
        let Word::Number(digits) = self.peek().clone() else {
            return Err(self.problem("expected a number"));
        };
        let Ok(value) = digits.parse::<Int>() else {
            return Err(self.problem("this number can't be read"));
        };
        self.next += 1;
        Ok(if is_negative { -value } else { value })
    }

    fn variable(&mut self) -> Result<usize, Problem> {
        let Word::Name(name) = self.peek().clone() else {
            return Err(self.problem("expected a variable or a number"));
        };
        if name == "nondet" {
            return Err(self
                .problem("`nondet` stands alone on the right of `:=`; use a variable of its own"));
        }
        let Some(&variable) = self.names.get(&name) else {
            return Err(self.problem(&format!("`{name}` is not declared")));
        };
        self.next += 1;
        Ok(variable)
    }

    fn name(&mut self, of: &str) -> Result<String, Problem> {
        match self.peek().clone() {
            Word::Name(name) if KEYWORDS.contains(&name.as_str()) => {
                Err(self.problem(&format!("`{name}` is a word of the language, no name")))
            }
            Word::Name(name) => {
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.problem(&format!("expected the name of {of}"))),
        }
    }

    fn peek(&self) -> &Word {
        &self.words[self.next].word
    }

    fn takes(&mut self, sign: &'static str) -> bool {
        let is_there = self.peek() == &Word::Sign(sign);
        self.next += usize::from(is_there);
        is_there
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let is_there = matches!(self.peek(), Word::Name(word) if word == name);
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, sign: &'static str) -> Result<(), Problem> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.problem(&format!("expected `{sign}`"))),
        }
    }

    fn problem(&self, what: &str) -> Problem {
        self.problem_at(self.next, what.to_owned())
    }

    fn problem_at(&self, at: usize, what: String) -> Problem {
        let Placed { line, column, .. } = self.words[at];
        Problem { line, column, what }
    }
}

fn one_or(mut parts: Vec<Formula>, many: impl FnOnce(Vec<Formula>) -> Formula) -> Formula {
    match parts.len() {
        1 => parts.remove(0),
        _ => many(parts),
    }
}
