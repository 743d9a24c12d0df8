//! `printf`, as glibc prints.

use super::access::failed;
use super::code::Operand;
use super::decimal::Decimal;
use super::executor::{Halt, Stop};
use super::extra::bad_call;
use super::float::{self, Class};
use super::format::{self, Length, Spec, Text};
use super::instr::Slot;
use super::memory::Pointer;
use super::outcome::{FaultDetail, UnsupportedReason};
use super::state::World;
use super::values;
use crate::types::{DataModel, FloatType, IntType, Type};

/// An argument behind the format.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument {
    Int(IntType, u128),
    Float(FloatType, u128),
    Pointer(Pointer),
}

impl Argument {
    /// The argument in registers.
    pub(super) fn read(registers: &[u64], base: usize, operand: Operand) -> Argument {
        let Operand { slot, ty }: Operand = operand;
        let slot: Slot = slot;
        match ty {
            Type::Ptr => Argument::Pointer(values::pointer(registers, base, slot)),
            Type::Bool => Argument::Int(IntType::INT, values::read(registers, base, operand)),
            Type::Int(int) => Argument::Int(int, values::read(registers, base, operand)),
            Type::Float(ty) => Argument::Float(ty, values::read(registers, base, operand)),
        }
    }
}

/// What was printed.
pub(super) struct Printed {
    /// Number of characters.
    pub(super) length: u64,
    /// Whether an argument had another type than the format asks for.
    pub(super) mismatch: bool,
}

struct Printer<'a> {
    world: &'a mut World,
    model: DataModel,
    format: Pointer,
    args: std::slice::Iter<'a, Argument>,
    length: u64,
    mismatch: bool,
}

/// Prints the arguments by the format.
pub(super) fn printf(
    world: &mut World,
    model: DataModel,
    format: Pointer,
    args: &[Argument],
) -> Result<Printed, Halt> {
    let mut printer = Printer {
        world,
        model,
        format,
        args: args.iter(),
        length: 0,
        mismatch: false,
    };
    printer.print()?;
    Ok(Printed {
        length: printer.length,
        mismatch: printer.mismatch,
    })
}

/// Prints the characters of a string up to its end or to so many. Gives their number.
pub(super) fn put_string(
    world: &mut World,
    string: Pointer,
    limit: Option<u64>,
) -> Result<u64, Halt> {
    let mut count = 0;
    while limit.is_none_or(|limit| count < limit) {
        match byte_at(world, string, count)? {
            0 => break,
            byte => world.output.push(byte),
        }
        count += 1;
    }
    Ok(count)
}

fn byte_at(world: &mut World, string: Pointer, index: u64) -> Result<u8, Halt> {
    let place = Pointer {
        address: string.address.wrapping_add(index),
        ..string
    };
    match world.memory.read(place, 1) {
        Ok(bytes) => Ok(bytes[0]),
        Err(error) => Err(failed(error, 1, false)),
    }
}

fn unsupported(what: &'static str) -> Halt {
    Box::new(Stop::Unsupported(UnsupportedReason::Other(what)))
}

impl Printer<'_> {
    fn next(&mut self) -> Result<u8, Halt> {
        let byte = byte_at(self.world, self.format, 0)?;
        self.format.address = self.format.address.wrapping_add(1);
        Ok(byte)
    }

    fn argument(&mut self) -> Result<Argument, Halt> {
        self.args
            .next()
            .copied()
            .ok_or_else(|| bad_call(FaultDetail::FormatArguments))
    }

    fn print(&mut self) -> Result<(), Halt> {
        loop {
            match self.next()? {
                0 => return Ok(()),
                b'%' => {
                    let spec = self.spec()?;
                    self.convert(spec)?;
                }
                byte => {
                    self.world.output.push(byte);
                    self.length += 1;
                }
            }
        }
    }

    /// Reads a specification behind its `%`.
    fn spec(&mut self) -> Result<Spec, Halt> {
        let mut spec = Spec::default();
        let mut byte = self.next()?;
        loop {
            match byte {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            byte = self.next()?;
        }
        if byte == b'*' {
            let width = self.star()?;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs();
            byte = self.next()?;
        } else {
            (spec.width, byte) = self.number(byte)?;
        }
        if byte == b'.' {
            byte = self.next()?;
            if byte == b'*' {
                // A negative precision is as if there were none.
                spec.precision = u64::try_from(self.star()?).ok();
                byte = self.next()?;
            } else {
                let (precision, next) = self.number(byte)?;
                spec.precision = Some(precision);
                byte = next;
            }
        }
        (spec.length, byte) = self.length_modifier(byte)?;
        spec.conversion = byte;
        Ok(spec)
    }

    fn star(&mut self) -> Result<i64, Halt> {
        let bits = self.integer(IntType::INT)?;
        Ok(IntType::INT.extend(bits) as i64)
    }

    fn number(&mut self, mut byte: u8) -> Result<(u64, u8), Halt> {
        let mut number = 0u64;
        while byte.is_ascii_digit() {
            number = number
                .saturating_mul(10)
                .saturating_add(u64::from(byte - b'0'));
            byte = self.next()?;
        }
        // No int is greater, and what is printed has no more characters.
        Ok((number.min(i32::MAX as u64), byte))
    }

    fn length_modifier(&mut self, byte: u8) -> Result<(Length, u8), Halt> {
        let (length, doubled) = match byte {
            b'h' => (Length::Short, Some(Length::Char)),
            b'l' => (Length::Long, Some(Length::LongLong)),
            b'q' | b'j' => (Length::LongLong, None),
            b'z' | b't' => (Length::Size, None),
            b'L' => (Length::LongDouble, None),
            _ => return Ok((Length::None, byte)),
        };
        let next = self.next()?;
        match doubled {
            Some(doubled) if next == byte => Ok((doubled, self.next()?)),
            _ => Ok((length, next)),
        }
    }

    fn convert(&mut self, spec: Spec) -> Result<(), Halt> {
        match spec.conversion {
            b'%' => {
                self.world.output.push(b'%');
                self.length += 1;
                Ok(())
            }
            b'd' | b'i' => self.signed(spec),
            b'u' | b'x' | b'X' | b'o' => self.unsigned(spec),
            b'c' if spec.length == Length::None => {
                let byte = self.integer(IntType::INT)? as u8;
                self.put_as_it_is(spec, vec![byte]);
                Ok(())
            }
            b's' if spec.length == Length::None => self.string(spec),
            b'p' => self.pointer(spec),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => self.floating(spec),
            _ => Err(unsupported("this conversion of printf")),
        }
    }

    /// A text that is never filled up with zeros.
    fn put_as_it_is(&mut self, spec: Spec, head: Vec<u8>) {
        let spec = Spec {
            zero: false,
            ..spec
        };
        let text = Text {
            head,
            ..Text::default()
        };
        self.put(spec, text);
    }

    /// Prints the text, padded to the width.
    fn put(&mut self, spec: Spec, mut text: Text) {
        let padding = spec.width.saturating_sub(text.length());
        if spec.zero && !spec.left {
            text.leading_zeros += padding;
        }
        self.length += text.length().max(spec.width);
        let output = &mut self.world.output;
        let spaces = spec.width.saturating_sub(text.length());
        if !spec.left {
            output.pad(b' ', spaces);
        }
        text.prefix.iter().for_each(|&byte| output.push(byte));
        output.pad(b'0', text.leading_zeros);
        text.head.iter().for_each(|&byte| output.push(byte));
        output.pad(b'0', text.zeros);
        text.tail.iter().for_each(|&byte| output.push(byte));
        if spec.left {
            output.pad(b' ', spaces);
        }
    }

    /// The next argument as an integer of this type.
    fn integer(&mut self, wanted: IntType) -> Result<u128, Halt> {
        match self.argument()? {
            Argument::Int(ty, bits) => {
                self.mismatch |= ty.width != wanted.width;
                Ok(wanted.wrap(ty.extend(bits) as u128))
            }
            Argument::Pointer(pointer) => {
                self.mismatch = true;
                Ok(wanted.wrap(self.world.memory.expose(pointer).into()))
            }
            Argument::Float(..) => Err(bad_call(FaultDetail::FormatArguments)),
        }
    }

    /// The type of the argument of an integer conversion, and the width of what is printed of it.
    fn integer_type(&self, length: Length) -> (IntType, u16) {
        let width = match length {
            Length::None => 32,
            Length::Char => return (IntType::INT, 8),
            Length::Short => return (IntType::INT, 16),
            Length::Long | Length::Size => self.model.pointer_width(),
            Length::LongLong | Length::LongDouble => 64,
        };
        (IntType::signed(width), width)
    }

    fn signed(&mut self, spec: Spec) -> Result<(), Halt> {
        let (ty, width) = self.integer_type(spec.length);
        let bits = self.integer(ty)?;
        let narrow = IntType::signed(width);
        let value = narrow.extend(narrow.wrap(bits));
        let mut text = Text {
            prefix: format::sign(value < 0, spec),
            ..Text::default()
        };
        format::digits(&mut text, spec, value.unsigned_abs().to_string());
        self.put(format::zero_if_free(spec), text);
        Ok(())
    }

    fn unsigned(&mut self, spec: Spec) -> Result<(), Halt> {
        let (ty, width) = self.integer_type(spec.length);
        let value = IntType::unsigned(width).wrap(self.integer(ty)?);
        let mut text = Text::default();
        let number = match spec.conversion {
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            b'o' => format!("{value:o}"),
            _ => value.to_string(),
        };
        if spec.alternate && value != 0 {
            match spec.conversion {
                b'x' => text.prefix.extend(b"0x"),
                b'X' => text.prefix.extend(b"0X"),
                _ => {}
            }
        }
        format::digits(&mut text, spec, number);
        if spec.alternate
            && spec.conversion == b'o'
            && text.leading_zeros == 0
            && text.head.first() != Some(&b'0')
        {
            text.leading_zeros = 1;
        }
        self.put(format::zero_if_free(spec), text);
        Ok(())
    }

    fn string(&mut self, spec: Spec) -> Result<(), Halt> {
        let Argument::Pointer(string) = self.argument()? else {
            return Err(bad_call(FaultDetail::FormatArguments));
        };
        // The length first: the padding may come before.
        let mut count = 0;
        while spec.precision.is_none_or(|precision| count < precision)
            && byte_at(self.world, string, count)? != 0
        {
            count += 1;
        }
        let spaces = spec.width.saturating_sub(count);
        if !spec.left {
            self.world.output.pad(b' ', spaces);
        }
        put_string(self.world, string, Some(count))?;
        if spec.left {
            self.world.output.pad(b' ', spaces);
        }
        self.length += count + spaces;
        Ok(())
    }

    fn pointer(&mut self, spec: Spec) -> Result<(), Halt> {
        let address = match self.argument()? {
            Argument::Pointer(pointer) => self.world.memory.expose(pointer),
            Argument::Int(_, bits) => {
                self.mismatch = true;
                bits as u64
            }
            Argument::Float(..) => return Err(bad_call(FaultDetail::FormatArguments)),
        };
        if address == 0 {
            self.put_as_it_is(spec, b"(nil)".to_vec());
            return Ok(());
        }
        let mut text = Text {
            prefix: format::sign(false, spec),
            ..Text::default()
        };
        text.prefix.extend(b"0x");
        format::digits(&mut text, spec, format!("{address:x}"));
        self.put(format::zero_if_free(spec), text);
        Ok(())
    }

    fn floating(&mut self, spec: Spec) -> Result<(), Halt> {
        let (ty, bits) = match (self.argument()?, spec.length) {
            (Argument::Float(ty @ FloatType::X87, bits), Length::LongDouble) => (ty, bits),
            (
                Argument::Float(ty @ (FloatType::F32 | FloatType::F64), bits),
                Length::None | Length::Long,
            ) => (FloatType::F64, float::convert(ty, FloatType::F64, bits)),
            _ => return Err(bad_call(FaultDetail::FormatArguments)),
        };
        let upper = spec.conversion.is_ascii_uppercase();
        let mut text = Text {
            prefix: format::sign(float::is_negative(ty, bits), spec),
            ..Text::default()
        };
        let class = float::classify(ty, bits);
        if matches!(class, Class::Nan | Class::Infinite) {
            let name: &[u8] = match (class, upper) {
                (Class::Nan, false) => b"nan",
                (Class::Nan, true) => b"NAN",
                (_, false) => b"inf",
                (_, true) => b"INF",
            };
            text.head.extend(name);
            self.put(
                Spec {
                    zero: false,
                    ..spec
                },
                text,
            );
            return Ok(());
        }
        match spec.conversion.to_ascii_lowercase() {
            b'f' => format::fixed(
                &mut text,
                spec,
                &Decimal::new(ty, bits),
                spec.precision.unwrap_or(6),
            ),
            b'e' => {
                let precision = spec.precision.unwrap_or(6);
                format::scientific(&mut text, spec, &Decimal::new(ty, bits), precision);
            }
            b'g' => format::general(&mut text, spec, &Decimal::new(ty, bits)),
            _ => format::hexadecimal(&mut text, spec, ty, bits),
        }
        self.put(spec, text);
        Ok(())
    }
}
