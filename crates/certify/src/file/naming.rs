//! Names for the symbols of a proof, and what is written with them.

use std::collections::BTreeMap;

use rhumb_logic::{Symbol, Term};
use rhumb_program::Program;
use rustc_hash::FxHashMap;

use super::ghosts::GhostVariable;
use super::proof::{
    FormulaEntry, HintEntry, PointEntry, VariableEntry, entry_of, location_ref, point_ref, refs,
};
use super::text::{self, Unwritable};
use crate::proof::{Formula, Hint, Instance, Invariants, Proof, VALUE_SORT};

/// Gives names to the symbols of a proof: that of the source text, and a number.
pub(super) struct Naming<'p> {
    program: &'p Program,
    proof: &'p Proof,
    names: FxHashMap<Symbol, String>,
    used: Vec<Symbol>,
}

impl<'p> Naming<'p> {
    pub(super) fn new(program: &'p Program, proof: &'p Proof) -> Naming<'p> {
        Naming {
            program,
            proof,
            names: FxHashMap::default(),
            used: Vec::new(),
        }
    }

    fn name(&mut self, symbol: Symbol) {
        if self.names.contains_key(&symbol) {
            return;
        }
        let declared = self.proof.variables.get(&symbol);
        let declared = declared.and_then(|variable| variable.var.variable());
        let declared = declared.and_then(|var| self.program.vars.get(var));
        let word = match declared {
            Some(var) => &*var.decl.name,
            None => &*self.proof.terms.symbol_info(symbol).name,
        };
        let plain = |character: &char| character.is_ascii_alphanumeric() || *character == '_';
        let word: String = word.chars().filter(plain).collect();
        self.names
            .insert(symbol, format!("{word}.{}", self.used.len()));
        self.used.push(symbol);
    }

    /// The name of a symbol.
    pub(super) fn named(&mut self, symbol: Symbol) -> String {
        self.name(symbol);
        self.names[&symbol].clone()
    }

    /// The name of a symbol that has one.
    pub(super) fn used(&self, symbol: Symbol) -> Option<String> {
        self.names.get(&symbol).cloned()
    }

    pub(super) fn invariants(
        &mut self,
        invariants: &Invariants,
    ) -> Result<(Vec<PointEntry>, Vec<HintEntry>), Unwritable> {
        let mut points = Vec::new();
        for (point, formulas) in &invariants.at {
            let entries = formulas.iter().map(|formula| self.formula(formula));
            points.push(PointEntry {
                calls: refs(&point.calls),
                location: location_ref(point.location),
                formulas: entries.collect::<Result<_, _>>()?,
            });
        }
        let hints = invariants.hints.iter().map(|hint| self.hint(hint));
        Ok((points, hints.collect::<Result<_, _>>()?))
    }

    pub(super) fn write(&mut self, term: Term) -> Result<String, Unwritable> {
        let terms = &self.proof.terms;
        for symbol in terms.symbols([terms.expand(term)]) {
            self.name(symbol);
        }
        let name = |symbol: Symbol| self.names.get(&symbol).cloned().unwrap_or_default();
        text::write(terms, term, name)
    }

    pub(super) fn formula(&mut self, formula: &Formula) -> Result<FormulaEntry, Unwritable> {
        let matrix = self.write(formula.matrix)?;
        for &symbol in &formula.bound {
            self.name(symbol);
        }
        Ok(FormulaEntry {
            bound: formula
                .bound
                .iter()
                .map(|symbol| self.names[symbol].clone())
                .collect(),
            negated: formula.negated,
            matrix,
        })
    }

    fn hint(&mut self, hint: &Hint) -> Result<HintEntry, Unwritable> {
        let values = hint.values.iter().map(|&value| self.write(value));
        Ok(HintEntry {
            values: values.collect::<Result<_, _>>()?,
            from: point_ref(&hint.from),
            to: point_ref(&hint.to),
            goal: hint.goal,
            premise: match hint.instance {
                Instance::Premise(place) => Some(place),
                Instance::Goal => None,
            },
        })
    }

    /// What the names of variables stand for. Files have no sorts of variables: there is one only.
    pub(super) fn variables(&self) -> Result<Vec<VariableEntry>, Unwritable> {
        let sort = |symbol: &Symbol| self.proof.terms.symbol_info(*symbol).sort;
        let is_value = |symbol: &Symbol| self.proof.variables.contains_key(symbol);
        let mut values = self.used.iter().filter(|symbol| is_value(symbol));
        if values.any(|symbol| sort(symbol) != VALUE_SORT) {
            return Err(Unwritable);
        }
        let variables = self.used.iter().filter_map(|symbol| {
            let variable = self.proof.variables.get(symbol)?;
            let ghost = GhostVariable::of(variable.var);
            let (number, cell) = match ghost {
                Some(_) => (None, None),
                None => entry_of(variable.var)?,
            };
            Some(VariableEntry {
                name: self.names[symbol].clone(),
                calls: refs(&variable.calls),
                variable: number,
                cell,
                ghost,
            })
        });
        Ok(variables.collect())
    }

    pub(super) fn bound(&self) -> Result<BTreeMap<String, String>, Unwritable> {
        let others = self
            .used
            .iter()
            .filter(|symbol| !self.proof.variables.contains_key(*symbol));
        let entry = |symbol: &Symbol| {
            let sort = text::sort_text(
                &self.proof.terms,
                self.proof.terms.symbol_info(*symbol).sort,
            )?;
            Ok((self.names[symbol].clone(), sort))
        };
        others.map(entry).collect()
    }
}
