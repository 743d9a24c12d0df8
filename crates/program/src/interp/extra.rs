//! Actions that are rare or long: inputs, objects, allocation, block operations, library functions.

use super::access::failed;
use super::code::{Extra, Operand};
use super::executor::{Executor, Halt, Stop};
use super::inputs::input_value;
use super::instr::Slot;
use super::memory::{InstanceKind, Pointer, Provenance};
use super::outcome::{Caveat, FaultDetail, UnsupportedReason};
use super::state::{Frame, Scope, World};
use super::{math, printf, values};
use crate::builtin::{Builtin, MathFn};
use crate::cfa::{AllocKind, UbKind};
use crate::ids::{FuncId, InputSiteId, ObjectId};
use crate::model::{InputKind, Part};
use crate::types::Type;

fn instance_kind(kind: AllocKind) -> InstanceKind {
    match kind {
        AllocKind::Heap => InstanceKind::Heap,
        AllocKind::Stack => InstanceKind::Stack,
    }
}

impl Executor<'_> {
    /// An activation with local memory begins: its objects have no life yet, but a place.
    #[inline(never)]
    pub(super) fn open_scope(
        &self,
        world: &mut World,
        registers: &mut [u64],
        base: usize,
        function: FuncId,
    ) -> Result<(), Halt> {
        let activation = &self.layout.functions[function];
        for &(object, word) in &activation.objects {
            registers[base + word as usize] = Provenance::unborn(object).raw();
        }
        let mark = world.stack.mark();
        let home = world
            .stack
            .push(&mut world.memory, activation.bytes, activation.align)?;
        world.scopes.push(Scope {
            home,
            mark,
            allocations: world.allocations.len(),
        });
        Ok(())
    }

    /// An activation with local memory ends, and with it the life of its objects and allocations.
    #[inline(never)]
    pub(super) fn close_scope(
        &self,
        world: &mut World,
        registers: &[u64],
        base: usize,
        function: FuncId,
    ) {
        for &(_, word) in &self.layout.functions[function].objects {
            end_object(world, registers[base + word as usize]);
        }
        if let Some(scope) = world.scopes.pop() {
            world.end_allocations(scope.allocations);
            world.stack.reset(scope.mark);
        }
    }

    /// Whether an input sets a variable that has a value already, and may keep it.
    fn is_change(&self, site: InputSiteId) -> bool {
        matches!(
            self.program.inputs[site].kind,
            InputKind::Outside {
                part: Part::Variable(_),
                ..
            }
        )
    }

    /// A value from outside.
    #[inline(never)]
    pub(super) fn input(
        &mut self,
        world: &mut World,
        registers: &mut [u64],
        base: usize,
        dst: Operand,
        site: InputSiteId,
    ) {
        let occurrence = world.next_occurrence(site);
        let bits = if self.is_change(site) {
            let now = values::read(registers, base, dst);
            self.inputs.change(site, occurrence, dst.ty, now)
        } else {
            self.inputs.value(site, occurrence, dst.ty)
        };
        let bits = input_value(dst.ty, bits);
        if dst.ty == Type::Ptr {
            let mask = self.layout.space.mask;
            let pointer = world.memory.resolve(bits as u64 & mask);
            values::write_pointer(registers, base, dst.slot, pointer);
        } else {
            values::write(registers, base, dst, bits);
        }
    }

    /// The function that a pointer calls with these arguments.
    #[inline(never)]
    pub(super) fn callee(
        &self,
        world: &World,
        pointer: Pointer,
        args: &[Type],
        result: Option<Type>,
    ) -> Result<FuncId, Halt> {
        if let Some(what) = pointer.provenance.wild_origin() {
            let reason = UnsupportedReason::WildPointer(what);
            return Err(Box::new(Stop::Unsupported(reason)));
        }
        let Some(function) = world.memory.function_at(pointer) else {
            let address = pointer.address;
            return Err(bad_call(FaultDetail::NotAFunction { address }));
        };
        if self.program.takes(function, args.iter().copied(), result) {
            Ok(function)
        } else {
            Err(bad_call(FaultDetail::WrongSignature(function)))
        }
    }

    /// Executes one of the rare actions.
    #[inline(never)]
    pub(super) fn extra(
        &mut self,
        extra: &Extra,
        world: &mut World,
        registers: &mut [u64],
        frames: &[Frame],
        base: usize,
        pc: u32,
    ) -> Result<(), Halt> {
        let word = |slot: Slot| registers[slot.index(base)];
        let pointer = |slot: Slot| values::pointer(registers, base, slot);
        let mask = self.layout.space.mask;
        match *extra {
            Extra::InputBytes { ptr, size, site } => {
                let size = word(size) & mask;
                let occurrence = world.next_occurrence(site);
                let bytes = world
                    .memory
                    .write(pointer(ptr), size)
                    .map_err(|error| failed(error, size, true))?;
                bytes.fill(0);
                self.inputs.bytes(site, occurrence, bytes);
            }
            Extra::Approximate { dst, what } => match dst {
                Some(Operand {
                    slot,
                    ty: Type::Ptr,
                }) => values::write_pointer(registers, base, slot, Pointer::wild(what)),
                _ => {
                    if let Some(dst) = dst {
                        values::write(registers, base, dst, 0);
                    }
                    world.caveats.add(Caveat::Approximation(what));
                }
            },
            Extra::Copy { dst, src, size } => {
                let size = word(size) & mask;
                world
                    .memory
                    .copy(pointer(dst), pointer(src), size)
                    .map_err(|(error, write)| failed(error, size, write))?;
            }
            Extra::Fill { dst, byte, size } => {
                let size = word(size) & mask;
                let byte = word(byte) as u8;
                world
                    .memory
                    .write(pointer(dst), size)
                    .map_err(|error| failed(error, size, true))?
                    .fill(byte);
            }
            Extra::Enter {
                object,
                slot,
                offset,
            } => {
                let index = slot.index(base);
                end_object(world, registers[index]);
                registers[index] = self.begin_object(world, object, offset)?.raw();
            }
            Extra::Leave { object, slot } => {
                let index = slot.index(base);
                end_object(world, registers[index]);
                registers[index] = Provenance::unborn(object).raw();
            }
            Extra::Alloc {
                dst,
                size,
                kind,
                origin,
            } => {
                let size = word(size) & mask;
                let new = world.memory.allocate(instance_kind(kind), origin, size)?;
                if kind == AllocKind::Stack {
                    world.allocations.push(new.provenance);
                }
                values::write_pointer(registers, base, dst, new);
            }
            Extra::Free { ptr, kind } => {
                let pointer = pointer(ptr);
                world
                    .memory
                    .free(pointer, instance_kind(kind))
                    .map_err(|error| Box::new(Stop::Free(error)))?;
                if kind == AllocKind::Stack {
                    world.forget_allocation(pointer.provenance);
                }
            }
            Extra::Builtin {
                builtin: Builtin::Leaks(leak),
                dst,
                ..
            } => {
                let result = self.leaks(leak, world, registers, frames, base, pc);
                if let Some(dst) = dst {
                    values::write(registers, base, dst, result.into());
                }
            }
            Extra::Builtin {
                builtin,
                ref args,
                dst,
            } => {
                let result = self.builtin(builtin, args, world, registers, base, pc)?;
                if let Some(dst) = dst {
                    values::write(registers, base, dst, result);
                }
            }
            Extra::BadCall(function) => {
                return Err(bad_call(FaultDetail::WrongSignature(function)));
            }
        }
        Ok(())
    }

    fn begin_object(
        &self,
        world: &mut World,
        object: ObjectId,
        offset: u64,
    ) -> Result<Provenance, Halt> {
        let info = &self.program.objects[object];
        let home = world.scopes.last().map_or(0, |scope| scope.home);
        let address = home + offset;
        Ok(world.memory.begin(object, address, info.size)?)
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        args: &[Operand],
        world: &mut World,
        registers: &[u64],
        base: usize,
        pc: u32,
    ) -> Result<u128, Halt> {
        let value = |index: usize| {
            args.get(index)
                .map(|&arg| values::read(registers, base, arg))
                .ok_or_else(|| bad_call(FaultDetail::Unspecified))
        };
        let string = || match args.first() {
            Some(&Operand {
                slot,
                ty: Type::Ptr,
            }) => Ok(values::pointer(registers, base, slot)),
            _ => Err(bad_call(FaultDetail::Unspecified)),
        };
        Ok(match builtin {
            Builtin::Putchar => {
                let byte = value(0)? as u8;
                world.output.push(byte);
                byte.into()
            }
            Builtin::Puts => {
                let length = printf::put_string(world, string()?, None)?;
                world.output.push(b'\n');
                int_result(length + 1)
            }
            Builtin::Printf => {
                let format = string()?;
                let rest: Vec<printf::Argument> = args[1..]
                    .iter()
                    .map(|&arg| printf::Argument::read(registers, base, arg))
                    .collect();
                let printed = printf::printf(world, self.program.data_model, format, &rest)?;
                if printed.mismatch {
                    let function = self.code.function_of(pc);
                    let edge = self.code.sites[pc as usize].edge;
                    world.caveats.add(Caveat::FormatMismatch { function, edge });
                }
                int_result(printed.length)
            }
            Builtin::Unseen(_) => 0,
            Builtin::SetRounding => match math::direction(value(0)? as u32) {
                Some(direction) => {
                    world.rounding = direction;
                    0
                }
                None => 1,
            },
            Builtin::GetRounding => math::direction_number(world.rounding).into(),
            Builtin::Math(MathFn::Rint, ty)
                if math::rint_is_open(ty, value(0)?, world.rounding) =>
            {
                let what = "`rint` of this number while rounding up or down";
                let reason = UnsupportedReason::Other(what);
                return Err(Box::new(Stop::Unsupported(reason)));
            }
            Builtin::Math(function, ty) => math::unary(function, ty, value(0)?, world.rounding),
            Builtin::Math2(function, ty)
                if math::zero_is_open(function, ty, value(0)?, value(1)?) =>
            {
                let what = "`fmin` or `fmax` of zeros of different signs";
                let reason = UnsupportedReason::Other(what);
                return Err(Box::new(Stop::Unsupported(reason)));
            }
            Builtin::Math2(function, ty) => math::binary(function, ty, value(0)?, value(1)?),
            Builtin::Classify(function, ty) => {
                u128::from(math::classify(function, ty, value(0)?) as u32)
            }
            // Threads have an instruction of their own, and leaks are not looked for among arguments.
            Builtin::Outside | Builtin::Thread(_) | Builtin::Leaks(_) => 0,
        })
    }
}

/// A number of characters as an `int`.
fn int_result(length: u64) -> u128 {
    u128::from(length as u32)
}

fn end_object(world: &mut World, provenance: u64) {
    let provenance = Provenance::from_raw(provenance);
    if !provenance.is_unborn() {
        world.memory.end(provenance);
    }
}

pub(super) fn bad_call(detail: FaultDetail) -> Halt {
    Box::new(Stop::Fault(UbKind::BadCall, detail))
}
