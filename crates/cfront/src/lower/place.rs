//! Places: where a value can be read from and written to.

use rhumb_program::{
    Access, Action, BinOp, BitRange, ExprId, ExprKind, IntType, LocKind, Span, Type, UbKind, VarId,
};

use super::Home;
use super::effects::Effects;
use super::function::FunctionLowering;
use crate::ctypes::TypeId;
use crate::hir::{self, ExprKind as Hir};

/// What a truth value is in memory.
pub(super) const BYTE: IntType = IntType::unsigned(8);

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lvalue {
    Var(VarId),
    Memory(Memory),
}

/// A place in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Address of its first byte.
    pub(super) ptr: ExprId,
    /// Its type, if it is a scalar; a record or an array has none.
    scalar: Option<Type>,
    /// Set for a bit-field.
    bits: Option<BitRange>,
    /// Number of bytes from here on that are certainly inside a live object, so that no check is needed.
    known: u64,
    /// Whether that object may be written.
    writable: bool,
    /// Whether accesses to it are atomic.
    atomic: bool,
}

impl FunctionLowering<'_, '_> {
    /// The place that an expression names. (A record-typed value is a place, too: a temporary.)
    pub(super) fn place(&mut self, id: hir::ExprId) -> Lvalue {
        let is_atomic = self.unit.has_threads && self.places().is_atomic(id);
        let expr = &self.body.exprs[id];
        if is_atomic && self.unit.is_record(expr.ty) {
            self.unsupported("an atomic record", expr.span);
        }
        match self.named_place(id) {
            Lvalue::Memory(memory) => Lvalue::Memory(Memory {
                atomic: is_atomic,
                ..memory
            }),
            place => place,
        }
    }

    /// A place that is accessed while no other thread goes on, whatever it is.
    pub(super) fn without_atomicity(place: Lvalue) -> Lvalue {
        match place {
            Lvalue::Memory(memory) => Lvalue::Memory(Memory {
                atomic: false,
                ..memory
            }),
            place => place,
        }
    }

    fn named_place(&mut self, id: hir::ExprId) -> Lvalue {
        let expr = &self.body.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Hir::Local(local) => {
                let home = self.mentioned_home(*local, span);
                self.home(home, expr.ty)
            }
            Hir::Global(global) if self.unit.refused_global(*global).is_some() => {
                let what = self.unit.refused_global(*global).unwrap_or_default();
                self.unsupported(&what, span);
                Lvalue::Memory(Memory {
                    ptr: self.node(ExprKind::Const(0), Type::Ptr),
                    scalar: self.scalar(expr.ty),
                    bits: None,
                    known: 0,
                    writable: true,
                    atomic: false,
                })
            }
            Hir::Global(global) => {
                let home = self.unit.global_home(*global);
                let place = self.home(home, expr.ty);
                match place {
                    Lvalue::Memory(memory) if self.unit.copies(*global) > 1 => {
                        Lvalue::Memory(Memory {
                            ptr: self.own_copy(*global, memory.ptr, span),
                            known: self.unit.unit.types.size_of(expr.ty).unwrap_or(0),
                            ..memory
                        })
                    }
                    place => place,
                }
            }
            Hir::CompoundLiteral { local, init } => {
                self.initialise(*local, init, true, span);
                let home = self.local_home(*local);
                self.home(home, expr.ty)
            }
            Hir::Deref(ptr) => self.pointee(*ptr, expr.ty),
            &Hir::Member {
                base,
                record,
                field,
            } => {
                let layout = self.unit.unit.types.records[record].layout.as_ref();
                let field = layout.and_then(|layout| layout.fields.get(field as usize));
                let (offset, bits) = field.map_or((0, None), |field| (field.offset, field.bits));
                let scalar = self.scalar(expr.ty);
                match self.place(base) {
                    Lvalue::Memory(memory) => Lvalue::Memory(Memory {
                        ptr: self.offset(memory.ptr, offset),
                        scalar,
                        bits,
                        known: memory.known.saturating_sub(offset),
                        writable: memory.writable,
                        atomic: false,
                    }),
                    // Records lie in memory.
                    Lvalue::Var(var) => Lvalue::Var(var),
                }
            }
            // A value of record type: its address is that of a temporary.
            _ => {
                let ptr = self.value(id);
                let known = self.unit.unit.types.size_of(expr.ty).unwrap_or(0);
                Lvalue::Memory(Memory {
                    ptr,
                    scalar: self.scalar(expr.ty),
                    bits: None,
                    known,
                    writable: true,
                    atomic: false,
                })
            }
        }
    }

    fn home(&mut self, home: Home, ty: TypeId) -> Lvalue {
        let scalar = self.scalar(ty);
        match home {
            Home::Var(var) => Lvalue::Var(var),
            Home::Object(object) => {
                let (known, writable) = {
                    let object = &self.unit.program.objects[object];
                    (object.size, !object.read_only)
                };
                Lvalue::Memory(Memory {
                    ptr: self.node(ExprKind::AddrOf(object), Type::Ptr),
                    scalar,
                    bits: None,
                    known,
                    writable,
                    atomic: false,
                })
            }
            Home::Pointer(var) => Lvalue::Memory(Memory {
                ptr: self.var(var),
                scalar,
                bits: None,
                known: 0,
                writable: true,
                atomic: false,
            }),
        }
    }

    /// What a pointer points to; an element of a named array keeps what is known about the array.
    fn pointee(&mut self, ptr: hir::ExprId, ty: TypeId) -> Lvalue {
        let (ptr, known, writable) = self.pointer(ptr);
        Lvalue::Memory(Memory {
            ptr,
            scalar: self.scalar(ty),
            bits: None,
            known,
            writable,
            atomic: false,
        })
    }

    /// The value of a pointer expression, how many bytes behind it are certainly accessible, and whether they are writable.
    fn pointer(&mut self, id: hir::ExprId) -> (ExprId, u64, bool) {
        let expr = &self.body.exprs[id];
        let span = expr.span;
        match expr.kind {
            Hir::Decay(place) | Hir::AddrOf(place) => match self.place(place) {
                Lvalue::Memory(memory) => (memory.ptr, memory.known, memory.writable),
                Lvalue::Var(_) => (self.dummy(expr.ty), 0, false),
            },
            Hir::Convert(arg) if self.is_pointer(arg) => self.pointer(arg),
            Hir::PtrAdd {
                ptr,
                index,
                element_size,
                subtract,
            } => {
                let order = self.order_of(ptr, index);
                let (base, known, writable, index) = if self.settle_order(order, span) {
                    let values = self.values_in_both_orders(&[ptr, index], span);
                    (values[0], 0, true, values[1])
                } else {
                    let (base, known, writable) = self.pointer(ptr);
                    let base = self.protect(base, self.effects[index], span);
                    (base, known, writable, self.value(index))
                };
                let bytes = self.scaled(index, element_size, subtract, span);
                let known = match self.unit.program.exprs.as_int_const(bytes) {
                    Some((int, bits)) => u64::try_from(int.extend(bits))
                        .map_or(0, |bytes| known.saturating_sub(bytes)),
                    None => 0,
                };
                let ptr = self.ptr_add(base, bytes);
                (self.shallow(ptr, span), known, writable)
            }
            _ => (self.value(id), 0, true),
        }
    }

    fn is_pointer(&self, id: hir::ExprId) -> bool {
        self.scalar(self.body.exprs[id].ty) == Some(Type::Ptr)
    }

    /// A pointer moved by a constant.
    pub(super) fn offset(&mut self, ptr: ExprId, bytes: u64) -> ExprId {
        let int = self.unit.unit.types.model.ptrdiff_type();
        let bytes = self.unit.int(int, i128::from(bytes));
        self.ptr_add(ptr, bytes)
    }

    /// A pointer moved by a number of bytes; constants are added up.
    pub(super) fn ptr_add(&mut self, ptr: ExprId, bytes: ExprId) -> ExprId {
        let exprs = &self.unit.program.exprs;
        let Some((int, add)) = exprs.as_int_const(bytes) else {
            return self.node(ExprKind::PtrAdd(ptr, bytes), Type::Ptr);
        };
        if add == 0 {
            return ptr;
        }
        if let ExprKind::PtrAdd(base, first) = exprs[ptr].kind
            && let Some((_, first)) = exprs.as_int_const(first)
        {
            let sum = self.unit.int(int, first.wrapping_add(add) as i128);
            return self.ptr_add(base, sum);
        }
        self.node(ExprKind::PtrAdd(ptr, bytes), Type::Ptr)
    }

    pub(super) fn address(&mut self, place: &Lvalue) -> ExprId {
        match place {
            Lvalue::Memory(memory) => memory.ptr,
            // Analysis marks what has its address taken, and it lies in memory.
            Lvalue::Var(_) => self.node(ExprKind::Const(0), Type::Ptr),
        }
    }

    /// A place that stays the same while something with these effects is evaluated.
    pub(super) fn protect_place(&mut self, place: Lvalue, effects: Effects, span: Span) -> Lvalue {
        match place {
            Lvalue::Var(_) => place,
            Lvalue::Memory(memory) => Lvalue::Memory(Memory {
                ptr: self.protect(memory.ptr, effects, span),
                ..memory
            }),
        }
    }

    /// The same scalar place, after a check that it can be written (and read).
    pub(super) fn check_writable(&mut self, place: Lvalue, span: Span) -> Lvalue {
        match place {
            Lvalue::Memory(memory) if memory.scalar.is_some() => {
                let size = self.access_size(&memory);
                Lvalue::Memory(Memory {
                    ptr: self.check_access(&memory, size, true, span),
                    known: size,
                    writable: true,
                    ..memory
                })
            }
            _ => place,
        }
    }

    /// The address of a place of a type without scalars, after a check that it can be accessed.
    pub(super) fn checked_address(
        &mut self,
        place: &Lvalue,
        ty: TypeId,
        write: bool,
        span: Span,
    ) -> ExprId {
        let Lvalue::Memory(memory) = place else {
            return self.address(place);
        };
        let size = self.unit.unit.types.size_of(ty).unwrap_or(0);
        self.check_access(memory, size, write, span)
    }

    /// Emits the check that `size` bytes can be accessed, unless that is known. Gives the address, cheap to use again.
    fn check_access(&mut self, memory: &Memory, size: u64, write: bool, span: Span) -> ExprId {
        if size <= memory.known && (memory.writable || !write) {
            return memory.ptr;
        }
        let ptr = self.atomic(memory.ptr, span);
        let size = self.unit.size(size);
        self.check_range(ptr, size, write, span);
        ptr
    }

    /// Emits the check that a range of bytes can be accessed.
    pub(super) fn check_range(&mut self, ptr: ExprId, size: ExprId, write: bool, span: Span) {
        let ok = self.node(ExprKind::AccessOk { ptr, size, write }, Type::Bool);
        let kind = if write {
            UbKind::BadWrite
        } else {
            UbKind::BadRead
        };
        self.require(ok, true, LocKind::Ub(kind), span);
    }

    /// Number of bytes that an access to a scalar touches.
    fn access_size(&self, memory: &Memory) -> u64 {
        let access = memory.scalar.map(|ty| Access {
            ty,
            bits: memory.bits,
        });
        access.map_or(0, |access| access.size(self.unit.unit.types.model))
    }

    /// The value in a place: of a scalar the value itself, of a record its address.
    pub(super) fn read(&mut self, place: &Lvalue, span: Span) -> ExprId {
        self.read_into(place, None, span)
    }

    /// The same; what has to be loaded goes to the variable, if there is one.
    pub(super) fn read_into(&mut self, place: &Lvalue, dst: Option<VarId>, span: Span) -> ExprId {
        match place {
            Lvalue::Var(var) => self.var(*var),
            Lvalue::Memory(memory) => {
                let Some(ty) = memory.scalar else {
                    return memory.ptr;
                };
                let access = Access {
                    ty,
                    bits: memory.bits,
                };
                let size = self.access_size(memory);
                let ptr = self.check_access(memory, size, false, span);
                if self.is_byte(access) {
                    return self.read_truth(ptr, memory.atomic, dst, span);
                }
                let dst = dst.unwrap_or_else(|| self.new_var(ty, span));
                self.emit_access(Action::Load { dst, ptr, access }, memory.atomic, span);
                self.var(dst)
            }
        }
    }

    /// Whether an access to a truth value is to be one to a byte, since others may write it as such.
    fn is_byte(&self, access: Access) -> bool {
        self.unit.bad_bools && access == Access::whole(Type::Bool)
    }

    /// The truth value that a byte is, after a check that it is one.
    fn read_truth(
        &mut self,
        ptr: ExprId,
        is_atomic: bool,
        dst: Option<VarId>,
        span: Span,
    ) -> ExprId {
        if is_atomic {
            self.begin_atomic(span);
        }
        let byte = self.read_byte(ptr, span);
        if is_atomic {
            self.end_atomic(span);
        }
        let limit = self.unit.int(BYTE, 2);
        let ok = self.node(ExprKind::Binary(BinOp::Lt, byte, limit), Type::Bool);
        self.require(ok, true, LocKind::Ub(UbKind::BadBool), span);
        let truth = self.convert(byte, Type::Bool, span);
        match dst {
            Some(dst) => {
                self.assign(dst, truth, span);
                self.var(dst)
            }
            None => truth,
        }
    }

    /// The byte there.
    pub(super) fn read_byte(&mut self, ptr: ExprId, span: Span) -> ExprId {
        let ty = Type::Int(BYTE);
        let dst = self.new_var(ty, span);
        let access = Access::whole(ty);
        self.emit(Action::Load { dst, ptr, access }, span);
        self.var(dst)
    }

    fn emit_access(&mut self, action: Action, is_atomic: bool, span: Span) {
        if is_atomic {
            self.begin_atomic(span);
        }
        self.emit(action, span);
        if is_atomic {
            self.end_atomic(span);
        }
    }

    /// Writes a scalar. Gives the value that the place has then.
    pub(super) fn write(&mut self, place: &Lvalue, value: ExprId, span: Span) -> ExprId {
        match place {
            Lvalue::Var(var) => {
                self.assign(*var, value, span);
                self.var(*var)
            }
            Lvalue::Memory(memory) => {
                let access = Access {
                    ty: self.ty(value),
                    bits: memory.bits,
                };
                let size = self.access_size(memory);
                let ptr = self.check_access(memory, size, true, span);
                let (stored, access) = match self.is_byte(access) {
                    true => {
                        let byte = Type::Int(BYTE);
                        (self.convert(value, byte, span), Access::whole(byte))
                    }
                    false => (value, access),
                };
                let store = Action::Store {
                    ptr,
                    value: stored,
                    access,
                };
                self.emit_access(store, memory.atomic, span);
                match memory.bits {
                    None => value,
                    Some(bits) => self.narrow_to_field(value, bits, span),
                }
            }
        }
    }

    /// The value that a bit-field has after a value was written to it.
    fn narrow_to_field(&mut self, value: ExprId, bits: BitRange, span: Span) -> ExprId {
        let Type::Int(int) = self.ty(value) else {
            return value;
        };
        let field = rhumb_program::IntType {
            width: u16::from(bits.width),
            signed: int.signed,
        };
        if field.width >= int.width {
            return value;
        }
        let narrow = self.convert(value, Type::Int(field), span);
        self.convert(narrow, Type::Int(int), span)
    }
}
