//! Cells on the way: which one an access is to is a choice by the pointer's number.

use rhumb_program::{BinOp, IntType, Type};

use super::values::{Stretch, Values};
use crate::memory::{Address, Effect, Site, Through, To};
use crate::pool::{Id, Sort};
use crate::unfold::Var;

/// What a step does to cells.
pub(super) fn apply(effect: &Effect, stretch: Stretch, values: &mut Values<'_, '_>) {
    match effect {
        &Effect::Set(var, to) => {
            let value = values.become_of(values.unfolded.ty(var), to);
            values.set(stretch, var, value);
        }
        Effect::Load(through, dst) => {
            let value = load(through, stretch, values);
            values.set(stretch, *dst, value);
        }
        Effect::Store(through, value) => {
            let new = values.evaluate(*value, through.activation, stretch);
            store(through, new, stretch, values);
        }
        Effect::Site(site) => {
            let hit = is_hit(site, stretch, values);
            values.set(stretch, site.hit, hit);
        }
    }
}

fn word(values: &Values<'_, '_>) -> IntType {
    values.unfolded.program.data_model.size_type()
}

/// The address of a cell.
fn address(at: Address, stretch: Stretch, values: &mut Values<'_, '_>) -> Id {
    let ty = word(values);
    let base = values.pool.word(ty, at.base.into());
    match at.ghost {
        None => base,
        Some((index, stride)) => {
            let index = values.get(stretch, index);
            let stride = values.pool.word(ty, i128::from(stride) as u128);
            let distance = values.pool.binary(BinOp::Mul, index, stride);
            values.pool.binary(BinOp::Add, base, distance)
        }
    }
}

fn load(through: &Through, stretch: Stretch, values: &mut Values<'_, '_>) -> Id {
    let ty = through.access.ty;
    let size = through.access.size(values.unfolded.program.data_model);
    let pointer = values.evaluate(through.ptr, through.activation, stretch);
    let mut value = match values.unfolded.memory.version {
        None => values.any(ty),
        Some(version) => {
            let key = (pointer, ty, values.get(stretch, version));
            match values.contents.get(&key) {
                Some(&known) => known,
                None => {
                    let value = values.any(ty);
                    values.contents.insert(key, value);
                    value
                }
            }
        }
    };
    for way in through.ways.iter().filter(|way| way.size == size) {
        let cell = values.get(stretch, way.cell);
        let Some(seen) = seen_as(values, cell, values.unfolded.ty(way.cell), ty) else {
            continue;
        };
        if way.is_sure {
            return seen;
        }
        let at = address(way.at, stretch, values);
        let is_here = values.pool.same(pointer, at);
        value = values.pool.ite(is_here, seen, value);
    }
    value
}

fn store(through: &Through, new: Id, stretch: Stretch, values: &mut Values<'_, '_>) {
    let size = through.access.size(values.unfolded.program.data_model);
    let pointer = values.evaluate(through.ptr, through.activation, stretch);
    let mut changes: Vec<(Var, Id)> = Vec::new();
    for way in &through.ways {
        let ty = values.unfolded.ty(way.cell);
        let old = values.get(stretch, way.cell);
        let anything = values.any(ty);
        let seen = match way.size == size {
            true => seen_as(values, new, through.access.ty, ty),
            false => None,
        };
        let exact = seen.unwrap_or(anything);
        if way.is_sure {
            changes.push((way.cell, exact));
            continue;
        }
        let at = address(way.at, stretch, values);
        let is_here = values.pool.same(pointer, at);
        // It begins less than its own size before the cell, or inside of it.
        let ty = word(values);
        let before = values.pool.word(ty, u128::from(size) - 1);
        let from = values.pool.binary(BinOp::Sub, at, before);
        let distance = values.pool.binary(BinOp::Sub, pointer, from);
        let reach = values.pool.word(ty, u128::from(size + way.size) - 1);
        let overlaps = values.pool.less(false, distance, reach);
        let otherwise = values.pool.ite(overlaps, anything, old);
        changes.push((way.cell, values.pool.ite(is_here, exact, otherwise)));
    }
    for (cell, value) in changes {
        values.set(stretch, cell, value);
    }
}

/// Whether a site reads the element that was chosen; or something that no choice is.
fn is_hit(site: &Site, stretch: Stretch, values: &mut Values<'_, '_>) -> Id {
    let Some((at, limit)) = site.element else {
        return values.pool.bool(true);
    };
    let ty = word(values);
    let pointer = values.evaluate(site.ptr, site.activation, stretch);
    let chosen = address(at, stretch, values);
    let is_here = values.pool.same(pointer, chosen);
    let Some((_, stride)) = at.ghost.filter(|ghost| ghost.1 != 0) else {
        return values.pool.bool(true);
    };
    let first = values.pool.word(ty, at.base.into());
    let distance = match stride < 0 {
        true => values.pool.binary(BinOp::Sub, first, pointer),
        false => values.pool.binary(BinOp::Sub, pointer, first),
    };
    let stride = values.pool.word(ty, stride.unsigned_abs().into());
    let rest = values.pool.binary(BinOp::Rem, distance, stride);
    let number = values.pool.binary(BinOp::Div, distance, stride);
    let (zero, limit) = (values.pool.word(ty, 0), values.pool.word(ty, limit));
    let is_element = values.pool.same(rest, zero);
    let is_inside = values.pool.less(true, number, limit);
    let can_be = values.pool.and([is_element, is_inside]);
    let cannot = values.pool.not(can_be);
    values.pool.or([is_here, cannot])
}

/// A value of the same number of bytes as another type; none if that is not known.
fn seen_as(values: &mut Values<'_, '_>, value: Id, from: Type, to: Type) -> Option<Id> {
    match (from, to) {
        (from, to) if from == to => Some(value),
        (Type::Int(from), Type::Int(to)) if from.width == to.width => {
            Some(values.pool.cast(value, to))
        }
        _ => None,
    }
}

impl Values<'_, '_> {
    /// What a variable of a type becomes, or is at first.
    pub(super) fn become_of(&mut self, ty: Type, to: To) -> Id {
        match (to, self.sort(ty)) {
            (To::Any, _) | (_, Sort::Int) => self.any(ty),
            (To::Expr(expr), _) => self.constant(expr),
            (To::Bits(bits), Sort::Bool) => self.pool.bool(bits != 0),
            (To::Bits(bits), Sort::Word(word)) => self.pool.word(word, bits),
        }
    }
}
