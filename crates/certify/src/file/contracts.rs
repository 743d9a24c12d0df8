//! Contracts in certificate files.

use std::collections::BTreeMap;

use rhumb_logic::{Symbol, Terms};
use rhumb_program::FuncId;
use serde::{Deserialize, Serialize};

use super::naming::Naming;
use super::proof::{PlacedEntry, ProofFileError};
use super::text::{self, Names, Unwritable};
use crate::proof::{Contract, Contracts, Invariants, Variable};

/// The contract of a function, by its number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ContractEntry {
    function: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requires: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ensures: Vec<String>,
    /// The globals that it may leave with other values; without it, all that it may set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modifies: Option<Vec<PlacedEntry>>,
    /// The name of its result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

/// A name for the value that a variable had when the function was entered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntryValue {
    name: String,
    variable: PlacedEntry,
}

/// The entries of contracts.
pub(super) fn write(
    names: &mut Naming<'_>,
    contracts: &Contracts,
) -> Result<(Vec<ContractEntry>, Vec<EntryValue>), Unwritable> {
    let mut functions = Vec::new();
    for (function, contract) in &contracts.functions {
        let requires = contract
            .requires
            .iter()
            .map(|&formula| names.write(formula));
        let requires = requires.collect::<Result<_, _>>()?;
        let ensures = contract.ensures.iter().map(|&formula| names.write(formula));
        let ensures = ensures.collect::<Result<_, _>>()?;
        let modified = |variables: &Vec<Variable>| {
            let entries = variables.iter().filter_map(PlacedEntry::of);
            entries.collect()
        };
        functions.push(ContractEntry {
            function: function.raw(),
            requires,
            ensures,
            modifies: contract.modifies.as_ref().map(modified),
            result: contract.result.map(|symbol| names.named(symbol)),
        });
    }
    let entry = contracts.entry.iter().filter_map(|(&symbol, variable)| {
        let name = names.used(symbol)?;
        let variable = PlacedEntry::of(variable)?;
        Some(EntryValue { name, variable })
    });
    Ok((functions, entry.collect()))
}

/// The contracts of entries.
pub(super) fn read(
    terms: &Terms,
    names: &Names,
    functions: &[ContractEntry],
    entry: &[EntryValue],
    invariants: Invariants,
) -> Result<Contracts, ProofFileError> {
    let symbol = |name: &String| {
        let unknown = || ProofFileError::Bound(name.clone());
        names.get(name).copied().ok_or_else(unknown)
    };
    let mut contracts = Contracts {
        invariants,
        ..Contracts::default()
    };
    for known in functions {
        let formulas = |texts: &[String]| {
            let formulas = texts
                .iter()
                .map(|formula| text::read(terms, formula, names));
            formulas.collect::<Result<Vec<_>, _>>()
        };
        let modified = |entries: &Vec<PlacedEntry>| {
            let variables = entries.iter().map(PlacedEntry::variable);
            variables.collect::<Result<Vec<_>, _>>()
        };
        let contract = Contract {
            requires: formulas(&known.requires)?,
            ensures: formulas(&known.ensures)?,
            modifies: known.modifies.as_ref().map(modified).transpose()?,
            result: known.result.as_ref().map(symbol).transpose()?,
        };
        let function = FuncId::from_raw(known.function);
        if contracts.functions.insert(function, contract).is_some() {
            return Err(ProofFileError::Twice(format!(
                "function {}",
                known.function
            )));
        }
    }
    let values = entry
        .iter()
        .map(|known| Ok((symbol(&known.name)?, known.variable.variable()?)));
    contracts.entry = values.collect::<Result<BTreeMap<Symbol, Variable>, ProofFileError>>()?;
    Ok(contracts)
}
