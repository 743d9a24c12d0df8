//! The terms of an abstraction, as coordinates.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cube::{Region, reduce};
use crate::eval;
use crate::num::Int;
use crate::term::{Symbol, Term, Terms};
use crate::value::{Assignment, Value};

use super::Level;
use super::relax::Relaxation;

/// Terms whose values make a point, each with a symbol that stands for it inside of cubes. So a term may be anything: its `ite` are
/// decided by the model like those of the formula.
pub(super) struct View {
    pub(super) dimensions: Vec<Term>,
    coordinates: Vec<Symbol>,
    /// That each symbol equals its term.
    definitions: Region,
}

impl View {
    /// There must be a symbol for each dimension.
    pub(super) fn new(terms: &Terms, dimensions: &[Term], coordinates: &[Symbol]) -> View {
        let pairs = dimensions.iter().zip(coordinates);
        let definitions =
            terms.and(pairs.map(|(&term, &symbol)| terms.eq(terms.var(symbol), term)));
        View {
            dimensions: dimensions.to_vec(),
            coordinates: coordinates.iter().copied().take(dimensions.len()).collect(),
            definitions: Region::everything(terms, definitions),
        }
    }

    /// The values of the terms; none if one is not known.
    pub(super) fn point(&self, terms: &Terms, model: &Assignment) -> Option<Vec<Int>> {
        let values = eval::evaluate_all(terms, &self.dimensions, model);
        values
            .into_iter()
            .map(|value| value?.as_int().cloned())
            .collect()
    }

    /// The real relaxation of the cube around a model, with the terms as its first dimensions; none if the cube can't be seen.
    pub(super) fn relaxation(
        &self,
        terms: &Terms,
        levels: &[Level],
        model: &Assignment,
    ) -> Option<Relaxation> {
        let mut extended = model.clone();
        let point = self.point(terms, model)?;
        extended.extend(
            self.coordinates
                .iter()
                .copied()
                .zip(point.into_iter().map(Value::Int)),
        );
        let mut literals = self.definitions.implicant(terms, &extended)?;
        for level in levels {
            literals.extend(level.region.implicant(terms, model)?);
        }
        let literals = connected(terms, reduce(terms, literals), &self.coordinates);
        let coordinates = self.coordinates.iter().map(|&symbol| terms.var(symbol));
        Relaxation::new(terms, &literals, coordinates.collect(), &extended)
    }
}

/// The literals that are linked to some symbols by symbols that they have in common. In a cube that has a model the
/// others say nothing about these symbols.
fn connected(terms: &Terms, literals: Vec<Term>, from: &[Symbol]) -> Vec<Term> {
    let symbols: Vec<Vec<Symbol>> = (literals.iter())
        .map(|&literal| terms.symbols([literal]))
        .collect();
    let mut mentions: FxHashMap<Symbol, Vec<usize>> = FxHashMap::default();
    for (place, symbols) in symbols.iter().enumerate() {
        for &symbol in symbols {
            mentions.entry(symbol).or_default().push(place);
        }
    }
    let mut is_linked = vec![false; literals.len()];
    let mut seen: FxHashSet<Symbol> = from.iter().copied().collect();
    let mut waiting: Vec<Symbol> = from.to_vec();
    while let Some(symbol) = waiting.pop() {
        for &place in mentions.get(&symbol).into_iter().flatten() {
            if !std::mem::replace(&mut is_linked[place], true) {
                let new = symbols[place].iter().filter(|&&symbol| seen.insert(symbol));
                waiting.extend(new);
            }
        }
    }
    let linked = literals.into_iter().zip(is_linked);
    linked
        .filter_map(|(literal, is_linked)| is_linked.then_some(literal))
        .collect()
}
