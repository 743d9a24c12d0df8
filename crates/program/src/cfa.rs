//! Control-flow automata: locations, and edges with one action each.

use std::sync::Arc;

use index_vec::IndexVec;

use crate::builtin::Builtin;
use crate::ids::{
    ApproxId, EdgeId, ExprId, FuncId, InputSiteId, LocId, ObjectId, TargetId, UnsupportedId, VarId,
};
use crate::span::Span;
use crate::types::Access;

/// The automaton of one function.
///
/// Shape that [`Program::validate`](crate::Program::validate) checks: a location has no outgoing edge (a sink), one
/// edge whose action is not an assumption, or exactly two that assume one condition with both outcomes. So execution is
/// deterministic up to inputs.
#[derive(Clone, Debug)]
pub struct Cfa {
    /// Where execution begins. No edge leads back to it.
    pub entry: LocId,
    /// Where `return` edges lead. A sink.
    pub exit: LocId,
    /// The locations.
    pub locations: IndexVec<LocId, Location>,
    /// The edges.
    pub edges: IndexVec<EdgeId, Edge>,
}

/// A location: a point between two actions.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// What it stands for.
    pub kind: LocKind,
    /// For the head of a `for`, `while` or `do` loop: the span of the whole statement. (Loops made of `goto` have no mark: loop heads that
    /// an analysis relies on are found in the graph.)
    pub loop_statement: Option<Span>,
    /// Outgoing edges; for a branch the edge that assumes the condition to hold comes first.
    pub outgoing: Vec<EdgeId>,
}

/// What a location stands for. All but `Plain` are sinks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LocKind {
    /// An ordinary point.
    #[default]
    Plain,
    /// The function's exit.
    Exit,
    /// One of the program's targets.
    Target(TargetId),
    /// Undefined behaviour: for a reachability question the run ends here.
    Ub(UbKind),
    /// The run ends as C says.
    End(EndKind),
    /// Something that the model can't express: reaching it means that nothing is known.
    Unsupported(UnsupportedId),
    /// Cut off by a pass: nothing that was asked for can be reached from here. Never in a program as lowered.
    Pruned,
}

impl LocKind {
    /// Whether a proof has to show that it is not reached: a target, or something that the model can't express.
    pub fn is_bad(self) -> bool {
        matches!(self, LocKind::Target(_) | LocKind::Unsupported(_))
    }
}

/// Kinds of undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum UbKind {
    /// A signed result that doesn't fit its type.
    SignedOverflow,
    /// Division or remainder by zero.
    DivisionByZero,
    /// A shift by a negative amount or by at least the width.
    BadShift,
    /// A left shift of a negative number, or of one whose bits get into the sign or beyond. gcc defines the result, so a run ends there
    /// only if somebody asks for it.
    BadShifted,
    /// A floating-point value that doesn't fit the integer type it is converted to.
    FloatToInt,
    /// A read outside a live object.
    BadRead,
    /// A write outside a live object, or to a read-only one.
    BadWrite,
    /// `free` of something that `malloc` didn't give or that was freed before.
    BadFree,
    /// A call through a pointer that is no function, or one with other parameters; a computed jump to what is no label.
    BadCall,
    /// A variable-length array whose size is not positive.
    BadArraySize,
    /// `__builtin_unreachable()`.
    Unreachable,
    /// A variable is changed and accessed in no order.
    Unsequenced,
    /// A `_Bool` that is neither 0 nor 1 is read.
    BadBool,
}

impl UbKind {
    /// All of them.
    pub const ALL: [UbKind; 13] = [
        UbKind::SignedOverflow,
        UbKind::DivisionByZero,
        UbKind::BadShift,
        UbKind::BadShifted,
        UbKind::FloatToInt,
        UbKind::BadRead,
        UbKind::BadWrite,
        UbKind::BadFree,
        UbKind::BadCall,
        UbKind::BadArraySize,
        UbKind::Unreachable,
        UbKind::Unsequenced,
        UbKind::BadBool,
    ];

    /// What it is, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            UbKind::SignedOverflow => "signed overflow",
            UbKind::DivisionByZero => "division by zero",
            UbKind::BadShift => "bad shift",
            UbKind::BadShifted => "left shift into the sign",
            UbKind::FloatToInt => "conversion of a float out of range",
            UbKind::BadRead => "bad read",
            UbKind::BadWrite => "bad write",
            UbKind::BadFree => "bad free",
            UbKind::BadCall => "bad call",
            UbKind::BadArraySize => "bad array size",
            UbKind::Unreachable => "unreachable",
            UbKind::Unsequenced => "unsequenced",
            UbKind::BadBool => "bad truth value",
        }
    }
}

/// How a run ends without an error.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum EndKind {
    /// `exit`, or the entry function returned.
    Exit,
    /// `abort`, or an assertion that failed and is no target.
    Abort,
    /// An assumption (`__VERIFIER_assume`) that doesn't hold.
    AssumptionFailed,
    /// The one thread that there is waits for another one.
    WaitsForever,
}

/// An edge: one action between two locations.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: LocId,
    /// Where it leads.
    pub target: LocId,
    /// What it does.
    pub action: Action,
    /// The part of the source text that it comes from.
    pub span: Span,
    /// What of the text it stands for, where the front end was asked to say that. No meaning depends on it, and passes drop it.
    pub mark: Option<Box<Mark>>,
}

/// What of the source text an edge stands for, for those who want to know which parts of it a run passes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// The last step of a decision, with the text of the decision and how it goes.
    pub decision: Option<(Span, Choice)>,
    /// The decision of which the assumption is a condition: an operand of it that has no further ones.
    pub condition_of: Option<Span>,
    /// The label that is passed.
    pub label: Option<Arc<str>>,
    /// Whether it is a statement that does nothing but to go elsewhere.
    pub is_jump: bool,
    /// The function whose call comes next.
    pub call: Option<Arc<str>>,
}

/// How a decision goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Choice {
    /// The condition holds.
    True,
    /// It doesn't.
    False,
    /// The value is that of a `case`.
    Case,
    /// The value is that of no `case`.
    Default,
}

/// What an edge does.
///
/// An action whose precondition fails (a load outside an object, say) has no successor. The front end puts a check before each such action,
/// a branch to a location of kind [`LocKind::Ub`], unless the check can't fail.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Nothing.
    Skip,
    /// Goes on only if the `Bool` condition has this outcome.
    Assume {
        /// The condition.
        cond: ExprId,
        /// The outcome.
        holds: bool,
    },
    /// Assigns to a variable of the expression's type.
    Assign {
        /// The variable.
        dst: VarId,
        /// Its new value.
        value: ExprId,
    },
    /// The variable gets a value from outside.
    Input {
        /// The variable.
        dst: VarId,
        /// Which input.
        site: InputSiteId,
    },
    /// Bytes in memory get values from outside (contents that the program didn't initialise).
    InputBytes {
        /// Address of the first byte.
        ptr: ExprId,
        /// Number of bytes: unsigned, as wide as a pointer.
        size: ExprId,
        /// Which input; each event takes `size` bytes.
        site: InputSiteId,
    },
    /// The variable gets some value that the model doesn't define. No counterexample may rest on it.
    Approximate {
        /// The variable, if the value is wanted.
        dst: Option<VarId>,
        /// What is approximated.
        what: ApproxId,
    },
    /// Reads memory.
    Load {
        /// Variable of the access's type.
        dst: VarId,
        /// Address of the first byte touched.
        ptr: ExprId,
        /// What is read.
        access: Access,
    },
    /// Writes memory.
    Store {
        /// Address of the first byte touched.
        ptr: ExprId,
        /// The value, of the access's type.
        value: ExprId,
        /// What is written.
        access: Access,
    },
    /// Copies bytes; the ranges may overlap (`memmove`).
    Copy {
        /// To here.
        dst: ExprId,
        /// From here.
        src: ExprId,
        /// Number of bytes: unsigned, as wide as a pointer.
        size: ExprId,
    },
    /// Sets bytes (`memset`).
    Fill {
        /// From here on.
        dst: ExprId,
        /// The value of each byte: an integer, of which the low 8 bits count.
        byte: ExprId,
        /// Number of bytes: unsigned, as wide as a pointer.
        size: ExprId,
    },
    /// The lifetime of a local object begins; an earlier instance of it in this activation ends. Its bytes are 0 until written.
    /// (Indeterminate contents are an [`Action::InputBytes`] that follows.)
    Enter(ObjectId),
    /// The lifetime of a local object ends; nothing happens if it is not alive. At a function's exit all of its objects end without
    /// this.
    Leave(ObjectId),
    /// A new object of the given size; never fails.
    Alloc {
        /// A pointer variable.
        dst: VarId,
        /// Number of bytes: unsigned, as wide as a pointer.
        size: ExprId,
        /// Where it lives. Its bytes are 0 until written; indeterminate contents are an [`Action::InputBytes`] that follows.
        kind: AllocKind,
    },
    /// Ends the object that a [`Action::Alloc`] made. Null does nothing.
    Free {
        /// Pointer to its start.
        ptr: ExprId,
        /// As in `Alloc`.
        kind: AllocKind,
    },
    /// Calls a function; execution goes on at the edge's target when it returns.
    Call {
        /// Variable for the result.
        dst: Option<VarId>,
        /// What is called.
        callee: Callee,
        /// One argument for each parameter, of the parameter's type; more for a variadic function.
        args: Box<[ExprId]>,
    },
    /// Leaves the function. The edge leads to the exit.
    Return {
        /// The result.
        value: Option<ExprId>,
    },
    /// Ends the run with this status (an `int`). The edge leads to a location of kind `End(Exit)`.
    Exit {
        /// The status.
        code: ExprId,
    },
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Callee {
    /// A function of the program.
    Function(FuncId),
    /// A library function that the interpreter knows by itself.
    Builtin(Builtin),
    /// What a pointer points to.
    Pointer(ExprId),
}

/// Where an allocated object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AllocKind {
    /// Until it is freed.
    Heap,
    /// Until it is freed or its function returns (`alloca`, variable-length arrays).
    Stack,
}

impl Cfa {
    /// An automaton with an entry and an exit and nothing between.
    pub fn new() -> Cfa {
        let mut locations = IndexVec::new();
        let entry = locations.push(Location::default());
        let exit = locations.push(Location {
            kind: LocKind::Exit,
            ..Location::default()
        });
        Cfa {
            entry,
            exit,
            locations,
            edges: IndexVec::new(),
        }
    }

    /// Adds a location.
    pub fn add_location(&mut self, kind: LocKind) -> LocId {
        self.locations.push(Location {
            kind,
            ..Location::default()
        })
    }

    /// Adds an edge.
    pub fn add_edge(&mut self, source: LocId, action: Action, target: LocId, span: Span) -> EdgeId {
        let id = self.edges.push(Edge {
            source,
            target,
            action,
            span,
            mark: None,
        });
        self.locations[source].outgoing.push(id);
        id
    }

    /// The outgoing edges of a location.
    pub fn outgoing(&self, location: LocId) -> &[EdgeId] {
        &self.locations[location].outgoing
    }

    /// The incoming edges of every location.
    pub fn incoming(&self) -> IndexVec<LocId, Vec<EdgeId>> {
        let mut incoming: IndexVec<LocId, Vec<EdgeId>> =
            (0..self.locations.len()).map(|_| Vec::new()).collect();
        for (id, edge) in self.edges.iter_enumerated() {
            incoming[edge.target].push(id);
        }
        incoming
    }
}

impl Default for Cfa {
    fn default() -> Cfa {
        Cfa::new()
    }
}

impl Action {
    /// The variable that the action sets.
    pub fn defined_var(&self) -> Option<VarId> {
        match *self {
            Action::Assign { dst, .. }
            | Action::Input { dst, .. }
            | Action::Load { dst, .. }
            | Action::Alloc { dst, .. } => Some(dst),
            Action::Approximate { dst, .. } | Action::Call { dst, .. } => dst,
            _ => None,
        }
    }

    /// Calls `visit` on every expression that the action evaluates.
    pub fn for_each_expr(&self, mut visit: impl FnMut(ExprId)) {
        self.clone().for_each_expr_mut(|expr| visit(*expr));
    }

    /// Calls `visit` on every expression of the action, which it may replace.
    pub fn for_each_expr_mut(&mut self, mut visit: impl FnMut(&mut ExprId)) {
        match self {
            Action::Skip
            | Action::Input { .. }
            | Action::Approximate { .. }
            | Action::Enter(_)
            | Action::Leave(_) => {}
            Action::Assume { cond: expr, .. }
            | Action::Assign { value: expr, .. }
            | Action::Load { ptr: expr, .. }
            | Action::Alloc { size: expr, .. }
            | Action::Free { ptr: expr, .. }
            | Action::Exit { code: expr } => visit(expr),
            Action::Store { ptr, value, .. } => {
                visit(ptr);
                visit(value);
            }
            Action::InputBytes { ptr, size, .. } => {
                visit(ptr);
                visit(size);
            }
            Action::Copy { dst, src, size } => {
                visit(dst);
                visit(src);
                visit(size);
            }
            Action::Fill { dst, byte, size } => {
                visit(dst);
                visit(byte);
                visit(size);
            }
            Action::Call { callee, args, .. } => {
                if let Callee::Pointer(ptr) = callee {
                    visit(ptr);
                }
                args.iter_mut().for_each(visit);
            }
            Action::Return { value } => value.iter_mut().for_each(visit),
        }
    }
}
