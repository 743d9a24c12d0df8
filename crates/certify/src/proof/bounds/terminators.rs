//! Terminators: of each site that is read byte by byte, one byte that is 0.
//!
//! Right for strings in memory of any size: a loop that ends at the terminator doesn't get beyond it.
//!
//! What is true in every run, of the variable that a site has for it: where it is not negative it is less than the
//! site's size, and the byte at this distance of the last instance is 0, if that is alive.
//!
//! Distances of pointers are exact only inside of their objects. So nothing is said of a byte outside of one, and a
//! write that is not known to be inside is one to any byte. A write by a pointer without a site is one to all sites.

use std::collections::BTreeSet;

use rhumb_program::{
    Access, Action, BinOp, Builtin, Callee, EdgeId, ExprId, ExprKind, Init, Object, ObjectId,
    Scope, Type, VarId,
};

use super::sites::{SiteId, What};
use super::{Bounds, Steps, WIDE};

/// Programs in which more sites are read byte by byte have no terminators: each write to who knows where sets all.
const MOST_TERMINATORS: usize = 24;

/// What is written behind a pointer.
struct Written {
    ptr: ExprId,
    /// How many bytes, as a wide number.
    bytes: ExprId,
}

/// A byte that is 0 after a write, if this holds before it: the distance from the site's start.
struct Zero {
    holds: ExprId,
    at: ExprId,
}

impl Bounds<'_> {
    /// Sites of which bytes are read, there or where they were copied to.
    pub(super) fn read_by_bytes(&self) -> BTreeSet<SiteId> {
        let program = &self.passed.program;
        let mut read = BTreeSet::new();
        let mut copies = Vec::new();
        for edge in &program.functions[program.start].cfa.edges {
            match edge.action {
                Action::Load { ptr, access, .. } if is_byte(access) => {
                    read.extend(self.sites.of(program, ptr));
                }
                Action::Copy { dst, src, .. } => {
                    copies.push((self.sites.of(program, dst), self.sites.of(program, src)));
                }
                _ => {}
            }
        }
        let mut before = usize::MAX;
        while before != read.len() {
            before = read.len();
            for (to, from) in &copies {
                if !to.is_disjoint(&read) {
                    read.extend(from);
                }
            }
        }
        match read.len() <= MOST_TERMINATORS {
            true => read,
            false => BTreeSet::new(),
        }
    }

    /// What is known of a terminator before the program begins.
    pub(super) fn first_terminator(&mut self, site: SiteId) -> ExprId {
        let first = match self.sites.all[site] {
            What::Object(object) => self.first_zero(object),
            What::Allocated(..) => None,
        };
        let at = first.map_or(-1, i128::from);
        self.passed.program.exprs.int(WIDE, at)
    }

    /// The first byte of a global object that is 0 to begin with: what is not mentioned is.
    fn first_zero(&self, object: ObjectId) -> Option<u32> {
        let program = &self.passed.program;
        let object: &Object = &program.objects[object];
        let is_zero = |at: &u32| {
            let at = u64::from(*at);
            object.init.iter().all(|piece| match piece {
                Init::Bytes { offset, bytes } => {
                    let inside = at.checked_sub(*offset);
                    inside.is_none_or(|inside| {
                        bytes.get(inside as usize).is_none_or(|&byte| byte == 0)
                    })
                }
                Init::Scalar { offset, access, .. } => {
                    at < *offset || at - offset >= access.size(program.data_model)
                }
            })
        };
        let most = u32::try_from(object.size).unwrap_or(0).min(1 << 12);
        match object.scope {
            Scope::Global => (0..most).find(is_zero),
            _ => None,
        }
    }

    /// Puts what happens to terminators on an edge into the program.
    pub(super) fn follow_bytes(&mut self, edge: EdgeId) {
        let action = self.cfa().edges[edge].action.clone();
        match action {
            Action::Load { dst, ptr, access } if is_byte(access) => self.read(edge, dst, ptr),
            Action::Store { ptr, value, access } => {
                let bytes = access.size(self.passed.program.data_model);
                let bytes = self.wide(i128::from(bytes));
                let zeros = |bounds: &mut Self, site| bounds.stored(site, ptr, value, access);
                self.write(edge, &Written { ptr, bytes }, zeros);
            }
            Action::InputBytes { ptr, size, .. } => {
                let bytes = self.cast_wide(size);
                self.write(edge, &Written { ptr, bytes }, |_, _| Vec::new());
            }
            Action::Fill { dst, byte, size } => {
                let bytes = self.cast_wide(size);
                let zeros = |bounds: &mut Self, _| bounds.filled(dst, byte, bytes);
                self.write(edge, &Written { ptr: dst, bytes }, zeros);
            }
            Action::Copy { dst, src, size } => {
                let bytes = self.cast_wide(size);
                let from = Written { ptr: src, bytes };
                let zeros = |bounds: &mut Self, _| bounds.copied(dst, &from);
                self.write(edge, &Written { ptr: dst, bytes }, zeros);
            }
            // All bytes of a new instance are 0, until something is written.
            Action::Alloc { size, .. } => {
                let size = self.cast_wide(size);
                self.begin(edge, self.sites.allocated_at(edge), size);
            }
            Action::Enter(object) => {
                let size = self.passed.program.objects[object].size;
                let size = self.wide(i64::try_from(size).map_or(0, i128::from));
                self.begin(edge, self.sites.declared(object), size);
            }
            Action::Call {
                callee: Callee::Builtin(builtin),
                ..
            } if may_write(builtin) => {
                let mut steps = Steps::before(self, edge);
                steps.lose_terminators();
                steps.end();
            }
            _ => {}
        }
    }

    /// A byte is read: it is 0 where the terminator is.
    fn read(&mut self, edge: EdgeId, dst: VarId, ptr: ExprId) {
        let Type::Int(int) = self.passed.program.vars[dst].ty else {
            return;
        };
        let (at, distance) = (self.site(ptr), self.distance(ptr));
        let mut ways = Vec::new();
        for site in self.sites.of(&self.passed.program, ptr) {
            if let Some(zero) = self.terminator(site) {
                let is_it = self.is_site(at, site);
                let is_known = self.is_not_negative(zero);
                let is_there = self.binary(BinOp::Eq, distance, zero);
                ways.push(self.all(&[is_it, is_known, is_there]));
            }
        }
        if ways.is_empty() {
            return;
        }
        let cond = self.any(&ways);
        let value = self.passed.program.exprs.int(int, 0);
        self.assign_where_it_holds(edge, cond, dst, value);
    }

    /// Bytes are written. Of each site: the first of these that holds is the terminator; where none does, the one that
    /// there was, if it is elsewhere.
    fn write(
        &mut self,
        edge: EdgeId,
        written: &Written,
        mut zeros: impl FnMut(&mut Self, SiteId) -> Vec<Zero>,
    ) {
        if self.states.iter().all(|state| state.zero.is_none()) {
            return;
        }
        let at = self.site(written.ptr);
        let possible = self.sites.of(&self.passed.program, written.ptr);
        let cases: Vec<(ExprId, Option<Case>)> = (possible.into_iter())
            .map(|site| {
                let is_it = self.is_site(at, site);
                let case = self.states[site].zero.map(|zero| Case {
                    zero,
                    is_inside: self.is_within(written, site),
                    is_elsewhere: self.is_elsewhere(written, site),
                    zeros: zeros(self, site),
                });
                (is_it, case)
            })
            .collect();
        let mut steps = Steps::before(self, edge);
        for (is_it, case) in cases {
            steps.where_it_holds(is_it, |steps| {
                let Some(case) = case else {
                    return;
                };
                let is_outside = steps.bounds.not(case.is_inside);
                steps.where_it_holds(is_outside, |steps| steps.lose(case.zero));
                for zero in case.zeros {
                    steps.where_it_holds(zero.holds, |steps| steps.set(case.zero, zero.at));
                }
                steps.where_it_holds(case.is_elsewhere, |_| {});
                steps.lose(case.zero);
            });
        }
        steps.lose_terminators();
        steps.end();
    }

    /// A scalar is stored. One that happens to be 0 is a new terminator only where there is none.
    fn stored(&mut self, site: SiteId, ptr: ExprId, value: ExprId, access: Access) -> Vec<Zero> {
        let is_whole = matches!(access.ty, Type::Int(int) if int.width.is_multiple_of(8));
        let (Some(zero), true, None) = (self.terminator(site), is_whole, access.bits) else {
            return Vec::new();
        };
        let at = self.distance(ptr);
        if let ExprKind::Const(bits) = self.passed.program.exprs[value].kind {
            let holds = self.passed.program.exprs.bool(bits == 0);
            return vec![Zero { holds, at }];
        }
        if !is_byte(access) {
            return Vec::new();
        }
        let Type::Int(int) = access.ty else {
            return Vec::new();
        };
        let nothing = self.passed.program.exprs.int(int, 0);
        let is_zero = self.binary(BinOp::Eq, value, nothing);
        let is_known = self.is_not_negative(zero);
        let is_unknown = self.not(is_known);
        let is_new = self.all(&[is_zero, is_unknown]);
        let new = Zero { holds: is_new, at };
        let old = Zero {
            holds: is_zero,
            at: zero,
        };
        vec![new, old]
    }

    /// All bytes are set to one value: the last one is the terminator.
    fn filled(&mut self, dst: ExprId, byte: ExprId, bytes: ExprId) -> Vec<Zero> {
        let ExprKind::Const(bits) = self.passed.program.exprs[byte].kind else {
            return Vec::new();
        };
        if bits & 0xff != 0 {
            return Vec::new();
        }
        let (distance, one) = (self.distance(dst), self.wide(1));
        let end = self.binary(BinOp::Add, distance, bytes);
        vec![Zero {
            holds: self.binary(BinOp::Le, one, bytes),
            at: self.binary(BinOp::Sub, end, one),
        }]
    }

    /// Bytes are copied, the terminator among them.
    fn copied(&mut self, dst: ExprId, from: &Written) -> Vec<Zero> {
        let (at, distance) = (self.site(from.ptr), self.distance(from.ptr));
        let to = self.distance(dst);
        let mut zeros = Vec::new();
        for site in self.sites.of(&self.passed.program, from.ptr) {
            let Some(zero) = self.terminator(site) else {
                continue;
            };
            let end = self.binary(BinOp::Add, distance, from.bytes);
            let parts = [
                self.is_site(at, site),
                self.is_within(from, site),
                self.binary(BinOp::Le, distance, zero),
                self.binary(BinOp::Lt, zero, end),
            ];
            let holds = self.all(&parts);
            let ahead = self.binary(BinOp::Sub, zero, distance);
            let at = self.binary(BinOp::Add, to, ahead);
            zeros.push(Zero { holds, at });
        }
        zeros
    }

    /// An instance is made, of this size.
    fn begin(&mut self, edge: EdgeId, site: Option<SiteId>, size: ExprId) {
        let Some(zero) = site.and_then(|site| self.states[site].zero) else {
            return;
        };
        let one = self.wide(1);
        let last = self.binary(BinOp::Sub, size, one);
        let is_some = self.binary(BinOp::Le, one, size);
        let mut steps = Steps::before(self, edge);
        steps.where_it_holds(is_some, |steps| steps.set(zero, last));
        steps.lose(zero);
        steps.end();
    }

    /// That all bytes that are written are bytes of the site, if the pointer is to it.
    fn is_within(&mut self, written: &Written, site: SiteId) -> ExprId {
        let (distance, size) = (self.distance(written.ptr), self.size(site));
        let zero = self.wide(0);
        let last = self.binary(BinOp::Sub, size, written.bytes);
        let parts = [
            self.binary(BinOp::Le, zero, distance),
            self.binary(BinOp::Le, zero, written.bytes),
            self.binary(BinOp::Le, written.bytes, size),
            self.binary(BinOp::Le, distance, last),
        ];
        self.all(&parts)
    }

    /// That none of the bytes that are written, all of the site, is the terminator.
    fn is_elsewhere(&mut self, written: &Written, site: SiteId) -> ExprId {
        let Some(zero) = self.terminator(site) else {
            return self.passed.program.exprs.bool(false);
        };
        let distance = self.distance(written.ptr);
        let end = self.binary(BinOp::Add, distance, written.bytes);
        let before = self.binary(BinOp::Lt, zero, distance);
        let behind = self.binary(BinOp::Le, end, zero);
        self.any(&[before, behind])
    }

    fn terminator(&mut self, site: SiteId) -> Option<ExprId> {
        let zero = self.states[site].zero?;
        Some(self.passed.program.exprs.var(zero, Type::Int(WIDE)))
    }

    fn is_not_negative(&mut self, number: ExprId) -> ExprId {
        let zero = self.wide(0);
        self.binary(BinOp::Le, zero, number)
    }

    fn wide(&mut self, number: i128) -> ExprId {
        self.passed.program.exprs.int(WIDE, number)
    }

    fn cast_wide(&mut self, number: ExprId) -> ExprId {
        self.passed.program.exprs.cast(Type::Int(WIDE), number)
    }
}

/// What a write does to the terminator of a site, if it is one to that.
struct Case {
    zero: VarId,
    is_inside: ExprId,
    is_elsewhere: ExprId,
    zeros: Vec<Zero>,
}

impl Steps<'_, '_> {
    fn lose(&mut self, zero: VarId) {
        let nowhere = self.bounds.wide(-1);
        self.set(zero, nowhere);
    }

    fn lose_terminators(&mut self) {
        let zeros: Vec<VarId> = (self.bounds.states.iter())
            .filter_map(|state| state.zero)
            .collect();
        for zero in zeros {
            self.lose(zero);
        }
    }
}

fn is_byte(access: Access) -> bool {
    access.bits.is_none() && matches!(access.ty, Type::Int(int) if int.width == 8)
}

/// Whether a function of the library may write to memory of the program.
fn may_write(builtin: Builtin) -> bool {
    match builtin {
        Builtin::Putchar
        | Builtin::Puts
        | Builtin::Printf
        | Builtin::Math(..)
        | Builtin::Math2(..)
        | Builtin::Classify(..)
        | Builtin::SetRounding
        | Builtin::GetRounding
        | Builtin::Leaks(_) => false,
        Builtin::Outside | Builtin::Unseen(_) | Builtin::Thread(_) => true,
    }
}
