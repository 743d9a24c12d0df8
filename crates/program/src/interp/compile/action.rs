//! The actions of edges.

use super::FunctionCompiler;
use super::place::{AccessPlace, Base};
use crate::builtin::Builtin;
use crate::cfa::{Action, AllocKind, Callee};
use crate::ids::{EdgeId, ExprId, ObjectId, VarId};
use crate::interp::code::{AnyAccess, Call, CallTarget, Extra, Operand};
use crate::interp::instr::{Cell, Instr, Slot, words};
use crate::interp::layout::Home;
use crate::types::Access;

/// Where execution goes on after an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// At the edge's target, with all variables and memory as before.
    Unchanged,
    /// At the edge's target.
    On,
    /// At the edge's target, but first somewhere else: the block ends here.
    Back,
    /// Nowhere in this function.
    Never,
}

impl FunctionCompiler<'_> {
    /// Emits what the edge does.
    pub(super) fn action(&mut self, edge: EdgeId) -> Flow {
        let cfa = self.cfa;
        match &cfa.edges[edge].action {
            Action::Skip => return Flow::Unchanged,
            Action::Assume { .. } => unreachable!("conditions are branches"),
            &Action::Assign { dst, value } => self.value_into(value, self.layout.vars[dst]),
            &Action::Input { dst, site } => {
                let index = self.code.inputs.len() as u32;
                self.code.inputs.push((self.variable(dst), site));
                self.emit(Instr::Input { index });
            }
            &Action::InputBytes { ptr, size, site } => {
                let (ptr, size) = (self.value(ptr), self.value(size));
                self.emit_extra(Extra::InputBytes { ptr, size, site });
            }
            &Action::Approximate { dst, what } => {
                let dst = dst.map(|dst| self.variable(dst));
                self.emit_extra(Extra::Approximate { dst, what });
            }
            &Action::Load { dst, ptr, access } => {
                let place = self.access_place(ptr, access);
                self.load(place, dst, access);
            }
            &Action::Store { ptr, value, access } => {
                let place = self.access_place(ptr, access);
                let value = self.value(value);
                self.store(place, value, access);
            }
            &Action::Copy { dst, src, size } => {
                let (dst, src) = (self.value(dst), self.value(src));
                let size = self.value(size);
                self.emit_extra(Extra::Copy { dst, src, size });
            }
            &Action::Fill { dst, byte, size } => {
                let (dst, byte) = (self.value(dst), self.value(byte));
                let size = self.value(size);
                self.emit_extra(Extra::Fill { dst, byte, size });
            }
            &Action::Enter(object) => {
                if let Home::Local { slot, offset } = self.layout.objects[object] {
                    self.emit_extra(Extra::Enter {
                        object,
                        slot,
                        offset,
                    });
                }
            }
            &Action::Leave(object) => self.leave(object),
            &Action::Alloc { dst, size, kind } => {
                let size = self.value(size);
                let origin = self.layout.edges_before[self.id] + edge.raw();
                let dst = self.layout.vars[dst];
                self.alloc(dst, size, kind, origin);
            }
            &Action::Free { ptr, kind } => {
                let ptr = self.value(ptr);
                self.emit_extra(Extra::Free { ptr, kind });
            }
            Action::Call { dst, callee, args } => return self.call(*dst, *callee, args),
            &Action::Return { value } => {
                self.leave_function(value);
                return Flow::Never;
            }
            &Action::Exit { code } => {
                let a = self.value(code);
                self.emit(Instr::Exit { a });
                return Flow::Never;
            }
        }
        Flow::On
    }

    fn variable(&self, var: VarId) -> Operand {
        Operand {
            slot: self.layout.vars[var],
            ty: self.program.vars[var].ty,
        }
    }

    fn leave(&mut self, object: ObjectId) {
        if let Home::Local { slot, .. } = self.layout.objects[object] {
            self.emit_extra(Extra::Leave { object, slot });
        }
    }

    fn alloc(&mut self, dst: Slot, size: Slot, kind: AllocKind, origin: u32) {
        self.emit_extra(Extra::Alloc {
            dst,
            size,
            kind,
            origin,
        });
    }

    /// Leaves the function, with a result if it has the right type.
    pub(super) fn leave_function(&mut self, value: Option<ExprId>) {
        let value = value.filter(|&id| self.program.functions[self.id].result == Some(self.ty(id)));
        let (a, words) = match value {
            Some(id) => (self.value(id), words(self.ty(id)) as u8),
            None => (Slot::NOWHERE, 0),
        };
        self.emit(Instr::Return {
            a,
            words,
            scope: self.layout.functions[self.id].scope,
            function: self.id,
        });
    }

    /// The place of an access, in the form that its instruction takes.
    pub(super) fn access_place(&mut self, ptr: ExprId, access: Access) -> AccessPlace {
        if Cell::of(access).is_some() {
            self.place(ptr)
        } else {
            AccessPlace {
                base: Base::Pointer(self.value(ptr)),
                index: Slot::NOWHERE,
                scale: 0,
            }
        }
    }

    /// Emits the instruction of a load.
    pub(super) fn load(&mut self, place: AccessPlace, dst: VarId, access: Access) {
        let dst = self.layout.vars[dst];
        let AccessPlace { base, index, scale } = place;
        let instr = match (Cell::of(access), base) {
            (Some(Cell::I32), Base::Object(object)) => Instr::LoadObjectI32 {
                dst,
                object,
                index,
                scale,
            },
            (Some(Cell::I32), Base::Pointer(ptr)) => Instr::LoadI32 {
                dst,
                ptr,
                index,
                scale,
            },
            (Some(cell), Base::Object(object)) => Instr::LoadObject {
                dst,
                object,
                index,
                scale,
                cell,
            },
            (Some(cell), Base::Pointer(ptr)) => Instr::Load {
                dst,
                ptr,
                index,
                scale,
                cell,
            },
            (None, Base::Pointer(ptr) | Base::Object(ptr)) => Instr::LoadAny {
                index: self.add_access(AnyAccess {
                    ptr,
                    value: dst,
                    access,
                }),
            },
        };
        self.emit(instr);
    }

    /// Emits the instruction of a store.
    pub(super) fn store(&mut self, place: AccessPlace, value: Slot, access: Access) {
        let AccessPlace { base, index, scale } = place;
        let a = value;
        let instr = match (Cell::of(access), base) {
            (Some(Cell::I32 | Cell::U32), Base::Object(object)) => Instr::StoreObjectI32 {
                a,
                object,
                index,
                scale,
            },
            (Some(Cell::I32 | Cell::U32), Base::Pointer(ptr)) => Instr::StoreI32 {
                a,
                ptr,
                index,
                scale,
            },
            (Some(cell), Base::Object(object)) => Instr::StoreObject {
                a,
                object,
                index,
                scale,
                cell,
            },
            (Some(cell), Base::Pointer(ptr)) => Instr::Store {
                a,
                ptr,
                index,
                scale,
                cell,
            },
            (None, Base::Pointer(ptr) | Base::Object(ptr)) => Instr::StoreAny {
                index: self.add_access(AnyAccess { ptr, value, access }),
            },
        };
        self.emit(instr);
    }

    fn call(&mut self, dst: Option<VarId>, callee: Callee, args: &[ExprId]) -> Flow {
        match callee {
            Callee::Builtin(builtin @ Builtin::Thread(_)) => {
                let args = args.iter().map(|&arg| self.operand(arg)).collect();
                let dst = dst.map(|dst| self.variable(dst));
                let index = self.code.extras.len() as u32;
                self.code.extras.push(Extra::Builtin { builtin, args, dst });
                self.emit(Instr::Thread { index });
                Flow::Back
            }
            Callee::Builtin(builtin) => {
                let args = args.iter().map(|&arg| self.operand(arg)).collect();
                let dst = dst.map(|dst| self.variable(dst));
                self.emit_extra(Extra::Builtin { builtin, args, dst });
                Flow::On
            }
            Callee::Pointer(ptr) => {
                let ptr = self.value(ptr);
                let callee = CallTarget::Pointer {
                    ptr,
                    args: args.iter().map(|&arg| self.ty(arg)).collect(),
                    result: dst.map(|dst| self.program.vars[dst].ty),
                };
                self.call_target(dst, callee, args);
                Flow::Back
            }
            Callee::Function(function) => {
                let types = args.iter().map(|&arg| self.ty(arg));
                let result = dst.map(|dst| self.program.vars[dst].ty);
                if self.program.takes(function, types, result) {
                    self.call_target(dst, CallTarget::Function(function), args);
                } else {
                    self.emit_extra(Extra::BadCall(function));
                }
                Flow::Back
            }
        }
    }

    fn call_target(&mut self, dst: Option<VarId>, callee: CallTarget, args: &[ExprId]) {
        let mut arg_words = Vec::with_capacity(args.len());
        for &arg in args {
            let slot = self.value(arg);
            arg_words.push(slot);
            if words(self.ty(arg)) == 2 {
                arg_words.push(slot.next());
            }
        }
        self.emit_call(Call {
            callee,
            args: arg_words.into(),
            dst: dst.map_or(Slot::NOWHERE, |dst| self.layout.vars[dst]),
            advance: 0,
        });
    }
}
