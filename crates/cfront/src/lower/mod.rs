//! From the typed tree to automata: order of evaluation, control flow, undefined behaviour, lifetimes.
//!
//! Evaluation goes from left to right, and both ways where that is open and matters (`order.rs`). Scalars whose address
//! is never taken become variables; everything else lies in memory objects.

mod arith;
mod bools;
mod call;
mod callees;
mod control;
mod dialect;
mod effects;
mod entry;
mod expr;
mod finish;
mod footprint;
mod formats;
mod function;
pub(crate) mod functions;
mod hooks;
mod intrinsic;
mod known;
mod last;
mod library;
mod lifetimes;
mod marks;
pub(crate) mod open;
mod order;
mod outside;
mod place;
mod range;
mod realloc;
mod rounding;
mod scopes;
mod shapes;
mod signs;
mod start;
mod starts;
mod stmt;
mod threads;
mod unknown;
mod varargs;

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{
    Access, Approximation, Cfa, Decl, ExprId, ExprKind, FuncId, Function, Init, InputKind,
    InputSite, InputSiteId, IntType, Object, ObjectId, Program, Scope, SourceMap, Span, Type, Var,
    VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ctypes::{CType, TypeId};
use crate::diagnostic::Diagnostics;
use crate::hir::{ConstValue, FunctionId, GlobalId, StaticInit, Unit};
use crate::intern::Interner;
use crate::models;
use crate::options::{Options, TargetSpec};

use footprint::Summaries;
use function::FunctionLowering;
use known::STREAMS;
pub(crate) use library::is_built_in;
use outside::Visible;
pub(crate) use start::{ARGUMENTS, takes_arguments};

/// Where a global lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Home {
    /// In a variable.
    Var(VarId),
    /// In memory.
    Object(ObjectId),
    /// In memory that a variable points to (variable-length arrays).
    Pointer(VarId),
}

/// The state of lowering one translation unit.
pub(crate) struct UnitLowering<'a> {
    unit: &'a Unit,
    names: &'a Interner,
    options: &'a Options,
    program: Program,
    /// Depth of each expression of the program.
    depths: Vec<u8>,
    /// Which variables are the front end's own. Their values don't change once they are set, until the same code runs again.
    temporaries: IndexVec<VarId, bool>,
    globals: IndexVec<GlobalId, Option<Home>>,
    functions: IndexVec<FunctionId, Option<FuncId>>,
    /// Functions that look at more arguments than they have parameters, and get them in a block of memory.
    takes_block: IndexVec<FunctionId, bool>,
    /// Globals that are declared, used, and nowhere defined; their first contents come from outside.
    undefined_globals: Vec<GlobalId>,
    /// Globals whose first contents are being made, and those that came into use thereby.
    uninitialised_globals: Vec<(GlobalId, Home)>,
    /// Set when the program exits, where that matters.
    exits: Option<ObjectId>,
    /// How many threads there are beside the first one, where that matters.
    others: Option<ObjectId>,
    /// A function that may have no address and whose address is in an initialiser.
    absent_in_initialiser: Option<FunctionId>,
    diagnostics: &'a mut Diagnostics,
    /// Library functions that are written in C and that this unit has got.
    models: FxHashMap<&'a str, FunctionId>,
    /// What `stdin` points to.
    stdin: Option<ObjectId>,
    /// Results of library functions of which C says less than what our models give.
    open_values: Vec<open::OpenValue>,
    /// What functions do, as far as the order of evaluation is concerned.
    summaries: Option<Summaries>,
    /// Undefined functions that were said to be inputs already.
    announced: FxHashSet<FunctionId>,
    /// Whether there may be more than one thread.
    has_threads: bool,
    /// Whether a `_Bool` in memory may be neither 0 nor 1.
    bad_bools: bool,
    /// What other files can see.
    visible: Visible,
    /// For types of functions that are called through pointers, the functions that such a call doesn't go to.
    strangers: FxHashMap<TypeId, Arc<[FuncId]>>,
    /// First values that are addresses of objects whose size is not known.
    late_inits: Vec<LateInit>,
}

/// A first value that is the address of an object whose size is not known, so that it is made when the run starts.
struct LateInit {
    home: Home,
    offset: u64,
    access: Access,
    /// The object, and how far behind its start.
    address: (GlobalId, i64),
}

/// Lowers a unit that analysis accepted. Without an entry function, or with a jump that C forbids, there is no program, and an error in
/// `diagnostics`.
pub(crate) fn lower(
    unit: &Unit,
    names: &Interner,
    sources: Arc<SourceMap>,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Program> {
    let entry = entry::find(unit, options);
    let Some(entry) = entry else {
        diagnostics.push(entry::missing(unit, &sources, options));
        return None;
    };
    let mut lowering = UnitLowering {
        unit,
        names,
        options,
        program: empty_program(unit, sources),
        depths: Vec::new(),
        temporaries: IndexVec::new(),
        globals: unit.globals.iter().map(|_| None).collect(),
        functions: unit.functions.iter().map(|_| None).collect(),
        takes_block: unit.functions.iter().map(varargs::takes_block).collect(),
        undefined_globals: Vec::new(),
        uninitialised_globals: Vec::new(),
        exits: None,
        others: None,
        absent_in_initialiser: None,
        diagnostics,
        models: FxHashMap::default(),
        stdin: None,
        open_values: Vec::new(),
        announced: FxHashSet::default(),
        summaries: None,
        has_threads: false,
        bad_bools: bools::may_be_bad(unit),
        visible: Visible::of(unit),
        strangers: FxHashMap::default(),
        late_inits: Vec::new(),
    };
    lowering.check_property();
    lowering.declare_functions();
    lowering.has_threads = lowering.models.contains_key("pthread_create");
    lowering.summaries = Some(lowering.make_summaries());
    for id in unit.functions.indices() {
        if let (Some(func), Some(body)) = (lowering.functions[id], &unit.functions[id].body) {
            FunctionLowering::new(&mut lowering, body, id, func).lower();
        }
    }
    lowering.add_start(entry);
    lowering.settle_open_values();
    lowering.add_schedule(entry);
    if lowering.program.sets_rounding() {
        lowering.program.exprs.fold_float_constants();
    }
    lowering.say_how_floats_round();
    lowering.note_outside(entry);
    lowering.add_others();
    let UnitLowering {
        program,
        diagnostics,
        ..
    } = lowering;
    (!diagnostics.has_errors()).then_some(program)
}

/// The last byte of the text that is no blank.
fn last_byte(sources: &SourceMap) -> u32 {
    let text = sources.text();
    let last = text.iter().rposition(|byte| !byte.is_ascii_whitespace());
    last.unwrap_or(text.len()) as u32
}

fn empty_program(unit: &Unit, sources: Arc<SourceMap>) -> Program {
    Program::empty(unit.types.model, sources)
}

impl UnitLowering<'_> {
    /// Gives every function with a body its id, so that calls can be lowered in any order.
    fn declare_functions(&mut self) {
        for (id, function) in self.unit.functions.iter_enumerated() {
            if function.body.is_some() {
                let model = function.name.strip_prefix(models::PREFIX);
                let func = self.program.functions.push(Function {
                    name: model.map_or_else(|| function.name.clone(), Arc::from),
                    params: Vec::new(),
                    result: None,
                    variadic: false,
                    cfa: Cfa::new(),
                    span: function.span,
                });
                self.functions[id] = Some(func);
                if let Some(name) = model {
                    self.models.insert(name, id);
                }
            }
        }
    }

    /// Adds an expression.
    fn node(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        let id = self.program.exprs.push(kind, ty);
        let depth = self
            .program
            .exprs
            .children(id)
            .map(|child| self.depths[child.index()])
            .max();
        self.depths.push(depth.map_or(1, |depth| depth + 1));
        id
    }

    fn int(&mut self, ty: IntType, value: i128) -> ExprId {
        self.node(ExprKind::Const(ty.wrap(value as u128)), Type::Int(ty))
    }

    /// A constant of type `size_t`.
    fn size(&mut self, bytes: u64) -> ExprId {
        self.int(self.unit.types.model.size_type(), i128::from(bytes))
    }

    fn add_temporary(&mut self, decl: Decl, ty: Type, function: FuncId) -> VarId {
        let var = self.add_var(decl, ty, Scope::Local(function));
        self.temporaries[var] = true;
        var
    }

    /// Notes the names that the text has for values of what is declared there.
    fn note_words(&mut self, declared: Span, ty: TypeId) {
        if let Some(words) = self.unit.types.words(ty, self.names) {
            self.program.words.insert(declared, words);
        }
    }

    fn add_var(&mut self, decl: Decl, ty: Type, scope: Scope) -> VarId {
        self.temporaries.push(false);
        self.program.vars.push(Var {
            decl,
            ty,
            scope,
            init: None,
        })
    }

    fn add_input(
        &mut self,
        kind: InputKind,
        ty: Option<Type>,
        function: FuncId,
        span: Span,
    ) -> InputSiteId {
        self.program.inputs.push(InputSite {
            kind,
            ty,
            function,
            span,
        })
    }

    fn add_approximation(&mut self, what: String, span: Span) -> rhumb_program::ApproxId {
        self.program
            .approximations
            .push(Approximation { what, span })
    }

    /// Where a global lives; decided when it is first used, so that the declarations of system headers cost nothing.
    fn global_home(&mut self, id: GlobalId) -> Home {
        if let Some(home) = self.globals[id] {
            return home;
        }
        let global = &self.unit.globals[id];
        let types = &self.unit.types;
        let decl = Decl {
            name: global.name.clone(),
            span: global.span,
            visible: global.visible,
        };
        // What several threads may access lies in memory, where every access is an edge of its own.
        let in_memory = global.addr_taken || self.has_threads;
        let scalar = types.scalar(global.ty.ty).filter(|_| !in_memory);
        // Objects that are none of one another's parts are further ones.
        let (parts, more) = match self.has_own_objects(id) {
            true => (1, self.copies(id) - 1),
            false => (self.copies(id), 0),
        };
        self.note_words(global.span, global.ty.ty);
        let types = &self.unit.types;
        let home = match scalar {
            None if types.size_of(global.ty.ty).is_none() => {
                let decl = temporary(global.span);
                Home::Pointer(self.add_var(decl, Type::Ptr, Scope::Global))
            }
            Some(ty) => Home::Var(self.add_var(decl, ty, Scope::Global)),
            None => Home::Object(
                self.program.objects.push(Object {
                    decl,
                    size: types.size_of(global.ty.ty).unwrap_or(0) * parts,
                    align: global
                        .align
                        .max(global.type_align)
                        .max(types.align_of(global.ty.ty))
                        .unwrap_or(1),
                    shape: types.shape(global.ty.ty, self.names),
                    scope: Scope::Global,
                    // What a constant of another file holds is written there before the run starts.
                    read_only: global.read_only && global.init.is_some(),
                    init: Vec::new(),
                }),
            ),
        };
        if let Home::Object(object) = home {
            for _ in 0..more {
                let copy = self.program.objects[object].clone();
                self.program.objects.push(copy);
            }
        }
        self.globals[id] = Some(home);
        // An initialiser may mention other globals, and theirs others again: one after the other.
        let is_outermost = self.uninitialised_globals.is_empty();
        self.uninitialised_globals.push((id, home));
        if is_outermost {
            let mut index = 0;
            while let Some(&(id, home)) = self.uninitialised_globals.get(index) {
                self.initialise_global(id, home);
                index += 1;
            }
            self.uninitialised_globals.clear();
        }
        home
    }

    fn initialise_global(&mut self, id: GlobalId, home: Home) {
        match &self.unit.globals[id].init {
            None if STREAMS.contains(&&*self.unit.globals[id].name) => self.define_stream(id, home),
            None if self.define_option(id, home) => {}
            None => self.undefined_globals.push(id),
            Some(pieces) => {
                let pieces: Vec<&StaticInit> = pieces
                    .iter()
                    .filter(|piece| !self.is_late(home, piece))
                    .collect();
                let pieces = pieces.into_iter().map(|piece| self.static_init(piece));
                let pieces: Vec<Init> = pieces.collect();
                match home {
                    Home::Object(first) if self.has_own_objects(id) => {
                        for copy in 0..self.copies(id) as u32 {
                            let object = ObjectId::from_raw(first.raw() + copy);
                            self.set_init(Home::Object(object), pieces.clone());
                        }
                    }
                    _ => {
                        let pieces = self.for_each_thread(id, pieces);
                        self.set_init(home, pieces);
                    }
                }
            }
        }
    }

    /// Whether a function may have no address.
    fn may_be_absent(&self, id: FunctionId) -> bool {
        let function = &self.unit.functions[id];
        function.weak && function.body.is_none()
    }

    /// Why a global is nothing that we know, for a message: it may not exist, or the library changes it as it likes.
    fn refused_global(&self, id: GlobalId) -> Option<String> {
        let global = &self.unit.globals[id];
        let name = &global.name;
        if self.is_library_variable(id) {
            return Some(format!("library variable `{name}`"));
        }
        let quals = global.ty.quals;
        if global.init.is_none() && quals.is_const && quals.is_volatile {
            return Some(format!("`{name}`, which changes by itself"));
        }
        let may_be_absent = global.weak && global.init.is_none();
        may_be_absent.then(|| format!("`{name}`, which is weak and may not exist"))
    }

    /// Whether a piece of an initialiser has to wait for the start of the run; then it is remembered.
    fn is_late(&mut self, home: Home, piece: &StaticInit) -> bool {
        let StaticInit::Scalar {
            offset,
            access,
            value: ConstValue::Global(id, distance),
        } = *piece
        else {
            return false;
        };
        if !matches!(self.global_home(id), Home::Pointer(_)) {
            return false;
        }
        if let Home::Object(object) = home {
            // It is written once, when the run starts.
            self.program.objects[object].read_only = false;
        }
        self.late_inits.push(LateInit {
            home,
            offset,
            access,
            address: (id, distance),
        });
        true
    }

    /// Whether a function is one of the library that is written in C.
    fn is_model(&self, id: FunctionId) -> bool {
        self.unit.functions[id].name.starts_with(models::PREFIX)
    }

    fn set_init(&mut self, home: Home, pieces: Vec<Init>) {
        match home {
            Home::Var(var) => {
                let first = pieces.into_iter().find_map(|piece| match piece {
                    Init::Scalar { value, .. } => Some(value),
                    Init::Bytes { .. } => None,
                });
                self.program.vars[var].init = first;
            }
            Home::Object(object) => {
                // A flexible array member may have elements beyond the type's size.
                let end = pieces
                    .iter()
                    .map(|piece| self.end_of(piece))
                    .max()
                    .unwrap_or(0);
                let object = &mut self.program.objects[object];
                object.size = object.size.max(end);
                object.init = pieces;
            }
            Home::Pointer(_) => {}
        }
    }

    fn end_of(&self, piece: &Init) -> u64 {
        match piece {
            Init::Bytes { offset, bytes } => offset + bytes.len() as u64,
            Init::Scalar { offset, access, .. } => offset + access.size(self.unit.types.model),
        }
    }

    fn static_init(&mut self, piece: &StaticInit) -> Init {
        match piece {
            StaticInit::Bytes { offset, bytes } => Init::Bytes {
                offset: *offset,
                bytes: bytes.clone(),
            },
            StaticInit::Scalar {
                offset,
                access,
                value,
            } => Init::Scalar {
                offset: *offset,
                access: *access,
                value: self.const_value(*value, access.ty),
            },
        }
    }

    fn const_value(&mut self, value: ConstValue, ty: Type) -> ExprId {
        let address = match value {
            ConstValue::Bits(bits) => return self.node(ExprKind::Const(bits), ty),
            ConstValue::Function(id) => {
                if self.may_be_absent(id) {
                    self.absent_in_initialiser = Some(id);
                }
                let func = self.undefined_function_stub(id);
                self.node(ExprKind::FuncAddr(func), Type::Ptr)
            }
            ConstValue::Global(id, offset) => {
                // A global whose address is in an initialiser is marked as such, so it lies in memory.
                let Home::Object(object) = self.global_home(id) else {
                    return self.node(ExprKind::Const(0), ty);
                };
                let base = self.node(ExprKind::AddrOf(object), Type::Ptr);
                if offset == 0 {
                    base
                } else {
                    let bytes = self.int(self.unit.types.model.ptrdiff_type(), i128::from(offset));
                    self.node(ExprKind::PtrAdd(base, bytes), Type::Ptr)
                }
            }
        };
        if ty == Type::Ptr {
            address
        } else {
            self.node(ExprKind::Cast(address), ty)
        }
    }

    /// Whether a call of the function is a target. `__VERIFIER_error` without a body is one whatever the property names: to be the error is
    /// all that such a function is for.
    fn is_target(&self, id: FunctionId) -> bool {
        let function = &self.unit.functions[id];
        let name = &*function.name;
        let is_named = match &self.options.targets {
            TargetSpec::Call(target) => **target == *name,
            TargetSpec::Label(_) | TargetSpec::Nothing | TargetSpec::Goals => return false,
            TargetSpec::Default => {
                matches!(name, "reach_error" | "__VERIFIER_error") || library::is_assert_fail(name)
            }
        };
        is_named || (name == "__VERIFIER_error" && function.body.is_none())
    }

    fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.unit.types.get(ty), CType::Record(_))
    }
}

/// The declaration of something that has no name in the source.
fn temporary(span: Span) -> Decl {
    Decl {
        name: Arc::from(""),
        span,
        visible: Span::default(),
    }
}

/// An access to a whole scalar.
fn whole(ty: Type) -> Access {
    Access::whole(ty)
}
