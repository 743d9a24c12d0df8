//! Calls of library functions that have no model: what is known of them is what they can't do.

use index_vec::IndexVec;
use rhumb_program::{
    Access, Action, BinOp, Builtin, Callee, Decl, ExprId, ExprKind, Init, IntType, Object,
    ObjectId, Scope, Shape, Span, Type,
};

use super::call::OuterCall;
use super::function::FunctionLowering;
use super::functions::{Effect, VARIABLES, option_variable, plain_name};
use super::{Home, UnitLowering, temporary};
use crate::ctypes::CType;
use crate::hir::{Global, GlobalId};

/// The streams that a program has from the start.
pub(super) const STREAMS: &[&str] = &["stdin", "stdout", "stderr"];

/// The tag of what a stream points to, in the system's headers.
const STREAM_TAG: &str = "_IO_FILE";

/// The variable behind `errno` in the library's C text.
const ERRNO: &str = "__rhumb_errno";

/// How the names of the variables begin that say how far standard input was read, in the library's C text.
const STDIN_STATE: &str = "__rhumb_stdin_";

impl UnitLowering<'_> {
    /// Whether a global is a variable of the library that its functions change as they like.
    pub(super) fn is_library_variable(&self, id: GlobalId) -> bool {
        let global = &self.unit.globals[id];
        let is_known = VARIABLES.contains(&&*global.name)
            // The library's is a scalar: something else by its name is not it.
            || option_variable(&global.name).is_some() && self.option_type(id).is_none();
        global.init.is_none() && is_known
    }

    /// The type of a variable for options, if the program declares it as the library does.
    fn option_type(&self, id: GlobalId) -> Option<Type> {
        let global = &self.unit.globals[id];
        let scalar = self.unit.types.scalar(global.ty.ty)?;
        let expected = match &*global.name {
            "optarg" => Type::Ptr,
            _ => Type::Int(IntType::INT),
        };
        (scalar == expected).then_some(expected)
    }

    /// Gives a variable for options that no file defines its first value; whether it is one.
    pub(super) fn define_option(&mut self, id: GlobalId, home: Home) -> bool {
        let first = option_variable(&self.unit.globals[id].name);
        let (Some(first), Some(ty)) = (first, self.option_type(id)) else {
            return false;
        };
        let value = self.node(ExprKind::Const(first), ty);
        let access = Access::whole(ty);
        let piece = Init::Scalar {
            offset: 0,
            access,
            value,
        };
        self.set_init(home, vec![piece]);
        true
    }

    /// The variable behind `errno`, if the program looks at it at all.
    pub(super) fn errno(&self) -> Option<GlobalId> {
        let globals: &IndexVec<GlobalId, Global> = &self.unit.globals;
        let is_used = self.models.contains_key("__errno_location");
        globals.position(|global| is_used && &*global.name == ERRNO)
    }

    /// A stream: a pointer to something that the program can only name.
    pub(super) fn define_stream(&mut self, id: GlobalId, home: Home) {
        let global = &self.unit.globals[id];
        let object = if &*global.name == "stdin" {
            self.stdin_object()
        } else {
            self.stream_object(&global.name)
        };
        let value = self.node(ExprKind::AddrOf(object), Type::Ptr);
        let access = Access::whole(Type::Ptr);
        let piece = Init::Scalar {
            offset: 0,
            access,
            value,
        };
        self.set_init(home, vec![piece]);
    }

    /// What `stdin` points to.
    pub(super) fn stdin_object(&mut self) -> ObjectId {
        match self.stdin {
            Some(object) => object,
            None => {
                let object = self.stream_object("stdin");
                self.stdin = Some(object);
                object
            }
        }
    }

    fn stream_object(&mut self, name: &str) -> ObjectId {
        self.program.objects.push(Object {
            decl: Decl {
                name: name.into(),
                ..temporary(Span::default())
            },
            size: 1,
            align: 1,
            shape: Shape::Bytes,
            scope: Scope::Global,
            read_only: true,
            init: Vec::new(),
        })
    }
}

impl FunctionLowering<'_, '_> {
    /// A call of a library function that is neither built in nor written in C.
    pub(super) fn known_call(&mut self, call: OuterCall<'_>, effect: Effect) -> Option<ExprId> {
        let (id, args) = (call.id, call.args);
        let (ty, wanted, span) = (call.ty, call.wanted, call.span);
        let name = self.unit.unit.functions[id].name.clone();
        let writes = match self.format_index(id) {
            Some(index) => self.format_may_write(args, index),
            None => effect == Effect::Writes && self.may_write(id, args),
        };
        let refused = match effect {
            Effect::Refused("has to do with signals") if self.is_without_handler(&name, args) => {
                None
            }
            Effect::Refused(why) => Some(why),
            Effect::Ends => {
                self.exit_with(args.first().copied(), span);
                return None;
            }
            Effect::Result | Effect::Writes if writes => Some("writes to memory"),
            Effect::Result if self.disturbs(&name, args).is_some() => self.disturbs(&name, args),
            Effect::Result | Effect::Writes if self.unit.is_record(ty) => Some("gives a record"),
            Effect::Result | Effect::Writes => None,
        };
        if let Some(why) = refused {
            self.unsupported(&format!("library function `{name}`, which {why}"), span);
            return None;
        }
        if matches!(plain_name(&name), "error" | "error_at_line") {
            self.exit_unless_zero(args.first().copied(), span);
        }
        self.note_unseen(&call, span);
        self.lose_errno(span);
        let scalar = self.scalar(ty)?;
        let var = self.result_var(scalar, wanted, span)?;
        self.approximate(Some(var), format!("the result of `{name}`"), span);
        Some(self.var(var))
    }

    /// Notes the pointers through which a function may read or write, so that nobody says that it does so rightly. Streams and what else
    /// the library alone knows are its own.
    fn note_unseen(&mut self, call: &OuterCall<'_>, span: Span) {
        let types = &self.unit.unit.types;
        let function = &self.unit.unit.functions[call.id];
        let is_handle = |index: usize| {
            let CType::Function(ty) = types.get(function.ty) else {
                return false;
            };
            let to = ty.params.get(index).and_then(|&param| types.pointee(param));
            to.and_then(|to| types.as_record(to.ty)).is_some_and(|id| {
                let record = &types.records[id];
                let tag = record.tag.map(|tag| &**self.unit.names.name(tag));
                record.layout.is_none() || tag == Some(STREAM_TAG)
            })
        };
        let args = call.args.iter().copied().enumerate();
        let args = args.filter(|&(index, arg)| {
            self.ty(arg) == Type::Ptr && !self.is_null(arg) && !is_handle(index)
        });
        let args: Box<[ExprId]> = args.map(|(_, arg)| arg).collect();
        if args.is_empty() {
            return;
        }
        let what = format!("what `{}` gets pointers to", function.name);
        let what = self.unit.add_approximation(what, span);
        let (dst, callee) = (None, Callee::Builtin(Builtin::Unseen(what)));
        self.emit(Action::Call { dst, callee, args }, span);
    }

    /// What a call changes of that which the program takes as inputs: they would not be any values any more.
    fn disturbs(&self, name: &str, args: &[ExprId]) -> Option<&'static str> {
        let exprs = &self.unit.program.exprs;
        let is_stdin = |index: usize| {
            let file = args.get(index).and_then(|&arg| exprs.as_int_const(arg));
            file.is_none_or(|(_, number)| number == 0)
        };
        let reads = |what: &str| self.unit.models.contains_key(what);
        match plain_name(name) {
            "setenv" | "putenv" | "unsetenv" | "clearenv" if reads("getenv") => {
                Some("changes the environment")
            }
            "rewind" | "fseek" | "fseeko" | "fseeko64" | "fsetpos" if reads("__next_byte") => {
                Some("may go back in standard input")
            }
            "clearerr" | "clearerr_unlocked" | "fclose" | "fcloseall" | "fgetwc" | "getwc"
            | "getwchar" | "ungetwc"
                if reads("__next_byte") =>
            {
                Some("may change standard input")
            }
            "close" | "lseek" | "lseek64" if reads("__next_byte") && is_stdin(0) => {
                Some("changes standard input")
            }
            "dup2" | "dup3" if reads("__next_byte") && is_stdin(1) => {
                Some("changes standard input")
            }
            _ => None,
        }
    }

    /// Whether this is a call of `signal` that installs no function of the program: the handler is `SIG_DFL` or `SIG_IGN`.
    fn is_without_handler(&self, name: &str, args: &[ExprId]) -> bool {
        let exprs = &self.unit.program.exprs;
        let is_none = |&handler: &ExprId| {
            let mut value = handler;
            while let ExprKind::Cast(inner) = exprs[value].kind {
                value = inner;
            }
            matches!(exprs[value].kind, ExprKind::Const(0 | 1))
        };
        plain_name(name) == "signal" && args.get(1).is_some_and(is_none)
    }

    /// Ends the program as `exit` does.
    pub(super) fn exit_with(&mut self, code: Option<ExprId>, span: Span) {
        let code = self.exit_code(code, span);
        self.exit(code, span);
    }

    /// The argument of `exit` and its like.
    pub(super) fn exit_code(&mut self, code: Option<ExprId>, span: Span) -> ExprId {
        let status = Type::Int(IntType::INT);
        match code {
            Some(code) => self.convert(code, status, span),
            None => self.node(ExprKind::Const(0), status),
        }
    }

    /// `error` ends the program unless its first argument is zero.
    fn exit_unless_zero(&mut self, status: Option<ExprId>, span: Span) {
        let Some(status) = status else {
            return;
        };
        let status = self.argument(status, Type::Int(IntType::INT), span);
        let zero = self.unit.int(IntType::INT, 0);
        let goes_on = self.node(ExprKind::Binary(BinOp::Eq, status, zero), Type::Bool);
        let (on, out) = (self.new_location(), self.new_location());
        self.split(goes_on, on, out, span);
        self.continue_at(out);
        self.exit(status, span);
        self.continue_at(on);
    }

    /// A function of another file may have read standard input.
    pub(super) fn lose_stdin(&mut self, span: Span) {
        for index in 0..self.unit.unit.globals.len() {
            let id = GlobalId::from_usize(index);
            if !self.unit.unit.globals[id].name.starts_with(STDIN_STATE) {
                continue;
            }
            if let Home::Var(var) = self.unit.global_home(id) {
                let what = "the state of standard input".to_owned();
                self.approximate(Some(var), what, span);
            }
        }
    }

    /// After a call into the library `errno` may be anything, if the program looks at it at all.
    pub(super) fn lose_errno(&mut self, span: Span) {
        let Some(errno) = self.unit.errno() else {
            return;
        };
        let Home::Object(object) = self.unit.global_home(errno) else {
            return;
        };
        // What is not known of bytes in memory is said by a pointer that may point anywhere: a run rests on it when it reads them.
        let var = self.new_var(Type::Ptr, span);
        self.approximate(Some(var), "the value of `errno`".to_owned(), span);
        let mut ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
        if self.unit.has_threads {
            ptr = self.own_copy(errno, ptr, span);
        }
        let (value, access) = (self.var(var), Access::whole(Type::Ptr));
        self.emit(Action::Store { ptr, value, access }, span);
    }
}
