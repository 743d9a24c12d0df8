//! The inputs of a test in the order in which the program asks for them.

use rhumb_program::interp::{InputSource, KeyedInputs, Machine, RunLimits};
use rhumb_program::{FloatType, InputKind, InputSiteId, Program, Type};

/// A value that a test gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// Where it goes.
    pub site: InputSiteId,
    /// Its type.
    pub ty: Type,
    /// Its bits.
    pub bits: u128,
}

impl Given {
    /// The value as C writes it.
    pub fn value(&self) -> String {
        match self.ty {
            Type::Int(int) => int.display(self.bits),
            Type::Float(FloatType::F32) => float(f64::from(f32::from_bits(self.bits as u32))),
            Type::Float(FloatType::F64) => float(f64::from_bits(self.bits as u64)),
            _ => self.bits.to_string(),
        }
    }

    /// The name of its type in C, if the function that gives it says so.
    pub fn type_name(&self, program: &Program) -> Option<String> {
        let InputKind::Nondet(name) = &program.inputs[self.site].kind else {
            return None;
        };
        let ty = name.strip_prefix("__VERIFIER_nondet_")?;
        Some(match ty {
            "bool" => "_Bool".to_owned(),
            "uchar" => "unsigned char".to_owned(),
            "ushort" => "unsigned short".to_owned(),
            "uint" | "unsigned" => "unsigned int".to_owned(),
            "ulong" => "unsigned long".to_owned(),
            "longlong" => "long long".to_owned(),
            "ulonglong" => "unsigned long long".to_owned(),
            other => other.to_owned(),
        })
    }
}

/// A float that reads back as it was: `inf` and `nan` as C prints them.
fn float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    format!("{value:?}")
}

/// The values that functions give in the run on these inputs, in order, up to so many, and whether all that matters is
/// among them: whatever else the program reads (uninitialised variables, memory from outside) is zero, too.
pub fn in_order(
    machine: &Machine<'_>,
    inputs: &KeyedInputs,
    most: u64,
    limits: &RunLimits,
) -> (Vec<Given>, bool) {
    let mut recorder = InOrder {
        program: machine.program(),
        inputs: inputs.clone(),
        left: most,
        given: Vec::new(),
        is_all: true,
    };
    machine.run(&mut recorder, limits);
    (recorder.given, recorder.is_all)
}

struct InOrder<'p> {
    program: &'p Program,
    inputs: KeyedInputs,
    left: u64,
    given: Vec<Given>,
    is_all: bool,
}

impl InOrder<'_> {
    /// Whether the next input is one of those that are asked for.
    fn counts(&mut self) -> bool {
        let counts = self.left > 0;
        self.left = self.left.saturating_sub(1);
        counts
    }
}

impl InputSource for InOrder<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let bits = self.inputs.value(site, occurrence, ty);
        if !self.counts() {
            return bits;
        }
        match self.program.inputs[site].kind {
            InputKind::Nondet(_) | InputKind::UndefinedFunction(_) => {
                self.given.push(Given { site, ty, bits });
            }
            _ => self.is_all &= bits == 0,
        }
        bits
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        self.inputs.bytes(site, occurrence, out);
        let is_zero = out.iter().all(|&byte| byte == 0);
        self.is_all &= !self.counts() || is_zero;
    }
}
