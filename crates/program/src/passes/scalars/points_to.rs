//! Which objects can be variables, and what pointers may point to: one set for each variable and each pointer in an
//! object, for the whole run.
//!
//! All candidates are taken for variables first. Where one of them is used in a way that variables can't follow, it is
//! refused, and everything is computed again, until nothing is refused.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ended::Ended;
use super::homes::{Home, Homes, Refusal};
use super::pointees::{Distance, HomeId, Pointees, distance};
use crate::builtin::Builtin;
use crate::cfa::{Action, Callee};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, InputSiteId, LocId, VarId};
use crate::model::{Init, InputKind, Program, Scope};
use crate::span::Span;
use crate::types::Type;

/// Contents from outside of more bytes than this are not told apart by where they lie.
const FEW_BYTES: u64 = 512;

/// How many places one access may have.
pub(super) const MAX_CHOICES: u64 = 16;

/// What pointers may point to.
pub(super) struct PointsTo<'p> {
    pub(super) program: &'p Program,
    pub(super) vars: IndexVec<VarId, Pointees>,
    /// The pointers in objects, by where they lie.
    pub(super) contents: FxHashMap<(HomeId, u64), Pointees>,
    /// Objects that may have pointers to anything that is no variable, anywhere.
    pub(super) vague: FxHashSet<HomeId>,
    width: u16,
    changed: bool,
}

/// Finds out what can be variables. What can't gets its reason in `homes`.
pub(super) fn solve<'p>(program: &'p Program, homes: &mut Homes) -> PointsTo<'p> {
    loop {
        let facts = fixpoint(program, homes);
        let before = homes.refused();
        facts.refuse(homes);
        if homes.refused() == before {
            return facts;
        }
    }
}

/// Where everything may point, if all that is not refused is followed.
pub(super) fn fixpoint<'p>(program: &'p Program, homes: &Homes) -> PointsTo<'p> {
    let mut facts = PointsTo {
        program,
        vars: program.vars.iter().map(|_| Pointees::default()).collect(),
        contents: FxHashMap::default(),
        vague: FxHashSet::default(),
        width: program.data_model.pointer_width(),
        changed: true,
    };
    facts.start(homes);
    while std::mem::take(&mut facts.changed) {
        for (id, edge) in facts.edges() {
            facts.step(homes, id, &edge.action);
        }
    }
    facts
}

impl<'p> PointsTo<'p> {
    fn edges(&self) -> impl Iterator<Item = (EdgeId, &'p crate::cfa::Edge)> + use<'p> {
        let program = self.program;
        program.functions[program.start].cfa.edges.iter_enumerated()
    }

    /// First values.
    fn start(&mut self, homes: &Homes) {
        for (id, var) in self.program.vars.iter_enumerated() {
            if let (Type::Ptr, Some(init)) = (var.ty, var.init) {
                self.vars[id] = self.eval(homes, init);
            }
        }
        for (home, place) in homes.chosen() {
            let Home::Declared(object) = place.home else {
                continue;
            };
            if place.ghost {
                continue;
            }
            for init in &self.program.objects[object].init {
                if let Init::Scalar { offset, value, .. } = init
                    && self.program.exprs.ty(*value) == Type::Ptr
                {
                    let value = self.eval(homes, *value);
                    self.fill(home, *offset, &value);
                }
            }
        }
    }

    /// What an expression of type `Ptr` may point to. Recursive on its depth, which the model limits.
    pub(super) fn eval(&self, homes: &Homes, id: ExprId) -> Pointees {
        let exprs = &self.program.exprs;
        match exprs[id].kind {
            ExprKind::Const(0) | ExprKind::FuncAddr(_) => Pointees::default(),
            ExprKind::Var(var) => self.vars[var].clone(),
            ExprKind::AddrOf(object) => match homes.declared(object) {
                Some(home) => Pointees::start_of(home),
                None => Pointees::other(),
            },
            ExprKind::PtrAdd(ptr, bytes) => {
                let by = distance(exprs, self.program.data_model, bytes);
                self.eval(homes, ptr).moved(by, self.width)
            }
            _ => Pointees::other(),
        }
    }

    fn set(&mut self, var: VarId, value: &Pointees) {
        self.changed |= self.vars[var].add(value, self.width);
    }

    fn fill(&mut self, home: HomeId, offset: u64, value: &Pointees) {
        let width = self.width;
        self.changed |= self
            .contents
            .entry((home, offset))
            .or_default()
            .add(value, width);
    }

    /// The size of a pointer.
    fn pointer(&self) -> u64 {
        Type::Ptr.size(self.program.data_model)
    }

    /// What a step does to pointers.
    fn step(&mut self, homes: &Homes, id: EdgeId, action: &Action) {
        let program = self.program;
        let is_pointer = |var: VarId| program.vars[var].ty == Type::Ptr;
        match *action {
            Action::Assign { dst, value } if is_pointer(dst) => {
                let value = self.eval(homes, value);
                self.set(dst, &value);
            }
            // Whatever a pointer without a value is, it may point to anything that is no variable.
            Action::Input { dst, .. } if is_pointer(dst) && !homes.unread.contains(&dst) => {
                self.set(dst, &Pointees::other());
            }
            Action::InputBytes { ptr, size, .. } => {
                let Some((_, size)) = program.exprs.as_int_const(size) else {
                    return;
                };
                let mut to = self.eval(homes, ptr);
                // Nobody reads a pointer there that was not set.
                to.objects.retain(|entry| !homes[entry.0].late);
                self.copy(homes, &to, &Pointees::other(), size as u64);
            }
            Action::Alloc { dst, .. } => {
                let value = match homes.allocated(id) {
                    Some(home) => Pointees::start_of(home),
                    None => Pointees::other(),
                };
                self.set(dst, &value);
            }
            Action::Load { dst, ptr, .. } if is_pointer(dst) => {
                let from = self.eval(homes, ptr);
                let mut value = Pointees {
                    other: from.other || homes.has_ghost(&from),
                    ..Pointees::default()
                };
                for (home, offset) in places(homes, &from, self.pointer()) {
                    value.other |= self.vague.contains(&home);
                    if let Some(content) = self.contents.get(&(home, offset)) {
                        value.add(content, self.width);
                    }
                }
                self.set(dst, &value);
            }
            Action::Store { ptr, value, .. } if program.exprs.ty(value) == Type::Ptr => {
                let to = self.eval(homes, ptr);
                let value = self.eval(homes, value);
                for (home, offset) in places(homes, &to, self.pointer()) {
                    self.fill(home, offset, &value);
                }
            }
            Action::Copy { dst, src, size } => {
                let Some((_, size)) = program.exprs.as_int_const(size) else {
                    return;
                };
                let (to, from) = (self.eval(homes, dst), self.eval(homes, src));
                self.copy(homes, &to, &from, size as u64);
            }
            Action::Call { dst: Some(dst), .. } | Action::Approximate { dst: Some(dst), .. }
                if is_pointer(dst) =>
            {
                self.set(dst, &Pointees::other());
            }
            _ => {}
        }
    }

    fn copy(&mut self, homes: &Homes, to: &Pointees, from: &Pointees, size: u64) {
        for &(target, at) in &to.objects {
            let Ok(at) = u64::try_from(at.offset) else {
                continue;
            };
            for &(source, begin) in &from.objects {
                let Ok(begin) = u64::try_from(begin.offset) else {
                    continue;
                };
                let copied: Vec<(u64, Pointees)> = (self.contents.iter())
                    .filter(|((home, offset), _)| {
                        *home == source && *offset >= begin && offset - begin < size
                    })
                    .map(|((_, offset), content)| (offset - begin + at, content.clone()))
                    .collect();
                for (offset, content) in copied {
                    self.fill(target, offset, &content);
                }
            }
            let is_vague = |entry: &(HomeId, Distance)| self.vague.contains(&entry.0);
            if from.other || from.objects.iter().any(is_vague) {
                let end = (at.saturating_add(size)).min(homes[target].size);
                let is_whole = at == 0 && end == homes[target].size;
                if is_whole || end.saturating_sub(at) > FEW_BYTES {
                    self.changed |= self.vague.insert(target);
                    continue;
                }
                // A pointer may begin at any byte, if the record is packed.
                for offset in at..end {
                    self.fill(target, offset, &Pointees::other());
                }
            }
        }
    }

    /// Refuses what is used in a way that variables can't follow.
    fn refuse(&self, homes: &mut Homes) {
        let program = self.program;
        let ended = Ended::new(program);
        for (id, function) in program.functions.iter_enumerated() {
            for edge in &function.cfa.edges {
                if id == program.start {
                    edge.action.for_each_expr(|expr| {
                        self.refuse_ended(homes, &ended, expr, (edge.source, edge.span));
                    });
                    self.refuse_uses(homes, &edge.action, edge.span);
                } else {
                    self.refuse_mentioned(homes, &edge.action, edge.span);
                }
                if let Action::Call {
                    callee: Callee::Builtin(Builtin::Outside),
                    ..
                } = edge.action
                {
                    homes.refuse_visible(edge.span);
                }
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            if homes.declared(id).is_some_and(|home| !homes[home].ghost) {
                continue;
            }
            for init in &object.init {
                if let Init::Scalar { value, .. } = init {
                    let to = match program.exprs.ty(*value) {
                        Type::Ptr => self.eval(homes, *value),
                        _ => Pointees::default(),
                    };
                    homes.refuse(&to, Refusal::Stored, object.decl.span);
                    self.refuse_numbers(homes, *value, object.decl.span);
                }
            }
        }
        for var in program.vars.iter().filter(|var| var.init.is_some()) {
            var.init
                .into_iter()
                .for_each(|init| self.refuse_numbers(homes, init, var.decl.span));
        }
    }

    /// A function that is still called must know none of it.
    fn refuse_mentioned(&self, homes: &mut Homes, action: &Action, span: Span) {
        let exprs = &self.program.exprs;
        let mut todo = Vec::new();
        action.for_each_expr(|expr| todo.push(expr));
        if let Some(var) = action.defined_var() {
            homes.refuse(&self.vars[var], Refusal::Function, span);
        }
        while let Some(id) = todo.pop() {
            match exprs[id].kind {
                ExprKind::Var(_) | ExprKind::AddrOf(_) if exprs.ty(id) == Type::Ptr => {
                    let to = self.eval(homes, id);
                    homes.refuse(&to, Refusal::Function, span);
                }
                _ => todo.extend(exprs.children(id)),
            }
        }
    }

    fn refuse_uses(&self, homes: &mut Homes, action: &Action, span: Span) {
        let program = self.program;
        let exprs = &program.exprs;
        action.for_each_expr(|expr| self.refuse_numbers(homes, expr, span));
        let constant = |id: ExprId| exprs.as_int_const(id).map(|(_, bits)| bits as u64);
        match action {
            Action::Load { ptr, access, .. } | Action::Store { ptr, access, .. } => {
                let to = self.eval(homes, *ptr);
                if access.bits.is_some() {
                    homes.refuse(&to, Refusal::Bits, span);
                }
                let size = access.size(program.data_model);
                for &(home, distance) in &to.objects {
                    if distance.places(size, homes[home].size).0 > MAX_CHOICES {
                        homes.refuse_one(home, Refusal::Choices, span);
                    }
                }
                if homes.has_ghost(&to) && homes.only_ghost(&to).is_none() {
                    homes.refuse_ghosts(&to, span);
                }
                if to.other {
                    homes.refuse_many(&to, Refusal::Mixed, span);
                }
                if let Action::Store { value, .. } = action
                    && (to.other || homes.has_ghost(&to))
                    && exprs.ty(*value) == Type::Ptr
                {
                    homes.refuse(&self.eval(homes, *value), Refusal::Stored, span);
                }
            }
            Action::Copy { dst, src, size } => {
                let (to, from) = (self.eval(homes, *dst), self.eval(homes, *src));
                homes.refuse_many(&to, Refusal::Copied, span);
                homes.refuse_many(&from, Refusal::Copied, span);
                homes.read_at_once(&from);
                if homes.has_ghost(&to) || homes.has_ghost(&from) {
                    self.refuse_copied_ghosts(homes, &to, &from, span);
                    return;
                }
                let exact = |to: &Pointees| to.objects.iter().all(|entry| entry.1.stride == 0);
                let pure = |to: &Pointees| !to.other || !to.is_tainted();
                let few = to.objects.len() * from.objects.len() <= MAX_CHOICES as usize;
                let fine = exact(&to) && exact(&from) && pure(&to) && pure(&from) && few;
                match constant(*size) {
                    Some(size) if fine => {
                        self.refuse_copied(homes, &to, &from, size, span);
                    }
                    _ => {
                        homes.refuse(&to, Refusal::Copied, span);
                        homes.refuse(&from, Refusal::Copied, span);
                    }
                }
            }
            Action::Fill { dst, size, .. } => {
                let to = self.eval(homes, *dst);
                if homes.only_ghost(&to).is_some() {
                    return;
                }
                homes.refuse_ghosts(&to, span);
                let exact = to.objects.iter().all(|entry| entry.1.stride == 0);
                if !exact || to.other || constant(*size).is_none() {
                    homes.refuse(&to, Refusal::Copied, span);
                }
            }
            Action::InputBytes { ptr, size, site } => {
                let to = self.eval(homes, *ptr);
                if homes.only_ghost(&to).is_some() && is_private(program, *site) {
                    return;
                }
                let one = matches!(to.objects[..], [(_, at)] if at.stride == 0) && !to.other;
                if !one || constant(*size).is_none() || !is_private(program, *site) {
                    homes.refuse(&to, Refusal::Outside, span);
                }
            }
            Action::Call { callee, args, .. } => {
                let reads_only = matches!(
                    callee,
                    Callee::Builtin(Builtin::Printf | Builtin::Puts | Builtin::Putchar)
                );
                for &arg in args.iter() {
                    if exprs.ty(arg) == Type::Ptr && !reads_only {
                        homes.refuse(&self.eval(homes, arg), Refusal::Passed, span);
                    }
                }
            }
            Action::Return { value: Some(value) } if exprs.ty(*value) == Type::Ptr => {
                homes.refuse(&self.eval(homes, *value), Refusal::Passed, span);
            }
            _ => {}
        }
    }

    /// A copy to an object of which only some elements are followed is forgotten; one from there must be to such an object.
    fn refuse_copied_ghosts(&self, homes: &mut Homes, to: &Pointees, from: &Pointees, span: Span) {
        let is_pure = |homes: &Homes, side: &Pointees| {
            !homes.has_ghost(side) || homes.only_ghost(side).is_some()
        };
        let is_fine = is_pure(homes, to) && is_pure(homes, from);
        if !is_fine || homes.only_ghost(to).is_none() {
            homes.refuse_ghosts(to, span);
            homes.refuse_ghosts(from, span);
            homes.refuse(to, Refusal::Copied, span);
            homes.refuse(from, Refusal::Copied, span);
        }
        for ((home, _), content) in &self.contents {
            if from.objects.iter().any(|entry| entry.0 == *home) {
                homes.refuse(content, Refusal::Stored, span);
            }
        }
    }

    /// Pointers that are copied to other memory are out of sight, and a copy of an object to a part of itself has no order.
    fn refuse_copied(
        &self,
        homes: &mut Homes,
        to: &Pointees,
        from: &Pointees,
        size: u64,
        span: Span,
    ) {
        for &(source, begin) in &from.objects {
            let overlaps = |&(target, at): &(HomeId, Distance)| {
                target == source && at != begin && at.offset.abs_diff(begin.offset) < size
            };
            if to.objects.iter().any(overlaps) {
                homes.refuse_one(source, Refusal::Copied, span);
            }
            if to.other {
                for ((home, _), content) in &self.contents {
                    if *home == source {
                        homes.refuse(content, Refusal::Stored, span);
                    }
                }
            }
        }
    }

    /// Refuses objects that may have ended when a pointer to one of them is compared with one to another: they may lie at the same place
    /// then.
    fn refuse_ended(&self, homes: &mut Homes, ended: &Ended<'_>, id: ExprId, place: (LocId, Span)) {
        let exprs = &self.program.exprs;
        if let ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) = exprs[id].kind
            && exprs.ty(a) == Type::Ptr
        {
            let (left, right) = (self.eval(homes, a), self.eval(homes, b));
            let mut both = left.clone();
            both.add(&right, self.width);
            let to_objects = |side: &Pointees| side.other || !side.objects.is_empty();
            let are_several = both.is_of_several() || homes.has_many(&both);
            if to_objects(&left) && to_objects(&right) && are_several {
                let has_ended = both.objects.iter().any(|entry| {
                    let home = (entry.0, homes[entry.0].home);
                    ended.before(place.0, home, |ptr| self.eval(homes, ptr))
                });
                if has_ended {
                    homes.refuse(&both, Refusal::Ended, place.1);
                }
            }
        }
        for child in exprs.children(id) {
            self.refuse_ended(homes, ended, child, place);
        }
    }

    /// Refuses what an expression takes for a number: an address that is converted, or compared by more than equality
    /// with another object's.
    fn refuse_numbers(&self, homes: &mut Homes, id: ExprId, span: Span) {
        let exprs = &self.program.exprs;
        let is_pointer = |id: ExprId| exprs.ty(id) == Type::Ptr;
        match exprs[id].kind {
            ExprKind::Cast(arg) if is_pointer(arg) => {
                homes.refuse(&self.eval(homes, arg), Refusal::Number, span);
            }
            // The end of one object may be the start of another.
            ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) if is_pointer(a) => {
                let (left, right) = (self.eval(homes, a), self.eval(homes, b));
                let is_null = |side: &Pointees| side.objects.is_empty() && !side.other;
                let null = is_null(&left) || is_null(&right);
                let mut both = left;
                both.add(&right, self.width);
                let is_within = |&(home, distance): &(HomeId, Distance)| {
                    distance.stride == 0
                        && u64::try_from(distance.offset)
                            .is_ok_and(|offset| offset < homes[home].known_size())
                };
                let is_one = !both.is_of_several() && !homes.has_many(&both);
                let decided = !both.other && (is_one || both.objects.iter().all(is_within));
                if !null && !decided {
                    homes.refuse(&both, Refusal::Number, span);
                }
            }
            ExprKind::Binary(BinOp::Lt | BinOp::Le, a, b) | ExprKind::PtrDiff(a, b)
                if is_pointer(a) =>
            {
                let mut both = self.eval(homes, a);
                both.add(&self.eval(homes, b), self.width);
                let is_one = !both.is_of_several() && !homes.has_many(&both);
                if !is_one || both.other {
                    homes.refuse(&both, Refusal::Number, span);
                }
            }
            _ => {}
        }
        for child in exprs.children(id) {
            self.refuse_numbers(homes, child, span);
        }
    }
}

/// Where in objects an access of so many bytes can be.
pub(super) fn places(
    homes: &Homes,
    to: &Pointees,
    size: u64,
) -> impl Iterator<Item = (HomeId, u64)> {
    let plain = to.objects.iter().filter(|entry| !homes[entry.0].ghost);
    plain.flat_map(move |&(home, distance)| {
        let (count, places) = distance.places(size, homes[home].size);
        // More are refused anyway.
        let count = count.min(MAX_CHOICES + 1) as usize;
        places.take(count).map(move |offset| (home, offset))
    })
}

/// Whether bytes come in that nobody else knows: what the program didn't initialise.
fn is_private(program: &Program, site: InputSiteId) -> bool {
    !matches!(program.inputs[site].kind, InputKind::Outside { .. })
}

/// Whether a call may be one that others see an object in.
pub(super) fn is_visible(program: &Program, home: Home) -> bool {
    match home {
        Home::Declared(object) => {
            let object = &program.objects[object];
            object.scope == Scope::Global && !object.read_only
        }
        Home::Allocated(_) => false,
    }
}
