//! What is asked of the numbers: whether an access is right, and how pointers compare.

use std::collections::BTreeSet;

use rhumb_program::{BinOp, ExprId, ExprKind, IntType, Type, UnOp};

use super::sites::{SiteId, What};
use super::{Bounds, WIDE, is_heap};

/// Pointers to more objects than this are not compared.
const MOST_SITES: usize = 8;

impl Bounds<'_> {
    pub(super) fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        self.passed.program.exprs.binary(op, a, b)
    }

    pub(super) fn all(&mut self, parts: &[ExprId]) -> ExprId {
        let mut parts = parts.iter().copied();
        match parts.next() {
            Some(first) => parts.fold(first, |all, part| self.binary(BinOp::And, all, part)),
            None => self.passed.program.exprs.bool(true),
        }
    }

    pub(super) fn any(&mut self, parts: &[ExprId]) -> ExprId {
        let mut parts = parts.iter().copied();
        match parts.next() {
            Some(first) => parts.fold(first, |any, part| self.binary(BinOp::Or, any, part)),
            None => self.passed.program.exprs.bool(false),
        }
    }

    /// The number of a site: 0 is none.
    pub(super) fn number_of(&mut self, site: SiteId) -> ExprId {
        let number = site.index() as i128 + 1;
        self.passed.program.exprs.int(IntType::INT, number)
    }

    pub(super) fn is_site(&mut self, at: ExprId, site: SiteId) -> ExprId {
        let number = self.number_of(site);
        self.binary(BinOp::Eq, at, number)
    }

    /// The site of a pointer, as a number.
    pub(super) fn site(&mut self, ptr: ExprId) -> ExprId {
        match super::sites::base(&self.passed.program, ptr) {
            ExprKind::AddrOf(object) => {
                if let Some(site) = self.sites.declared(object) {
                    return self.number_of(site);
                }
            }
            ExprKind::Var(var) => {
                if let Some(&Some(ghost)) = self.ghosts.get(var) {
                    let int = Type::Int(IntType::INT);
                    return self.passed.program.exprs.var(ghost.site, int);
                }
            }
            _ => {}
        }
        self.passed.program.exprs.int(IntType::INT, 0)
    }

    /// The distance of a pointer from the start of its object.
    pub(super) fn distance(&mut self, ptr: ExprId) -> ExprId {
        match self.passed.program.exprs[ptr].kind {
            ExprKind::PtrAdd(inner, bytes) => {
                let inner = self.distance(inner);
                // As a signed number: a large one is the other way to say a negative one.
                let signed = self.passed.program.data_model.ptrdiff_type();
                let exprs = &mut self.passed.program.exprs;
                let bytes = exprs.cast(Type::Int(signed), bytes);
                let bytes = exprs.cast(Type::Int(WIDE), bytes);
                match exprs[inner].kind {
                    ExprKind::Const(0) => bytes,
                    _ => self.binary(BinOp::Add, inner, bytes),
                }
            }
            ExprKind::Var(var) => match self.ghosts.get(var) {
                Some(&Some(ghost)) => {
                    let exprs = &mut self.passed.program.exprs;
                    exprs.var(ghost.distance, Type::Int(WIDE))
                }
                _ => self.passed.program.exprs.int(WIDE, 0),
            },
            _ => self.passed.program.exprs.int(WIDE, 0),
        }
    }

    /// The size of the last instance, as a number that is not more than it.
    pub(super) fn size(&mut self, site: SiteId) -> ExprId {
        match (self.sites.all[site], self.states[site].size) {
            (_, Some(size)) => {
                let wide = Type::Int(WIDE);
                let exprs = &mut self.passed.program.exprs;
                let narrow = Type::Int(self.passed.program.data_model.size_type());
                let size = exprs.var(size, narrow);
                exprs.cast(wide, size)
            }
            (What::Object(object), None) => {
                let size = self.passed.program.objects[object].size;
                // Larger ones don't exist; if they did, less would be known of them.
                let size = i64::try_from(size).unwrap_or(0);
                self.passed.program.exprs.int(WIDE, size.into())
            }
            (What::Allocated(..), None) => self.passed.program.exprs.int(WIDE, 0),
        }
    }

    /// That a pointer is to a site and not outside of it, though perhaps at its end.
    fn is_inside(&mut self, ptr: ExprId, site: SiteId) -> ExprId {
        let (at, distance, size) = (self.site(ptr), self.distance(ptr), self.size(site));
        let zero = self.passed.program.exprs.int(WIDE, 0);
        let parts = [
            self.is_site(at, site),
            self.binary(BinOp::Le, zero, distance),
            self.binary(BinOp::Le, distance, size),
        ];
        self.all(&parts)
    }

    fn is_alive(&mut self, site: SiteId) -> ExprId {
        match self.states[site].alive {
            Some(alive) => self.passed.program.exprs.var(alive, Type::Bool),
            None => self.passed.program.exprs.bool(true),
        }
    }

    /// Whether so many bytes may be read or written.
    pub(super) fn is_access(&mut self, ptr: ExprId, bytes: ExprId, write: bool) -> ExprId {
        let possible = self.sites.of(&self.passed.program, ptr);
        let constant = match self.passed.program.exprs[bytes].kind {
            ExprKind::Const(bits) => i64::try_from(bits).ok(),
            _ => None,
        };
        let mut ways = Vec::new();
        for site in possible {
            if write
                && let What::Object(object) = self.sites.all[site]
                && self.passed.program.objects[object].read_only
            {
                continue;
            }
            let (alive, inside) = (self.is_alive(site), self.is_inside(ptr, site));
            let (distance, size) = (self.distance(ptr), self.size(site));
            let exprs = &mut self.passed.program.exprs;
            let mut parts = vec![inside, alive];
            if constant == Some(1) {
                parts.push(exprs.binary(BinOp::Lt, distance, size));
            } else {
                let bytes = exprs.cast(Type::Int(WIDE), bytes);
                let zero = exprs.int(WIDE, 0);
                parts.push(exprs.binary(BinOp::Le, zero, bytes));
                parts.push(exprs.binary(BinOp::Le, bytes, size));
                let last = exprs.binary(BinOp::Sub, size, bytes);
                parts.push(exprs.binary(BinOp::Le, distance, last));
            }
            ways.push(self.all(&parts));
        }
        self.any(&ways)
    }

    /// What is true of the numbers where so many bytes can be accessed: if the site is known, the distance is one inside
    /// of it, or a multiple of the size of all memory away from one.
    pub(super) fn follows_from_access(&mut self, ptr: ExprId, bytes: ExprId) -> Option<ExprId> {
        let possible = self.sites.of(&self.passed.program, ptr);
        if possible.is_empty() || possible.len() > MOST_SITES {
            return None;
        }
        let mut ways = Vec::new();
        for site in possible {
            if let (What::Object(object), None) = (self.sites.all[site], self.states[site].size)
                && i64::try_from(self.passed.program.objects[object].size).is_err()
            {
                return None;
            }
            let at = self.site(ptr);
            let is_it = self.is_site(at, site);
            let is_other = self.not(is_it);
            let (distance, size) = (self.distance(ptr), self.size(site));
            let exprs = &mut self.passed.program.exprs;
            let bytes = exprs.cast(Type::Int(WIDE), bytes);
            let zero = exprs.int(WIDE, 0);
            let last = exprs.binary(BinOp::Sub, size, bytes);
            let mut from = exprs.binary(BinOp::Le, zero, distance);
            let mut to = exprs.binary(BinOp::Le, distance, last);
            let mut parts = vec![is_other];
            match self.passed.program.data_model.pointer_width() {
                // A size that is negative as a number of this type is a large one: nothing is said of those.
                64 => parts.push(self.binary(BinOp::Lt, size, zero)),
                width => {
                    let exprs = &mut self.passed.program.exprs;
                    let round = exprs.int(WIDE, 1 << width);
                    let earlier = exprs.binary(BinOp::Sub, last, round);
                    let is_earlier = exprs.binary(BinOp::Le, distance, earlier);
                    let is_later = exprs.binary(BinOp::Le, round, distance);
                    from = exprs.binary(BinOp::Or, from, is_earlier);
                    to = exprs.binary(BinOp::Or, to, is_later);
                }
            }
            parts.push(self.binary(BinOp::And, from, to));
            ways.push(self.any(&parts));
        }
        Some(self.all(&ways))
    }

    /// Whether a pointer may be freed.
    pub(super) fn is_free(&mut self, ptr: ExprId) -> ExprId {
        let null = self.passed.program.exprs.null();
        let mut ways = vec![self.binary(BinOp::Eq, ptr, null)];
        for site in self.sites.of(&self.passed.program, ptr) {
            if !is_heap(self.sites.all[site]) {
                continue;
            }
            let (at, distance) = (self.site(ptr), self.distance(ptr));
            let zero = self.passed.program.exprs.int(WIDE, 0);
            let parts = [
                self.is_site(at, site),
                self.is_alive(site),
                self.binary(BinOp::Eq, distance, zero),
            ];
            ways.push(self.all(&parts));
        }
        self.any(&ways)
    }

    /// An expression in which pointers are compared or subtracted, with numbers instead, and the condition under which
    /// that is the same: both are in one object, or at its end.
    pub(super) fn compared(&mut self, expr: ExprId) -> Option<(ExprId, ExprId)> {
        let mut guards = Vec::new();
        let new = self.rewritten(expr, &mut guards)?;
        Some((self.all(&guards), new))
    }

    /// None if there is nothing to rewrite.
    fn rewritten(&mut self, expr: ExprId, guards: &mut Vec<ExprId>) -> Option<ExprId> {
        let ty = self.passed.program.exprs.ty(expr);
        match self.passed.program.exprs[expr].kind {
            ExprKind::Binary(op, a, b) if self.passed.program.exprs.ty(a) == Type::Ptr => {
                if let Some(known) = self.null_compared(op, a, b, guards) {
                    return Some(known);
                }
                guards.push(self.are_together(a, b)?);
                let (a, b) = (self.distance(a), self.distance(b));
                Some(self.binary(op, a, b))
            }
            ExprKind::PtrDiff(a, b) => {
                guards.push(self.are_together(a, b)?);
                let (a, b) = (self.distance(a), self.distance(b));
                let difference = self.binary(BinOp::Sub, a, b);
                Some(self.passed.program.exprs.cast(ty, difference))
            }
            ExprKind::Unary(op, arg) => {
                let arg = self.rewritten(arg, guards)?;
                Some(self.passed.program.exprs.unary(op, arg))
            }
            ExprKind::Cast(arg) => {
                let arg = self.rewritten(arg, guards)?;
                Some(self.passed.program.exprs.cast(ty, arg))
            }
            ExprKind::Binary(op, a, b) => {
                let (new_a, new_b) = (self.rewritten(a, guards), self.rewritten(b, guards));
                if new_a.is_none() && new_b.is_none() {
                    return None;
                }
                Some(self.binary(op, new_a.unwrap_or(a), new_b.unwrap_or(b)))
            }
            _ => None,
        }
    }

    /// A pointer into an object is not null.
    fn null_compared(
        &mut self,
        op: BinOp,
        a: ExprId,
        b: ExprId,
        guards: &mut Vec<ExprId>,
    ) -> Option<ExprId> {
        let is_null =
            |bounds: &Bounds<'_>, id| bounds.passed.program.exprs[id].kind == ExprKind::Const(0);
        let ptr = match (is_null(self, a), is_null(self, b)) {
            (false, true) => a,
            (true, false) => b,
            _ => return None,
        };
        let answer = match op {
            BinOp::Eq => false,
            BinOp::Ne => true,
            _ => return None,
        };
        let possible = self.sites.of(&self.passed.program, ptr);
        guards.push(self.is_in_one_of(&[ptr], &possible)?);
        Some(self.passed.program.exprs.bool(answer))
    }

    fn are_together(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let first = self.sites.of(&self.passed.program, a);
        let second = self.sites.of(&self.passed.program, b);
        let both: BTreeSet<SiteId> = first.intersection(&second).copied().collect();
        self.is_in_one_of(&[a, b], &both)
    }

    fn is_in_one_of(&mut self, pointers: &[ExprId], sites: &BTreeSet<SiteId>) -> Option<ExprId> {
        if sites.is_empty() || sites.len() > MOST_SITES {
            return None;
        }
        let mut ways = Vec::new();
        for &site in sites {
            let mut parts: Vec<ExprId> = (pointers.iter())
                .map(|&ptr| self.is_inside(ptr, site))
                .collect();
            // In blocks of more than half of the address space comparisons may come out either way.
            let (size, model) = (self.size(site), self.passed.program.data_model);
            let half = model.ptrdiff_type().max_bits() as i128;
            let half = self.passed.program.exprs.int(WIDE, half);
            parts.push(self.binary(BinOp::Le, size, half));
            ways.push(self.all(&parts));
        }
        Some(self.any(&ways))
    }

    /// The negation.
    pub(super) fn not(&mut self, cond: ExprId) -> ExprId {
        self.passed.program.exprs.unary(UnOp::Not, cond)
    }
}
