//! The cells that make up the state of a program: each has a sort, and a symbol that stands for its value in formulas.
//!
//! Whoever computes with values of cells asks for the sort before: only numbers can be subtracted from each other.

use std::ops::Index;

use index_vec::{IndexVec, define_index_type};
use rhumb_logic::{Sort, Symbol, Term, Terms, Value};
use rhumb_program::{DataModel, FuncId, ObjectId, Printer, Program, Type, VarId};
use rustc_hash::FxHashMap;

use crate::ranges::Ranges;
use crate::values::Interval;
use crate::values::{bits_of, sort_of, type_range, value_of};

/// Up to this many addresses are said to be different from each other, which takes a formula for each pair.
const MAX_DISTINCT: usize = 16;

define_index_type! {
    /// A cell of the state.
    pub struct CellId = u32;
    DEBUG_FORMAT = "c{}";
}

/// A part of the state that has a value of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// What it holds.
    pub content: Content,
    /// The type of what it holds.
    pub ty: Type,
    /// The sort of its values in formulas.
    pub sort: Sort,
    /// The symbol that stands for its value.
    pub symbol: Symbol,
}

/// What a cell holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// The value of a scalar variable.
    Variable(VarId),
    /// An address: a constant of the run of which nothing is known but that it is not null and that no two are equal.
    Address(Addressed),
}

/// What has an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Addressed {
    /// A memory object.
    Object(ObjectId),
    /// A function.
    Function(FuncId),
}

impl Cell {
    /// Whether its values are integers, so that sums and differences of them mean something.
    pub fn is_number(&self) -> bool {
        self.sort == Sort::Int
    }

    /// The value with a bit pattern.
    pub fn value(&self, bits: u128) -> Option<Value> {
        value_of(self.sort, self.ty, bits)
    }

    /// The bit pattern of a value; none if it is not one of the cell's sort.
    pub fn bits(&self, model: DataModel, value: &Value) -> Option<u128> {
        bits_of(self.sort, self.ty, model, value)
    }
}

/// The cells of a block graph: one for every scalar variable that is live at a cut point, and one for every address that occurs.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    cells: IndexVec<CellId, Cell>,
    by_content: FxHashMap<Content, CellId>,
    vars: Vec<VarId>,
}

impl Index<CellId> for Cells {
    type Output = Cell;

    fn index(&self, id: CellId) -> &Cell {
        &self.cells[id]
    }
}

impl Cells {
    /// A cell for each of the variables.
    pub(crate) fn new(
        program: &Program,
        terms: &Terms,
        ranges: &mut Ranges,
        live: impl IntoIterator<Item = VarId>,
    ) -> Cells {
        let printer = Printer::new(program);
        let mut cells = Cells {
            vars: live.into_iter().collect(),
            ..Cells::default()
        };
        cells.vars.sort_unstable();
        cells.vars.dedup();
        for var in cells.vars.clone() {
            let ty = program.vars[var].ty;
            let sort = sort_of(ty);
            let symbol = terms.symbol(printer.var(var), sort);
            ranges.declare(symbol, type_range(ty, program.data_model));
            cells.add(Cell {
                content: Content::Variable(var),
                ty,
                sort,
                symbol,
            });
        }
        cells
    }

    fn add(&mut self, cell: Cell) {
        let id = self.cells.push(cell);
        self.by_content.insert(cell.content, id);
    }

    /// All cells: variables in the order of their ids, then addresses.
    pub fn iter(&self) -> impl Iterator<Item = &Cell> + '_ {
        self.cells.iter()
    }

    /// The cells that keep their value for the whole run.
    pub fn constants(&self) -> impl Iterator<Item = &Cell> + '_ {
        self.cells.iter().skip(self.vars.len())
    }

    /// The variables that have a cell, in the order of their ids.
    pub fn vars(&self) -> &[VarId] {
        &self.vars
    }

    /// The cell of a variable; none for one that is live at no cut point.
    pub fn of_var(&self, var: VarId) -> Option<CellId> {
        self.by_content.get(&Content::Variable(var)).copied()
    }

    /// The symbol of a variable; none for one that is live at no cut point.
    pub fn symbol(&self, var: VarId) -> Option<Symbol> {
        self.of_var(var).map(|cell| self[cell].symbol)
    }

    /// The cell of an address.
    pub fn address(&self, what: Addressed) -> Option<&Cell> {
        let id = self.by_content.get(&Content::Address(what))?;
        Some(&self[*id])
    }

    /// The symbol of an address, made if need be.
    pub(crate) fn address_symbol(
        &mut self,
        program: &Program,
        terms: &Terms,
        ranges: &mut Ranges,
        what: Addressed,
    ) -> Symbol {
        if let Some(known) = self.address(what) {
            return known.symbol;
        }
        let (name, size) = match what {
            Addressed::Object(object) => {
                let object = &program.objects[object];
                (&object.decl.name, object.size)
            }
            Addressed::Function(function) => (&program.functions[function].name, 1),
        };
        let (ty, sort) = (Type::Ptr, sort_of(Type::Ptr));
        let symbol = terms.symbol(format!("&{name}"), sort);
        let pointers = type_range(ty, program.data_model);
        ranges.declare(symbol, Interval::new(1, pointers.high - size));
        self.add(Cell {
            content: Content::Address(what),
            ty,
            sort,
            symbol,
        });
        symbol
    }

    /// What is known of the addresses.
    pub(crate) fn address_facts(&self, terms: &Terms, ranges: &Ranges) -> Term {
        let mut facts = Vec::new();
        let symbols: Vec<Symbol> = self.constants().map(|cell| cell.symbol).collect();
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
