//! Telling programs apart.

use std::fmt::{self, Write};

use rhumb_program::{Decl, ExprId, Program};

/// A fingerprint of a program as lowered: the same text in another place, or with other comments, has the same. It
/// tells a user that a certificate is for another program; what makes a certificate right is the check.
pub fn fingerprint(program: &Program) -> String {
    let mut hash = Fnv::default();
    // Writing to the hash never fails.
    let _ = write_program(&mut hash, program);
    format!("{:032x}", hash.0)
}

fn write_program(out: &mut Fnv, program: &Program) -> fmt::Result {
    let name = |decl: &Decl| decl.name.clone();
    write!(out, "{} start {:?};", program.data_model, program.start)?;
    for function in &program.functions {
        let cfa = &function.cfa;
        write!(
            out,
            "function {:?} {:?} {:?} {:?} {:?} {:?};",
            function.name, function.params, function.result, function.variadic, cfa.entry, cfa.exit
        )?;
        for location in &cfa.locations {
            write!(out, "{:?} {:?};", location.kind, location.outgoing)?;
        }
        for edge in &cfa.edges {
            write!(
                out,
                "{:?} {:?} {:?};",
                edge.source, edge.target, edge.action
            )?;
        }
    }
    for var in &program.vars {
        write!(
            out,
            "var {:?} {:?} {:?} {:?};",
            name(&var.decl),
            var.ty,
            var.scope,
            var.init
        )?;
    }
    for object in &program.objects {
        write!(
            out,
            "object {:?} {} {} {:?} {} {:?};",
            name(&object.decl),
            object.size,
            object.align,
            object.scope,
            object.read_only,
            object.init
        )?;
    }
    for index in 0..program.exprs.len() {
        write!(out, "{:?};", program.exprs[ExprId::from_usize(index)])?;
    }
    for input in &program.inputs {
        write!(
            out,
            "input {:?} {:?} {:?};",
            input.kind, input.ty, input.function
        )?;
    }
    for target in &program.targets {
        write!(
            out,
            "target {:?} {:?} {:?};",
            target.kind, target.function, target.location
        )?;
    }
    for what in &program.unsupported {
        write!(out, "unsupported {:?};", what.what)?;
    }
    for what in &program.approximations {
        write!(out, "approximation {:?};", what.what)?;
    }
    for external in &program.outside.functions {
        write!(out, "outside {:?};", external)?;
    }
    Ok(())
}

/// The hash function FNV-1a with 128 bits: the same on every machine and in every version.
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
