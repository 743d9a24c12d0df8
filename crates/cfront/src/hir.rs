//! The typed tree: names resolved, types known, every conversion explicit, constants folded where C wants a constant, initialisers flat.
//!
//! Semantic analysis makes it from the syntax tree; lowering makes automata from it. Here order of evaluation, short-circuit and
//! undefined behaviour are still implicit.
//!
//! An expression is a *place* (an lvalue: `Local`, `Global`, `Deref`, `Member`, `CompoundLiteral`) or a *value*. A
//! place becomes a value by `Load` (scalars and records), `Decay` (arrays) or `AddrOf`. A value of record type may be
//! the base of a `Member`, too (`f().x`).

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{Access, BinOp, Span};
use rustc_hash::FxHashSet;

use crate::ctypes::{QualType, RecordId, TypeId, TypeTable};

index_vec::define_index_type! {
    /// An expression of a [`Body`].
    pub(crate) struct ExprId = u32;
}
index_vec::define_index_type! {
    /// A local of a [`Body`].
    pub(crate) struct LocalId = u32;
}
index_vec::define_index_type! {
    /// A label of a [`Body`].
    pub(crate) struct LabelId = u32;
}
index_vec::define_index_type! {
    /// An object with static storage: a global, a static local, a string literal, a compound literal at file level.
    pub(crate) struct GlobalId = u32;
}
index_vec::define_index_type! {
    /// A function, with or without a body.
    pub(crate) struct FunctionId = u32;
}

/// A translation unit.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) types: TypeTable,
    pub(crate) globals: IndexVec<GlobalId, Global>,
    pub(crate) functions: IndexVec<FunctionId, Function>,
    /// Functions that run before the entry function, in order.
    pub(crate) constructors: Vec<FunctionId>,
    /// Functions that run when the program exits, in order.
    pub(crate) destructors: Vec<FunctionId>,
    /// Functions whose definition stands in for another one, or for none.
    pub(crate) modelled: Vec<FunctionId>,
    /// Conversions of values to pointers to functions, other than of null: from which type, to which.
    pub(crate) to_functions: FxHashSet<(TypeId, TypeId)>,
    /// What makes the whole program one that we don't handle.
    pub(crate) refusals: Vec<Refusal>,
}

/// Something that we don't handle, wherever a run goes.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) what: String,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Global {
    /// For a static local `function.name`; empty for literals.
    pub(crate) name: Arc<str>,
    pub(crate) ty: QualType,
    /// Whether `&` is applied to it anywhere (arrays and records lie in memory anyway).
    pub(crate) addr_taken: bool,
    /// Whether a write is undefined: a string literal, or a type that is `const` at the top (or an array of such).
    pub(crate) read_only: bool,
    /// Alignment in bytes where the declaration asks for one, by `_Alignas` or an attribute.
    pub(crate) align: Option<u64>,
    /// Alignment in bytes where a typedef in its type asks for one.
    pub(crate) type_align: Option<u64>,
    /// Marked `__attribute__((weak))`: without a definition it may have no address.
    pub(crate) weak: bool,
    /// Whether each thread has an own one.
    pub(crate) thread_local: bool,
    /// Whether other files can name it.
    pub(crate) external: bool,
    /// `None` for a declaration (`extern`) that no definition follows. Pieces for a flexible array member lie behind the type's size.
    pub(crate) init: Option<Vec<StaticInit>>,
    pub(crate) span: Span,
    pub(crate) visible: Span,
}

/// A piece of the first contents of a global. What is not mentioned is zero.
#[derive(Debug)]
pub(crate) enum StaticInit {
    Scalar {
        offset: u64,
        access: Access,
        value: ConstValue,
    },
    Bytes {
        offset: u64,
        bytes: Box<[u8]>,
    },
}

/// A constant as an initialiser of a global wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConstValue {
    /// Bits of a scalar of the access's type.
    Bits(u128),
    /// Address of a global plus an offset in bytes.
    Global(GlobalId, i64),
    /// Address of a function.
    Function(FunctionId),
}

#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    /// A `CType::Function`.
    pub(crate) ty: TypeId,
    /// Marked `_Noreturn` or `__attribute__((noreturn))`.
    pub(crate) noreturn: bool,
    /// Marked `__attribute__((returns_nonnull))`.
    pub(crate) returns_nonnull: bool,
    /// As for a [`Global`].
    pub(crate) weak: bool,
    /// Whether other files can name it.
    pub(crate) external: bool,
    /// Marked `__attribute__((pure))` or `((const))`: a call only gives a value.
    pub(crate) pure: bool,
    /// Used other than by a direct call.
    pub(crate) addr_taken: bool,
    pub(crate) body: Option<Body>,
    /// The definition, or the first declaration.
    pub(crate) span: Span,
}

impl Function {
    /// A function of which nothing is known but its type.
    pub(crate) fn declared(name: Arc<str>, ty: TypeId, span: Span) -> Function {
        Function {
            name,
            ty,
            noreturn: false,
            returns_nonnull: false,
            weak: false,
            external: true,
            pure: false,
            addr_taken: false,
            body: None,
            span,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Body {
    /// The parameters come first, in order.
    pub(crate) locals: IndexVec<LocalId, Local>,
    pub(crate) param_count: usize,
    pub(crate) exprs: IndexVec<ExprId, Expr>,
    pub(crate) labels: IndexVec<LabelId, Label>,
    pub(crate) block: Block,
    /// The closing brace.
    pub(crate) end: Span,
}

#[derive(Debug)]
pub(crate) struct Local {
    /// Empty for a parameter without a name and for what the front end makes itself.
    pub(crate) name: Arc<str>,
    pub(crate) ty: QualType,
    pub(crate) addr_taken: bool,
    /// As for a [`Global`].
    pub(crate) align: Option<u64>,
    /// As for a [`Global`].
    pub(crate) type_align: Option<u64>,
    pub(crate) span: Span,
    pub(crate) visible: Span,
}

#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) name: Arc<str>,
    /// What stands for it where its address is taken.
    pub(crate) address: Option<GlobalId>,
    /// Computed jumps, by their number, that must not lead to it.
    pub(crate) barred: Vec<u32>,
    pub(crate) span: Span,
}

#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) stmts: Vec<Stmt>,
    /// From brace to brace.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

/// The parts of a `for` statement.
#[derive(Debug)]
pub(crate) struct ForLoop {
    pub(crate) init: Vec<Stmt>,
    pub(crate) cond: Option<ExprId>,
    pub(crate) step: Option<ExprId>,
    pub(crate) body: Box<Stmt>,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    /// Evaluates for effect.
    Expr(ExprId),
    /// The declaration of a local that is not static. Its lifetime ends with the enclosing block.
    /// (Locals without a declaration are temporaries of the front end and are always assigned before they are read.)
    Declare {
        local: LocalId,
        init: LocalInit,
    },
    /// Opens a scope.
    Block(Block),
    /// Opens no scope.
    Sequence(Vec<Stmt>),
    If {
        arms: Vec<(ExprId, Stmt)>,
        otherwise: Option<Box<Stmt>>,
    },
    While {
        cond: ExprId,
        body: Box<Stmt>,
    },
    DoWhile {
        body: Box<Stmt>,
        cond: ExprId,
    },
    /// A scope around `init`, the rest, and the body.
    For(ForLoop),
    /// `value` has a promoted integer type.
    Switch {
        value: ExprId,
        body: Box<Stmt>,
    },
    /// A label of the innermost `switch`: bit patterns in the type of its value, `lo` <= `hi` in that type's order.
    Case {
        lo: u128,
        hi: u128,
    },
    Default,
    Label(LabelId),
    Goto(LabelId),
    /// To the label whose address the pointer is. The number tells apart jumps that may lead to different labels.
    GotoComputed {
        target: ExprId,
        number: u32,
    },
    Break,
    Continue,
    /// The value is converted to the function's result type.
    Return(Option<ExprId>),
    /// Something that we don't handle; named.
    Unsupported(String),
}

#[derive(Debug)]
pub(crate) enum LocalInit {
    /// No initialiser: an input event.
    None,
    /// No initialiser for a variable-length array: `size` is its size in bytes (an expression of type `size_t`).
    Variable { size: ExprId },
    /// Zero everywhere, then the pieces in order.
    Pieces(Vec<InitPiece>),
}

/// A piece of an initialiser of a local.
#[derive(Debug)]
pub(crate) enum InitPiece {
    Scalar {
        offset: u64,
        access: Access,
        /// Of the access's type.
        value: ExprId,
    },
    Bytes {
        offset: u64,
        bytes: Box<[u8]>,
    },
    /// A record-typed value.
    Record {
        offset: u64,
        value: ExprId,
    },
    /// Evaluates and sets nothing: a value without a byte, or one that later pieces use.
    Effect(ExprId),
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    /// For a place the type of what lies there.
    pub(crate) ty: TypeId,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    // Places.
    Local(LocalId),
    Global(GlobalId),
    /// What a pointer points to.
    Deref(ExprId),
    /// A member of a place or of a record-typed value; `field` counts the fields of the record's layout.
    Member {
        base: ExprId,
        record: RecordId,
        field: u32,
    },
    /// `(type){…}` in a function: initialises the local each time it is evaluated, and is the local.
    CompoundLiteral {
        local: LocalId,
        init: Box<LocalInit>,
    },

    // Values.
    /// Bits of a scalar of the expression's type. (A pointer with bits is an address; 0 is null.)
    Const(u128),
    /// The value in a place (scalar or record).
    Load(ExprId),
    /// Pointer to the first element of an array place.
    Decay(ExprId),
    /// Pointer to a place. (Also to a place of array type.)
    AddrOf(ExprId),
    /// Pointer to a function.
    Function(FunctionId),
    /// Scalar to scalar. To `_Bool`: compared with zero.
    Convert(ExprId),
    /// Evaluates and drops the value. Type `void`.
    Discard(ExprId),
    /// The argument has the expression's type.
    Unary(UnaryOp, ExprId),
    /// Both operands have the expression's type, but the right operand of a shift has its own.
    Binary(BinaryOp, ExprId, ExprId),
    /// Operands of one type (integer, float, pointer); the result is an `int`.
    Compare(CompareOp, ExprId, ExprId),
    /// `int`, of any scalar.
    LogNot(ExprId),
    /// `int`, of any scalars.
    LogAnd(ExprId, ExprId),
    /// `int`, of any scalars.
    LogOr(ExprId, ExprId),
    /// Condition: any scalar. Both branches have the expression's type (which may be `void` or a record).
    Cond(ExprId, ExprId, ExprId),
    /// Pointer plus (or minus) integer, which is of pointer width; `element_size` is an expression of type `size_t`.
    PtrAdd {
        ptr: ExprId,
        index: ExprId,
        element_size: ExprId,
        subtract: bool,
    },
    /// Difference in elements: `ptrdiff_t`.
    PtrDiff {
        lhs: ExprId,
        rhs: ExprId,
        element_size: ExprId,
    },
    /// The value has the place's type. The result is the new value of the place (for a bit-field: as read back).
    Assign {
        place: ExprId,
        value: ExprId,
    },
    /// `op=`, `++`, `--`: the place is evaluated once.
    Update(Update),
    Comma(ExprId, ExprId),
    Call {
        callee: Callee,
        /// Converted to the parameters' types, or promoted.
        args: Vec<ExprId>,
    },
    /// `({ … })`: the value is that of `result`, which is evaluated in the block's scope after its statements.
    StmtExpr {
        block: Box<Block>,
        result: Option<ExprId>,
    },
    /// An operation that has no function.
    Intrinsic(Intrinsic, Vec<ExprId>),
    /// Something that we don't handle; named. Of any type.
    Unsupported(String),
}

#[derive(Debug)]
pub(crate) struct Update {
    pub(crate) place: ExprId,
    pub(crate) op: UpdateOp,
    /// For arithmetic: of type `compute` (shifts: its own promoted type). For pointers: an integer of pointer width.
    pub(crate) rhs: ExprId,
    /// The type in which the operation is done: the place's value is converted to it and the result is converted back.
    pub(crate) compute: TypeId,
    /// Whether the result is the old value (postfix operators) or the new one.
    pub(crate) old: bool,
    /// Whether reading and writing the place is one step, after all else.
    pub(crate) atomic: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum UpdateOp {
    Binary(BinaryOp),
    /// Pointer arithmetic; `element_size` is an expression of type `size_t`.
    PtrAdd {
        element_size: ExprId,
        subtract: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    Function(FunctionId),
    /// A value of type pointer to function.
    Pointer(ExprId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnaryOp {
    Neg,
    BitNot,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
}

impl BinaryOp {
    /// The operator of the model.
    pub(crate) fn of_model(self) -> BinOp {
        match self {
            BinaryOp::Add => BinOp::Add,
            BinaryOp::Sub => BinOp::Sub,
            BinaryOp::Mul => BinOp::Mul,
            BinaryOp::Div => BinOp::Div,
            BinaryOp::Rem => BinOp::Rem,
            BinaryOp::Shl => BinOp::Shl,
            BinaryOp::Shr => BinOp::Shr,
            BinaryOp::And => BinOp::And,
            BinaryOp::Or => BinOp::Or,
            BinaryOp::Xor => BinOp::Xor,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// Operations that gcc provides and C has no operator for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Intrinsic {
    /// `__builtin_unreachable()`.
    Unreachable,
    /// `__builtin_trap()`: ends the run as `abort` does.
    Trap,
    /// `__builtin_{add,sub,mul}_overflow(a, b, p)`: args `a`, `b` (each of its own integer type) and `p` (pointer to
    /// the integer type `result`). Stores the wrapped exact result, gives whether it didn't fit, as `_Bool`. Without
    /// `p` nothing is stored.
    CheckedArith(BinaryOp, TypeId),
    /// `__builtin_popcount`, `clz`, `ctz`, `ffs`, `parity`, of an unsigned argument (for `ffs` too); the result is an `int`.
    PopCount,
    /// Leading zeros; of zero: undefined.
    CountLeadingZeros,
    /// Trailing zeros; of zero: undefined.
    CountTrailingZeros,
    /// One plus the index of the least set bit, or 0.
    FindFirstSet,
    /// Number of set bits modulo 2.
    Parity,
    /// Bytes in reverse order; the argument has the expression's (unsigned) type.
    ByteSwap,
    /// Evaluates its operands in any order, as arguments of a call. Type `void`.
    Together,
    /// From here on no other thread goes on. Type `void`, no operands.
    AtomicBegin,
    /// Others go on again.
    AtomicEnd,
    /// A value that the language leaves to the compiler; what it is, in words.
    Open(&'static str),
    /// `alloca(size)`.
    Alloca,
    /// `va_start`: args a pointer to the list.
    VaStart,
    /// `va_copy`: args pointers to two lists.
    VaCopy,
    /// `va_arg`: args a pointer to the list; the expression's type is that of the argument.
    VaArg,
}

impl Expr {
    /// Calls `visit` on the operands, in order of evaluation. The statements of a statement expression are not among them.
    pub(crate) fn for_each_operand(&self, visit: &mut dyn FnMut(ExprId)) {
        match &self.kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::Const(_)
            | ExprKind::Function(_)
            | ExprKind::Unsupported(_) => {}
            ExprKind::Deref(arg)
            | ExprKind::Load(arg)
            | ExprKind::Decay(arg)
            | ExprKind::AddrOf(arg)
            | ExprKind::Convert(arg)
            | ExprKind::Discard(arg)
            | ExprKind::Unary(_, arg)
            | ExprKind::LogNot(arg)
            | ExprKind::Member { base: arg, .. } => visit(*arg),
            ExprKind::Binary(_, lhs, rhs)
            | ExprKind::Compare(_, lhs, rhs)
            | ExprKind::LogAnd(lhs, rhs)
            | ExprKind::LogOr(lhs, rhs)
            | ExprKind::Comma(lhs, rhs)
            | ExprKind::Assign {
                place: lhs,
                value: rhs,
            } => [*lhs, *rhs].into_iter().for_each(visit),
            ExprKind::Cond(cond, first, second) => {
                [*cond, *first, *second].into_iter().for_each(visit);
            }
            ExprKind::PtrAdd {
                ptr: lhs,
                index: rhs,
                element_size,
                ..
            }
            | ExprKind::PtrDiff {
                lhs,
                rhs,
                element_size,
            } => [*lhs, *rhs, *element_size].into_iter().for_each(visit),
            ExprKind::Update(update) => {
                visit(update.place);
                visit(update.rhs);
                if let UpdateOp::PtrAdd { element_size, .. } = update.op {
                    visit(element_size);
                }
            }
            ExprKind::Call { callee, args } => {
                if let Callee::Pointer(ptr) = callee {
                    visit(*ptr);
                }
                args.iter().copied().for_each(visit);
            }
            ExprKind::Intrinsic(_, args) => args.iter().copied().for_each(visit),
            ExprKind::CompoundLiteral { init, .. } => init.for_each_expr(visit),
            ExprKind::StmtExpr { result, .. } => result.iter().copied().for_each(visit),
        }
    }
}

impl LocalInit {
    /// Calls `visit` on the expressions of an initialiser, in order of evaluation.
    pub(crate) fn for_each_expr(&self, visit: &mut dyn FnMut(ExprId)) {
        match self {
            LocalInit::None => {}
            LocalInit::Variable { size } => visit(*size),
            LocalInit::Pieces(pieces) => {
                for piece in pieces {
                    match piece {
                        InitPiece::Scalar { value, .. }
                        | InitPiece::Record { value, .. }
                        | InitPiece::Effect(value) => visit(*value),
                        InitPiece::Bytes { .. } => {}
                    }
                }
            }
        }
    }
}
