//! Sets of truth values of some predicates, as cubes.

use rhumb_logic::{Term, Terms};

/// Predicates that a set of cubes can be about.
pub(super) const MOST: usize = 64;

/// What is said of some predicates: those of the mask have the value of their bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Cube {
    mask: u64,
    values: u64,
}

/// Truth values of all predicates, one bit for each.
pub(super) type Minterm = u64;

/// The disjunction of minterms over predicates, with fewer and shorter cubes where two differ in one predicate only.
pub(super) fn disjunction(terms: &Terms, predicates: &[Term], minterms: &[Minterm]) -> Term {
    let all = match predicates.len() {
        MOST.. => u64::MAX,
        count => (1 << count) - 1,
    };
    let cubes = minterms.iter().map(|&values| Cube { mask: all, values });
    let cubes = merged(cubes.collect());
    terms.or(cubes.iter().map(|cube| {
        let said = (0..predicates.len()).filter(|place| cube.mask >> place & 1 == 1);
        terms.and(said.map(|place| match cube.values >> place & 1 {
            1 => predicates[place],
            _ => terms.not(predicates[place]),
        }))
    }))
}

/// The prime cubes that are needed, as far as the first cover that is found: pairs that differ in one value become one, again and again.
fn merged(mut cubes: Vec<Cube>) -> Vec<Cube> {
    let minterms = cubes.clone();
    let mut primes = Vec::new();
    while !cubes.is_empty() {
        cubes.sort_unstable();
        cubes.dedup();
        let mut is_merged = vec![false; cubes.len()];
        let mut next = Vec::new();
        for (first, cube) in cubes.iter().enumerate() {
            let mut mask = cube.mask;
            while mask != 0 {
                let bit = mask & mask.wrapping_neg();
                mask ^= bit;
                let other = Cube {
                    mask: cube.mask,
                    values: cube.values ^ bit,
                };
                if let Ok(second) = cubes.binary_search(&other) {
                    is_merged[first] = true;
                    is_merged[second] = true;
                    next.push(Cube {
                        mask: cube.mask ^ bit,
                        values: cube.values & !bit,
                    });
                }
            }
        }
        primes.extend(
            (cubes.iter().zip(is_merged)).filter_map(|(cube, gone)| (!gone).then_some(*cube)),
        );
        cubes = next;
    }
    // The largest first, until every minterm is in one.
    primes.sort_unstable_by_key(|cube| (cube.mask.count_ones(), *cube));
    let mut open = minterms;
    let mut chosen = Vec::new();
    for prime in primes {
        let before = open.len();
        open.retain(|minterm| minterm.values & prime.mask != prime.values);
        if open.len() < before {
            chosen.push(prime);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use rhumb_logic::Sort;
    use rhumb_logic::eval::evaluate;
    use rhumb_logic::value::{Assignment, Value};

    use super::*;

    #[test]
    fn a_disjunction_has_its_minterms_and_no_others() {
        let terms = Terms::new();
        let symbols: Vec<_> = (0..4)
            .map(|place| terms.symbol(format!("p{place}"), Sort::Bool))
            .collect();
        let predicates: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
        // All sets of values of four predicates.
        for set in 0_u32..1 << 16 {
            let minterms: Vec<Minterm> = (0..16).filter(|place| set >> place & 1 == 1).collect();
            let formula = disjunction(&terms, &predicates, &minterms);
            for values in 0_u64..16 {
                let state: Assignment = (symbols.iter().enumerate())
                    .map(|(place, &symbol)| (symbol, Value::Bool(values >> place & 1 == 1)))
                    .collect();
                let holds = evaluate(&terms, formula, &state)
                    .as_ref()
                    .and_then(Value::as_bool);
                assert_eq!(
                    holds,
                    Some(minterms.contains(&values)),
                    "{set:b} {values:b}"
                );
            }
        }
    }

    #[test]
    fn what_does_not_matter_is_not_mentioned() {
        let terms = Terms::new();
        let predicates: Vec<Term> = (0..3).map(|_| terms.fresh("p", Sort::Bool)).collect();
        let all: Vec<Minterm> = (0..8).collect();
        assert_eq!(
            terms.as_bool(disjunction(&terms, &predicates, &all)),
            Some(true)
        );
        let half: Vec<Minterm> = vec![4, 5, 6, 7];
        assert_eq!(disjunction(&terms, &predicates, &half), predicates[2]);
    }
}
