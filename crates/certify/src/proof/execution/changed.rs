//! Answers to questions without a solver: a model of what is known, with one value changed.
//!
//! Right where inputs are met one by one: a condition asks for a value of one input, of which little else is known. Then
//! another value of it is an answer, if all conditions that speak of it still hold.

use rhumb_logic::term::Node;
use rhumb_logic::{Assignment, Budget, Int, Sort, Symbol, Term, Terms, Value, eval};

/// Work that trying a value is worth, in units.
const TRY: u64 = 1;

/// A condition with more symbols is left to the solver, and so many values are tried for each.
const MAX_SYMBOLS: usize = 4;
const MAX_VALUES: usize = 24;

/// A model of what another one is a model of, and of one more condition, that gives one symbol of that another value.
/// Who asks says which of the conditions that the model is known to fulfil speak of a symbol.
pub(super) fn changed(
    terms: &Terms,
    model: &Assignment,
    condition: Term,
    budget: &Budget,
    about: impl Fn(Symbol) -> Vec<Term>,
) -> Option<Assignment> {
    let symbols = terms.symbols([condition]);
    if symbols.len() > MAX_SYMBOLS {
        return None;
    }
    let mut model = model.clone();
    // What nobody has looked at yet may be anything that its own conditions allow.
    let mut of_new = Vec::new();
    for &symbol in &symbols {
        let is_number = terms.symbol_info(symbol).sort == Sort::Int;
        if is_number && !model.contains_key(&symbol) {
            model.insert(symbol, Value::Int(Int::ZERO));
            of_new.extend(about(symbol));
        }
    }
    let values = candidates(terms, &model, condition);
    for symbol in symbols {
        let Some(Value::Int(before)) = model.get(&symbol).cloned() else {
            continue;
        };
        let mut others = about(symbol);
        others.extend(&of_new);
        let roots = roots(terms, &model, condition, (symbol, &before));
        for value in roots.iter().chain(&values) {
            budget.spend(TRY);
            model.insert(symbol, Value::Int(value.clone()));
            let mut all = std::iter::once(condition).chain(others.iter().copied());
            if all.all(|it| holds(terms, &model, it)) {
                return Some(model);
            }
        }
        model.insert(symbol, Value::Int(before));
    }
    None
}

/// The values of a symbol at which a comparison turns, and those next to them.
fn roots(
    terms: &Terms,
    model: &Assignment,
    condition: Term,
    (symbol, before): (Symbol, &Int),
) -> Vec<Int> {
    let mut roots = Vec::new();
    for part in terms.postorder([condition]) {
        let (Node::AtMostZero(sum) | Node::Zero(sum)) = terms.node(part) else {
            continue;
        };
        let mut parts = sum.parts.iter();
        let own = parts.find(|(part, _)| terms.as_symbol(*part) == Some(symbol));
        let value = eval::evaluate(terms, terms.linear(sum), model);
        let (Some((_, factor)), Some(Value::Int(value))) = (own, value) else {
            continue;
        };
        if roots.len() < MAX_VALUES && (factor.is_one() || *factor == Int::NEG_ONE) {
            let root = before.clone() - value * factor;
            roots.extend([root.clone(), &root + Int::ONE, root - Int::ONE]);
        }
    }
    roots
}

fn holds(terms: &Terms, model: &Assignment, condition: Term) -> bool {
    let value = eval::evaluate(terms, condition, model);
    value.and_then(|value| value.as_bool()) == Some(true)
}

/// The numbers that a condition speaks of, as a model has them, and those next to them.
fn candidates(terms: &Terms, model: &Assignment, condition: Term) -> Vec<Int> {
    let parts = terms.postorder([condition]);
    let values = eval::evaluate_all(terms, &parts, model);
    let mut candidates = Vec::new();
    let mut add = |value: Int| {
        if candidates.len() < MAX_VALUES && !candidates.contains(&value) {
            candidates.push(value);
        }
    };
    let numbers: Vec<Int> = (values.into_iter().flatten())
        .filter_map(|value| value.as_int().cloned())
        .collect();
    for number in &numbers {
        add(number.clone());
    }
    for number in &numbers {
        add(number.clone() + Int::ONE);
        add(number.clone() - Int::ONE);
    }
    add(Int::ONE);
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found is a model of everything, also of what is said about symbols that no model knew; and what one value
    /// can do is found.
    #[test]
    fn changed_models_are_models() {
        let terms = Terms::new();
        let symbols: Vec<Symbol> = (0..3).map(|_| terms.symbol("x", Sort::Int)).collect();
        let mut random = 7_u64;
        let mut below = |limit: u64| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) % limit
        };
        let (mut found, mut missed) = (0, 0);
        for _ in 0..2000 {
            let mut atom = || {
                let [a, b] = [below(3), below(3)].map(|at| terms.var(symbols[at as usize]));
                let number = terms.int(below(7) as i64 - 3);
                let right = match below(2) {
                    0 => number,
                    _ => terms.add(b, number),
                };
                let atom = match below(3) {
                    0 => terms.eq(a, right),
                    1 => terms.le(a, right),
                    _ => terms.lt(right, a),
                };
                match below(3) {
                    0 => terms.not(atom),
                    _ => atom,
                }
            };
            let conditions: Vec<Term> = (0..3).map(|_| atom()).collect();
            let condition = atom();
            let about = |symbol: Symbol| -> Vec<Term> {
                let speaks = |other: &&Term| terms.symbols([**other]).contains(&symbol);
                conditions.iter().filter(speaks).copied().collect()
            };
            // A model of the conditions by trying, with values only for what they speak of.
            let spoken = terms.symbols(conditions.iter().copied());
            let all =
                (0..125).map(|number: i64| [number % 5 - 2, number / 5 % 5 - 2, number / 25 - 2]);
            let models = all.map(|values| -> Assignment {
                let values = symbols.iter().zip(values);
                let values = values.filter(|(symbol, _)| spoken.contains(symbol));
                values
                    .map(|(&symbol, value)| (symbol, Value::Int(Int::from(value))))
                    .collect()
            });
            let mut models =
                models.filter(|model| conditions.iter().all(|&it| holds(&terms, model, it)));
            let Some(model) = models.next() else {
                continue;
            };
            match changed(&terms, &model, condition, &Budget::default(), about) {
                Some(changed) => {
                    let mut all = conditions.iter().chain([&condition]);
                    assert!(all.all(|&it| holds(&terms, &changed, it)));
                    found += 1;
                }
                None => {
                    // Only what one value can do is asked for.
                    let all: Vec<Term> = conditions.iter().copied().chain([condition]).collect();
                    let is_answer = |&(symbol, value): &(Symbol, i64)| {
                        let mut other = model.clone();
                        other.insert(symbol, Value::Int(Int::from(value)));
                        all.iter().all(|&it| holds(&terms, &other, it))
                    };
                    let ways = symbols
                        .iter()
                        .flat_map(|&it| (-8..=8).map(move |to| (it, to)));
                    missed += u32::from(ways.into_iter().any(|way| is_answer(&way)));
                }
            }
        }
        assert!(found > 5 * missed, "{found} found, {missed} not");
    }

    /// A new input doesn't get a value that something else that is known of it forbids.
    #[test]
    fn new_inputs_keep_their_bounds() {
        let terms = Terms::new();
        let [known, new] = ["known", "new"].map(|name| terms.symbol(name, Sort::Int));
        let model: Assignment = [(known, Value::Int(Int::ZERO))].into_iter().collect();
        let bound = terms.le(terms.int(5), terms.var(new));
        let about = |symbol: Symbol| {
            if symbol == new {
                vec![bound]
            } else {
                Vec::new()
            }
        };
        let is_below = terms.lt(terms.var(known), terms.var(new));
        let found = changed(&terms, &model, is_below, &Budget::default(), about);
        assert!(found.is_none_or(|model| holds(&terms, &model, bound)));
        let is_seven = terms.eq(terms.var(new), terms.int(7));
        let found = changed(&terms, &model, is_seven, &Budget::default(), about).expect("a value");
        assert!(holds(&terms, &found, bound) && holds(&terms, &found, is_seven));
    }
}
