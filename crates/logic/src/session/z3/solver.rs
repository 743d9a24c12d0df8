//! Solvers and models of Z3.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ptr::NonNull;

use z3_sys::*;

use super::{Ast, Context, Decl, Refused, length, raw_asts, text};

/// What a check says.
pub(in crate::session) enum Outcome {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// Not decided, with the reason in Z3's words.
    Unknown(String),
}

/// Which of Z3's solvers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverKind {
    /// The incremental core for all theories: quick to start, best for many short queries.
    #[default]
    Incremental,
    /// Z3's own choice of tactics at the first query, then the incremental core.
    Tactics,
    /// Bit-vectors without other theories, by reduction to propositional logic; incremental, too.
    BitVectors,
    /// Floating point and bit-vectors, by reduction to propositional logic. Best asked once.
    Floats,
}

/// A solver of a context.
pub(in crate::session) struct Solver<'z> {
    context: &'z Context,
    raw: Z3_solver,
}

impl Drop for Solver<'_> {
    fn drop(&mut self) {
        // SAFETY: counted once, when it was made.
        unsafe { Z3_solver_dec_ref(self.context.raw, self.raw) }
    }
}

impl Context {
    /// The solver that Z3 has for a logic.
    unsafe fn solver_for(&self, logic: &CStr) -> Option<Z3_solver> {
        // SAFETY: the name ends with zero, and the context lives.
        unsafe {
            let name = Z3_mk_string_symbol(self.raw, logic.as_ptr())?;
            Z3_mk_solver_for_logic(self.raw, name)
        }
    }
}

impl<'z> Solver<'z> {
    /// A new solver.
    pub(in crate::session) fn new(
        context: &'z Context,
        kind: SolverKind,
    ) -> Result<Solver<'z>, Refused> {
        // SAFETY: needs a living context; counted at once.
        let raw = unsafe {
            let raw = match kind {
                SolverKind::Incremental => Z3_mk_simple_solver(context.raw),
                SolverKind::Tactics => Z3_mk_solver(context.raw),
                SolverKind::BitVectors => context.solver_for(c"QF_BV"),
                SolverKind::Floats => context.solver_for(c"QF_FPBV"),
            };
            let raw = raw.ok_or_else(|| context.refusal())?;
            Z3_solver_inc_ref(context.raw, raw);
            raw
        };
        Ok(Solver { context, raw })
    }

    /// Sets a parameter that is a number.
    pub(in crate::session) fn set(&self, name: &CStr, value: u32) -> Result<(), Refused> {
        let context = self.context.raw;
        // SAFETY: the name ends with zero; the parameters are counted and given back.
        unsafe {
            let params = Z3_mk_params(context).ok_or_else(|| self.context.refusal())?;
            Z3_params_inc_ref(context, params);
            if let Some(key) = Z3_mk_string_symbol(context, name.as_ptr()) {
                Z3_params_set_uint(context, params, key, value);
                Z3_solver_set_params(context, self.raw, params);
            }
            Z3_params_dec_ref(context, params);
        }
        self.context.checked()
    }

    /// Opens a level.
    pub(in crate::session) fn push(&self) -> Result<(), Refused> {
        // SAFETY: the solver is alive.
        unsafe { Z3_solver_push(self.context.raw, self.raw) };
        self.context.checked()
    }

    /// Closes levels.
    pub(in crate::session) fn pop(&self, levels: u32) -> Result<(), Refused> {
        // SAFETY: the solver is alive; Z3 checks the number.
        unsafe { Z3_solver_pop(self.context.raw, self.raw, levels) };
        self.context.checked()
    }

    /// Asserts a formula.
    pub(in crate::session) fn assert(&self, formula: Ast<'z>) -> Result<(), Refused> {
        // SAFETY: solver and formula are alive; Z3 checks the sort.
        unsafe { Z3_solver_assert(self.context.raw, self.raw, formula.raw) };
        self.context.checked()
    }

    /// Decides what is asserted together with the assumptions, which must be literals.
    pub(in crate::session) fn check(&self, assumptions: &[Ast<'z>]) -> Outcome {
        let assumptions = raw_asts(assumptions);
        let context = self.context.raw;
        // SAFETY: solver and assumptions are alive, and as many as said; the reason is copied at once.
        unsafe {
            let answer = if assumptions.is_empty() {
                Z3_solver_check(context, self.raw)
            } else {
                let first = assumptions.as_ptr();
                Z3_solver_check_assumptions(context, self.raw, length(&assumptions), first)
            };
            match answer {
                Z3_L_TRUE => Outcome::Sat,
                Z3_L_FALSE => Outcome::Unsat,
                _ if Z3_get_error_code(context) != ErrorCode::Ok => {
                    Outcome::Unknown(self.context.refusal().0)
                }
                _ => Outcome::Unknown(text(Z3_solver_get_reason_unknown(context, self.raw))),
            }
        }
    }

    /// Resource units that were used up in the context so far, as of the last check.
    pub(in crate::session) fn units(&self) -> u64 {
        let context = self.context.raw;
        // SAFETY: the statistics are counted while they are read; places are below their number, and the key is a
        // string of Z3 that ends with zero.
        unsafe {
            let Some(statistics) = Z3_solver_get_statistics(context, self.raw) else {
                return 0;
            };
            Z3_stats_inc_ref(context, statistics);
            let places = 0..Z3_stats_size(context, statistics);
            let is_units = |&place: &u32| {
                Z3_stats_is_uint(context, statistics, place)
                    && NonNull::new(Z3_stats_get_key(context, statistics, place).cast_mut())
                        .is_some_and(|key| CStr::from_ptr(key.as_ptr()) == c"rlimit count")
            };
            let place = places.into_iter().find(is_units);
            let units = place.map_or(0, |place| {
                u64::from(Z3_stats_get_uint_value(context, statistics, place))
            });
            Z3_stats_dec_ref(context, statistics);
            units
        }
    }

    /// The assumptions that the last check, which said no, needed.
    pub(in crate::session) fn core(&self) -> Result<Vec<Ast<'z>>, Refused> {
        let context = self.context.raw;
        // SAFETY: the vector is counted while it is read; its members are assumptions, which the context keeps.
        unsafe {
            let vector = Z3_solver_get_unsat_core(context, self.raw);
            let vector = vector.ok_or_else(|| self.context.refusal())?;
            Z3_ast_vector_inc_ref(context, vector);
            let size = Z3_ast_vector_size(context, vector);
            let members = (0..size).filter_map(|place| Z3_ast_vector_get(context, vector, place));
            let members = members
                .map(|raw| Ast {
                    raw,
                    context: PhantomData,
                })
                .collect();
            Z3_ast_vector_dec_ref(context, vector);
            Ok(members)
        }
    }

    /// The model that the last check found.
    pub(in crate::session) fn model(&self) -> Result<ModelRef<'z>, Refused> {
        let context = self.context;
        // SAFETY: counted at once.
        unsafe {
            let raw =
                Z3_solver_get_model(context.raw, self.raw).ok_or_else(|| context.refusal())?;
            Z3_model_inc_ref(context.raw, raw);
            Ok(ModelRef { context, raw })
        }
    }
}

/// A model of Z3.
pub(in crate::session) struct ModelRef<'z> {
    context: &'z Context,
    raw: Z3_model,
}

impl Drop for ModelRef<'_> {
    fn drop(&mut self) {
        // SAFETY: counted once, when it was made.
        unsafe { Z3_model_dec_ref(self.context.raw, self.raw) }
    }
}

impl<'z> ModelRef<'z> {
    /// Number of constants that have a value.
    pub(in crate::session) fn len(&self) -> u32 {
        // SAFETY: the model is alive.
        unsafe { Z3_model_get_num_consts(self.context.raw, self.raw) }
    }

    /// A constant that has a value.
    pub(in crate::session) fn constant(&self, place: u32) -> Option<Decl<'z>> {
        // SAFETY: the model is alive and keeps its constants; Z3 checks the place.
        let raw = unsafe { Z3_model_get_const_decl(self.context.raw, self.raw, place)? };
        Some(Decl {
            raw,
            context: PhantomData,
        })
    }

    /// The value of a constant, which lives as long as the model.
    pub(in crate::session) fn value(&self, constant: Decl<'z>) -> Option<Ast<'_>> {
        // SAFETY: model and constant are alive.
        let raw = unsafe { Z3_model_get_const_interp(self.context.raw, self.raw, constant.raw)? };
        Some(Ast {
            raw,
            context: PhantomData,
        })
    }
}
