//! The few instructions of x86 whose effect on the operands of a statement is known exactly.
//!
//! Right for what drivers and libraries write for atomic counters, accesses to device memory, ports and fences: short
//! texts without jumps, all of whose operands are operands of the statement. Of anything else nothing is said.

use crate::hir::BinaryOp;

/// What is read: an operand of the statement by its number, or a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Operand(usize),
    Number(i64),
}

/// What is asked about the result of a computation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Test {
    Zero,
    NotZero,
    Negative,
    NotNegative,
}

/// What an instruction does. Sizes are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Instruction {
    /// The operand gets a value from outside of the program: of a port, or of memory that is no variable's.
    Given {
        to: usize,
        size: Option<u64>,
    },
    Move {
        from: Source,
        to: usize,
        size: u64,
    },
    Update {
        op: BinaryOp,
        by: Source,
        place: usize,
        size: u64,
        locked: bool,
        /// What is asked about the result, and the operand, of one byte, that gets the answer.
        test: Option<(Test, usize)>,
    },
    /// Adds an operand to a place, and gives the operand what was there.
    FetchAdd {
        operand: usize,
        place: usize,
        size: u64,
        locked: bool,
    },
}

/// The instructions of a template, if all are known. Those without an effect on the program's memory are left out.
pub(super) fn instructions(template: &str) -> Option<Vec<Instruction>> {
    // Comments, and alternatives for dialects: what stands in them may not be executed.
    if template.contains(['#', '/', '{', '|', '}']) {
        return None;
    }
    let mut known: Vec<Instruction> = Vec::new();
    let (mut in_section, mut locked, mut repeated) = (false, false, false);
    for line in template.split(['\n', ';']) {
        let mut line = line.trim();
        if in_section {
            in_section = !matches!(line, ".popsection" | ".previous");
            continue;
        }
        if let Some((section, name)) = line.split_once(char::is_whitespace)
            && matches!(section, ".pushsection" | ".section")
        {
            // Other sections hold code to go on with, or to put in the place of this.
            if !name.trim_start().starts_with(".smp_locks") {
                return None;
            }
            in_section = true;
            continue;
        }
        if let Some((label, rest)) = line.split_once(':')
            && !label.is_empty()
            && label.chars().all(|c| c.is_ascii_digit())
        {
            line = rest.trim();
        }
        if let Some(rest) = line.strip_prefix("lock")
            && (rest.is_empty() || rest.starts_with(char::is_whitespace))
        {
            locked = true;
            line = rest.trim();
        }
        let (mnemonic, operands) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match mnemonic {
            "" => continue,
            "rep" if operands.is_empty() => repeated = true,
            "nop" | "pause" if operands.is_empty() => repeated = false,
            _ if repeated => return None,
            "mfence" | "lfence" | "sfence" if operands.is_empty() => {}
            "outb" | "outw" | "outl" => {}
            _ => {
                let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
                instruction(mnemonic, &operands, locked, &mut known)?;
                locked = false;
            }
        }
    }
    (!in_section && !locked && !repeated).then_some(known)
}

/// Adds an instruction to those that are known, or what it says of the last one.
fn instruction(
    mnemonic: &str,
    operands: &[&str],
    locked: bool,
    known: &mut Vec<Instruction>,
) -> Option<()> {
    let asked = match mnemonic {
        "sete" | "setz" => Some(Test::Zero),
        "setne" | "setnz" => Some(Test::NotZero),
        "sets" => Some(Test::Negative),
        "setns" => Some(Test::NotNegative),
        _ => None,
    };
    if let (Some(asked), &[to]) = (asked, operands) {
        let Some(Instruction::Update { test, .. }) = known.last_mut() else {
            return None;
        };
        let is_first = test.replace((asked, number(to, Some(1))?)).is_none();
        return is_first.then_some(());
    }
    let (name, suffix) = mnemonic.split_at(mnemonic.len().checked_sub(1)?);
    let size = match suffix {
        "b" => 1,
        "w" => 2,
        "l" => 4,
        "q" => 8,
        _ => return None,
    };
    let source = |text: &str| match text.strip_prefix('$') {
        Some(digits) => decimal(digits).map(Source::Number),
        None => number(text, Some(size)).map(Source::Operand),
    };
    let update = |op, by, place: &str| {
        let place = number(place, Some(size))?;
        let test = None;
        Some(Instruction::Update {
            op,
            by,
            place,
            size,
            locked,
            test,
        })
    };
    let one = Source::Number(1);
    let is_outside = |text: &str| text.starts_with("%%gs:") || text.starts_with("%%fs:");
    let next = match (name, operands) {
        ("inc", &[place]) => update(BinaryOp::Add, one, place)?,
        ("dec", &[place]) => update(BinaryOp::Sub, one, place)?,
        ("add", &[by, place]) => update(BinaryOp::Add, source(by)?, place)?,
        ("sub", &[by, place]) => update(BinaryOp::Sub, source(by)?, place)?,
        ("and", &[by, place]) => update(BinaryOp::And, source(by)?, place)?,
        ("or", &[by, place]) => update(BinaryOp::Or, source(by)?, place)?,
        ("xor", &[by, place]) => update(BinaryOp::Xor, source(by)?, place)?,
        ("xadd", &[operand, place]) => Instruction::FetchAdd {
            operand: number(operand, Some(size))?,
            place: number(place, Some(size))?,
            size,
            locked,
        },
        ("mov", &[from, to]) if is_outside(from) && !locked => Instruction::Given {
            to: number(to, Some(size))?,
            size: Some(size),
        },
        ("mov", &[from, to]) if !locked => Instruction::Move {
            from: source(from)?,
            to: number(to, Some(size))?,
            size,
        },
        // Of a wider register the other bits are those that it happens to hold.
        ("in", &[_, to]) if size < 8 && !locked => Instruction::Given {
            to: number(to, None)?,
            size: None,
        },
        _ => return None,
    };
    known.push(next);
    Some(())
}

/// A number that means the same to the assembler: a leading zero makes it an octal one there.
fn decimal(digits: &str) -> Option<i64> {
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    let is_octal = unsigned.starts_with('0') && unsigned.len() > 1;
    digits.parse().ok().filter(|_| !is_octal)
}

/// The number of an operand: `%1`, or `%b1` and the like, which must be of this size.
fn number(text: &str, size: Option<u64>) -> Option<usize> {
    let rest = text.strip_prefix('%')?;
    let said = match rest.chars().next()? {
        'b' => Some(1),
        'w' => Some(2),
        'k' => Some(4),
        'q' => Some(8),
        _ => None,
    };
    if said.is_some() && size.is_some() && said != size {
        return None;
    }
    let digits = if said.is_some() { &rest[1..] } else { rest };
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known() {
        let dec = |locked, test| Instruction::Update {
            op: BinaryOp::Sub,
            by: Source::Number(1),
            place: 0,
            size: 4,
            locked,
            test,
        };
        assert_eq!(instructions("decl %0"), Some(vec![dec(false, None)]));
        let section =
            ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\t";
        let text = format!("{section}lock; decl %0; sete %1");
        let tested = dec(true, Some((Test::Zero, 1)));
        assert_eq!(instructions(&text), Some(vec![tested]));
        assert_eq!(instructions("lock decl %0"), Some(vec![dec(true, None)]));
        assert_eq!(instructions("rep; nop"), Some(Vec::new()));
        assert_eq!(instructions("sfence"), Some(Vec::new()));
        let moved = Instruction::Move {
            from: Source::Operand(1),
            to: 0,
            size: 2,
        };
        assert_eq!(instructions("movw %1,%w0"), Some(vec![moved]));
        let given = Instruction::Given {
            to: 0,
            size: Some(8),
        };
        assert_eq!(instructions("movq %%gs:%P1,%0"), Some(vec![given]));
    }

    #[test]
    fn what_is_not() {
        for text in [
            "hlt",
            "ud2",
            "jmp 1b",
            "call f",
            "decl",
            "dec %0",
            "decl %1(%0)",
            "decl %eax",
            "decl %w0",
            "sete %0",
            "decl %0; sete %1; sets %1",
            "decl %0; setc %1",
            "rep; movsb",
            "rep",
            "lock",
            "lock; movl %0,%1",
            "bts %1,%0",
            "1:\tmovl %1,%2\n2:\n.section .fixup,\"ax\"\n3:\tmov %3,%0\n\tjmp 2b\n.previous",
            ".pushsection .smp_locks\ndecl %0",
            "decl %[counter]",
            "addl $010,%0",
            "addl $-010,%0",
            ".byte 0x90",
        ] {
            assert_eq!(instructions(text), None, "{text}");
        }
    }
}
