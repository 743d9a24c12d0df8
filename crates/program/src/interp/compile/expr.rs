//! Expressions.

use super::FunctionCompiler;
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::interp::code::{Generic, GenericOp, Operand};
use crate::interp::float::FloatOp;
use crate::interp::instr::{Instr, Slot, words};
use crate::interp::layout::Home;
use crate::interp::memory::{Pointer, Provenance};
use crate::interp::values::{canonical, canonical_pair};
use crate::types::{FloatType, IntType, Type};

impl FunctionCompiler<'_> {
    /// A register with the value of the expression.
    pub(super) fn value(&mut self, id: ExprId) -> Slot {
        let id = self.resolve(id);
        match self.kind(id) {
            ExprKind::Var(var) => return self.layout.vars[var],
            ExprKind::Const(bits) => return self.constant_of(self.ty(id), bits),
            ExprKind::Cast(arg) if keeps_register(self.ty(arg), self.ty(id)) => {
                return self.value(arg);
            }
            ExprKind::FuncAddr(function) => {
                let address = self.layout.space.function_address(function);
                return self.constant_pair(address, Provenance::function(function).raw());
            }
            ExprKind::AddrOf(object) => {
                if let Home::Global(pointer) = self.layout.objects[object] {
                    return self.constant_pair(pointer.address, pointer.provenance.raw());
                }
            }
            _ => {}
        }
        let key = self.canon.of(id);
        if let Some(&slot) = self.memo.get(&key) {
            return slot;
        }
        let slot = self.temporary(self.ty(id));
        self.compute(id, slot);
        self.remember(key, slot);
        slot
    }

    /// Puts the value of the expression into this register.
    pub(super) fn value_into(&mut self, id: ExprId, dst: Slot) {
        let id = self.resolve(id);
        let ty = self.ty(id);
        let ready = match self.kind(id) {
            ExprKind::Var(_) | ExprKind::Const(_) | ExprKind::FuncAddr(_) => true,
            ExprKind::AddrOf(object) => {
                matches!(self.layout.objects[object], Home::Global(_))
            }
            ExprKind::Cast(arg) => keeps_register(self.ty(arg), ty),
            _ => false,
        };
        if !ready && !self.memo.contains_key(&self.canon.of(id)) {
            self.compute(id, dst);
            return;
        }
        let source = self.value(id);
        if source == dst {
            return;
        }
        // If the last instruction made the value for this purpose, it can as well put it in the right place.
        let start = self.block_start as usize;
        if words(ty) == 1
            && self.is_temporary(source)
            && self.code.instrs.len() > start
            && let Some(place) = self.code.instrs.last_mut().and_then(Instr::dst_mut)
            && *place == source
        {
            *place = dst;
            self.forget();
            return;
        }
        self.emit(if words(ty) == 1 {
            Instr::Move { dst, a: source }
        } else {
            Instr::Move2 { dst, a: source }
        });
    }

    /// The value of the expression with its type.
    pub(super) fn operand(&mut self, id: ExprId) -> Operand {
        Operand {
            slot: self.value(id),
            ty: self.ty(id),
        }
    }

    fn constant_of(&mut self, ty: Type, bits: u128) -> Slot {
        match ty {
            Type::Ptr => self.constant_pair(bits as u64 & self.layout.space.mask, 0),
            _ if words(ty) == 1 => self.constant(canonical(ty, bits)),
            _ => {
                let (low, high) = canonical_pair(ty, bits);
                self.constant_pair(low, high)
            }
        }
    }

    /// Emits the operation of the expression.
    fn compute(&mut self, id: ExprId, dst: Slot) {
        let ty = self.ty(id);
        match self.kind(id) {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::FuncAddr(_) => {
                unreachable!("has a register already")
            }
            ExprKind::AddrOf(object) => self.address_of(object, dst),
            ExprKind::Unary(op, arg) => self.unary(op, arg, ty, dst),
            ExprKind::Binary(op, lhs, rhs) => self.binary(op, lhs, rhs, ty, dst),
            ExprKind::Cast(arg) => self.cast(arg, ty, dst),
            ExprKind::Overflows(op, lhs, rhs) => {
                self.generic(GenericOp::Overflows(op), lhs, Some(rhs), ty, dst);
            }
            ExprKind::CastOverflows(to, arg) => {
                self.generic(GenericOp::CastOverflows(to), arg, None, ty, dst);
            }
            ExprKind::PtrAdd(..) => self.pointer_into(id, dst),
            ExprKind::PtrDiff(lhs, rhs) => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                self.emit(Instr::PtrDiff { dst, a, b });
            }
            ExprKind::AccessOk { ptr, size, write } => {
                let (ptr, size) = (self.value(ptr), self.value(size));
                self.emit(Instr::AccessOk {
                    dst,
                    ptr,
                    size,
                    write,
                });
            }
            ExprKind::FreeOk(ptr) => {
                let ptr = self.value(ptr);
                self.emit(Instr::FreeOk { dst, ptr });
            }
        }
    }

    fn address_of(&mut self, object: crate::ids::ObjectId, dst: Slot) {
        match self.layout.objects[object] {
            Home::Global(Pointer {
                address,
                provenance,
            }) => {
                let a = self.constant_pair(address, provenance.raw());
                self.emit(Instr::Move2 { dst, a });
            }
            Home::Local { slot, .. } => {
                self.emit(Instr::LocalAddress { dst, object: slot });
            }
        }
    }

    fn generic(&mut self, op: GenericOp, lhs: ExprId, rhs: Option<ExprId>, ty: Type, dst: Slot) {
        let a = self.operand(lhs);
        let b = rhs.map_or(a, |rhs| self.operand(rhs));
        self.emit_generic(Generic {
            op,
            dst: Operand { slot: dst, ty },
            a,
            b,
        });
    }

    fn unary(&mut self, op: UnOp, arg: ExprId, ty: Type, dst: Slot) {
        let flip = match (op, ty) {
            (UnOp::Not, Type::Bool) => 1,
            (UnOp::BitNot, Type::Int(int)) if int.width <= 64 => canonical(ty, int.mask()),
            (UnOp::Neg, Type::Float(FloatType::F32)) => 1 << 31,
            (UnOp::Neg, Type::Float(FloatType::F64)) => 1 << 63,
            (UnOp::Neg, Type::Int(int)) if int.width <= 64 => {
                let b = self.value(arg);
                let a = self.constant(0);
                self.int_arithmetic(BinOp::Sub, int, a, b, dst);
                return;
            }
            _ => return self.generic(GenericOp::Unary(op), arg, None, ty, dst),
        };
        let a = self.value(arg);
        let b = self.constant(flip);
        self.emit(Instr::Xor { dst, a, b });
    }

    fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId, ty: Type, dst: Slot) {
        match self.ty(lhs) {
            Type::Bool => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                self.word_binary(op, IntType::unsigned(1), a, b, dst)
            }
            Type::Int(int) if int.width <= 64 => {
                let (a, b) = self.operands(op, lhs, rhs);
                match op {
                    BinOp::Shl | BinOp::Shr => {
                        let narrow =
                            matches!(self.ty(rhs), Type::Int(amount) if amount.width <= 64);
                        if narrow {
                            self.shift(op, int, a, b, dst);
                        } else {
                            self.generic(GenericOp::Binary(op), lhs, Some(rhs), ty, dst);
                        }
                    }
                    _ => self.word_binary(op, int, a, b, dst),
                }
            }
            Type::Ptr => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                match op {
                    BinOp::Eq | BinOp::Ne => self.emit(Instr::PtrEq {
                        dst,
                        a,
                        b,
                        negate: op == BinOp::Ne,
                    }),
                    BinOp::Lt => self.emit(Instr::PtrLt { dst, a, b }),
                    BinOp::Le => self.emit(Instr::PtrLe { dst, a, b }),
                    _ => {
                        self.generic(GenericOp::Binary(op), lhs, Some(rhs), ty, dst);
                        0
                    }
                };
            }
            Type::Float(float @ (FloatType::F32 | FloatType::F64)) => {
                self.float_binary(op, float, lhs, rhs, ty, dst);
            }
            _ => self.generic(GenericOp::Binary(op), lhs, Some(rhs), ty, dst),
        }
    }

    /// The operands of an operator on integers of one word. The address of an object that is compared with a number at
    /// which nothing lies is not seen by that.
    pub(super) fn operands(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> (Slot, Slot) {
        match self.beyond_objects(op, lhs, rhs) {
            Some(operands) => operands,
            None => (self.value(lhs), self.value(rhs)),
        }
    }

    fn beyond_objects(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Option<(Slot, Slot)> {
        if !matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le) {
            return None;
        }
        let (lhs, rhs) = (self.resolve(lhs), self.resolve(rhs));
        let (ptr, bits, is_first) = match (self.kind(lhs), self.kind(rhs)) {
            (ExprKind::Cast(ptr), ExprKind::Const(bits)) => (ptr, bits, true),
            (ExprKind::Const(bits), ExprKind::Cast(ptr)) => (ptr, bits, false),
            _ => return None,
        };
        let model = self.program.data_model;
        let int = self.ty(lhs).as_int()?;
        if self.ty(ptr) != Type::Ptr || model.objects_compared(int, bits).is_none() {
            return None;
        }
        let a = self.value(ptr);
        let dst = self.temporary(Type::Int(int));
        self.emit(Instr::PtrToInt {
            dst,
            a,
            signed: int.signed,
            roughly: true,
        });
        let number = self.constant(canonical(Type::Int(int), bits));
        Some(match is_first {
            true => (dst, number),
            false => (number, dst),
        })
    }

    fn float_binary(
        &mut self,
        op: BinOp,
        float: FloatType,
        lhs: ExprId,
        rhs: ExprId,
        ty: Type,
        dst: Slot,
    ) {
        let arithmetic = match op {
            BinOp::Add => FloatOp::Add,
            BinOp::Sub => FloatOp::Sub,
            BinOp::Mul => FloatOp::Mul,
            BinOp::Div => FloatOp::Div,
            BinOp::Lt | BinOp::Le if float == FloatType::F64 => {
                let (a, b) = (self.value(lhs), self.value(rhs));
                self.emit(if op == BinOp::Lt {
                    Instr::F64Lt { dst, a, b }
                } else {
                    Instr::F64Le { dst, a, b }
                });
                return;
            }
            _ => return self.generic(GenericOp::Binary(op), lhs, Some(rhs), ty, dst),
        };
        let (a, b) = (self.value(lhs), self.value(rhs));
        let op = arithmetic;
        self.emit(if float == FloatType::F64 {
            Instr::F64 { dst, a, b, op }
        } else {
            Instr::F32 { dst, a, b, op }
        });
    }

    /// An operator on values of one word that are integers of type `int` (or truth values, as integers of one bit).
    fn word_binary(&mut self, op: BinOp, int: IntType, a: Slot, b: Slot, dst: Slot) {
        let spare = (64 - int.width) as u8;
        let instr = match (op, int.signed) {
            (BinOp::Add | BinOp::Sub | BinOp::Mul, _) => {
                return self.int_arithmetic(op, int, a, b, dst);
            }
            (BinOp::Shl | BinOp::Shr, _) => return self.shift(op, int, a, b, dst),
            (BinOp::Div, true) => Instr::DivSigned { dst, a, b, spare },
            (BinOp::Div, false) => Instr::DivUnsigned { dst, a, b },
            (BinOp::Rem, true) => Instr::RemSigned { dst, a, b },
            (BinOp::Rem, false) => Instr::RemUnsigned { dst, a, b },
            (BinOp::And, _) => Instr::And { dst, a, b },
            (BinOp::Or, _) => Instr::Or { dst, a, b },
            (BinOp::Xor, _) => Instr::Xor { dst, a, b },
            (BinOp::Eq, _) => Instr::Eq { dst, a, b },
            (BinOp::Ne, _) => Instr::Ne { dst, a, b },
            (BinOp::Lt, true) => Instr::LtSigned { dst, a, b },
            (BinOp::Lt, false) => Instr::LtUnsigned { dst, a, b },
            (BinOp::Le, true) => Instr::LeSigned { dst, a, b },
            (BinOp::Le, false) => Instr::LeUnsigned { dst, a, b },
        };
        self.emit(instr);
    }

    fn shift(&mut self, op: BinOp, int: IntType, a: Slot, b: Slot, dst: Slot) {
        let spare = (64 - int.width) as u8;
        self.emit(match (op, int.signed) {
            (BinOp::Shl, true) => Instr::ShlSigned { dst, a, b, spare },
            (BinOp::Shl, false) => Instr::ShlUnsigned { dst, a, b, spare },
            (_, true) => Instr::ShrSigned { dst, a, b, spare },
            (_, false) => Instr::ShrUnsigned { dst, a, b, spare },
        });
    }

    fn int_arithmetic(&mut self, op: BinOp, int: IntType, a: Slot, b: Slot, dst: Slot) {
        let (signed32, unsigned32, plain) = match op {
            BinOp::Add => (
                Instr::AddI32 { dst, a, b },
                Instr::AddU32 { dst, a, b },
                Instr::Add { dst, a, b },
            ),
            BinOp::Sub => (
                Instr::SubI32 { dst, a, b },
                Instr::SubU32 { dst, a, b },
                Instr::Sub { dst, a, b },
            ),
            _ => (
                Instr::MulI32 { dst, a, b },
                Instr::MulU32 { dst, a, b },
                Instr::Mul { dst, a, b },
            ),
        };
        match (int.width, int.signed) {
            (32, true) => self.emit(signed32),
            (32, false) => self.emit(unsigned32),
            (64, _) => self.emit(plain),
            _ => {
                self.emit(plain);
                self.wrap(int, dst, dst)
            }
        };
    }

    /// Wraps a word to an integer type of at most 64 bits.
    fn wrap(&mut self, int: IntType, a: Slot, dst: Slot) -> u32 {
        let spare = (64 - int.width) as u8;
        self.emit(if int.signed {
            Instr::WrapSigned { dst, a, spare }
        } else {
            Instr::WrapUnsigned { dst, a, spare }
        })
    }

    fn cast(&mut self, arg: ExprId, to: Type, dst: Slot) {
        let pointer_width = self.program.data_model.pointer_width();
        let from = self.ty(arg);
        match (from, to) {
            _ if keeps_register(from, to) => {
                let a = self.value(arg);
                self.emit(Instr::Move { dst, a });
            }
            (Type::Int(from), Type::Int(to)) if from.width <= 64 && to.width <= 64 => {
                let a = self.value(arg);
                self.wrap(to, a, dst);
            }
            (Type::Int(from), Type::Float(FloatType::F64))
                if from.width < 64 || from.width == 64 && from.signed =>
            {
                let a = self.value(arg);
                self.emit(Instr::F64FromSigned { dst, a });
            }
            (Type::Ptr, Type::Int(int)) if int.width == pointer_width => {
                let a = self.value(arg);
                self.emit(Instr::PtrToInt {
                    dst,
                    a,
                    signed: int.signed,
                    roughly: false,
                });
            }
            (Type::Int(int), Type::Ptr) if int.width == pointer_width => {
                let a = self.value(arg);
                self.emit(Instr::IntToPtr { dst, a });
            }
            _ => self.generic(GenericOp::Cast, arg, None, to, dst),
        }
    }
}

/// Whether a conversion leaves the register as it is.
pub(super) fn keeps_register(from: Type, to: Type) -> bool {
    match (from, to) {
        _ if from == to => true,
        (Type::Bool, Type::Int(to)) => (2..=64).contains(&to.width),
        (Type::Int(from), Type::Int(to)) if from.width <= 64 && to.width <= 64 => {
            to.width == 64 || from.width < to.width && (!from.signed || to.signed)
        }
        _ => false,
    }
}
