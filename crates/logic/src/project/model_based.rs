//! Model-based projection.

use rustc_hash::FxHashSet;

use crate::cube::{Region, reduce};
use crate::term::{Symbol, Term, Terms};
use crate::value::Assignment;

use super::eliminate::Shadow;
use super::linearise::linearise;

/// A cube without the symbols that implies `∃ eliminate. cube` and holds in the model; none if the cube doesn't hold in
/// the model, or a symbol occurs where only its value could replace it and the model has none (an array).
///
/// Over linear arithmetic with congruences a cube has finitely many results, over all models, and they cover the projection.
/// A symbol below an operation that is not linear is replaced by its value; then there may be one result for each value.
///
/// ```
/// use rhumb_logic::{Assignment, Int, Sort, Terms, Value, project::model_based};
/// let terms = Terms::new();
/// let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
/// let (vx, vk) = (terms.var(x), terms.var(k));
/// // x = 2k + 1 and k >= 0
/// let odd = terms.eq(vx, terms.add(terms.scale(2, vk), terms.int(1)));
/// let cube = [odd, terms.ge(vk, terms.int(0))];
/// let model = Assignment::from_iter([(x, Value::Int(Int::from(7))), (k, Value::Int(Int::from(3)))]);
/// let mut result = model_based(&terms, &cube, &[k], &model).unwrap();
/// result.sort();
/// let mut expected = [terms.congruent(vx, 2, 1), terms.ge(vx, terms.int(1))];
/// expected.sort();
/// assert_eq!(result, expected);
/// ```
pub fn model_based(
    terms: &Terms,
    cube: &[Term],
    eliminate: &[Symbol],
    model: &Assignment,
) -> Option<Vec<Term>> {
    let targets = eliminate.iter().copied().collect();
    let formula = terms.and(cube.iter().copied());
    let region = Region::mentioning(terms, formula, &targets);
    project(terms, &region, &targets, model, Shadow::Under)
}

/// The projection of the implicant of a formula in a model.
pub(super) fn project(
    terms: &Terms,
    region: &Region,
    targets: &FxHashSet<Symbol>,
    model: &Assignment,
    shadow: Shadow,
) -> Option<Vec<Term>> {
    let cube = region.implicant(terms, model)?;
    let mut lines = linearise(terms, cube, targets, model)?;
    lines.system.eliminate(terms, shadow);
    let mut literals = lines.untouched;
    literals.extend(lines.system.into_literals(terms));
    Some(reduce(terms, literals))
}
