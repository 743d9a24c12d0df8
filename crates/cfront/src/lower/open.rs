//! Results that C leaves open: `strcmp` gives any number of the right sign, `isalpha` any number but 0 for yes.
//!
//! Our models give -1, 0 or 1. Where only the sign of such a result (or only whether it is 0) can ever matter, that is
//! exact: a program can't tell the difference. Whether it can is decided on the whole program, without regard to the
//! order of things: from the variable with the result through copies, parameters and results to comparisons with 0.
//! Where a program may look closer, the result is an approximated value with that sign: a proof has to hold for all of
//! them, and no counterexample may rest on one. (Which value it is in a real run is up to the library; gcc's own answer
//! for constant strings differs from that of its library.)

use index_vec::IndexVec;
use rhumb_program::{
    Action, BinOp, Callee, Cfa, EdgeId, ExprId, ExprKind, FuncId, IntType, LocId, LocKind, Program,
    Span, Type, VarId,
};
use rustc_hash::FxHashMap;

use super::UnitLowering;
use super::function::FunctionLowering;

/// What C says about a result; and what a program can make of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Openness {
    /// Only whether it is zero.
    Zero,
    /// Only its sign.
    Sign,
    /// All of it. (No open result has this: it is for what programs do.)
    Everything,
}

/// The functions whose results are open.
pub(crate) const OPEN: &[(&str, Openness)] = &[
    ("bcmp", Openness::Zero),
    ("isalnum", Openness::Zero),
    ("isalpha", Openness::Zero),
    ("isascii", Openness::Zero),
    ("isblank", Openness::Zero),
    ("iscntrl", Openness::Zero),
    ("isdigit", Openness::Zero),
    ("isgraph", Openness::Zero),
    ("islower", Openness::Zero),
    ("isprint", Openness::Zero),
    ("ispunct", Openness::Zero),
    ("isspace", Openness::Zero),
    ("isupper", Openness::Zero),
    ("isxdigit", Openness::Zero),
    ("memcmp", Openness::Sign),
    ("signbit", Openness::Zero),
    ("signbitf", Openness::Zero),
    ("signbitl", Openness::Zero),
    ("strcasecmp", Openness::Sign),
    ("strcmp", Openness::Sign),
    ("strcoll", Openness::Sign),
    ("strncasecmp", Openness::Sign),
    ("strncmp", Openness::Sign),
    ("wcscmp", Openness::Sign),
];

/// How open the result of a function is.
pub(crate) fn openness(name: &str) -> Option<Openness> {
    let plain = super::functions::plain_name(name).trim_start_matches("__");
    let known = OPEN.iter().find(|(known, _)| *known == plain);
    known.map(|&(_, kind)| kind)
}

/// A variable that holds the result of a library function; one edge sets it, to what the model gives.
#[derive(Debug)]
pub(super) struct OpenValue {
    var: VarId,
    function: FuncId,
    kind: Openness,
    what: String,
    span: Span,
}

impl FunctionLowering<'_, '_> {
    /// The result of a library function of which C says only this much.
    pub(super) fn leave_open(
        &mut self,
        value: ExprId,
        kind: Openness,
        name: &str,
        span: Span,
    ) -> ExprId {
        let ty = self.ty(value);
        if !matches!(ty, Type::Int(int) if int.signed) {
            return value;
        }
        let var = self.new_var(ty, span);
        self.assign(var, value, span);
        self.unit.open_values.push(OpenValue {
            var,
            function: self.func,
            kind,
            what: format!("the result of `{name}`"),
            span,
        });
        self.var(var)
    }
}

impl UnitLowering<'_> {
    /// Makes those open results approximate of which the program can see more than C says. What is approximated already
    /// and can't be seen at all is left alone: nothing rests on it.
    pub(super) fn settle_open_values(&mut self) {
        let open_values = std::mem::take(&mut self.open_values);
        if open_values.is_empty() && self.program.approximations.is_empty() {
            return;
        }
        let seen = Flow::of(&self.program).seen();
        for function in &mut self.program.functions {
            for edge in &mut function.cfa.edges {
                if let Action::Approximate { dst: Some(var), .. } = edge.action
                    && seen[var].is_none()
                    && self.program.vars[var].ty != Type::Ptr
                {
                    edge.action = Action::Skip;
                }
            }
        }
        for open in open_values {
            if seen
                .get(open.var)
                .is_some_and(|&seen| seen > Some(open.kind))
            {
                self.approximate_open(open);
            }
        }
    }

    fn approximate_open(&mut self, open: OpenValue) {
        let cfa = &self.program.functions[open.function].cfa;
        let setting = cfa.edges.indices().find(
            |&edge| matches!(cfa.edges[edge].action, Action::Assign { dst, .. } if dst == open.var),
        );
        // Code that can't be reached is gone.
        let Some(setting) = setting else {
            return;
        };
        let Type::Int(int) = self.program.vars[open.var].ty else {
            return;
        };
        let what = self.add_approximation(open.what, open.span);
        let var = self.node(ExprKind::Var(open.var), Type::Int(int));
        let zero = self.int(int, 0);
        let [one, minus_one] = [1, -1].map(|value| self.int(int, value));
        let is_zero = self.node(ExprKind::Binary(BinOp::Eq, var, zero), Type::Bool);
        let is_positive = self.node(ExprKind::Binary(BinOp::Lt, zero, var), Type::Bool);
        let is_negative = self.node(ExprKind::Binary(BinOp::Lt, var, zero), Type::Bool);
        let mut opening = Opening {
            cfa: &mut self.program.functions[open.function].cfa,
            var: open.var,
            approximate: Action::Approximate {
                dst: Some(open.var),
                what,
            },
            span: open.span,
            setting,
        };
        match open.kind {
            Openness::Zero => opening.zero(is_zero, one),
            _ => opening.sign(is_zero, (is_positive, one), (is_negative, minus_one)),
        }
    }
}

/// A result that is being made approximate: behind the edge that sets it.
struct Opening<'c> {
    cfa: &'c mut Cfa,
    var: VarId,
    approximate: Action,
    span: Span,
    setting: EdgeId,
}

impl Opening<'_> {
    /// Zero stays zero, everything else becomes anything else.
    fn zero(&mut self, is_zero: ExprId, one: ExprId) {
        let end = self.cfa.edges[self.setting].target;
        let (asked, open) = (self.location(), self.location());
        self.cfa.edges[self.setting].target = asked;
        self.branch(asked, is_zero, (end, open));
        let known = self.location();
        let approximate = self.approximate.clone();
        self.cfa.add_edge(open, approximate, known, self.span);
        let wrong = self.location();
        self.branch(known, is_zero, (wrong, end));
        self.replace(wrong, one, end);
    }

    /// Zero stays zero, everything else becomes anything of its sign.
    fn sign(&mut self, is_zero: ExprId, positive: (ExprId, ExprId), negative: (ExprId, ExprId)) {
        let end = self.cfa.edges[self.setting].target;
        let (asked, other, above, below) = (
            self.location(),
            self.location(),
            self.location(),
            self.location(),
        );
        self.cfa.edges[self.setting].target = asked;
        self.branch(asked, is_zero, (end, other));
        self.branch(other, positive.0, (above, below));
        for (from, (fits, instead)) in [(above, positive), (below, negative)] {
            let (known, wrong) = (self.location(), self.location());
            let approximate = self.approximate.clone();
            self.cfa.add_edge(from, approximate, known, self.span);
            self.branch(known, fits, (end, wrong));
            self.replace(wrong, instead, end);
        }
    }

    fn location(&mut self) -> LocId {
        self.cfa.add_location(LocKind::Plain)
    }

    fn branch(&mut self, from: LocId, cond: ExprId, (yes, no): (LocId, LocId)) {
        for (holds, to) in [(true, yes), (false, no)] {
            let assume = Action::Assume { cond, holds };
            self.cfa.add_edge(from, assume, to, self.span);
        }
    }

    fn replace(&mut self, from: LocId, value: ExprId, end: LocId) {
        let dst = self.var;
        self.cfa
            .add_edge(from, Action::Assign { dst, value }, end, self.span);
    }
}

/// Where values go, and what is seen of them: without regard to the order of execution.
struct Flow<'p> {
    program: &'p Program,
    /// What is seen of a variable by itself.
    uses: IndexVec<VarId, Option<Openness>>,
    /// From a place to those that its value came from.
    sources: FxHashMap<Holder, Vec<VarId>>,
    /// Which results of functions go to a variable.
    received: Vec<(VarId, Option<FuncId>)>,
}

/// Something that holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Var(VarId),
    Result(FuncId),
}

impl<'p> Flow<'p> {
    fn of(program: &'p Program) -> Flow<'p> {
        let mut flow = Flow {
            program,
            uses: program.vars.iter().map(|_| None).collect(),
            sources: FxHashMap::default(),
            received: Vec::new(),
        };
        for (id, function) in program.functions.iter_enumerated() {
            for edge in &function.cfa.edges {
                flow.action(id, &edge.action);
            }
        }
        flow
    }

    fn action(&mut self, function: FuncId, action: &Action) {
        match action {
            &Action::Assign { dst, value } => self.moves(value, Holder::Var(dst)),
            Action::Return { value: Some(value) } => {
                self.moves(*value, Holder::Result(function));
            }
            // Nobody who asks for a target sees the status of the process.
            Action::Exit { .. } => {}
            Action::Call { dst, callee, args } => {
                let callee = match *callee {
                    Callee::Function(callee) => Some(callee),
                    _ => None,
                };
                let program = self.program;
                let params = callee.map(|callee| &program.functions[callee].params[..]);
                for (index, &arg) in args.iter().enumerate() {
                    match params.and_then(|params| params.get(index)) {
                        Some(&param) => self.moves(arg, Holder::Var(param)),
                        None => self.look(arg),
                    }
                }
                if let Some(dst) = *dst {
                    self.received.push((dst, callee));
                }
            }
            _ => action.for_each_expr(|expr| self.look(expr)),
        }
    }

    /// A value goes somewhere; if it is that of a variable, as it is.
    fn moves(&mut self, value: ExprId, to: Holder) {
        match self.variable(value) {
            Some(var) => self.sources.entry(to).or_default().push(var),
            None => self.look(value),
        }
    }

    /// The variable whose value an expression is, perhaps in a wider type.
    fn variable(&self, value: ExprId) -> Option<VarId> {
        let exprs = &self.program.exprs;
        match exprs[value].kind {
            ExprKind::Var(var) => Some(var),
            ExprKind::Cast(arg) => match (exprs.ty(arg), exprs.ty(value)) {
                (Type::Int(from), Type::Int(to))
                    if from.signed && to.signed && from.width <= to.width =>
                {
                    self.variable(arg)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// An expression is evaluated for a purpose that is not known.
    fn look(&mut self, value: ExprId) {
        let exprs = &self.program.exprs;
        match exprs[value].kind {
            ExprKind::Var(var) => self.see(var, Openness::Everything),
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le), lhs, rhs) => {
                let sides = [(lhs, rhs, false), (rhs, lhs, true)];
                let compared = sides.into_iter().find_map(|(side, other, swapped)| {
                    let var = self.variable(side)?;
                    let (int, bits) = exprs.as_int_const(other)?;
                    Some((var, seen_by(op, swapped, int, bits)?))
                });
                match compared {
                    Some((var, seen)) => self.see(var, seen),
                    None => {
                        self.look(lhs);
                        self.look(rhs);
                    }
                }
            }
            _ => {
                let children: Vec<ExprId> = exprs.children(value).collect();
                for child in children {
                    self.look(child);
                }
            }
        }
    }

    fn see(&mut self, var: VarId, seen: Openness) {
        self.uses[var] = self.uses[var].max(Some(seen));
    }

    /// What is seen of the value of each variable, wherever it goes; `None` if nothing is.
    fn seen(mut self) -> IndexVec<VarId, Option<Openness>> {
        // A function that is called through a pointer may be any whose address is somewhere.
        let exprs = &self.program.exprs;
        let addressed: Vec<FuncId> = (0..exprs.len())
            .filter_map(|index| match exprs[ExprId::from_usize(index)].kind {
                ExprKind::FuncAddr(function) => Some(function),
                _ => None,
            })
            .collect();
        let mut results: FxHashMap<VarId, Vec<FuncId>> = FxHashMap::default();
        for (var, callee) in std::mem::take(&mut self.received) {
            let from = results.entry(var).or_default();
            match callee {
                Some(callee) => from.push(callee),
                None => from.extend(&addressed),
            }
        }
        let mut seen = self.uses.clone();
        let mut work: Vec<VarId> = seen.indices().collect();
        let mut of_results: FxHashMap<FuncId, Option<Openness>> = FxHashMap::default();
        while let Some(var) = work.pop() {
            let level = seen[var];
            let mut sources = self
                .sources
                .get(&Holder::Var(var))
                .cloned()
                .unwrap_or_default();
            for &function in results.get(&var).into_iter().flatten() {
                let known = of_results.entry(function).or_default();
                if level > *known {
                    *known = level;
                    let returned = self.sources.get(&Holder::Result(function));
                    sources.extend(returned.into_iter().flatten());
                }
            }
            for source in sources {
                if level > seen[source] {
                    seen[source] = level;
                    work.push(source);
                }
            }
        }
        seen
    }
}

/// What a comparison of a value with a constant (on the left if `swapped`) tells about the value.
fn seen_by(op: BinOp, swapped: bool, int: IntType, bits: u128) -> Option<Openness> {
    if !int.signed {
        return None;
    }
    let constant = int.extend(bits);
    Some(match (op, swapped, constant) {
        (BinOp::Eq | BinOp::Ne, _, 0) => Openness::Zero,
        (BinOp::Lt, false, 0 | 1) | (BinOp::Le, false, -1 | 0) => Openness::Sign,
        (BinOp::Lt, true, -1 | 0) | (BinOp::Le, true, 0 | 1) => Openness::Sign,
        _ => return None,
    })
}
