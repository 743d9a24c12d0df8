//! Whether a program keeps the rules that this crate's documentation states.
//!
//! The front end's tests and the tests of every pass call [`Program::validate`]; what follows it may rely on the rules. Nothing here trusts
//! an id before it has been found to be in range, and nothing here is recursive.

mod action;
mod expr;

use std::fmt;

use index_vec::{Idx, IndexVec};

use crate::cfa::{Action, Cfa, EndKind, LocKind};
use crate::ids::{EdgeId, ExprId, FuncId, LocId};
use crate::model::{Init, Program, Scope};
use crate::types::{Access, Type};

/// The rules that a program breaks, in order of discovery.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Invalid {
    /// One sentence each; no more than [`Invalid::MAX_PROBLEMS`].
    pub problems: Vec<String>,
}

impl Invalid {
    /// A broken program usually breaks a rule many times: no more problems than this are kept.
    pub const MAX_PROBLEMS: usize = 100;
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed program")?;
        for problem in &self.problems {
            write!(f, "\n  {problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Invalid {}

impl Program {
    /// Checks the rules of the model:
    /// - ids are in range, expressions have the types that [`ExprKind`](crate::ExprKind) and the operators ask for and are no deeper than
    ///   [`MAX_DEPTH`](crate::MAX_DEPTH), actions get operands of the right types;
    /// - a location that is not [`LocKind::Plain`] is a sink; a plain one has one edge that is no assumption, or two
    ///   that assume one condition, the one that holds first; it has none only if nothing leads to it. Nothing leads to
    ///   the entry;
    /// - exactly the [`Action::Return`] edges lead to the exit; an [`Action::Exit`] edge leads to the end of the run;
    /// - calls pass what the callee takes, and returns give what the function promises;
    /// - variables and objects are used by the function that owns them, first values are constant;
    /// - a target's entry in the table names one of the locations that stand for it, if there is any;
    /// - the start function takes nothing.
    pub fn validate(&self) -> Result<(), Invalid> {
        let mut validator = Validator::new(self);
        // Everything else reads expressions, which must not lead out of range.
        if validator.check_exprs() {
            validator.check_tables();
            validator.check_functions();
        }
        if validator.problems.is_empty() {
            Ok(())
        } else {
            Err(Invalid {
                problems: validator.problems,
            })
        }
    }
}

/// To whom the variables and objects of an expression belong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    /// The expression reads nothing: it is a first value's.
    Nobody,
    /// Global things only.
    Everybody,
    /// This function.
    Function(FuncId),
    /// More than one function: never right.
    Several,
}

impl Owner {
    fn of(scope: Scope) -> Owner {
        match scope {
            Scope::Global => Owner::Everybody,
            Scope::Local(function) => Owner::Function(function),
        }
    }

    fn and(self, other: Owner) -> Owner {
        match (self, other) {
            (Owner::Nobody, owner) | (owner, Owner::Nobody) => owner,
            (Owner::Everybody, owner) | (owner, Owner::Everybody) => owner,
            (Owner::Function(a), Owner::Function(b)) if a == b => self,
            _ => Owner::Several,
        }
    }
}

struct Validator<'p> {
    program: &'p Program,
    problems: Vec<String>,
    /// For each expression: whose variables and objects it mentions.
    owners: IndexVec<ExprId, Owner>,
}

impl<'p> Validator<'p> {
    fn new(program: &'p Program) -> Validator<'p> {
        Validator {
            program,
            problems: Vec::new(),
            owners: IndexVec::new(),
        }
    }

    fn problem(&mut self, problem: impl FnOnce() -> String) {
        if self.problems.len() < Invalid::MAX_PROBLEMS {
            self.problems.push(problem());
        }
    }

    /// Reports a rule that doesn't hold; gives whether it does.
    fn require(&mut self, holds: bool, problem: impl FnOnce() -> String) -> bool {
        if !holds {
            self.problem(problem);
        }
        holds
    }

    fn in_range<I: Idx>(&mut self, id: I, len: usize, what: impl FnOnce() -> String) -> bool {
        self.require(id.index() < len, || format!("{}: no such {id:?}", what()))
    }

    /// The type of an expression that may not exist.
    fn ty(&self, expr: ExprId) -> Option<Type> {
        (expr.index() < self.program.exprs.len()).then(|| self.program.exprs.ty(expr))
    }

    fn check_scope(&mut self, scope: Scope, what: impl FnOnce() -> String) {
        if let Scope::Local(function) = scope {
            self.in_range(function, self.program.functions.len(), what);
        }
    }

    /// Checks a first value: constant, and of the type that is asked for.
    fn check_first_value(&mut self, value: ExprId, ty: Type, what: &dyn Fn() -> String) {
        if self.in_range(value, self.program.exprs.len(), what) {
            self.require(self.program.exprs.ty(value) == ty, || {
                format!("{}: the first value is no {ty}", what())
            });
            self.require(self.is_constant(value), || {
                format!("{}: the first value is not constant", what())
            });
        }
    }

    fn check_access(&mut self, access: Access, what: &dyn Fn() -> String) {
        let Some(bits) = access.bits else {
            return;
        };
        let width = match access.ty {
            Type::Bool => 1,
            Type::Int(int) => int.width,
            Type::Float(_) | Type::Ptr => 0,
        };
        let fits = bits.offset < 8 && bits.width >= 1 && u16::from(bits.width) <= width;
        self.require(fits, || format!("{}: {bits:?} in a {}", what(), access.ty));
    }

    fn check_tables(&mut self) {
        let program = self.program;
        for (id, var) in program.vars.iter_enumerated() {
            let what = || format!("variable {id:?} ({})", var.decl.name);
            self.check_scope(var.scope, what);
            self.require(expr::has_width(var.ty), || {
                format!("{}: no type has {} bits", what(), var.ty)
            });
            if let Some(value) = var.init {
                self.require(var.scope == Scope::Global, || {
                    format!("{}: a local with a first value", what())
                });
                self.check_first_value(value, var.ty, &what);
            }
        }
        for (id, object) in program.objects.iter_enumerated() {
            let what = || format!("object {id:?} ({})", object.decl.name);
            self.check_scope(object.scope, what);
            self.require(object.align.is_power_of_two(), || {
                format!("{}: alignment {}", what(), object.align)
            });
            self.require(
                object.init.is_empty() || object.scope == Scope::Global,
                || format!("{}: a local with first contents", what()),
            );
            for init in &object.init {
                let (offset, size) = match init {
                    Init::Bytes { offset, bytes } => (*offset, bytes.len() as u64),
                    Init::Scalar {
                        offset,
                        access,
                        value,
                    } => {
                        self.check_access(*access, &what);
                        self.check_first_value(*value, access.ty, &what);
                        (*offset, access.size(program.data_model))
                    }
                };
                let end = offset.checked_add(size);
                self.require(end.is_some_and(|end| end <= object.size), || {
                    format!("{}: first contents beyond its end", what())
                });
            }
        }
        for (id, site) in program.inputs.iter_enumerated() {
            self.in_range(site.function, program.functions.len(), || {
                format!("input {id:?}")
            });
        }
        if self.in_range(program.start, program.functions.len(), || "start".into()) {
            let start = &program.functions[program.start];
            self.require(start.params.is_empty() && !start.variadic, || {
                "the start function has parameters".into()
            });
        }
    }

    fn check_functions(&mut self) {
        let program = self.program;
        let mut targets: IndexVec<_, (bool, bool)> =
            IndexVec::from_vec(vec![(false, false); program.targets.len()]);
        for (id, function) in program.functions.iter_enumerated() {
            let mut params = function.params.clone();
            params.sort_unstable();
            params.dedup();
            self.require(params.len() == function.params.len(), || {
                format!("{}: a parameter is named twice", function.name)
            });
            for &param in &function.params {
                let what = || format!("{}: parameter", function.name);
                if self.in_range(param, program.vars.len(), what) {
                    self.require(program.vars[param].scope == Scope::Local(id), || {
                        format!("{}: {param:?} is not its own", what())
                    });
                }
            }
            if !self.check_shape(id, &function.cfa) {
                continue;
            }
            for (edge_id, edge) in function.cfa.edges.iter_enumerated() {
                self.check_action(id, edge_id, &edge.action);
            }
            for (at, location) in function.cfa.locations.iter_enumerated() {
                if let LocKind::Target(target) = location.kind
                    && self.in_range(target, program.targets.len(), || function.name.to_string())
                {
                    let entry = &program.targets[target];
                    targets[target].0 = true;
                    targets[target].1 |= (entry.function, entry.location) == (id, at);
                }
            }
        }
        for (target, (stands, agrees)) in targets.into_iter_enumerated() {
            self.require(!stands || agrees, || {
                format!("target {target:?}: the table names a location that doesn't stand for it")
            });
        }
    }

    /// Checks the graph of an automaton; gives whether its ids can be trusted.
    fn check_shape(&mut self, id: FuncId, cfa: &Cfa) -> bool {
        let name = &self.program.functions[id].name;
        let locations = cfa.locations.len();
        let mut sound = self.in_range(cfa.entry, locations, || format!("{name}: entry"))
            && self.in_range(cfa.exit, locations, || format!("{name}: exit"));
        for (edge_id, edge) in cfa.edges.iter_enumerated() {
            let what = || format!("{name}: edge {edge_id:?}");
            sound &= self.in_range(edge.source, locations, what)
                && self.in_range(edge.target, locations, what);
        }
        let mut listed: IndexVec<EdgeId, u32> = IndexVec::from_vec(vec![0; cfa.edges.len()]);
        for (at, location) in cfa.locations.iter_enumerated() {
            for &edge in &location.outgoing {
                let what = || format!("{name}: location {at:?}");
                if !self.in_range(edge, cfa.edges.len(), what) {
                    sound = false;
                    continue;
                }
                listed[edge] += 1;
                sound &= self.require(cfa.edges[edge].source == at, || {
                    format!("{}: lists {edge:?}, which starts elsewhere", what())
                });
            }
        }
        for (edge, count) in listed.into_iter_enumerated() {
            sound &= self.require(count == 1, || {
                format!("{name}: edge {edge:?} is listed {count} times at its source")
            });
        }
        if !sound {
            return false;
        }

        let mut has_incoming: IndexVec<LocId, bool> = IndexVec::from_vec(vec![false; locations]);
        for (edge_id, edge) in cfa.edges.iter_enumerated() {
            let what = || format!("{name}: edge {edge_id:?}");
            has_incoming[edge.target] = true;
            self.require(edge.target != cfa.entry, || {
                format!("{} leads back to the entry", what())
            });
            let returns = matches!(edge.action, Action::Return { .. });
            self.require(returns == (edge.target == cfa.exit), || {
                if returns {
                    format!("{} returns and doesn't lead to the exit", what())
                } else {
                    format!("{} leads to the exit and doesn't return", what())
                }
            });
            let ends = cfa.locations[edge.target].kind == LocKind::End(EndKind::Exit);
            self.require(!matches!(edge.action, Action::Exit { .. }) || ends, || {
                format!("{} ends the run and doesn't lead to its end", what())
            });
        }
        for (at, location) in cfa.locations.iter_enumerated() {
            let what = || format!("{name}: location {at:?}");
            self.require((location.kind == LocKind::Exit) == (at == cfa.exit), || {
                format!(
                    "{}: {:?}, and the exit is {:?}",
                    what(),
                    location.kind,
                    cfa.exit
                )
            });
            if let LocKind::Unsupported(unsupported) = location.kind {
                self.in_range(unsupported, self.program.unsupported.len(), what);
            }
            if location.kind != LocKind::Plain {
                self.require(location.outgoing.is_empty(), || {
                    format!("{}: {:?} is no sink", what(), location.kind)
                });
                continue;
            }
            let assumption = |edge: EdgeId| match cfa.edges[edge].action {
                Action::Assume { cond, holds } => Some((cond, holds)),
                _ => None,
            };
            let shaped = match location.outgoing[..] {
                [] => !has_incoming[at] && at != cfa.entry,
                [edge] => assumption(edge).is_none(),
                [yes, no] => match (assumption(yes), assumption(no)) {
                    (Some((first, true)), Some((second, false))) => first == second,
                    _ => false,
                },
                _ => false,
            };
            self.require(shaped, || {
                format!(
                    "{}: neither a sink, nor one step, nor a branch on one condition",
                    what()
                )
            });
        }
        true
    }
}
