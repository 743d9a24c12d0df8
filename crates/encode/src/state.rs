//! The symbols that stand for the state of a program.

use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::{FuncId, ObjectId, Printer, Program, VarId};
use rustc_hash::FxHashMap;

use crate::interval::Interval;
use crate::ranges::Ranges;
use crate::values::type_range;

/// Up to this many addresses are said to be different from each other, which takes a formula for each pair.
const MAX_DISTINCT: usize = 16;

/// The symbols of a block graph: one for every scalar variable that is live at a cut point, and one for every address that occurs.
///
/// All are of sort `Int`. An address is a constant of the run that nothing is known about but that it is not null and that no two are equal.
#[derive(Clone, Debug, Default)]
pub struct State {
    symbols: FxHashMap<VarId, Symbol>,
    vars: FxHashMap<Symbol, VarId>,
    order: Vec<VarId>,
    addresses: FxHashMap<Addressed, Symbol>,
    address_order: Vec<Addressed>,
}

/// What has an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addressed {
    /// A memory object.
    Object(ObjectId),
    /// A function.
    Function(FuncId),
}

impl State {
    /// A symbol for each of the variables.
    pub(crate) fn new(
        program: &Program,
        terms: &Terms,
        ranges: &mut Ranges,
        live: impl IntoIterator<Item = VarId>,
    ) -> State {
        let printer = Printer::new(program);
        let mut state = State {
            order: live.into_iter().collect(),
            ..State::default()
        };
        state.order.sort_unstable();
        state.order.dedup();
        for &var in &state.order {
            let symbol = terms.symbol(printer.var(var), Sort::Int);
            ranges.declare(symbol, type_range(program.vars[var].ty, program.data_model));
            state.symbols.insert(var, symbol);
            state.vars.insert(symbol, var);
        }
        state
    }

    /// The variables that have a symbol, in the order of their ids.
    pub fn vars(&self) -> &[VarId] {
        &self.order
    }

    /// The symbol of a variable; none for one that is live at no cut point.
    pub fn symbol(&self, var: VarId) -> Option<Symbol> {
        self.symbols.get(&var).copied()
    }

    /// The variable that a symbol stands for.
    pub fn var(&self, symbol: Symbol) -> Option<VarId> {
        self.vars.get(&symbol).copied()
    }

    /// The addresses that occur, each with its symbol.
    pub fn addresses(&self) -> impl Iterator<Item = (Addressed, Symbol)> + '_ {
        self.address_order
            .iter()
            .map(|what| (*what, self.addresses[what]))
    }

    /// The symbol of an address.
    pub fn address(&self, what: Addressed) -> Option<Symbol> {
        self.addresses.get(&what).copied()
    }

    /// The symbol of an address, made if need be.
    pub(crate) fn address_symbol(
        &mut self,
        program: &Program,
        terms: &Terms,
        ranges: &mut Ranges,
        what: Addressed,
    ) -> Symbol {
        if let Some(&known) = self.addresses.get(&what) {
            return known;
        }
        let (name, size) = match what {
            Addressed::Object(object) => {
                let object = &program.objects[object];
                (&object.decl.name, object.size)
            }
            Addressed::Function(function) => (&program.functions[function].name, 1),
        };
        let symbol = terms.symbol(format!("&{name}"), Sort::Int);
        let pointers = type_range(rhumb_program::Type::Ptr, program.data_model);
        ranges.declare(symbol, Interval::new(1, pointers.high - size));
        self.addresses.insert(what, symbol);
        self.address_order.push(what);
        symbol
    }

    /// What is known of the addresses.
    pub(crate) fn address_facts(&self, terms: &Terms, ranges: &Ranges) -> Term {
        let mut facts = Vec::new();
        let symbols: Vec<Symbol> = self.addresses().map(|(_, symbol)| symbol).collect();
        for (place, &symbol) in symbols.iter().enumerate() {
            facts.push(in_range(terms, ranges, symbol));
            if symbols.len() <= MAX_DISTINCT {
                let others = symbols[..place].iter();
                facts.extend(others.map(|&other| terms.ne(terms.var(symbol), terms.var(other))));
            }
        }
        terms.and(facts)
    }
}

/// The formula that a declared symbol has a value in its range.
pub(crate) fn in_range(terms: &Terms, ranges: &Ranges, symbol: Symbol) -> Term {
    match ranges.symbol(symbol) {
        Some(range) => terms.within(range.low.clone(), terms.var(symbol), range.high.clone()),
        None => terms.bool(true),
    }
}
