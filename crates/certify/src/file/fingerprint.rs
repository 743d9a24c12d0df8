//! A number that tells programs apart.

use std::fmt::{self, Write};

use rhumb_program::Program;

/// The fingerprint of a program as lowered, in hexadecimal: equal for equal automata, whatever the names and places of the files they come
/// from. It keeps evidence from being held against another program by mistake; it is no protection against forgery, and none is needed,
/// since all evidence is checked.
pub fn fingerprint(program: &Program) -> String {
    let mut hash = Fnv::default();
    // Writing to a hash doesn't fail.
    let _ = describe(program, &mut hash);
    format!("{:032x}", hash.0)
}

/// Everything that the meaning of a program depends on.
fn describe(program: &Program, out: &mut Fnv) -> fmt::Result {
    write!(out, "{} {:?};", program.data_model, program.start)?;
    for function in &program.functions {
        let cfa = &function.cfa;
        write!(
            out,
            "{} {:?} {:?} {} {:?} {:?};",
            function.name, function.params, function.result, function.variadic, cfa.entry, cfa.exit
        )?;
        for location in &cfa.locations {
            write!(out, "{:?},", location.kind)?;
        }
        for edge in &cfa.edges {
            write!(
                out,
                "{:?} {:?} {:?},",
                edge.source, edge.target, edge.action
            )?;
        }
    }
    for var in &program.vars {
        write!(out, "{:?} {:?} {:?};", var.ty, var.scope, var.init)?;
    }
    for object in &program.objects {
        write!(
            out,
            "{} {} {:?} {} {:?};",
            object.size, object.align, object.scope, object.read_only, object.init
        )?;
    }
    for index in 0..program.exprs.len() {
        let expr = &program.exprs[rhumb_program::ExprId::from_usize(index)];
        write!(out, "{:?} {:?};", expr.kind, expr.ty)?;
    }
    for site in &program.inputs {
        write!(out, "{:?} {:?} {:?};", site.kind, site.ty, site.function)?;
    }
    for target in &program.targets {
        write!(
            out,
            "{:?} {:?} {:?};",
            target.kind, target.function, target.location
        )?;
    }
    Ok(())
}

/// The hash of Fowler, Noll and Vo (variant 1a) with 128 bits.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 =
                (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        Ok(())
    }
}
