//! Z3's engine for Horn clauses.

use std::ffi::CStr;
use std::marker::PhantomData;

use z3_sys::*;

use super::solver::Outcome;
use super::{Ast, Context, Decl, Refused, length, text};

/// A set of clauses, and what they derive.
pub(in crate::session) struct Fixedpoint<'z> {
    context: &'z Context,
    raw: Z3_fixedpoint,
}

impl Drop for Fixedpoint<'_> {
    fn drop(&mut self) {
        // SAFETY: counted once, when it was made.
        unsafe { Z3_fixedpoint_dec_ref(self.context.raw, self.raw) }
    }
}

impl<'z> Fixedpoint<'z> {
    /// No clauses yet. A query may take so many resource units; zero for no limit. With guidance, lemmas that look
    /// alike make for a more general one.
    pub(in crate::session) fn new(
        context: &'z Context,
        is_guided: bool,
        units: u32,
    ) -> Result<Fixedpoint<'z>, Refused> {
        // SAFETY: needs a living context; counted at once. Names end with zero; the parameters are counted and given back.
        let made = unsafe {
            let raw = Z3_mk_fixedpoint(context.raw).ok_or_else(|| context.refusal())?;
            Z3_fixedpoint_inc_ref(context.raw, raw);
            let made = Fixedpoint { context, raw };
            let params = Z3_mk_params(context.raw).ok_or_else(|| context.refusal())?;
            Z3_params_inc_ref(context.raw, params);
            let symbol = |name: &CStr| Z3_mk_string_symbol(context.raw, name.as_ptr());
            if let (Some(key), Some(engine)) = (symbol(c"engine"), symbol(c"spacer")) {
                Z3_params_set_symbol(context.raw, params, key, engine);
            }
            if let (Some(key), true) = (symbol(c"rlimit"), units > 0) {
                Z3_params_set_uint(context.raw, params, key, units);
            }
            if let Some(key) = symbol(c"spacer.global") {
                Z3_params_set_bool(context.raw, params, key, is_guided);
            }
            // Every relation is wanted, so none is to be taken apart or put into others.
            for name in [
                c"xform.slice",
                c"xform.inline_linear",
                c"xform.inline_eager",
            ] {
                if let Some(key) = symbol(name) {
                    Z3_params_set_bool(context.raw, params, key, false);
                }
            }
            Z3_fixedpoint_set_params(context.raw, raw, params);
            Z3_params_dec_ref(context.raw, params);
            made
        };
        context.checked()?;
        Ok(made)
    }

    /// Says that a function is a relation that clauses define.
    pub(in crate::session) fn declare(&self, relation: Decl<'z>) -> Result<(), Refused> {
        // SAFETY: both are alive.
        unsafe { Z3_fixedpoint_register_relation(self.context.raw, self.raw, relation.raw) };
        self.context.checked()
    }

    /// Adds a clause: for all values of the constants, the formula.
    pub(in crate::session) fn add(
        &self,
        constants: &[Ast<'z>],
        formula: Ast<'z>,
    ) -> Result<(), Refused> {
        let context = self.context;
        let mut rule = formula;
        if !constants.is_empty() {
            // SAFETY: constants and formula are alive; a constant is an application without arguments; there are no patterns.
            rule = unsafe {
                let apps = constants.iter().map(|constant| {
                    let app = Z3_to_app(context.raw, constant.raw);
                    app.ok_or_else(|| context.refusal())
                });
                let apps = apps.collect::<Result<Vec<Z3_app>, Refused>>()?;
                let none = std::ptr::null();
                context.keep(Z3_mk_forall_const(
                    context.raw,
                    0,
                    length(&apps),
                    apps.as_ptr(),
                    0,
                    none,
                    formula.raw,
                ))?
            };
        }
        // SAFETY: the rule is alive; it needs no name.
        unsafe { Z3_fixedpoint_add_rule(context.raw, self.raw, rule.raw, None) };
        context.checked()
    }

    /// Whether the query can be derived.
    pub(in crate::session) fn query(&self, query: Ast<'z>) -> Outcome {
        let context = self.context;
        // SAFETY: the query is alive; the reason is copied at once.
        unsafe {
            match Z3_fixedpoint_query(context.raw, self.raw, query.raw) {
                Z3_L_TRUE => Outcome::Sat,
                Z3_L_FALSE => Outcome::Unsat,
                _ if Z3_get_error_code(context.raw) != ErrorCode::Ok => {
                    Outcome::Unknown(context.refusal().0)
                }
                _ => Outcome::Unknown(text(Z3_fixedpoint_get_reason_unknown(
                    context.raw,
                    self.raw,
                ))),
            }
        }
    }

    /// Why the last query can't be derived: what each relation may be taken for.
    pub(in crate::session) fn answer(&self) -> Result<Ast<'z>, Refused> {
        // SAFETY: the answer is counted at once.
        (self.context).keep(unsafe { Z3_fixedpoint_get_answer(self.context.raw, self.raw) })
    }
}

/// What a term of Z3 looks like from outside.
pub(in crate::session) enum Shape<'z> {
    /// An application of what Z3 calls by this kind.
    Application(DeclKind, Decl<'z>, Vec<Ast<'z>>),
    /// A bound variable: how many binders lie between.
    Bound(u32),
    /// `for all`, of this.
    ForAll(Ast<'z>),
    /// Anything else.
    Other,
}

impl Context {
    /// Takes a term apart. The parts live as long as the context.
    pub(in crate::session) fn shape<'z>(&'z self, term: Ast<'z>) -> Shape<'z> {
        let raw = term.raw;
        // SAFETY: the term is alive, and what it is asked for is there for its kind; parts are counted at once.
        unsafe {
            match Z3_get_ast_kind(self.raw, raw) {
                AstKind::Var => Shape::Bound(Z3_get_index_value(self.raw, raw)),
                AstKind::Quantifier if Z3_is_quantifier_forall(self.raw, raw) => {
                    match self.keep(Z3_get_quantifier_body(self.raw, raw)) {
                        Ok(body) => Shape::ForAll(body),
                        Err(_) => Shape::Other,
                    }
                }
                AstKind::App | AstKind::Numeral => {
                    let Some(app) = Z3_to_app(self.raw, raw) else {
                        return Shape::Other;
                    };
                    let Some(decl) = Z3_get_app_decl(self.raw, app) else {
                        return Shape::Other;
                    };
                    Z3_inc_ref(self.raw, decl.cast());
                    let kind = Z3_get_decl_kind(self.raw, decl);
                    let places = 0..Z3_get_app_num_args(self.raw, app);
                    let args = places.map(|place| self.keep(Z3_get_app_arg(self.raw, app, place)));
                    let Ok(args) = args.collect::<Result<Vec<_>, _>>() else {
                        return Shape::Other;
                    };
                    let decl = Decl {
                        raw: decl,
                        context: PhantomData,
                    };
                    Shape::Application(kind, decl, args)
                }
                _ => Shape::Other,
            }
        }
    }
}
