//! The part of Z3's C interface that sessions use, made safe. All `unsafe` code of sessions is here.
//!
//! Terms of Z3 ([`Ast`]) are never given back one by one: a session translates every term once and keeps it, so they live as long as their
//! [`Context`]. That makes them plain copies of a pointer.

mod fixedpoint;
mod memory;
mod solver;

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, Once, PoisonError};

use dashu_int::{IBig, UBig};
use z3_sys::*;

use crate::num::{Int, Rat};

pub(super) use fixedpoint::{Fixedpoint, Shape};
pub(super) use memory::MemoryBrake;
pub use solver::SolverKind;
pub(super) use solver::{ModelRef, Outcome, Solver};

/// What Z3 says when it refuses to build or do something.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refused(pub(super) String);

/// A term of Z3.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ast<'z> {
    raw: Z3_ast,
    context: PhantomData<&'z Context>,
}

/// A sort of Z3.
#[derive(Clone, Copy)]
pub(super) struct SortRef<'z> {
    raw: Z3_sort,
    context: PhantomData<&'z Context>,
}

/// The declaration of a function or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Decl<'z> {
    raw: Z3_func_decl,
    context: PhantomData<&'z Context>,
}

/// Everything that Z3 makes belongs to a context.
pub(super) struct Context {
    raw: Z3_context,
    handle: Interrupter,
}

/// Stops a computation of a context from another thread, as long as the context is there.
#[derive(Clone, Default)]
pub(super) struct Interrupter(Arc<Mutex<Option<Handle>>>);

struct Handle(Z3_context);

// SAFETY: the only thing that is done with it is `Z3_interrupt`, which is made for other threads.
unsafe impl Send for Handle {}

impl Interrupter {
    /// Stops what is running. When nothing is running, what comes next is hit, up to the next check.
    pub(super) fn interrupt(&self) {
        let handle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Handle(raw)) = &*handle {
            // SAFETY: the context empties this place, under the same lock, before it is deleted.
            unsafe { Z3_interrupt(*raw) }
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let mut handle = self.handle.0.lock().unwrap_or_else(PoisonError::into_inner);
        *handle = None;
        drop(handle);
        // SAFETY: whatever was made by the context borrows it, and so is gone.
        unsafe { Z3_del_context(self.raw) }
    }
}

impl Context {
    /// A new context, which `handle` can interrupt from now on.
    pub(super) fn new(handle: Interrupter) -> Result<Context, Refused> {
        static GLOBAL: Once = Once::new();
        // SAFETY: the strings end with zero; the configuration is deleted once and not used afterwards.
        let raw = unsafe {
            // A compact model costs a third of a short query, and nobody looks at how a model is written.
            GLOBAL.call_once(|| Z3_global_param_set(c"model.compact".as_ptr(), c"false".as_ptr()));
            let config = Z3_mk_config().ok_or_else(|| Refused("no configuration".into()))?;
            let raw = Z3_mk_context_rc(config);
            Z3_del_config(config);
            let raw = raw.ok_or_else(|| Refused("no context".into()))?;
            Z3_set_error_handler(raw, None);
            raw
        };
        *handle.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Handle(raw));
        Ok(Context { raw, handle })
    }

    /// What went wrong last.
    fn refusal(&self) -> Refused {
        // SAFETY: the message is a string of Z3 that is copied at once.
        unsafe {
            let code = Z3_get_error_code(self.raw);
            Refused(text(Z3_get_error_msg(self.raw, code)))
        }
    }

    /// Whether the last call went through.
    fn checked(&self) -> Result<(), Refused> {
        // SAFETY: only reads the context.
        match unsafe { Z3_get_error_code(self.raw) } {
            ErrorCode::Ok => Ok(()),
            _ => Err(self.refusal()),
        }
    }

    /// Keeps a term that was just made.
    fn keep(&self, raw: Option<Z3_ast>) -> Result<Ast<'_>, Refused> {
        let raw = raw.ok_or_else(|| self.refusal())?;
        // SAFETY: just made by this context, and so still alive.
        unsafe { Z3_inc_ref(self.raw, raw) };
        Ok(Ast {
            raw,
            context: PhantomData,
        })
    }

    fn keep_sort(&self, raw: Option<Z3_sort>) -> Result<SortRef<'_>, Refused> {
        let raw = raw.ok_or_else(|| self.refusal())?;
        // SAFETY: just made by this context; a sort is a term.
        unsafe { Z3_inc_ref(self.raw, raw.cast()) };
        Ok(SortRef {
            raw,
            context: PhantomData,
        })
    }

    /// An operation with no argument.
    pub(super) fn nullary(
        &self,
        make: unsafe extern "C" fn(Z3_context) -> Option<Z3_ast>,
    ) -> Result<Ast<'_>, Refused> {
        // SAFETY: `make` is a constructor of Z3: it needs a living context only.
        self.keep(unsafe { make(self.raw) })
    }

    /// An operation with one argument.
    pub(super) fn unary<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast) -> Option<Z3_ast>,
        a: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: `make` is a constructor of Z3, and checks the sorts; the argument is alive.
        self.keep(unsafe { make(self.raw, a.raw) })
    }

    /// An operation with two arguments.
    pub(super) fn binary<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>,
        a: Ast<'z>,
        b: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { make(self.raw, a.raw, b.raw) })
    }

    /// An operation with three arguments.
    pub(super) fn ternary<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>,
        [a, b, c]: [Ast<'z>; 3],
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { make(self.raw, a.raw, b.raw, c.raw) })
    }

    /// An operation with any number of arguments.
    pub(super) fn nary<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, u32, *const Z3_ast) -> Option<Z3_ast>,
        args: &[Ast<'z>],
    ) -> Result<Ast<'z>, Refused> {
        let args = raw_asts(args);
        // SAFETY: as for `unary`; number and pointer belong to one vector.
        self.keep(unsafe { make(self.raw, length(&args), args.as_ptr()) })
    }

    /// An operation with a number and an argument.
    pub(super) fn indexed<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, u32, Z3_ast) -> Option<Z3_ast>,
        index: u32,
        a: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { make(self.raw, index, a.raw) })
    }

    /// Bits of a bit-vector.
    pub(super) fn extract<'z>(
        &'z self,
        high: u32,
        low: u32,
        a: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { Z3_mk_extract(self.raw, high, low, a.raw) })
    }

    /// The value of a bit-vector.
    pub(super) fn bits_to_int<'z>(&'z self, a: Ast<'z>, signed: bool) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { Z3_mk_bv2int(self.raw, a.raw, signed) })
    }

    /// Bits as a float of that sort.
    pub(super) fn float_from_bits<'z>(
        &'z self,
        a: Ast<'z>,
        sort: SortRef<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { Z3_mk_fpa_to_fp_bv(self.raw, a.raw, sort.raw) })
    }

    /// A conversion to a float of that sort, rounded to nearest even.
    pub(super) fn to_float<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_sort) -> Option<Z3_ast>,
        a: Ast<'z>,
        sort: SortRef<'z>,
    ) -> Result<Ast<'z>, Refused> {
        let mode = self.nullary(Z3_mk_fpa_rne)?;
        // SAFETY: as for `unary`.
        self.keep(unsafe { make(self.raw, mode.raw, a.raw, sort.raw) })
    }

    /// An operation on two floats, rounded to nearest even.
    pub(super) fn rounded<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, Z3_ast) -> Option<Z3_ast>,
        a: Ast<'z>,
        b: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        self.ternary(make, [self.nullary(Z3_mk_fpa_rne)?, a, b])
    }

    /// A truncating conversion of a float to bits.
    pub(super) fn float_to_bits<'z>(
        &'z self,
        make: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast, u32) -> Option<Z3_ast>,
        a: Ast<'z>,
        width: u32,
    ) -> Result<Ast<'z>, Refused> {
        let mode = self.nullary(Z3_mk_fpa_rtz)?;
        // SAFETY: as for `unary`.
        self.keep(unsafe { make(self.raw, mode.raw, a.raw, width) })
    }

    /// The array with one value everywhere.
    pub(super) fn constant_array<'z>(
        &'z self,
        index: SortRef<'z>,
        value: Ast<'z>,
    ) -> Result<Ast<'z>, Refused> {
        // SAFETY: as for `unary`.
        self.keep(unsafe { Z3_mk_const_array(self.raw, index.raw, value.raw) })
    }

    /// The term with other terms in place of constants, all at once.
    pub(super) fn substitute<'z>(
        &'z self,
        a: Ast<'z>,
        from: &[Ast<'z>],
        to: &[Ast<'z>],
    ) -> Result<Ast<'z>, Refused> {
        if from.len() != to.len() {
            return Err(Refused(
                "a relation has as many arguments as parameters".into(),
            ));
        }
        let (from, to) = (raw_asts(from), raw_asts(to));
        // SAFETY: as for `unary`; both vectors have the given length.
        self.keep(unsafe {
            Z3_substitute(self.raw, a.raw, length(&from), from.as_ptr(), to.as_ptr())
        })
    }

    /// An integer as a term of sort `Int` or a bit-vector sort.
    pub(super) fn numeral<'z>(
        &'z self,
        value: &Int,
        sort: SortRef<'z>,
    ) -> Result<Ast<'z>, Refused> {
        if let Ok(small) = i64::try_from(value) {
            // SAFETY: the sort is alive.
            return self.keep(unsafe { Z3_mk_int64(self.raw, small, sort.raw) });
        }
        self.number(&value.to_string(), sort)
    }

    /// A fraction as a term of sort `Real`.
    pub(super) fn fraction<'z>(
        &'z self,
        value: &Rat,
        sort: SortRef<'z>,
    ) -> Result<Ast<'z>, Refused> {
        self.number(
            &format!("{}/{}", value.numerator(), value.denominator()),
            sort,
        )
    }

    fn number<'z>(&'z self, digits: &str, sort: SortRef<'z>) -> Result<Ast<'z>, Refused> {
        let digits = CString::new(digits).map_err(|error| Refused(error.to_string()))?;
        // SAFETY: the text ends with zero, the sort is alive.
        self.keep(unsafe { Z3_mk_numeral(self.raw, digits.as_ptr(), sort.raw) })
    }

    /// The sort of truth values.
    pub(super) fn bool_sort(&self) -> Result<SortRef<'_>, Refused> {
        // SAFETY: needs a living context only.
        self.keep_sort(unsafe { Z3_mk_bool_sort(self.raw) })
    }

    /// The sort of integers.
    pub(super) fn int_sort(&self) -> Result<SortRef<'_>, Refused> {
        // SAFETY: needs a living context only.
        self.keep_sort(unsafe { Z3_mk_int_sort(self.raw) })
    }

    /// The sort of real numbers.
    pub(super) fn real_sort(&self) -> Result<SortRef<'_>, Refused> {
        // SAFETY: needs a living context only.
        self.keep_sort(unsafe { Z3_mk_real_sort(self.raw) })
    }

    /// The sort of bit-vectors of a width.
    pub(super) fn bits_sort(&self, width: u32) -> Result<SortRef<'_>, Refused> {
        // SAFETY: needs a living context only; Z3 checks the width.
        self.keep_sort(unsafe { Z3_mk_bv_sort(self.raw, width) })
    }

    /// The sort of floats with that many bits of exponent and significand.
    pub(super) fn float_sort(
        &self,
        exponent: u32,
        significand: u32,
    ) -> Result<SortRef<'_>, Refused> {
        // SAFETY: needs a living context only; Z3 checks the numbers.
        self.keep_sort(unsafe { Z3_mk_fpa_sort(self.raw, exponent, significand) })
    }

    /// The sort of arrays.
    pub(super) fn array_sort<'z>(
        &'z self,
        index: SortRef<'z>,
        element: SortRef<'z>,
    ) -> Result<SortRef<'z>, Refused> {
        // SAFETY: the sorts are alive.
        self.keep_sort(unsafe { Z3_mk_array_sort(self.raw, index.raw, element.raw) })
    }

    /// A function named by a number. The same number must not be used for two things.
    pub(super) fn function<'z>(
        &'z self,
        number: u32,
        params: &[SortRef<'z>],
        result: SortRef<'z>,
    ) -> Result<Decl<'z>, Refused> {
        let params: Vec<Z3_sort> = params.iter().map(|sort| sort.raw).collect();
        let number = i32::try_from(number).map_err(|error| Refused(error.to_string()))?;
        // SAFETY: the sorts are alive, their number is that of the vector.
        let raw = unsafe {
            let name = Z3_mk_int_symbol(self.raw, number).ok_or_else(|| self.refusal())?;
            let domain = params.as_ptr();
            let raw = Z3_mk_func_decl(self.raw, name, length(&params), domain, result.raw)
                .ok_or_else(|| self.refusal())?;
            Z3_inc_ref(self.raw, raw.cast());
            raw
        };
        Ok(Decl {
            raw,
            context: PhantomData,
        })
    }

    /// A function, applied.
    pub(super) fn apply<'z>(
        &'z self,
        function: Decl<'z>,
        args: &[Ast<'z>],
    ) -> Result<Ast<'z>, Refused> {
        let args = raw_asts(args);
        // SAFETY: function and arguments are alive; Z3 checks number and sorts.
        self.keep(unsafe { Z3_mk_app(self.raw, function.raw, length(&args), args.as_ptr()) })
    }

    /// The integer that a value is.
    pub(super) fn int_value(&self, value: Ast<'_>) -> Option<Int> {
        let mut small = 0i64;
        // SAFETY: the value is alive; the text is copied at once.
        unsafe {
            if !Z3_is_numeral_ast(self.raw, value.raw) {
                return None;
            }
            if Z3_get_numeral_int64(self.raw, value.raw, &mut small) {
                return Some(Int::from(small));
            }
            text(Z3_get_numeral_string(self.raw, value.raw))
                .parse()
                .ok()
        }
    }

    /// The unsigned value of a bit-vector that is a value.
    pub(super) fn bits_value(&self, value: Ast<'_>) -> Option<UBig> {
        let mut small = 0u64;
        // SAFETY: the value is alive; the text is copied at once.
        unsafe {
            if !Z3_is_numeral_ast(self.raw, value.raw) {
                return None;
            }
            if Z3_get_numeral_uint64(self.raw, value.raw, &mut small) {
                return Some(UBig::from(small));
            }
            text(Z3_get_numeral_string(self.raw, value.raw))
                .parse()
                .ok()
        }
    }

    /// The fraction that a value is; none for an irrational number.
    pub(super) fn rational_value(&self, value: Ast<'_>) -> Option<Rat> {
        // SAFETY: the value is alive; the text is copied at once.
        let digits = unsafe {
            if !Z3_is_numeral_ast(self.raw, value.raw) {
                return None;
            }
            text(Z3_get_numeral_string(self.raw, value.raw))
        };
        let (numerator, denominator) = digits.split_once('/').unwrap_or((&digits, "1"));
        let numerator: IBig = numerator.trim().parse().ok()?;
        let denominator: IBig = denominator.trim().parse().ok()?;
        Some(crate::num::ratio(numerator, denominator))
    }

    /// The truth value that a value is.
    pub(super) fn bool_value(&self, value: Ast<'_>) -> Option<bool> {
        // SAFETY: the value is alive.
        match unsafe { Z3_get_bool_value(self.raw, value.raw) } {
            Z3_L_TRUE => Some(true),
            Z3_L_FALSE => Some(false),
            _ => None,
        }
    }
}

fn raw_asts(asts: &[Ast<'_>]) -> Vec<Z3_ast> {
    asts.iter().map(|ast| ast.raw).collect()
}

/// The length, as Z3 wants it. More than four thousand million terms don't fit into memory.
fn length<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// A copy of a string of Z3.
///
/// # Safety
/// The pointer must be null or point to a string that ends with zero.
unsafe fn text(raw: Z3_string) -> String {
    NonNull::new(raw.cast_mut()).map_or_else(String::new, |raw| {
        // SAFETY: promised by the caller.
        unsafe { CStr::from_ptr(raw.as_ptr()) }
            .to_string_lossy()
            .into_owned()
    })
}
