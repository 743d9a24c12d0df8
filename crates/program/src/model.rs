//! The program: functions, variables, memory objects, inputs and targets.

use std::fmt;
use std::sync::Arc;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::builtin::{Builtin, Leak, ThreadFault};
use crate::cfa::{Action, Callee, Cfa, UbKind};
use crate::checks::Endless;
use crate::expr::Exprs;
use crate::ids::{
    ApproxId, ExprId, FuncId, InputSiteId, LocId, ObjectId, TargetId, UnsupportedId, VarId,
};
use crate::outside::Outside;
use crate::span::{SourceMap, Span};
use crate::types::{Access, DataModel, Enumerators, Shape, Type};

/// A whole program, exact to the bit.
#[derive(Clone, Debug)]
pub struct Program {
    /// Sizes of the basic types.
    pub data_model: DataModel,
    /// Positions.
    pub sources: Arc<SourceMap>,
    /// The functions.
    pub functions: IndexVec<FuncId, Function>,
    /// Where a run starts: a function made by the front end. It has no parameters, fetches the arguments of the user's entry
    /// function as inputs, calls it, and ends in an [`Action::Exit`](crate::Action::Exit).
    pub start: FuncId,
    /// All scalar variables, global and local.
    pub vars: IndexVec<VarId, Var>,
    /// All declared memory objects.
    pub objects: IndexVec<ObjectId, Object>,
    /// All expressions.
    pub exprs: Exprs,
    /// The places where values come in, in source order.
    pub inputs: IndexVec<InputSiteId, InputSite>,
    /// What must not be reached, in source order.
    pub targets: IndexVec<TargetId, Target>,
    /// What the model can't express.
    pub unsupported: IndexVec<UnsupportedId, Unsupported>,
    /// What is over-approximated.
    pub approximations: IndexVec<ApproxId, Approximation>,
    /// What is left to others, and assumed of them.
    pub outside: Outside,
    /// The names of the values of variables and objects (of the elements of arrays), by declaration, where the text has
    /// names for them. Only people read them.
    pub words: FxHashMap<Span, Enumerators>,
}

/// A function with a body.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Its parameters: local variables that the call sets.
    pub params: Vec<VarId>,
    /// Type of its result.
    pub result: Option<Type>,
    /// Whether it takes further arguments.
    pub variadic: bool,
    /// Its automaton.
    pub cfa: Cfa,
    /// The whole definition.
    pub span: Span,
}

/// A name in the source text.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The name; empty for a temporary.
    pub name: Arc<str>,
    /// The declaration.
    pub span: Span,
    /// The text in which the name can be used: from the declaration to the end of its block or file.
    pub visible: Span,
}

/// Who owns a variable or object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// One instance in the whole run (globals and static locals).
    Global,
    /// One instance in each activation of the function.
    Local(FuncId),
}

/// A scalar variable.
#[derive(Clone, Debug)]
pub struct Var {
    /// Name and position.
    pub decl: Decl,
    /// Its type.
    pub ty: Type,
    /// Whose it is.
    pub scope: Scope,
    /// First value of a global: an expression of constants and addresses. Without one a global starts at zero. (A local has no value
    /// until an edge sets it.)
    pub init: Option<ExprId>,
}

/// A declared memory object.
#[derive(Clone, Debug)]
pub struct Object {
    /// Name and position.
    pub decl: Decl,
    /// Number of bytes.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// What lies where.
    pub shape: Shape,
    /// Whose it is. Global objects live from start to end, local ones from [`Action::Enter`](crate::Action::Enter) on.
    pub scope: Scope,
    /// Whether a write is undefined (string literals, `const` objects).
    pub read_only: bool,
    /// First contents of a global object; what is not mentioned is zero.
    pub init: Vec<Init>,
}

/// A piece of an object's first contents.
#[derive(Clone, Debug)]
pub enum Init {
    /// Bytes as they are.
    Bytes {
        /// Distance from the start.
        offset: u64,
        /// The bytes.
        bytes: Box<[u8]>,
    },
    /// A scalar.
    Scalar {
        /// Distance from the start.
        offset: u64,
        /// Its type, and its bits if it is a bit-field.
        access: Access,
        /// An expression of constants and addresses.
        value: ExprId,
    },
}

/// A place where a value comes in from outside. In a run an input event is named by the site and how often the site was passed before.
#[derive(Clone, Debug)]
pub struct InputSite {
    /// What kind of input it is.
    pub kind: InputKind,
    /// Type of the value; `None` for the bytes of an object.
    pub ty: Option<Type>,
    /// Function that it is in.
    pub function: FuncId,
    /// The call or declaration.
    pub span: Span,
}

/// Kinds of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputKind {
    /// A call of `__VERIFIER_nondet_*` with this name.
    Nondet(Arc<str>),
    /// A call of a function that has no body and is not of the C or POSIX library.
    UndefinedFunction(Arc<str>),
    /// An argument of the entry function, with its name.
    EntryArgument(Arc<str>),
    /// A local without an initialiser, with its name.
    Uninitialised(Arc<str>),
    /// The result of a function that ends without `return`.
    MissingReturn,
    /// In which order two operands are evaluated, where that is open and matters: 1 if the right one comes first.
    Order,
    /// Which thread goes on where another one may: 0 for the one that does (or, if it can't, the next one), else a
    /// thread's number plus 1, modulo the number of threads. A program with threads has one such site, others have
    /// none.
    Schedule,
    /// Whether a run remembers the state that it is in, to see that it comes back: 1 if so.
    Remember,
    /// What other threads leave in memory, or of a thread's knowledge, and whether a run goes on as another thread, where
    /// threads are looked at one at a time ([`alone`](crate::alone)).
    Others,
    /// What a function without a body (none: whoever defines what the program only declares) leaves behind, beside its result.
    Outside {
        /// The function that is called.
        function: Option<Arc<str>>,
        /// What gets the value. One part has up to two sites: a number that says whether it changes, and bytes.
        part: Part,
    },
    /// What a function of the library reads: standard input, the environment, with a word for it.
    Read(Arc<str>),
}

/// What a call of a function without a body may change.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// The value of a global variable.
    Variable(Arc<str>),
    /// A global variable that is a pointer: what becomes of it ([`Part::KEPT`], [`Part::NULL`], otherwise it points to
    /// a new object), and the bytes of that object.
    Pointer(Arc<str>),
    /// A piece of a global object: whether it changes, and its bytes.
    Object {
        /// The object.
        name: Arc<str>,
        /// Where the piece begins.
        offset: u64,
    },
    /// A piece of what an argument points to: whether it changes, and its bytes.
    Pointee {
        /// The number of the argument, from 0.
        index: usize,
        /// Where the piece begins.
        offset: u64,
    },
    /// A piece of what an argument of an earlier call points to: whether it changes, and its bytes.
    Kept {
        /// The function that got the pointer.
        function: Arc<str>,
        /// The number of the argument, from 0.
        index: usize,
        /// Where the piece begins.
        offset: u64,
    },
    /// The object that the result points to: its bytes.
    Result,
    /// An object that a pointer points to which came as a number: its bytes. Each passage of the site is the next object.
    Other,
    /// A pointer argument of the entry function: whether it points to an object, and the bytes of that object.
    Argument(Arc<str>),
}

impl Part {
    /// The pointer stays what it was.
    pub const KEPT: u128 = 0;
    /// The pointer is null.
    pub const NULL: u128 = 1;
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Variable(name) | Part::Pointer(name) => write!(f, "`{name}`"),
            Part::Object { name, offset } => write!(f, "`{name}` from byte {offset} on"),
            Part::Pointee { index, offset } => {
                let number = index + 1;
                write!(f, "what argument {number} points to, from byte {offset} on")
            }
            Part::Kept {
                function,
                index,
                offset,
            } => {
                let number = index + 1;
                write!(
                    f,
                    "what argument {number} of {function}() points to, from byte {offset} on"
                )
            }
            Part::Result => f.write_str("what the result points to"),
            Part::Other => f.write_str("an object that others made"),
            Part::Argument(name) => write!(f, "argument `{name}`"),
        }
    }
}

impl InputKind {
    /// What the input is, in words.
    pub fn describe(&self) -> String {
        match self {
            InputKind::Nondet(name) | InputKind::UndefinedFunction(name) => format!("{name}()"),
            InputKind::EntryArgument(name) => format!("argument `{name}`"),
            InputKind::Uninitialised(name) => format!("uninitialised `{name}`"),
            InputKind::MissingReturn => "missing return value".to_owned(),
            InputKind::Order => "order of evaluation (1: right to left)".to_owned(),
            InputKind::Schedule => {
                "schedule (0: no switch, else the thread's number plus 1)".to_owned()
            }
            InputKind::Others => "what other threads do".to_owned(),
            InputKind::Remember => "the state that comes back is this one (1: yes)".to_owned(),
            InputKind::Read(what) => what.to_string(),
            InputKind::Outside {
                part: part @ Part::Argument(_),
                ..
            } => format!("{part} is not null"),
            InputKind::Outside { function, part } => match function {
                Some(function) => format!("{part} after {function}()"),
                None => format!("{part} from outside"),
            },
        }
    }
}

/// Something that must not be reached.
#[derive(Clone, Debug)]
pub struct Target {
    /// What it is.
    pub kind: TargetKind,
    /// The call, or the function's definition for one that is called through a pointer.
    pub span: Span,
    /// Function in which it lies.
    pub function: FuncId,
    /// The location. (Passes copy and remove locations: then it is the first one left of the kind
    /// [`LocKind::Target`](crate::LocKind::Target), if any is.)
    pub location: LocId,
}

/// Kinds of target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TargetKind {
    /// A call of this function.
    Call(Arc<str>),
    /// An assertion that doesn't hold.
    Assertion,
    /// A label of this name.
    Label(Arc<str>),
    /// Undefined behaviour of this kind, where somebody asked for it.
    Undefined(UbKind),
    /// Memory of the heap that should not be there any more.
    Leak(Leak),
    /// What threads do to each other.
    Thread(ThreadFault),
    /// What shows that a run has no end, or that nothing is known of that.
    Endless(Endless),
    /// Something that a test is wanted for, in words.
    Goal(Arc<str>),
}

impl TargetKind {
    /// Whether it is a check for undefined behaviour, lost memory or what threads do to each other: nothing that the
    /// text says must not be reached.
    pub fn is_check(&self) -> bool {
        match self {
            TargetKind::Undefined(_)
            | TargetKind::Leak(_)
            | TargetKind::Thread(_)
            | TargetKind::Endless(_) => true,
            TargetKind::Call(_)
            | TargetKind::Assertion
            | TargetKind::Label(_)
            | TargetKind::Goal(_) => false,
        }
    }
}

impl fmt::Display for TargetKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetKind::Call(function) => write!(f, "call of {function}"),
            TargetKind::Assertion => f.write_str("assertion"),
            TargetKind::Label(label) => write!(f, "label {label}"),
            TargetKind::Undefined(kind) => f.write_str(kind.describe()),
            TargetKind::Leak(leak) => f.write_str(leak.describe()),
            TargetKind::Thread(fault) => f.write_str(fault.describe()),
            TargetKind::Endless(endless) => f.write_str(endless.describe()),
            TargetKind::Goal(goal) => f.write_str(goal),
        }
    }
}

/// Something that is valid C and that we don't handle.
#[derive(Clone, Debug)]
pub struct Unsupported {
    /// What, in a few words.
    pub what: String,
    /// Where.
    pub span: Span,
}

/// A step whose effect is over-approximated.
#[derive(Clone, Debug)]
pub struct Approximation {
    /// What, in a few words.
    pub what: String,
    /// Where.
    pub span: Span,
}

impl Program {
    /// Whether a function can be called with arguments of these types, for a result of this type. A call that it doesn't take is undefined.
    pub fn takes(
        &self,
        function: FuncId,
        args: impl ExactSizeIterator<Item = Type>,
        result: Option<Type>,
    ) -> bool {
        let callee = &self.functions[function];
        let is_enough = match callee.variadic {
            true => args.len() >= callee.params.len(),
            false => args.len() == callee.params.len(),
        };
        let mut pairs = callee.params.iter().zip(args);
        is_enough
            && pairs.all(|(&param, arg)| self.vars[param].ty == arg)
            && (result.is_none() || result == callee.result)
    }

    /// A program without anything in it.
    pub fn empty(data_model: DataModel, sources: Arc<SourceMap>) -> Program {
        Program {
            data_model,
            sources,
            functions: IndexVec::new(),
            start: FuncId::from_raw(0),
            vars: IndexVec::new(),
            objects: IndexVec::new(),
            exprs: Exprs::default(),
            inputs: IndexVec::new(),
            targets: IndexVec::new(),
            unsupported: IndexVec::new(),
            approximations: IndexVec::new(),
            outside: Outside::default(),
            words: FxHashMap::default(),
        }
    }

    /// The function of that name.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.position(|function| &*function.name == name)
    }

    /// Whether an input is the result of a function that gives a pointer: the value only says whether it is null.
    pub fn gives_pointer(&self, kind: &InputKind) -> bool {
        let InputKind::UndefinedFunction(name) = kind else {
            return false;
        };
        let mut functions = self.outside.functions.iter();
        functions.any(|known| known.name == *name && known.result == Some(Type::Ptr))
    }

    /// The site of the contents of objects that others made, if there may be pointers to such.
    pub fn others(&self) -> Option<InputSiteId> {
        let is_other = |kind: &InputKind| {
            let part = &Part::Other;
            matches!(kind, InputKind::Outside { part: found, .. } if found == part)
        };
        self.inputs.position(|site| is_other(&site.kind))
    }

    /// The site of the choices between threads, if the program has threads.
    pub fn schedule(&self) -> Option<InputSiteId> {
        self.inputs
            .position(|site| site.kind == InputKind::Schedule)
    }

    /// Whether a call may change the direction in which floating-point arithmetic rounds. If none does, it is always to nearest.
    pub fn sets_rounding(&self) -> bool {
        let mut edges = self
            .functions
            .iter()
            .flat_map(|function| &function.cfa.edges);
        edges.any(|edge| {
            matches!(
                edge.action,
                Action::Call {
                    callee: Callee::Builtin(Builtin::SetRounding),
                    ..
                }
            )
        })
    }
}
