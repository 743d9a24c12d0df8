//! The program as procedures: block graphs in which calls are edges, with symbols for how each of them is left.

use std::sync::Arc;

use rhumb_encode::calls::interface;
use rhumb_encode::{
    BlockEdgeId, BlockGraph, BlockKind, Content, CutPolicy, NodeId, NodeKind, Origin,
};
use rhumb_logic::term::Renaming;
use rhumb_logic::{Sort, Symbol, Term, Terms, Transition};
use rhumb_program::graph::CallGraph;
use rhumb_program::{FuncId, Program, VarId};
use rustc_hash::FxHashMap;

/// A procedure of the program, with all that was inlined into it.
pub(super) struct Procedure {
    pub(super) function: FuncId,
    pub(super) graph: BlockGraph,
    /// Its parameters, and the globals that matter to it.
    pub(super) given: Vec<VarId>,
    /// The globals that it may set.
    pub(super) set: Vec<VarId>,
    pub(super) exit: Exit,
    pub(super) calls: FxHashMap<BlockEdgeId, Call>,
    /// The part of the bounds that an edge counts down: back edges, and calls that may come back here.
    pub(super) counted: FxHashMap<BlockEdgeId, usize>,
}

/// Symbols that stand for how an activation is left.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    /// What it returns, if it does.
    pub(super) result: Option<Symbol>,
    /// The globals that it may set, then.
    pub(super) set: Vec<Symbol>,
    /// One if it is left since a goal was reached (then all others are zero), zero if it returns.
    pub(super) aborts: Symbol,
}

impl Exit {
    /// The symbols that have a value where it returns.
    pub(super) fn values(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.set.iter().copied().chain(self.result)
    }

    /// All symbols.
    pub(super) fn symbols(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.values().chain([self.aborts])
    }

    /// It is left since a goal was reached.
    pub(super) fn aborting(&self, terms: &Terms) -> Term {
        let zeros = self.values().map(|symbol| equal(terms, symbol, 0));
        terms.and(zeros.chain([equal(terms, self.aborts, 1)]))
    }

    /// The values that say so.
    pub(super) fn abort(&self, terms: &Terms) -> Vec<(Symbol, Term)> {
        let zeros = self.values().map(|symbol| (symbol, terms.int(0)));
        zeros.chain([(self.aborts, terms.int(1))]).collect()
    }
}

/// An edge that calls a procedure.
pub(super) struct Call {
    pub(super) callee: usize,
    /// What the callee's state is at its entry, over the caller's state and `open`.
    pub(super) entering: Vec<(Symbol, Term)>,
    /// Locals of the callee that have no value yet.
    pub(super) open: Vec<Symbol>,
    /// How the callee is left, as inputs of the caller's step.
    pub(super) left: Exit,
}

/// A symbol has a value.
pub(super) fn equal(terms: &Terms, symbol: Symbol, value: i64) -> Term {
    terms.eq(terms.var(symbol), terms.int(value))
}

/// All procedures that runs may enter, the start first, and the number of parts that bounds have.
pub(super) fn procedures(program: &Arc<Program>, terms: &Arc<Terms>) -> (Vec<Procedure>, usize) {
    let calls = CallGraph::of(program);
    let reachable = calls.reachable(program.start);
    let others = program.functions.indices();
    let others = others.filter(|&id| reachable[id] && id != program.start);
    let functions: Vec<FuncId> = [program.start].into_iter().chain(others).collect();
    let mut found: Vec<Procedure> = functions
        .iter()
        .map(|&function| Procedure::new(program, terms, &calls, function))
        .collect();
    for caller in 0..found.len() {
        let edges = found[caller].graph.edges.iter_enumerated();
        let edges = edges.filter_map(|(id, edge)| match &edge.kind {
            BlockKind::Call { callee, .. } => {
                let callee = functions.iter().position(|known| known == callee)?;
                Some((id, found[caller].call(id, callee, &found[callee])))
            }
            BlockKind::Formula => None,
        });
        found[caller].calls = edges.collect();
    }
    let parts = count(&mut found, &calls);
    (found, parts)
}

/// Gives each cycle of calls, and each cycle of blocks, a part of the bounds.
fn count(procedures: &mut [Procedure], calls: &CallGraph) -> usize {
    let mut parts: FxHashMap<(Option<FuncId>, usize), usize> = FxHashMap::default();
    let functions: Vec<FuncId> = procedures.iter().map(|known| known.function).collect();
    for procedure in procedures {
        let whole = procedure.graph.graph();
        let components = whole.components();
        let mut counted = FxHashMap::default();
        for (head, node) in procedure.graph.nodes.iter_enumerated() {
            if node.kind != NodeKind::LoopHead || !components.is_cyclic(head) {
                continue;
            }
            for &edge in &node.incoming {
                if components.of(procedure.graph.edges[edge].source) == components.of(head) {
                    let part = (Some(procedure.function), components.of(head));
                    counted.insert(edge, part);
                }
            }
        }
        for (&edge, call) in &procedure.calls {
            let component = calls.components().of(procedure.function);
            if calls.components().of(functions[call.callee]) == component {
                counted.insert(edge, (None, component));
            }
        }
        let mut counted: Vec<_> = counted.into_iter().collect();
        counted.sort_unstable();
        for (edge, part) in counted {
            let next = parts.len();
            let part = *parts.entry(part).or_insert(next);
            procedure.counted.insert(edge, part);
        }
    }
    parts.len()
}

impl Procedure {
    fn new(
        program: &Arc<Program>,
        terms: &Arc<Terms>,
        calls: &CallGraph,
        function: FuncId,
    ) -> Procedure {
        let graph = BlockGraph::of_function(program, function, terms, CutPolicy::Calls);
        let body = &program.functions[function];
        let is_start = function == program.start;
        let (given, set) = interface(program, calls, function);
        let result = match is_start {
            true => None,
            false => body.result.map(|_| terms.symbol("result", Sort::Int)),
        };
        let named = set.iter().map(|&var| &*program.vars[var].decl.name);
        let exit = Exit {
            result,
            set: named.map(|name| terms.symbol(name, Sort::Int)).collect(),
            aborts: terms.symbol("aborts", Sort::Int),
        };
        Procedure {
            function,
            graph,
            given,
            set,
            exit,
            calls: FxHashMap::default(),
            counted: FxHashMap::default(),
        }
    }

    /// A call of another one.
    fn call(&self, edge: BlockEdgeId, callee: usize, other: &Procedure) -> Call {
        let terms = &self.graph.terms;
        let block = &self.graph.edges[edge];
        let BlockKind::Call { arguments, .. } = &block.kind else {
            unreachable!("only calls are asked for")
        };
        let mut open = Vec::new();
        let mut entering = Vec::new();
        for cell in other.graph.live(other.graph.entry) {
            let Content::Variable(var) = cell.content else {
                continue;
            };
            let place = other.given.iter().position(|&given| given == var);
            let argument = place.and_then(|place| arguments.get(place).copied());
            let global = place.and_then(|_| self.graph.state.symbol(var));
            let value = argument.or(global.map(|symbol| terms.var(symbol)));
            let value = value.unwrap_or_else(|| {
                let unset = terms.fresh_copy(cell.symbol);
                open.push(unset);
                terms.var(unset)
            });
            entering.push((cell.symbol, value));
        }
        let unknown = |wanted: &dyn Fn(Origin) -> bool| {
            let mut unknowns = block.unknowns.iter();
            let unknown = unknowns.find(|unknown| wanted(unknown.origin));
            // Nobody asks for it behind the call.
            unknown.map_or_else(|| terms.symbol("left", Sort::Int), |unknown| unknown.symbol)
        };
        let result = other.exit.result;
        let set = other.set.iter().map(|&var| {
            unknown(&|origin| matches!(origin, Origin::Global(_, global) if global == var))
        });
        Call {
            callee,
            entering,
            open,
            left: Exit {
                result: result.map(|_| unknown(&|origin| matches!(origin, Origin::Result(_)))),
                set: set.collect(),
                aborts: terms.symbol("aborted", Sort::Int),
            },
        }
    }

    /// What is said of all activations at a node before anything is learned: a goal ends it, and a return leaves it as it is.
    pub(super) fn given_label(&self, node: NodeId) -> Option<Term> {
        let terms = &self.graph.terms;
        if self.graph.nodes[node].kind.is_goal() {
            return Some(terms.not(self.exit.aborting(terms)));
        }
        let left = self.leaving(node)?;
        Some(terms.not(left))
    }

    /// That the exit is what it is at a node that returns.
    pub(super) fn leaving(&self, node: NodeId) -> Option<Term> {
        let terms = &self.graph.terms;
        let returned = self.graph.nodes[node].returned.as_ref()?;
        let result = self.exit.result.zip(returned.value);
        let result = result.map(|(symbol, value)| terms.eq(terms.var(symbol), value));
        let globals = self.set.iter().zip(&self.exit.set);
        let globals = globals.filter_map(|(&var, &after)| {
            let now = self.graph.state.symbol(var)?;
            Some(terms.eq(terms.var(after), terms.var(now)))
        });
        let returns = equal(terms, self.exit.aborts, 0);
        Some(terms.and(globals.chain(result).chain([returns])))
    }

    /// The symbols that an activation has: its state, and how it is left.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        let variables = self.graph.state.vars().iter();
        let variables = variables.filter_map(|&var| self.graph.state.symbol(var));
        variables.chain(self.exit.symbols()).collect()
    }
}

impl Call {
    /// A formula about the callee's entry and exit, as one about the caller's step.
    pub(super) fn seen(&self, terms: &Terms, callee: &Procedure, formula: Term) -> Term {
        let exits = callee.exit.symbols().zip(self.left.symbols());
        let exits = exits.map(|(theirs, ours)| (theirs, terms.var(ours)));
        let map = self.entering.iter().copied().chain(exits);
        Renaming::new(map.collect()).apply(terms, formula)
    }

    /// The inputs of the step beside those of its edge.
    fn inputs<'a>(&'a self, edge: &'a Transition) -> impl Iterator<Item = Symbol> + 'a {
        let exits = self.left.symbols();
        let open = self.open.iter().copied();
        edge.inputs.iter().copied().chain(exits).chain(open)
    }

    /// The call as one step, by what is known not to come of it (the callee's labels at its entry): where it returns.
    pub(super) fn returning(
        &self,
        terms: &Terms,
        edge: &Transition,
        callee: &Procedure,
        excluded: Term,
    ) -> Transition {
        let possible = terms.not(self.seen(terms, callee, excluded));
        let returns = equal(terms, self.left.aborts, 0);
        let guard = terms.and([edge.guard, returns, possible]);
        Transition::new(terms, edge.updates.clone(), guard, self.inputs(edge))
    }

    /// The same where a goal is reached inside.
    pub(super) fn aborting(&self, terms: &Terms, callee: &Procedure, excluded: Term) -> Transition {
        let possible = terms.not(self.seen(terms, callee, excluded));
        let values = self.left.abort(terms).into_iter().collect();
        let guard = Renaming::new(values).apply(terms, possible);
        Transition::new(terms, [], guard, self.open.iter().copied())
    }
}
