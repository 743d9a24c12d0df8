//! Where a loop is, seen from a cell.

use rhumb_encode::BlockGraph;
use rhumb_logic::num::{Int, gcd};
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::conditions::is_huge;
use super::Elements;

/// Combinations of counters and indices.
const FORMS: usize = 128;
/// Conditions of a node.
const GUARDS: usize = 160;
/// Variables that are left out of a combination.
const DIMENSIONS: usize = 3;
/// Remainders of indices.
const REMAINDERS: usize = 6;
/// Places that are told apart from all others, and columns.
const SPECIAL: usize = 6;
/// Relations between two indices.
const STRANGERS: usize = 4;

/// Combinations of indices and other variables by which the program tells whether it is at a cell.
pub(super) struct Places {
    /// Those that it compares with zero.
    sharp: Vec<Linear>,
    /// The same, and those that come of two comparisons, or of one and a first value, by leaving out a variable.
    forms: Vec<Linear>,
    /// Combinations without an index that the program compares with zero for equality.
    equal: Vec<Linear>,
    /// Comparisons of a single variable with a number.
    limits: Vec<(Symbol, Term)>,
}

/// That a variable has a remainder.
pub(super) struct Remainder {
    symbol: Symbol,
    modulus: Int,
    rest: Int,
}

impl Remainder {
    /// What a formula says of the remainder of a variable, if that is all that it says.
    pub(super) fn of(terms: &Terms, fact: Term) -> Option<Remainder> {
        let Node::Divides(modulus, sum) = terms.node(fact) else {
            return None;
        };
        match &*sum.parts {
            [(variable, factor)] if *factor == Int::ONE => Some(Remainder {
                symbol: terms.as_symbol(*variable)?,
                modulus: modulus.clone(),
                rest: -&sum.constant,
            }),
            _ => None,
        }
    }
}

impl Places {
    pub(super) fn of(graph: &BlockGraph, elements: &Elements, atoms: &[Term]) -> Places {
        let terms = &graph.terms;
        let mut sharp: Vec<Linear> = Vec::new();
        let mut without: Vec<Linear> = Vec::new();
        let mut equal: Vec<Linear> = Vec::new();
        let mut limits: Vec<(Symbol, Term)> = Vec::new();
        for &atom in atoms {
            let (Node::AtMostZero(sum) | Node::Zero(sum)) = terms.node(atom) else {
                continue;
            };
            let symbols = terms.symbols([atom]);
            if is_huge(&sum.constant) || symbols.iter().any(|it| elements.cells.contains(it)) {
                continue;
            }
            let has_index = symbols.iter().any(|it| elements.indices.contains(it));
            let is_sharp = matches!(terms.node(atom), Node::Zero(_));
            match has_index {
                true if is_sharp && !sharp.contains(sum) => sharp.push(sum.clone()),
                true => {}
                false if symbols.len() <= 3 => without.push(sum.clone()),
                false => {}
            }
            if !has_index && is_sharp && !equal.contains(sum) {
                equal.push(sum.clone());
            }
            if let ([(variable, _)], false, false) = (&*sum.parts, has_index, is_sharp)
                && let Some(symbol) = terms.as_symbol(*variable)
                && !limits.contains(&(symbol, atom))
            {
                limits.push((symbol, atom));
            }
        }
        let mut others = first_values(graph);
        others.extend(sharp.iter().cloned());
        others.extend(without);
        let mut kept: Vec<Linear> = sharp.clone();
        let mut last = 0;
        // In each round one variable less: a place in a table has a counter for each dimension.
        for _ in 0..DIMENSIONS {
            let fewer: Vec<Vec<Linear>> = (kept[last..].iter())
                .map(|sum| eliminated(graph, elements, sum, &others))
                .collect();
            last = kept.len();
            // One of each in turn, so that each has some.
            let longest = fewer.iter().map(Vec::len).max().unwrap_or(0);
            for place in 0..longest {
                for sum in fewer.iter().filter_map(|own| own.get(place)) {
                    if kept.len() < FORMS && !kept.contains(sum) {
                        kept.push(sum.clone());
                    }
                }
            }
        }
        Places {
            sharp,
            forms: kept,
            equal,
            limits,
        }
    }

    /// Variables, each with its value where the program is at a cell.
    pub(super) fn at_cells(&self, graph: &BlockGraph, elements: &Elements) -> Vec<(Symbol, Term)> {
        let terms = &graph.terms;
        let mut all: Vec<(Symbol, Term)> = Vec::new();
        for sum in &self.sharp {
            for (term, factor) in &sum.parts {
                let Some(symbol) = terms.as_symbol(*term) else {
                    continue;
                };
                let is_unit = *factor == Int::ONE || *factor == Int::NEG_ONE;
                if !is_unit || elements.indices.contains(&symbol) {
                    continue;
                }
                // Of `factor * variable + rest = 0` the variable is `-factor * rest`.
                let own = Linear::combine(Int::ZERO, [(factor, terms.as_linear(*term))]);
                let rest = sum.plus(&Int::NEG_ONE, &own).times(&-factor);
                let value = (symbol, terms.linear(&rest));
                if !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        all
    }

    /// That an index doesn't have the remainder which all places that a comparison finds have: by the factors of
    /// counters, and by what is known of counters that go in steps.
    pub(super) fn remainders(
        &self,
        graph: &BlockGraph,
        elements: &Elements,
        known: &[Remainder],
    ) -> Vec<Term> {
        let terms = &graph.terms;
        let mut all: Vec<Term> = Vec::new();
        for sum in &self.sharp {
            let is_index = |part: &&(Term, Int)| {
                let symbol = terms.as_symbol(part.0);
                symbol.is_some_and(|symbol| elements.indices.contains(&symbol))
            };
            let Some(index) = sum.parts.iter().find(is_index) else {
                continue;
            };
            let own = (known.iter().map(Some)).filter(|it| {
                let variable = it.map(|it| terms.var(it.symbol));
                variable.is_some_and(|variable| !sum.coefficient(variable).is_zero())
            });
            for given in own.chain([None]) {
                let mut constant = sum.constant.clone();
                let mut step = Int::ZERO;
                for (variable, factor) in sum.parts.iter().filter(|part| !is_index(part)) {
                    let given = given.filter(|it| terms.as_symbol(*variable) == Some(it.symbol));
                    step = match given {
                        Some(given) => {
                            constant += factor * &given.rest;
                            gcd(&step, &(factor * &given.modulus))
                        }
                        None => gcd(&step, factor),
                    };
                }
                if step <= Int::ONE {
                    continue;
                }
                let own = Linear::combine(constant, [(&index.1, terms.as_linear(index.0))]);
                let other = terms.not(terms.divides(step, terms.linear(&own)));
                if terms.as_bool(other).is_none() && !all.contains(&other) {
                    all.push(other);
                }
            }
        }
        all.truncate(REMAINDERS);
        all
    }

    /// That an index is, or is not, at a place that the program tells apart from all others: where a counter that is at
    /// the cell is compared for equality.
    pub(super) fn special(&self, graph: &BlockGraph, elements: &Elements) -> Vec<Term> {
        let terms = &graph.terms;
        let mut all: Vec<Term> = Vec::new();
        for sum in &self.sharp {
            for place in eliminated(graph, elements, sum, &self.equal) {
                let place = terms.zero(&place);
                if terms.as_bool(place).is_none() && !all.contains(&place) {
                    all.extend([place, terms.not(place)]);
                }
            }
        }
        all.truncate(SPECIAL);
        all
    }

    /// Where places are in rows of a constant length: what the program compares of a counter of columns, said of the
    /// column of the index. Right for loops over some of the columns of a table.
    pub(super) fn columns(&self, graph: &BlockGraph, elements: &Elements) -> Vec<Term> {
        let terms = &graph.terms;
        let mut all: Vec<Term> = Vec::new();
        for sum in &self.sharp {
            let is_index = |part: &&(Term, Int)| {
                let symbol = terms.as_symbol(part.0);
                symbol.is_some_and(|symbol| elements.indices.contains(&symbol))
            };
            let (indices, counters): (Vec<_>, Vec<_>) = sum.parts.iter().partition(is_index);
            let is_unit = |part: &&(Term, Int)| part.1 == Int::ONE || part.1 == Int::NEG_ONE;
            let (columns, rows): (Vec<_>, Vec<_>) = counters.into_iter().partition(is_unit);
            let length = rows.iter().fold(Int::ZERO, |all, part| gcd(&all, &part.1));
            let (&[column], true) = (&columns[..], length > Int::ONE) else {
                continue;
            };
            // The sum is zero: `factor * column` is what rows, which are multiples of the length, leave of the rest.
            let own = indices
                .iter()
                .map(|part| (&part.1, terms.as_linear(part.0)));
            let rest = Linear::combine(sum.constant.clone(), own).times(&-&column.1);
            let said = terms.modulo(terms.linear(&rest), length);
            let limits = self
                .limits
                .iter()
                .filter(|limit| terms.var(limit.0) == column.0);
            for &(counter, limit) in limits {
                let said = terms.substitute(limit, &FxHashMap::from_iter([(counter, said)]));
                if terms.as_bool(said).is_none() && !all.contains(&said) {
                    all.extend([said, terms.not(said)]);
                }
            }
        }
        all.truncate(SPECIAL);
        all
    }

    /// That two indices don't belong together, as they do where one pass of a loop is at the cells of both.
    pub(super) fn strangers(&self, graph: &BlockGraph, elements: &Elements) -> Vec<Term> {
        let terms = &graph.terms;
        let is_pair = |sum: &&Linear| {
            let symbols = sum.parts.iter().filter_map(|part| terms.as_symbol(part.0));
            symbols.filter(|it| elements.indices.contains(it)).count() > 1
        };
        let pairs = self.forms.iter().filter(is_pair);
        let mut all: Vec<Term> = pairs.map(|sum| terms.not(terms.zero(sum))).collect();
        all.truncate(STRANGERS);
        all
    }

    /// On which side of an index one is, by the variables that are live.
    pub(super) fn guards(
        &self,
        graph: &BlockGraph,
        elements: &Elements,
        live: &FxHashSet<Symbol>,
    ) -> Vec<Term> {
        let terms = &graph.terms;
        let mut guards = Vec::new();
        for form in &self.forms {
            let is_live = |term: Term| {
                let symbols = terms.symbols([term]);
                symbols.iter().all(|symbol| live.contains(symbol))
            };
            let parts = form.parts.iter().filter(|part| is_live(part.0));
            let parts: Vec<(Term, Int)> = parts.cloned().collect();
            let is_index = |part: &(Term, Int)| {
                let symbol = terms.as_symbol(part.0);
                symbol.is_some_and(|symbol| elements.indices.contains(&symbol))
            };
            let is_cut = parts.len() < form.parts.len();
            if !parts.iter().any(is_index) || is_cut && parts.len() < 2 {
                continue;
            }
            let linear: Vec<(Int, Linear)> = parts
                .into_iter()
                .map(|(term, factor)| (factor, terms.as_linear(term)))
                .collect();
            let parts = linear.iter().map(|(factor, sum)| (factor, sum.clone()));
            let sum = Linear::combine(form.constant.clone(), parts);
            for side in [sum.clone(), sum.times(&Int::NEG_ONE)] {
                for shift in [Int::ZERO, Int::ONE] {
                    let sum = Linear {
                        constant: &side.constant + shift,
                        parts: side.parts.clone(),
                    };
                    let guard = terms.at_most_zero(&sum);
                    if !guards.contains(&guard) {
                        guards.push(guard);
                    }
                }
            }
        }
        guards.truncate(GUARDS);
        guards
    }
}

/// What comes of a combination and another one by leaving out a variable that both have and that is no index.
fn eliminated(
    graph: &BlockGraph,
    elements: &Elements,
    sum: &Linear,
    others: &[Linear],
) -> Vec<Linear> {
    let terms = &graph.terms;
    let is_index = |term: Term| {
        let symbol = terms.as_symbol(term);
        symbol.is_some_and(|symbol| elements.indices.contains(&symbol))
    };
    let mut all = Vec::new();
    for (term, factor) in &sum.parts {
        if terms.as_symbol(*term).is_none() || is_index(*term) {
            continue;
        }
        for other in others {
            let theirs = other.coefficient(*term);
            if theirs.is_zero() || other == sum {
                continue;
            }
            let left = sum.times(&theirs).plus(&-factor, other);
            let index = left.parts.iter().find(|part| is_index(part.0));
            // Both signs say the same.
            match index {
                Some(part) if part.1 < Int::ZERO => all.push(left.times(&Int::NEG_ONE)),
                Some(_) => all.push(left),
                None => {}
            }
        }
    }
    all
}

/// What blocks set variables to that is a number: each as a combination that is zero then.
fn first_values(graph: &BlockGraph) -> Vec<Linear> {
    let terms = &graph.terms;
    let mut all: Vec<Linear> = Vec::new();
    let blocks = graph.edges.iter();
    for &(symbol, value) in blocks.flat_map(|edge| &edge.transition.updates) {
        if let Node::Int(number) = terms.node(value)
            && !is_huge(number)
        {
            let variable = terms.as_linear(terms.var(symbol));
            let sum = variable.plus(&Int::NEG_ONE, &Linear::constant(number.clone()));
            if !all.contains(&sum) {
                all.push(sum);
            }
        }
    }
    all
}
