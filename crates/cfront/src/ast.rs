//! The syntax tree: what stands in the text, before any meaning is given to it.
//!
//! Expressions and statements live in an arena ([`Ast`]) that holds one external declaration at a time, so that a large file costs
//! no more memory than its largest function, and dropping a deep tree needs no recursion.

use index_vec::IndexVec;
use rhumb_program::Span;

use crate::ctypes::{FloatKind, IntKind};
use crate::intern::Symbol;

index_vec::define_index_type! {
    /// An expression of the [`Ast`].
    pub(crate) struct ExprId = u32;
}
index_vec::define_index_type! {
    /// A statement of the [`Ast`].
    pub(crate) struct StmtId = u32;
}

/// The nodes of one external declaration.
#[derive(Debug, Default)]
pub(crate) struct Ast {
    pub(crate) exprs: IndexVec<ExprId, Expr>,
    pub(crate) stmts: IndexVec<StmtId, Stmt>,
}

#[derive(Debug)]
pub(crate) enum ExternalDecl {
    Function(FunctionDef),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// `asm("...");` at file level: its template, where it has one.
    Asm(Option<ExprId>, Span),
}

#[derive(Debug)]
pub(crate) struct FunctionDef {
    pub(crate) specs: DeclSpecs,
    /// Its last derivation that is a `Function` closest to the name has the parameters.
    pub(crate) declarator: Declarator,
    /// Parameter declarations in the style of K&R, between declarator and body.
    pub(crate) kr_params: Vec<Declaration>,
    /// A `Block`.
    pub(crate) body: StmtId,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Declaration {
    pub(crate) specs: DeclSpecs,
    pub(crate) declarators: Vec<InitDeclarator>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct StaticAssert {
    pub(crate) cond: ExprId,
    pub(crate) message: Option<ExprId>,
    /// Whether it is `static_assert` without a declaration, which is a function to some tools.
    pub(crate) is_bare: bool,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct InitDeclarator {
    pub(crate) declarator: Declarator,
    pub(crate) init: Option<Init>,
    pub(crate) attrs: Vec<Attribute>,
    /// `asm("name")`: what the linker calls it.
    pub(crate) label: Option<Symbol>,
}

#[derive(Debug)]
pub(crate) struct DeclSpecs {
    pub(crate) storage: Option<Storage>,
    pub(crate) thread_local: bool,
    pub(crate) inline: bool,
    pub(crate) noreturn: bool,
    pub(crate) quals: Quals,
    pub(crate) ty: TypeSpec,
    pub(crate) attrs: Vec<Attribute>,
    /// Operands of `_Alignas`.
    pub(crate) alignas: Vec<Alignas>,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Quals {
    pub(crate) is_const: bool,
    pub(crate) is_volatile: bool,
    pub(crate) is_restrict: bool,
    pub(crate) is_atomic: bool,
}

#[derive(Debug)]
pub(crate) enum Alignas {
    Expr(ExprId),
    Type(Box<TypeName>),
}

#[derive(Debug)]
pub(crate) enum TypeSpec {
    Basic(BasicType),
    Typedef(Symbol),
    Record(Box<RecordSpec>),
    Enum(Box<EnumSpec>),
    TypeofExpr(ExprId),
    TypeofType(Box<TypeName>),
    /// `__auto_type`.
    Auto,
    /// No type specifier at all: `int`, by the rules before C99 (the parser has warned or reported an error).
    ImplicitInt,
    /// A type that we know by name and don't handle (`_Complex double`, `_Decimal64`, `_BitInt(7)`, …).
    Unsupported(String),
}

/// Every legal combination of the basic type keywords.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BasicType {
    Void,
    Bool,
    Int(IntKind),
    Float(FloatKind),
}

#[derive(Debug)]
pub(crate) struct RecordSpec {
    pub(crate) is_union: bool,
    pub(crate) tag: Option<Symbol>,
    /// `None` where only the tag is named.
    pub(crate) members: Option<Vec<MemberDecl>>,
    /// The greatest alignment of members that `#pragma pack` allows.
    pub(crate) packing: Option<u64>,
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum MemberDecl {
    Field(FieldDecl),
    StaticAssert(StaticAssert),
}

#[derive(Debug)]
pub(crate) struct FieldDecl {
    pub(crate) specs: DeclSpecs,
    /// Empty for an anonymous struct or union.
    pub(crate) declarators: Vec<FieldDeclarator>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct FieldDeclarator {
    /// Without a name for an unnamed bit-field.
    pub(crate) declarator: Declarator,
    pub(crate) width: Option<ExprId>,
    pub(crate) attrs: Vec<Attribute>,
}

#[derive(Debug)]
pub(crate) struct EnumSpec {
    pub(crate) tag: Option<Symbol>,
    pub(crate) enumerators: Option<Vec<Enumerator>>,
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Enumerator {
    pub(crate) name: Symbol,
    pub(crate) value: Option<ExprId>,
    pub(crate) span: Span,
}

/// A declarator, flattened: `derived` is applied to the base type from first to last, so `int *a[3]` is `[Pointer, Array(3)]` (array of
/// pointers) and `int (*a)[3]` is `[Array(3), Pointer]`. The derivation next to the name is the last one.
#[derive(Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Option<Symbol>,
    pub(crate) derived: Vec<Derived>,
    /// The name, or where it would stand.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Derived {
    Pointer(Quals),
    Array(ArraySize),
    Function(FunctionDeclarator),
}

#[derive(Debug)]
pub(crate) enum ArraySize {
    Unspecified,
    /// `[*]` in a prototype.
    Star,
    Expr(ExprId),
}

#[derive(Debug)]
pub(crate) struct FunctionDeclarator {
    pub(crate) params: Vec<ParamDecl>,
    pub(crate) variadic: bool,
    /// `f()`: nothing is said about parameters (also set for a K&R identifier list). `f(void)` has no params and this unset.
    pub(crate) unspecified: bool,
    /// The identifier list of a K&R definition.
    pub(crate) kr_names: Vec<(Symbol, Span)>,
}

#[derive(Debug)]
pub(crate) struct ParamDecl {
    pub(crate) specs: DeclSpecs,
    pub(crate) declarator: Declarator,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct TypeName {
    pub(crate) specs: DeclSpecs,
    pub(crate) declarator: Declarator,
    pub(crate) span: Span,
}

/// `__attribute__((name(args)))`. Underscores around the name are stripped.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Symbol,
    /// The arguments, where they are expressions (`aligned(8)`, `mode(DI)`); empty otherwise.
    pub(crate) args: Vec<ExprId>,
    /// Its name.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum Init {
    Expr(ExprId),
    List(InitList),
}

#[derive(Debug)]
pub(crate) struct InitList {
    pub(crate) items: Vec<InitItem>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct InitItem {
    pub(crate) designators: Vec<Designator>,
    pub(crate) init: Init,
}

#[derive(Debug)]
pub(crate) enum Designator {
    Index(ExprId, Span),
    /// `[lo ... hi]`.
    Range(ExprId, ExprId, Span),
    Field(Symbol, Span),
}

#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum ExprKind {
    Ident(Symbol),
    Int(IntLiteral),
    /// The text of the number without its suffix, decimal or hexadecimal, and the suffix.
    Float(Symbol, FloatSuffix),
    /// The value as gcc computes it, in the type that the prefix says.
    Char(i64, Encoding),
    /// Adjacent literals joined, without the terminating zero.
    Str(StringLiteral),
    /// `__func__`, `__FUNCTION__`, `__PRETTY_FUNCTION__`.
    FunctionName,
    Call(ExprId, Vec<ExprId>),
    Index(ExprId, ExprId),
    /// `base.name`, or `base->name` with `arrow`.
    Member {
        base: ExprId,
        name: Symbol,
        arrow: bool,
        name_span: Span,
    },
    IncDec {
        arg: ExprId,
        increment: bool,
        prefix: bool,
    },
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `c ? a : b`; without `a` it is GNU's `c ?: b`.
    Cond(ExprId, Option<ExprId>, ExprId),
    /// `l = r`, or `l op= r`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    Comma(ExprId, ExprId),
    Cast(Box<TypeName>, ExprId),
    SizeofExpr(ExprId),
    SizeofType(Box<TypeName>),
    AlignofExpr(ExprId),
    /// `_Alignof(type)`: the least alignment that the type has anywhere.
    AlignofType(Box<TypeName>),
    /// GNU's `__alignof__(type)`: the alignment that the type has outside of records.
    PreferredAlignofType(Box<TypeName>),
    CompoundLiteral(Box<TypeName>, InitList),
    /// `({ ... })`: a `Block`.
    StmtExpr(StmtId),
    /// `_Generic`: controlling expression, associations (`None` is `default`).
    Generic(ExprId, Vec<(Option<TypeName>, ExprId)>),
    /// `__builtin_offsetof(type, member)`: the designator starts with a `Field`.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_va_arg(list, type)`.
    VaArg(ExprId, Box<TypeName>),
    /// `__builtin_types_compatible_p(a, b)`.
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpr(ExprId, ExprId, ExprId),
    /// `&&label`.
    LabelAddr(Symbol),
    /// `__extension__ e` is `e`. Things we know by name and don't handle (`__real__`, …).
    Unsupported(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IntLiteral {
    pub(crate) value: u128,
    /// Decimal constants take only signed types by default.
    pub(crate) decimal: bool,
    pub(crate) unsigned: bool,
    /// Number of `l` in the suffix.
    pub(crate) longs: u8,
}

impl IntLiteral {
    /// `0`.
    pub(crate) const ZERO: IntLiteral = IntLiteral {
        value: 0,
        decimal: true,
        unsigned: false,
        longs: 0,
    };
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FloatSuffix {
    None,
    F,
    L,
    /// `q`, `f128`.
    Q,
}

/// Prefix of a character constant or string literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// No prefix, or `u8`.
    Plain,
    /// `L`: `wchar_t` is `int`.
    Wide,
    /// `u`: 16 bits, unsigned.
    Utf16,
    /// `U`: 32 bits, unsigned.
    Utf32,
}

#[derive(Debug)]
pub(crate) struct StringLiteral {
    /// One unit per element of the array (bytes for a plain literal).
    pub(crate) units: Vec<u32>,
    pub(crate) encoding: Encoding,
}

impl StringLiteral {
    /// The characters, as far as they are any.
    pub(crate) fn text(&self) -> String {
        self.units
            .iter()
            .filter_map(|&unit| char::from_u32(unit))
            .collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnaryOp {
    AddrOf,
    Deref,
    Plus,
    Neg,
    BitNot,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogAnd,
    LogOr,
}

#[derive(Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum StmtKind {
    /// An expression statement, or `;`.
    Expr(Option<ExprId>),
    Declaration(Declaration),
    StaticAssert(StaticAssert),
    /// `{ ... }`. Opens a scope.
    Block(Vec<StmtId>),
    /// Several statements where the grammar wants one (`case 1: x = 2;` as a loop body): no scope of its own.
    Sequence(Vec<StmtId>),
    /// `if … else if … else …`, flat, so that a long chain isn't deep.
    If {
        arms: Vec<(ExprId, StmtId)>,
        otherwise: Option<StmtId>,
    },
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    For {
        /// An expression statement or a declaration.
        init: Option<StmtId>,
        cond: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch(ExprId, StmtId),
    /// `case lo:` or `case lo ... hi:`. Labels are statements of their own; what they label comes next in the block.
    Case(ExprId, Option<ExprId>),
    Default,
    Label(Symbol),
    /// `__label__ a, b;`.
    LocalLabels(Vec<Symbol>),
    Goto(Symbol),
    GotoComputed(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm(AsmStmt),
    /// Things we know by name and don't handle (nested functions, `asm goto`, …).
    Unsupported(String),
}

#[derive(Debug)]
pub(crate) struct AsmStmt {
    /// The string literal.
    pub(crate) template: ExprId,
    /// Whether the template holds no instruction, so that it only keeps the compiler from reordering.
    pub(crate) empty_template: bool,
    /// Whether it says what it reads and writes, be it nothing.
    pub(crate) has_operands: bool,
    /// Expressions written by the assembler text.
    pub(crate) outputs: Vec<ExprId>,
    /// Expressions read by it.
    pub(crate) inputs: Vec<ExprId>,
    /// Those of both that may be given to it by their addresses.
    pub(crate) in_memory: Vec<ExprId>,
    /// All of them as the text numbers them, with their constraints.
    pub(crate) operands: Vec<(ExprId, String)>,
    /// How many of those are outputs.
    pub(crate) output_count: usize,
}
