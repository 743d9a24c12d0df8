//! What comes from other files: pointers, and what calls of functions without a body change.
//!
//! For a proof such a call may change every variable that others can name and all memory that they can reach: the
//! variables get inputs, and [`Builtin::Outside`] stands for the memory. For a counterexample the changes have to be
//! inputs that compiled code can be given, too: those are bytes of objects that others can name, and of what the
//! arguments of this call or an earlier one point to. Pointers in memory stay what they are there.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_program::{
    Action, AllocKind, BinOp, Builtin, Callee, EndKind, ExprId, ExprKind, External, ExternalEffect,
    InputKind, IntType, LocKind, ObjectId, Part, Scope, Shape, Span, Type, UnOp, VarId,
};
use rustc_hash::FxHashSet;

use super::function::FunctionLowering;
use super::functions::{VARIABLES, effect};
use super::known::STREAMS;
use super::{Home, UnitLowering, temporary};
use crate::ctypes::{CType, TypeId};
use crate::hir::{
    BinaryOp, Body, Callee as HirCallee, ExprId as HirExprId, ExprKind as Hir, FunctionId,
    GlobalId, Unit,
};
use crate::options::UndefinedFunction;

/// An object that comes from outside has at least so many bytes: a pointer may point into an array.
const SMALLEST: u64 = 256;
/// An object of unknown type has so many bytes, or more.
pub(super) const UNKNOWN: u64 = 4096;
/// Of an object, at most so many bytes are inputs of a call, in so many pieces.
const CHANGED_BYTES: u64 = 256;
const CHANGED_PIECES: usize = 4;
/// At most so many objects are inputs of a call.
const CHANGED_OBJECTS: usize = 32;
/// So many pointers that others got stay in their hands.
const KEPT_POINTERS: usize = 8;
/// Where more inputs than this would stand in the automata, each undefined function has them once, and is called.
const SITES: usize = 20_000;

/// The number that stands for a pointer which no number can give: to an object of the program, say.
const ANY_OTHER: u128 = 1;

/// How names of the front end's own begin that are no names of the program.
const OWN: &str = "__rhumb_";

/// What other files can see of a program.
#[derive(Default)]
pub(super) struct Visible {
    /// Globals that others can name and change, and that the program uses.
    globals: Vec<GlobalId>,
    /// Pointers that others have got, by the function that got them.
    kept: Vec<Kept>,
    /// Whether what a call changes is worth a function of its own.
    pub(super) is_large: bool,
}

/// A parameter of an undefined function that gets the addresses of objects. The function may keep the last one, and
/// whoever is called later may use it.
#[derive(Clone, Copy)]
struct Kept {
    function: FunctionId,
    index: usize,
    /// The type of an object whose address it gets.
    ty: TypeId,
    /// The pointer, once it is needed.
    var: Option<VarId>,
}

impl Visible {
    pub(super) fn of(unit: &Unit) -> Visible {
        let mut kept: BTreeMap<(&str, usize), Kept> = BTreeMap::new();
        let mut mentioned = FxHashSet::default();
        let mut calls = 0;
        let bodies = unit.functions.iter().filter_map(|f| f.body.as_ref());
        let exprs = bodies.flat_map(|body| body.exprs.iter().map(move |expr| (body, expr)));
        for (body, expr) in exprs {
            match &expr.kind {
                Hir::Global(id) => {
                    mentioned.insert(*id);
                }
                Hir::Call {
                    callee: HirCallee::Function(id),
                    args,
                } if is_undefined(unit, *id) => {
                    calls += 1;
                    for (index, ty) in objects_passed(unit, body, *id, args) {
                        let key = (&*unit.functions[*id].name, index);
                        kept.entry(key).or_insert(Kept {
                            function: *id,
                            index,
                            ty,
                            var: None,
                        });
                    }
                }
                _ => {}
            }
        }
        let is_visible = |id: &GlobalId| {
            let global = &unit.globals[*id];
            let is_defined = global.init.is_some();
            let is_library = !is_defined
                && (STREAMS.contains(&&*global.name) || VARIABLES.contains(&&*global.name));
            let may_be_absent = global.weak && !is_defined;
            let is_changed = mentioned.contains(id) && !global.read_only && !may_be_absent;
            is_changed && global.external && !is_library && !global.name.starts_with(OWN)
        };
        let globals: Vec<GlobalId> = unit.globals.indices().filter(is_visible).collect();
        Visible {
            is_large: globals.len().saturating_mul(calls) > SITES,
            globals,
            kept: kept.into_values().take(KEPT_POINTERS).collect(),
        }
    }
}

fn is_undefined(unit: &Unit, id: FunctionId) -> bool {
    let function = &unit.functions[id];
    function.body.is_none() && effect(&function.name).is_none()
}

/// The parameters, by number, by which a call of a function gives others the address of an object that they may change,
/// and the types of those objects.
fn objects_passed<'a>(
    unit: &'a Unit,
    body: &'a Body,
    id: FunctionId,
    args: &'a [HirExprId],
) -> impl Iterator<Item = (usize, TypeId)> + 'a {
    let params: &[TypeId] = match unit.types.get(unit.functions[id].ty) {
        // What compiled code can be given: a function whose parameters are all scalars.
        CType::Function(ty) if ty.params.iter().all(|&ty| unit.types.scalar(ty).is_some()) => {
            &ty.params
        }
        _ => &[],
    };
    params
        .iter()
        .zip(args)
        .enumerate()
        .filter_map(|(index, (&param, &arg))| {
            let to = unit.types.pointee(param)?;
            if to.quals.is_const {
                return None;
            }
            let mut arg = arg;
            while let Hir::Convert(inner) = body.exprs[arg].kind {
                arg = inner;
            }
            match body.exprs[arg].kind {
                Hir::AddrOf(place) | Hir::Decay(place) => Some((index, body.exprs[place].ty)),
                _ => None,
            }
        })
}

impl UnitLowering<'_> {
    /// What a call of a function without a body may do.
    pub(super) fn meaning_of(&self, id: FunctionId) -> Option<ExternalEffect> {
        let function = &self.unit.functions[id];
        let options = &self.options.undefined_functions;
        let meaning = match options.named(&function.name) {
            None if function.pure => return Some(ExternalEffect::DeclaredPure),
            None => options.otherwise(),
            Some(meaning) => meaning,
        };
        match meaning {
            UndefinedFunction::Pure => Some(ExternalEffect::AssumedPure),
            UndefinedFunction::Memory => Some(ExternalEffect::Memory),
            UndefinedFunction::Refuse => None,
        }
    }

    /// Writes down that the program relies on a function that nobody defines. `true` the first time.
    pub(super) fn note_external(&mut self, id: FunctionId, effect: ExternalEffect) -> bool {
        if !self.announced.insert(id) {
            return false;
        }
        let function = &self.unit.functions[id];
        let types = &self.unit.types;
        let (params, result) = match types.get(function.ty) {
            CType::Function(ty) => {
                let params = ty.params.iter().map(|&param| types.scalar(param));
                let params = params.collect::<Option<_>>();
                let is_plain = !ty.unspecified && !self.is_record(ty.result);
                (params.filter(|_| is_plain), types.scalar(ty.result))
            }
            _ => (None, None),
        };
        self.program.outside.functions.push(External {
            name: function.name.clone(),
            params,
            result,
            effect,
        });
        true
    }

    /// Adds the site of the contents of objects that others made, at the end, if pointers may come from outside as
    /// numbers: alone, or among bytes.
    pub(super) fn add_others(&mut self) {
        let mut sites = self.program.inputs.iter();
        if sites.any(|site| matches!(site.ty, None | Some(Type::Ptr))) {
            let kind = InputKind::Outside {
                function: None,
                part: Part::Other,
            };
            let start = self.program.start;
            let span = self.program.functions[start].span;
            self.add_input(kind, None, start, span);
        }
    }

    /// Writes down, at the end, what the verdict rests on beside that.
    pub(super) fn note_outside(&mut self, entry: FunctionId) {
        let mut functions = self.unit.functions.iter_enumerated();
        self.program.outside.can_call_back = functions.any(|(id, function)| {
            let is_own = function.body.is_some() && !self.is_model(id);
            is_own && (function.addr_taken || (function.external && id != entry))
        });
        // One that calls `exit` calls these.
        self.program.outside.can_call_back |= !self.unit.destructors.is_empty();
        let mut globals = self.visible.globals.iter();
        let has_variable = globals.any(|&id| matches!(self.globals[id], Some(Home::Var(_))));
        self.program.outside.gives_pointers &= has_variable;
        self.program.outside.undefined_functions = self.options.undefined_functions.to_string();
        let modelled = self.unit.modelled.iter().map(|&id| {
            let function = &self.unit.functions[id];
            let file = self.program.sources.position(function.span).file;
            (function.name.clone(), file)
        });
        self.program.outside.modelled = modelled.collect();
    }
}

impl FunctionLowering<'_, '_> {
    /// A pointer from outside: null, or a pointer to a new object, which `choice` tells. What the object holds comes from outside, too.
    pub(super) fn pointer_from_outside(
        &mut self,
        dst: VarId,
        ty: TypeId,
        [choice, contents]: [InputKind; 2],
        span: Span,
    ) {
        let flag = self.new_var(Type::Bool, span);
        self.input(flag, choice, span);
        let (some, none, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        let flag = self.var(flag);
        self.split(flag, some, none, span);
        self.continue_at(none);
        self.set_null(dst, span);
        self.jump(end, span);
        self.continue_at(some);
        self.point_outside(dst, ty, contents, span);
        self.jump(end, span);
        self.continue_at(end);
    }

    /// Any pointer: one that an input gives as a number, or, where that is [`ANY_OTHER`], one that can't be given so.
    pub(super) fn any_pointer(&mut self, dst: VarId, kind: InputKind, span: Span) {
        self.input(dst, kind, span);
        let (pointer, mark) = (
            self.var(dst),
            self.node(ExprKind::Const(ANY_OTHER), Type::Ptr),
        );
        let is_number = self.node(ExprKind::Binary(BinOp::Ne, pointer, mark), Type::Bool);
        let (other, end) = (self.new_location(), self.new_location());
        self.split(is_number, end, other, span);
        self.continue_at(other);
        let what = "a pointer that may point anywhere".to_owned();
        self.approximate(Some(dst), what, span);
        self.jump(end, span);
        self.continue_at(end);
    }

    fn set_null(&mut self, dst: VarId, span: Span) {
        let null = self.node(ExprKind::Const(0), Type::Ptr);
        self.assign(dst, null, span);
    }

    /// A pointer to a new object with contents from outside. A function of other files is nothing that we could call.
    fn point_outside(&mut self, dst: VarId, ty: TypeId, contents: InputKind, span: Span) {
        let outside = &mut self.unit.program.outside;
        outside.gives_pointers = true;
        let is_argument = matches!(
            &contents,
            InputKind::Outside {
                function: None,
                part: Part::Argument(_)
            }
        );
        outside.gives_objects |= !is_argument;
        let types = &self.unit.unit.types;
        let size = match types.pointee(ty).map(|to| (types.get(to.ty), to.ty)) {
            Some((CType::Function(_), _)) => {
                let what = "a function of another file".to_owned();
                return self.approximate(Some(dst), what, span);
            }
            Some((CType::Void, _)) | None => UNKNOWN,
            Some((_, to)) => types.size_of(to).unwrap_or(UNKNOWN),
        };
        let to = types.pointee(ty).map(|to| (to.ty, types.size_of(to.ty)));
        let all = size.max(SMALLEST);
        let size = self.unit.size(all);
        let kind = AllocKind::Heap;
        self.emit(Action::Alloc { dst, size, kind }, span);
        let ptr = self.var(dst);
        self.input_bytes(ptr, size, contents, span);
        if let Some((to, Some(size @ 1..))) = to {
            self.assume_truths(ptr, to, all / size, span);
        }
    }

    /// What a call of a function without a body changes. The arguments are those of the call.
    pub(super) fn change_outside(&mut self, id: FunctionId, args: &[ExprId], span: Span) {
        let name = self.unit.unit.functions[id].name.clone();
        let pointers = args.iter().copied();
        let pointers = pointers.filter(|&arg| self.ty(arg) == Type::Ptr).collect();
        let callee = Callee::Builtin(Builtin::Outside);
        let call = Action::Call {
            dst: None,
            callee,
            args: pointers,
        };
        self.emit(call, span);
        self.lose_errno(span);
        self.lose_stdin(span);
        self.keep_pointers(id, args, span);
        self.change_pointees(id, &name, args, span);
        self.change_kept(&name, span);
        let mut objects = 0;
        for index in 0..self.unit.visible.globals.len() {
            let id = self.unit.visible.globals[index];
            let global = self.unit.unit.globals[id].name.clone();
            match self.unit.global_home(id) {
                Home::Var(var) if self.unit.program.vars[var].ty == Type::Ptr => {
                    let ty = self.unit.unit.globals[id].ty.ty;
                    self.change_pointer(var, ty, [&name, &global], span);
                }
                Home::Var(var) => {
                    let kind = changed(&name, Part::Variable(global));
                    self.input(var, kind, span);
                }
                Home::Object(object) if objects < CHANGED_OBJECTS => {
                    objects += 1;
                    let ty = self.unit.unit.globals[id].ty.ty;
                    self.change_object((object, ty), [&name, &global], span);
                }
                Home::Object(_) | Home::Pointer(_) => {}
            }
        }
    }

    fn change_pointer(
        &mut self,
        var: VarId,
        ty: TypeId,
        [function, name]: [&Arc<str>; 2],
        span: Span,
    ) {
        let byte = IntType::unsigned(8);
        let how = self.new_var(Type::Int(byte), span);
        let kind = changed(function, Part::Pointer(name.clone()));
        self.input(how, kind.clone(), span);
        let how = self.var(how);
        let (end, changes) = (self.new_location(), self.new_location());
        let (null, other) = (self.new_location(), self.new_location());
        let split = |this: &mut Self, value: u128, yes, no| {
            let value = this.unit.int(byte, value as i128);
            let is_it = this.node(ExprKind::Binary(BinOp::Eq, how, value), Type::Bool);
            this.split(is_it, yes, no, span);
        };
        split(self, Part::KEPT, end, changes);
        self.continue_at(changes);
        split(self, Part::NULL, null, other);
        self.continue_at(null);
        self.set_null(var, span);
        self.jump(end, span);
        self.continue_at(other);
        self.point_outside(var, ty, kind, span);
        self.jump(end, span);
        self.continue_at(end);
    }

    /// Bytes of a global object may change. None of them changes where the input says 0: then no byte is asked for.
    fn change_object(
        &mut self,
        (object, ty): (ObjectId, TypeId),
        [function, name]: [&Arc<str>; 2],
        span: Span,
    ) {
        let truths = self.truths(ty);
        let base = self.node(ExprKind::AddrOf(object), Type::Ptr);
        let size_type = Type::Int(self.unit.unit.types.model.size_type());
        let shape = self.unit.program.objects[object].shape.clone();
        let size = self.unit.program.objects[object].size;
        for (offset, length) in self.pieces(&shape, size) {
            let name = name.clone();
            let kind = changed(function, Part::Object { name, offset });
            let flag = self.new_var(Type::Bool, span);
            self.input(flag, kind.clone(), span);
            let is_changed = self.var(flag);
            let flag = self.convert(is_changed, size_type, span);
            let bytes = self.unit.size(length);
            let size = self.wrapping(BinaryOp::Mul, flag, bytes);
            let ptr = self.offset(base, offset);
            self.input_bytes(ptr, size, kind, span);
            for &place in truths
                .iter()
                .filter(|&&at| at >= offset && at - offset < length)
            {
                let place = self.offset(base, place);
                let is_truth = self.is_truth(place, span);
                let is_kept = self.node(ExprKind::Unary(UnOp::Not, is_changed), Type::Bool);
                let fine = self.node(ExprKind::Binary(BinOp::Or, is_kept, is_truth), Type::Bool);
                self.require(fine, true, LocKind::End(EndKind::AssumptionFailed), span);
            }
        }
    }

    /// Others remember the pointers that they get.
    fn keep_pointers(&mut self, id: FunctionId, args: &[ExprId], span: Span) {
        for number in 0..self.unit.visible.kept.len() {
            let kept = self.unit.visible.kept[number];
            if kept.function != id {
                continue;
            }
            if let Some(&arg) = args.get(kept.index)
                && self.ty(arg) == Type::Ptr
            {
                let var = self.kept_pointer(number);
                self.assign(var, arg, span);
            }
        }
    }

    fn kept_pointer(&mut self, number: usize) -> VarId {
        let kept = self.unit.visible.kept[number];
        kept.var.unwrap_or_else(|| {
            let span = self.unit.unit.functions[kept.function].span;
            let var = self.unit.add_var(temporary(span), Type::Ptr, Scope::Global);
            self.unit.visible.kept[number].var = Some(var);
            var
        })
    }

    /// What others have remembered a pointer to may change.
    fn change_kept(&mut self, name: &Arc<str>, span: Span) {
        for number in 0..self.unit.visible.kept.len() {
            let Kept {
                function,
                index,
                ty,
                ..
            } = self.unit.visible.kept[number];
            let types = &self.unit.unit.types;
            let shape = types.shape(ty, self.unit.names);
            let size = types.size_of(ty).unwrap_or(0);
            let base = self.kept_pointer(number);
            let base = self.var(base);
            for (offset, length) in self.pieces(&shape, size) {
                let part = Part::Kept {
                    function: self.unit.unit.functions[function].name.clone(),
                    index,
                    offset,
                };
                let ptr = self.offset(base, offset);
                self.change_bytes(ptr, length, changed(name, part), span);
            }
        }
    }

    /// What arguments point to may change, where the declaration doesn't promise otherwise.
    fn change_pointees(&mut self, id: FunctionId, name: &Arc<str>, args: &[ExprId], span: Span) {
        let unit = self.unit.unit;
        let CType::Function(ty) = unit.types.get(unit.functions[id].ty) else {
            return;
        };
        let params = ty.params.iter().zip(args).enumerate();
        for (index, (&param, &arg)) in params {
            let CType::Pointer(to) = unit.types.get(param) else {
                continue;
            };
            let mut kept = self.unit.visible.kept.iter();
            let is_kept = kept.any(|kept| (kept.function, kept.index) == (id, index));
            if to.quals.is_const || is_kept || self.ty(arg) != Type::Ptr {
                continue;
            }
            let (shape, size) = match self.unit.program.exprs[arg].kind {
                ExprKind::AddrOf(object) => {
                    let object = &self.unit.program.objects[object];
                    (object.shape.clone(), object.size)
                }
                _ if matches!(unit.types.get(to.ty), CType::Void) => continue,
                _ => {
                    let size = unit.types.size_of(to.ty).unwrap_or(0);
                    (unit.types.shape(to.ty, self.unit.names), size)
                }
            };
            let arg = self.atomic(arg, span);
            for (offset, length) in self.pieces(&shape, size) {
                let kind = changed(name, Part::Pointee { index, offset });
                let ptr = self.offset(arg, offset);
                self.change_bytes(ptr, length, kind, span);
            }
        }
    }

    /// Bytes somewhere in memory may change. Others write where they may only.
    fn change_bytes(&mut self, ptr: ExprId, length: u64, kind: InputKind, span: Span) {
        let flag = self.new_var(Type::Bool, span);
        self.input(flag, kind.clone(), span);
        let flag = self.var(flag);
        let (changes, end) = (self.new_location(), self.new_location());
        self.split(flag, changes, end, span);
        self.continue_at(changes);
        let size = self.unit.size(length);
        let write = true;
        let ok = self.node(ExprKind::AccessOk { ptr, size, write }, Type::Bool);
        self.require(ok, true, LocKind::End(EndKind::AssumptionFailed), span);
        self.input_bytes(ptr, size, kind, span);
        self.jump(end, span);
        self.continue_at(end);
    }

    /// The pieces between the pointers of an object, as far as they are inputs of a call: offsets and lengths.
    fn pieces(&self, shape: &Shape, size: u64) -> Vec<(u64, u64)> {
        let mut pointers = Vec::new();
        add_pointers(shape, 0, &mut pointers);
        pointers.sort_unstable();
        let size = size.min(CHANGED_BYTES);
        let width = Type::Ptr.size(self.unit.unit.types.model);
        let mut pieces = Vec::new();
        let mut done = 0;
        for at in pointers.into_iter().chain([size]) {
            let end = at.min(size);
            if end > done {
                pieces.push((done, end - done));
            }
            done = done.max(at + width);
        }
        pieces.truncate(CHANGED_PIECES);
        pieces
    }
}

/// The kind of an input that a call of a function without a body gives.
fn changed(function: &Arc<str>, part: Part) -> InputKind {
    InputKind::Outside {
        function: Some(function.clone()),
        part,
    }
}

/// Adds the offsets of the pointers that lie in the first bytes of a shape.
fn add_pointers(shape: &Shape, base: u64, pointers: &mut Vec<u64>) {
    if base >= CHANGED_BYTES {
        return;
    }
    match shape {
        Shape::Scalar(Type::Ptr) => pointers.push(base),
        Shape::Scalar(_) | Shape::Bytes => {}
        Shape::Array {
            element,
            element_size,
            count,
        } => {
            // An element without a size holds nothing.
            let fitting = (CHANGED_BYTES - base).checked_div(*element_size);
            let count = fitting.map_or(0, |fitting| (fitting + 1).min(*count));
            for index in 0..count {
                add_pointers(element, base + index * element_size, pointers);
            }
        }
        Shape::Record { fields, .. } => {
            for field in fields.iter() {
                add_pointers(&field.shape, base + field.offset, pointers);
            }
        }
    }
}
