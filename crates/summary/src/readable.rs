//! Relations between states as people write them: `x` before, `x'` afterwards, counters, and conjunctions as lists.

use rhumb_logic::{Node, Symbol, Term, Terms, Transition};
use rustc_hash::{FxHashMap, FxHashSet};

/// Disjunctions whose text is longer than this are split into lines.
const LINE: usize = 100;

/// Lists inside lists are split down to this depth.
const DEPTH: usize = 8;

/// What a transition says, one fact per line. The value of `x` afterwards is `x'`. Other inputs have the names of their
/// symbols, with a number where that name is taken. A disjunction is a line `one of`, with a dash before each of its
/// members.
pub fn lines(terms: &Terms, transition: &Transition) -> Vec<String> {
    let mut names = Names::new(terms, transition);
    let mut facts = Vec::new();
    for &(symbol, value) in &transition.updates {
        let name = format!("{}'", terms.symbol_info(symbol).name);
        match terms.as_symbol(value) {
            Some(input) if names.is_open(input) => {
                names.give(input, &name);
            }
            _ => {
                let after = terms.symbol(&*name, terms.symbol_info(symbol).sort);
                names.taken.insert(name.into());
                facts.push(terms.eq(terms.var(after), value));
            }
        }
    }
    names.give_equals(transition.guard);
    names.give_rest(transition);
    facts.push(transition.guard);
    let all = terms.substitute(terms.and(facts), &names.map);
    formula_lines(terms, all)
}

/// A formula, one conjunct per line.
pub fn formula_lines(terms: &Terms, formula: Term) -> Vec<String> {
    let mut out = Vec::new();
    outline(terms, formula, "", DEPTH, &mut out);
    out
}

fn outline(terms: &Terms, formula: Term, indent: &str, depth: usize, out: &mut Vec<String>) {
    match terms.node(formula) {
        Node::And(args) if depth > 0 => {
            for &arg in args {
                outline(terms, arg, indent, depth, out);
            }
        }
        Node::Or(args) if depth > 0 => {
            let text = terms.display(formula).to_string();
            if text.chars().count() <= LINE {
                out.push(format!("{indent}{text}"));
                return;
            }
            out.push(format!("{indent}one of"));
            for &arg in args {
                let first = out.len();
                outline(terms, arg, &format!("{indent}    "), depth - 1, out);
                if let Some(line) = out.get_mut(first) {
                    let rest = line.split_off(indent.len() + 4);
                    *line = format!("{indent}  - {rest}");
                }
            }
        }
        _ => out.push(format!("{indent}{}", terms.display(formula))),
    }
}

/// Names for the inputs of a transition.
struct Names<'t> {
    terms: &'t Terms,
    inputs: FxHashSet<Symbol>,
    taken: FxHashSet<Box<str>>,
    map: FxHashMap<Symbol, Term>,
}

impl<'t> Names<'t> {
    fn new(terms: &'t Terms, transition: &Transition) -> Names<'t> {
        let inputs: FxHashSet<Symbol> = transition.inputs.iter().copied().collect();
        let values = transition.updates.iter().map(|update| update.1);
        let used = terms.symbols(values.chain([transition.guard]));
        let updated = transition.updates.iter().map(|update| update.0);
        let state = used.into_iter().chain(updated);
        Names {
            terms,
            taken: state
                .filter(|symbol| !inputs.contains(symbol))
                .map(|symbol| terms.symbol_info(symbol).name.clone())
                .collect(),
            inputs,
            map: FxHashMap::default(),
        }
    }

    /// Whether the symbol is an input that has no name yet.
    fn is_open(&self, symbol: Symbol) -> bool {
        self.inputs.contains(&symbol) && !self.map.contains_key(&symbol)
    }

    fn give(&mut self, input: Symbol, name: &str) {
        self.taken.insert(name.into());
        let shown = self.terms.symbol(name, self.terms.symbol_info(input).sort);
        self.map.insert(input, self.terms.var(shown));
    }

    /// Where a conjunct says that an input equals one that has a name, it needs none of its own.
    fn give_equals(&mut self, guard: Term) {
        for conjunct in self.terms.conjuncts(guard) {
            let Node::Zero(sum) = self.terms.node(conjunct) else {
                continue;
            };
            let [(a, first), (b, second)] = &sum.parts[..] else {
                continue;
            };
            if !sum.constant.is_zero() || !(first + second).is_zero() {
                continue;
            }
            let (Some(a), Some(b)) = (self.terms.as_symbol(*a), self.terms.as_symbol(*b)) else {
                continue;
            };
            for (named, other) in [(a, b), (b, a)] {
                if self.is_open(other)
                    && let Some(&shown) = self.map.get(&named)
                {
                    self.map.insert(other, shown);
                }
            }
        }
    }

    /// Names all inputs that have none yet after themselves.
    fn give_rest(&mut self, transition: &Transition) {
        for &input in &transition.inputs {
            if !self.is_open(input) {
                continue;
            }
            let own = self.terms.symbol_info(input).name.clone();
            let numbered = (1..).map(|number| format!("{own}#{number}").into_boxed_str());
            let mut candidates = std::iter::once(own.clone()).chain(numbered);
            if let Some(name) = candidates.find(|name| !self.taken.contains(name)) {
                self.give(input, &name);
            }
        }
    }
}
