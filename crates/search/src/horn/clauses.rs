//! A program as Horn clauses.
//!
//! Each function has two relations: with which values it is entered (of its parameters, and of the globals that matter
//! to it), and what it makes of them. Each cut point has one: what was there when the function was entered, and what is
//! there now. A block derives the relation of its end from that of its beginning; a call derives that the callee is
//! entered, and goes on with what the callee makes of it. What must not be reached derives an error.
//!
//! A solution is a proof by contracts: with what it is entered a function requires, what it makes of that it ensures.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_encode::calls::interface;
use rhumb_encode::{BlockEdge, BlockGraph, BlockKind, CutPolicy, NodeId, NodeKind, Origin};
use rhumb_logic::session::horn::{Clause, Clauses};
use rhumb_logic::term::{Function, FunctionInfo};
use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::graph::CallGraph;
use rhumb_program::{FuncId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::eliminate::eliminate;

/// The clauses of a program, and what their relations stand for.
pub(super) struct Encoding {
    pub(super) procedures: Vec<Procedure>,
    pub(super) clauses: Clauses,
    /// The symbol that stands for each variable in a solution.
    pub(super) symbols: FxHashMap<VarId, Symbol>,
}

/// A function of the program, with all that was inlined into it.
pub(super) struct Procedure {
    pub(super) function: FuncId,
    pub(super) graph: BlockGraph,
    /// Its parameters, and the globals that matter to it; none for the start function.
    pub(super) given: Vec<VarId>,
    /// What they were when it was entered.
    pub(super) old: Vec<Symbol>,
    /// The globals that it may set.
    pub(super) set: Vec<VarId>,
    /// What it returns, if it does.
    pub(super) result: Option<Symbol>,
    /// With what it is entered: the place of the relation.
    pub(super) entered: usize,
    /// What it makes of that.
    pub(super) summary: usize,
    /// What holds at its cut points.
    pub(super) at: IndexVec<NodeId, usize>,
}

impl Encoding {
    /// The clauses of a program.
    pub(super) fn of(program: &Arc<Program>, terms: &Arc<Terms>) -> Encoding {
        let calls = CallGraph::of(program);
        let reachable = calls.reachable(program.start);
        let functions = program.functions.indices().filter(|&id| reachable[id]);
        let mut encoder = Encoder {
            program,
            terms,
            calls: &calls,
            symbols: FxHashMap::default(),
            clauses: Clauses::default(),
        };
        let procedures: Vec<Procedure> = functions
            .map(|function| encoder.procedure(function))
            .collect();
        for procedure in &procedures {
            encoder.body(procedure, &procedures);
        }
        // What a proof speaks of: contracts, and the heads of loops.
        let mut keep = FxHashSet::default();
        for procedure in &procedures {
            keep.insert(encoder.function(procedure.entered));
            keep.insert(encoder.function(procedure.summary));
            let nodes = procedure.graph.nodes.iter_enumerated();
            let heads = nodes.filter(|(_, block)| block.kind == NodeKind::LoopHead);
            keep.extend(heads.map(|(node, _)| encoder.function(procedure.at[node])));
        }
        eliminate(terms, &mut encoder.clauses, &keep);
        Encoding {
            procedures,
            clauses: encoder.clauses,
            symbols: encoder.symbols,
        }
    }
}

struct Encoder<'e> {
    program: &'e Arc<Program>,
    terms: &'e Arc<Terms>,
    calls: &'e CallGraph,
    symbols: FxHashMap<VarId, Symbol>,
    clauses: Clauses,
}

impl Encoder<'_> {
    /// The symbol of a variable in solutions.
    fn symbol(&mut self, var: VarId) -> Symbol {
        let (terms, program) = (self.terms, self.program);
        let made = || terms.symbol(&*program.vars[var].decl.name, Sort::Int);
        *self.symbols.entry(var).or_insert_with(made)
    }

    /// A new relation, whose arguments have these symbols in a solution.
    fn relation(&mut self, name: String, symbols: Vec<Symbol>) -> usize {
        let params = symbols.iter().map(|_| Sort::Int).collect();
        let function = self.terms.function(FunctionInfo {
            name: name.into(),
            params,
            result: Sort::Bool,
        });
        self.clauses.relations.push((function, symbols));
        self.clauses.relations.len() - 1
    }

    fn function(&self, relation: usize) -> Function {
        self.clauses.relations[relation].0
    }

    fn procedure(&mut self, function: FuncId) -> Procedure {
        let (program, terms) = (self.program, self.terms);
        let graph = BlockGraph::of_function(program, function, terms, CutPolicy::Calls);
        let body = &program.functions[function];
        let is_start = function == program.start;
        let (given, set) = interface(program, self.calls, function);
        let name = |what: &str| format!("{what} {}", body.name);
        let old: Vec<Symbol> = given
            .iter()
            .map(|&var| terms.symbol(&*program.vars[var].decl.name, Sort::Int))
            .collect();
        let now: Vec<Symbol> = given.iter().map(|&var| self.symbol(var)).collect();
        let entered = self.relation(name("enter"), now);
        let result = match is_start {
            true => None,
            false => body.result.map(|_| terms.symbol("result", Sort::Int)),
        };
        let mut summary = old.clone();
        summary.extend(result);
        summary.extend(set.iter().map(|&var| self.symbol(var)));
        let summary = self.relation(name("leave"), summary);
        let at = graph.nodes.indices().map(|node| {
            let mut symbols = old.clone();
            let live = live(&graph, node).into_iter();
            symbols.extend(live.map(|(var, _)| self.symbol(var)));
            self.relation(name("at"), symbols)
        });
        let at = at.collect();
        Procedure {
            function,
            graph,
            given,
            old,
            set,
            result,
            entered,
            summary,
            at,
        }
    }

    fn clause(&mut self, body: Vec<Term>, head: Option<Term>) {
        self.clauses.clauses.push(Clause { body, head });
    }

    fn apply(&self, relation: usize, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Vec<Term> = args.into_iter().collect();
        self.terms.apply(self.function(relation), args)
    }

    /// What is known at a cut point: its relation, over the symbols of the graph, and that values fit their types.
    fn here(&self, procedure: &Procedure, node: NodeId) -> Vec<Term> {
        let terms = self.terms;
        let old = procedure.old.iter().map(|&symbol| terms.var(symbol));
        let live = live(&procedure.graph, node).into_iter();
        let live = live.map(|(_, symbol)| terms.var(symbol));
        let relation = self.apply(procedure.at[node], old.chain(live));
        vec![relation, procedure.graph.ranges(node)]
    }

    /// The clauses of a body.
    fn body(&mut self, procedure: &Procedure, procedures: &[Procedure]) {
        let terms = self.terms;
        let graph = &procedure.graph;
        let entry = graph.entry;
        // A run is at the entry with what the function was entered with.
        let state = live(graph, entry);
        let now = |place: usize| {
            let var = procedure.given[place];
            let known = state.iter().find(|(live, _)| *live == var);
            terms.var(known.map_or(procedure.old[place], |(_, symbol)| *symbol))
        };
        let given: Vec<Term> = (0..procedure.given.len()).map(now).collect();
        let is_start = procedure.function == self.program.start;
        let begun = match is_start {
            true => Vec::new(),
            false => vec![self.apply(procedure.entered, given.iter().copied())],
        };
        let here = state.iter().map(|(_, symbol)| terms.var(*symbol));
        let here = self.apply(procedure.at[entry], given.iter().copied().chain(here));
        self.clause(begun, Some(here));
        for edge in &graph.edges {
            match &edge.kind {
                BlockKind::Formula => {
                    let mut body = self.here(procedure, edge.source);
                    body.push(edge.transition.guard);
                    let head = self.there(procedure, edge);
                    self.clause(body, Some(head));
                }
                BlockKind::Call {
                    callee, arguments, ..
                } => {
                    let callee = procedures.iter().find(|known| known.function == *callee);
                    if let Some(callee) = callee {
                        self.call(procedure, edge, callee, arguments);
                    }
                }
            }
        }
        for (node, block) in graph.nodes.iter_enumerated() {
            if block.kind.is_goal() {
                let body = self.here(procedure, node);
                self.clause(body, None);
            }
            let Some(returned) = &block.returned else {
                continue;
            };
            let body = self.here(procedure, node);
            let mut args: Vec<Term> = procedure.old.iter().map(|&old| terms.var(old)).collect();
            if let Some(result) = procedure.result {
                args.push(returned.value.unwrap_or(terms.var(result)));
            }
            args.extend(procedure.set.iter().map(|&var| self.value(procedure, var)));
            let head = self.apply(procedure.summary, args);
            self.clause(body, Some(head));
        }
    }

    /// The value of a variable in a graph; any, if it has none there.
    fn value(&mut self, procedure: &Procedure, var: VarId) -> Term {
        let known = procedure.graph.state.symbol(var);
        let symbol = known.unwrap_or_else(|| self.symbol(var));
        self.terms.var(symbol)
    }

    /// The relation of a block's end, behind it.
    fn there(&self, procedure: &Procedure, edge: &BlockEdge) -> Term {
        let terms = self.terms;
        let old = procedure.old.iter().map(|&symbol| terms.var(symbol));
        let updates = &edge.transition.updates;
        let live = live(&procedure.graph, edge.target).into_iter();
        let live = live.map(|(_, symbol)| {
            let update = updates.iter().find(|update| update.0 == symbol);
            update.map_or(terms.var(symbol), |update| update.1)
        });
        self.apply(procedure.at[edge.target], old.chain(live))
    }

    /// The clauses of a call: it enters the callee, and goes on with what that makes of it.
    fn call(
        &mut self,
        procedure: &Procedure,
        edge: &BlockEdge,
        callee: &Procedure,
        arguments: &[Term],
    ) {
        let terms = self.terms;
        let mut given: Vec<Term> = arguments.to_vec();
        let globals = callee.given.iter().skip(arguments.len());
        given.extend(globals.map(|&var| self.value(procedure, var)));
        let body = self.here(procedure, edge.source);
        let head = self.apply(callee.entered, given.iter().copied());
        self.clause(body.clone(), Some(head));
        let open = |wanted: &dyn Fn(Origin) -> bool| {
            let mut unknowns = edge.unknowns.iter();
            let unknown = unknowns.find(|unknown| wanted(unknown.origin));
            // Nobody asks for it behind the call.
            unknown.map_or_else(
                || terms.fresh("left", Sort::Int),
                |unknown| terms.var(unknown.symbol),
            )
        };
        let mut args = given;
        if callee.result.is_some() {
            args.push(open(&|origin| matches!(origin, Origin::Result(_))));
        }
        for &var in &callee.set {
            args.push(open(
                &|origin| matches!(origin, Origin::Global(_, set) if set == var),
            ));
        }
        let mut body = body;
        body.push(self.apply(callee.summary, args));
        body.push(edge.transition.guard);
        let head = self.there(procedure, edge);
        self.clause(body, Some(head));
    }
}

/// The variables that are live at a node, and their symbols in the graph.
pub(super) fn live(graph: &BlockGraph, node: NodeId) -> Vec<(VarId, Symbol)> {
    let cells = graph.live(node).filter_map(|cell| match cell.content {
        rhumb_encode::Content::Variable(var) => Some((var, cell.symbol)),
        rhumb_encode::Content::Address(_) => None,
    });
    cells.collect()
}
