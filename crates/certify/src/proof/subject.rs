//! What proofs are about: the program as lowered, plus inlining, with variables for objects where [`memory`] finds that
//! right, and nothing else.

use rhumb_logic::{Symbol, Terms, Value};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::passes::scalars::{Piece, Plan};
use rhumb_program::passes::{
    CellPlace, EdgeRef, LocRef, Passed, Restore, VarOrigin, inline, scalars,
};
use rhumb_program::{Cfa, FuncId, IndexVec, LocId, Program, Scope, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::argument::{Proof, VALUE_SORT};
use super::body::Body;
use super::encode::{Calls, Malformed};
use super::memory::{self, Objection};
use super::name::{Point, Variable};
use super::reject::{Invalid, Rejected, VariableValue};

/// Inlining for a proof stops at this many edges; calls beyond are left and must not be reached.
pub const MAX_EDGES: usize = 1_000_000;

/// The program of a proof.
pub(crate) struct Subject<'p> {
    /// As the front end lowered it.
    lowered: &'p Program,
    pub(crate) program: Program,
    pub(crate) restore: Restore,
    pub(crate) calls: Calls,
    points: FxHashMap<Point, LocRef>,
    /// Inputs that are parts of inputs of the program as lowered.
    pieces: Vec<Piece>,
    /// What is wrong with the variables that were made of objects. Then there are none.
    objection: Option<Objection>,
}

impl<'p> Subject<'p> {
    pub(crate) fn new(program: &'p Program) -> Subject<'p> {
        Subject::with_ghosts(program, &Plan::default())
    }

    /// The same with elements of large objects that are followed.
    pub(crate) fn with_ghosts(program: &'p Program, plan: &Plan) -> Subject<'p> {
        let passed = inline::run(program, MAX_EDGES).passed;
        let scalars = scalars::with_ghosts(&passed.program, plan);
        let mut objection = None;
        let mut pieces = Vec::new();
        let passed = match scalars.objects.is_empty() {
            true => passed,
            false => match memory::check(&passed.program, &scalars) {
                Ok(()) => {
                    pieces = scalars.pieces;
                    Passed {
                        restore: passed.restore.then(&scalars.passed.restore),
                        program: scalars.passed.program,
                    }
                }
                Err(wrong) => {
                    objection = Some(wrong);
                    passed
                }
            },
        };
        let calls = Calls::of(&passed.program);
        let mut points = FxHashMap::default();
        for &function in calls.entered() {
            let locations = passed.program.functions[function].cfa.locations.indices();
            points.extend(locations.filter_map(|location| {
                let at = LocRef { function, location };
                Some((Point::of(&passed.restore, at)?, at))
            }));
        }
        Subject {
            lowered: program,
            points,
            calls,
            program: passed.program,
            restore: passed.restore,
            pieces,
            objection,
        }
    }

    /// Objects became variables, if any did, in a way that was found right. Otherwise no proof is accepted: what made them has an error.
    pub(crate) fn is_right(&self) -> Result<(), Rejected> {
        match &self.objection {
            None => Ok(()),
            Some(objection) => Err(Rejected::Program(objection.to_string())),
        }
    }

    /// Inputs of the program as lowered, from inputs of this one.
    pub(crate) fn inputs_as_lowered(&self, inputs: KeyedInputs) -> KeyedInputs {
        scalars::assemble(&self.pieces, self.program.data_model, inputs)
    }

    /// The automaton: the start function with all that was inlined.
    pub(crate) fn cfa(&self) -> &Cfa {
        &self.program.functions[self.program.start].cfa
    }

    /// The automaton of the start function.
    pub(crate) fn start(&self) -> Body<'_> {
        self.body(self.program.start)
    }

    /// The automaton of a function.
    pub(crate) fn body(&self, function: FuncId) -> Body<'_> {
        Body {
            subject: self,
            function,
        }
    }

    /// The location of a point, in the start function or in one whose calls stay.
    pub(crate) fn located(&self, point: &Point) -> Option<LocRef> {
        self.points.get(point).copied()
    }

    /// The location of a point of the start function.
    pub(crate) fn location(&self, point: &Point) -> Option<LocId> {
        self.start().location(point)
    }

    /// A symbol for each variable: the proof's, if it has one.
    pub(crate) fn symbols(&self, proof: &Proof) -> Result<IndexVec<VarId, Symbol>, Invalid> {
        let mut declared: FxHashMap<&Variable, Symbol> = FxHashMap::default();
        for (&symbol, variable) in &proof.variables {
            if proof.terms.symbol_info(symbol).sort != VALUE_SORT {
                return Err(Invalid::Sort(name(&proof.terms, symbol)));
            }
            if declared.insert(variable, symbol).is_some() {
                return Err(Invalid::TwoSymbols(name(&proof.terms, symbol)));
            }
        }
        let mut used = 0;
        let symbols = self.program.vars.iter_enumerated().map(|(id, var)| {
            match declared.get(&Variable::of(&self.restore, id)) {
                Some(&symbol) => {
                    used += 1;
                    symbol
                }
                None => proof.terms.symbol(&*var.decl.name, VALUE_SORT),
            }
        });
        let symbols: IndexVec<VarId, Symbol> = symbols.collect();
        if used < declared.len() {
            let known: FxHashSet<Symbol> = symbols.iter().copied().collect();
            let unknown = declared
                .values()
                .copied()
                .filter(|symbol| !known.contains(symbol))
                .min();
            if let Some(symbol) = unknown {
                return Err(Invalid::UnknownVariable(name(&proof.terms, symbol)));
            }
        }
        Ok(symbols)
    }

    /// A variable for people.
    pub(crate) fn shown(&self, var: VarId, value: Value) -> VariableValue {
        let declared = &self.program.vars[var];
        let Variable { calls, var: origin } = Variable::of(&self.restore, var);
        let call = |call: &EdgeRef| {
            let span = self.lowered.functions[call.function].cfa.edges[call.edge].span;
            // The call that the front end made to begin with is not in the text.
            (call.function != self.lowered.start).then(|| self.lowered.sources.position(span))
        };
        VariableValue {
            name: match declared.decl.name.is_empty() {
                true => format!("${}", origin.variable().unwrap_or(var).index()),
                false => declared.decl.name.to_string(),
            },
            function: self
                .function_of(origin)
                .map(|function| self.lowered.functions[function].name.to_string()),
            calls: calls.iter().filter_map(call).collect(),
            value,
        }
    }

    /// The function whose variable or object it is; none for a global one.
    fn function_of(&self, origin: VarOrigin) -> Option<FuncId> {
        let scope = match origin {
            VarOrigin::Variable(var) => self.lowered.vars[var].scope,
            VarOrigin::Cell(cell) => match cell.place {
                CellPlace::Object(object) => self.lowered.objects[object].scope,
                CellPlace::Allocation(edge) => Scope::Local(edge.function),
            },
            VarOrigin::Ghost(..) => Scope::Global,
            VarOrigin::Distance(var) => self.lowered.vars[var].scope,
            VarOrigin::Part(site, _) => Scope::Local(self.lowered.inputs[site].function),
        };
        match scope {
            Scope::Global => None,
            Scope::Local(function) => Some(function),
        }
    }

    /// A point, which the program may not have, for people.
    pub(crate) fn describe(&self, point: &Point) -> String {
        let function = self.lowered.functions.get(point.location.function);
        let function = function.map_or("?", |function| &*function.name);
        let location = point.location.location;
        match point.calls.len() {
            0 => format!("{location:?} of {function}"),
            calls => format!("{location:?} of {function}, {calls} calls deep"),
        }
    }

    /// The answer for a program that no front end makes.
    pub(crate) fn malformed(&self, malformed: Malformed) -> Rejected {
        Rejected::Program(match malformed {
            Malformed::Shape(span) => {
                format!("{malformed} ({})", self.program.sources.position(span))
            }
            Malformed::Uncut => malformed.to_string(),
        })
    }
}

pub(crate) fn name(terms: &Terms, symbol: Symbol) -> String {
    terms.symbol_info(symbol).name.to_string()
}
