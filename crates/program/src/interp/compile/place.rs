//! Addresses: `base + index * scale`, taken apart so that an access to an element or a member is one instruction.

use super::FunctionCompiler;
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::interp::instr::{Instr, Slot};
use crate::interp::layout::Home;
use crate::types::{IntType, Type};

/// What an address is relative to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Base {
    /// The start of the object whose provenance is in this register.
    Object(Slot),
    /// A pointer.
    Pointer(Slot),
}

/// An address as an access takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct AccessPlace {
    pub(super) base: Base,
    pub(super) index: Slot,
    pub(super) scale: u16,
}

/// A sum of multiples of values and a constant, modulo the size of an address.
#[derive(Default)]
struct Linear {
    terms: Vec<(ExprId, u64)>,
    constant: u64,
}

impl FunctionCompiler<'_> {
    /// Takes the address apart and computes its parts.
    pub(super) fn place(&mut self, ptr: ExprId) -> AccessPlace {
        let (root, offset) = self.split(ptr);
        let base = match self.kind(root) {
            ExprKind::AddrOf(object) => Base::Object(match self.layout.objects[object] {
                Home::Local { slot, .. } => slot,
                Home::Global(_) => self.value(root).next(),
            }),
            _ => Base::Pointer(self.value(root)),
        };
        let (index, scale) = self.offset(offset);
        AccessPlace { base, index, scale }
    }

    /// Computes a pointer that is moved from another.
    pub(super) fn pointer_into(&mut self, ptr: ExprId, dst: Slot) {
        let (root, offset) = self.split(ptr);
        let a = self.value(root);
        let (b, scale) = self.offset(offset);
        self.emit(Instr::PtrAdd { dst, a, b, scale });
    }

    /// The pointer that the expression is moved from, and how far.
    fn split(&self, ptr: ExprId) -> (ExprId, Linear) {
        let mut offset = Linear::default();
        let mut root = self.resolve(ptr);
        while let ExprKind::PtrAdd(from, bytes) = self.kind(root) {
            self.add_linear(bytes, 1, &mut offset);
            root = self.resolve(from);
        }
        (root, offset)
    }

    /// Adds `factor` times an integer expression. All arithmetic is modulo 2^64, and so modulo the size of an address too.
    fn add_linear(&self, id: ExprId, factor: u64, sum: &mut Linear) {
        let width = self.program.data_model.pointer_width();
        let id = self.resolve(id);
        let as_wide = |ty: Type| matches!(ty, Type::Int(int) if int.width == width);
        let known = self.memo.contains_key(&self.canon.of(id));
        // Below a narrower or wider type, or for a value that is there already, the expression is one term.
        if known || !as_wide(self.ty(id)) {
            sum.terms.push((id, factor));
            return;
        }
        match self.kind(id) {
            ExprKind::Const(bits) => {
                sum.constant = sum.constant.wrapping_add(factor.wrapping_mul(bits as u64));
            }
            ExprKind::Cast(arg) if as_wide(self.ty(arg)) => self.add_linear(arg, factor, sum),
            ExprKind::Unary(UnOp::Neg, arg) => {
                self.add_linear(arg, factor.wrapping_neg(), sum);
            }
            ExprKind::Binary(BinOp::Add, a, b) => {
                self.add_linear(a, factor, sum);
                self.add_linear(b, factor, sum);
            }
            ExprKind::Binary(BinOp::Sub, a, b) => {
                self.add_linear(a, factor, sum);
                self.add_linear(b, factor.wrapping_neg(), sum);
            }
            ExprKind::Binary(BinOp::Mul, a, b) => match (self.kind(a), self.kind(b)) {
                (_, ExprKind::Const(bits)) => {
                    self.add_linear(a, factor.wrapping_mul(bits as u64), sum);
                }
                (ExprKind::Const(bits), _) => {
                    self.add_linear(b, factor.wrapping_mul(bits as u64), sum);
                }
                _ => sum.terms.push((id, factor)),
            },
            _ => sum.terms.push((id, factor)),
        }
    }

    /// Computes an offset up to a last multiplication: a register and a scale.
    fn offset(&mut self, mut offset: Linear) -> (Slot, u16) {
        // With a common factor as the scale, the last sum of an element of a matrix needs no multiplication of its own.
        let common = offset
            .terms
            .iter()
            .fold(offset.constant, |common, &(_, factor)| gcd(common, factor));
        let scale = u16::try_from(common).ok().filter(|&scale| scale > 0);
        let divisor = scale.map_or(1, u64::from);
        offset.constant /= divisor;
        for (_, factor) in &mut offset.terms {
            *factor /= divisor;
        }
        let mut sum = (offset.constant != 0).then(|| self.constant(offset.constant));
        if sum.is_none()
            && let Some(single) = offset.terms.iter().position(|&(_, factor)| factor == 1)
        {
            let (id, _) = offset.terms.remove(single);
            sum = Some(self.value(id));
        }
        for (id, factor) in offset.terms {
            sum = Some(self.add_term(id, factor, sum));
        }
        (sum.unwrap_or_else(|| self.constant(0)), scale.unwrap_or(1))
    }

    fn add_term(&mut self, id: ExprId, factor: u64, sum: Option<Slot>) -> Slot {
        let word = Type::Int(IntType::unsigned(64));
        let value = self.value(id);
        let dst = self.temporary(word);
        match u16::try_from(factor) {
            Ok(scale) => {
                let b = sum.unwrap_or_else(|| self.constant(0));
                let a = value;
                self.emit(Instr::Scale { dst, a, b, scale });
            }
            Err(_) => {
                let b = self.constant(factor);
                self.emit(Instr::Mul { dst, a: value, b });
                if let Some(sum) = sum {
                    self.emit(Instr::Add {
                        dst,
                        a: dst,
                        b: sum,
                    });
                }
            }
        }
        dst
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
