//! Runs of the interpreter, compared block by block with the formulas.

use rhumb_encode::{
    BlockEdgeId, BlockGraph, Cause, Content, Event, NodeId, Origin, Step, bits_of, value_of,
};
use rhumb_logic::eval::{evaluate_all, holds};
use rhumb_logic::{Assignment, Sort, Value};
use rhumb_program::interp::{
    InputSource, Machine, Observer, Outcome, RandomInputs, RunLimits, View, eval,
};
use rhumb_program::{Action, EdgeId, ExprId, ExprKind, InputSiteId, LocId, Program, Type, VarId};
use rustc_hash::FxHashMap;

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Count {
    /// Blocks that runs went through.
    pub(crate) blocks: usize,
    /// Of those the ones with a formula that is exact but for memory and floating point.
    pub(crate) plain: usize,
    /// Of those the ones with an exact formula.
    pub(crate) exact: usize,
    /// Of those the ones with a formula that is not linear.
    pub(crate) nonlinear: usize,
    /// Blocks whose formula is not exact and allows what the run did.
    pub(crate) allowed: usize,
    /// Of the exact ones those whose path was decoded in full.
    pub(crate) paths: usize,
    /// Guards of other blocks from the same node, which were false.
    pub(crate) refuted: usize,
    /// Runs that ended inside a block.
    pub(crate) ended: usize,
}

impl Count {
    pub(crate) fn add(&mut self, other: Count) {
        self.blocks += other.blocks;
        self.exact += other.exact;
        self.nonlinear += other.nonlinear;
        self.plain += other.plain;
        self.allowed += other.allowed;
        self.paths += other.paths;
        self.refuted += other.refuted;
        self.ended += other.ended;
    }
}

/// Gives small numbers often, so that runs don't all end in their first loop.
struct Inputs {
    random: RandomInputs,
    seed: u64,
}

impl InputSource for Inputs {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let value = self.random.value(site, occurrence, ty);
        if self.seed.is_multiple_of(2) {
            value % 5
        } else {
            value
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        self.random.bytes(site, occurrence, out);
    }
}

/// Runs the program of a graph on random inputs and compares every block on the way.
pub(crate) fn compare(graph: &BlockGraph, seed: u64, steps: u64) -> Count {
    let machine = Machine::compile(&graph.program);
    let mut watcher = Watcher {
        graph,
        node: None,
        pre: Assignment::default(),
        seen: FxHashMap::default(),
        path: Vec::new(),
        events: Vec::new(),
        pending: None,
        count: Count::default(),
    };
    let limits = RunLimits {
        steps,
        ..RunLimits::default()
    };
    let mut inputs = Inputs {
        random: RandomInputs::new(seed),
        seed,
    };
    let run = machine.trace(&mut inputs, &limits, &mut watcher);
    match run.outcome {
        Outcome::StepLimit => {}
        // A goal, where nothing is live.
        _ => match graph.node_at(run.end.location) {
            Some(goal) => watcher.arrive(goal, &|_| None),
            None => watcher.ended(),
        },
    }
    watcher.count
}

struct Watcher<'g> {
    graph: &'g BlockGraph,
    /// The last cut point, and the state there.
    node: Option<NodeId>,
    pre: Assignment,
    /// What was read since.
    seen: FxHashMap<Origin, u128>,
    path: Vec<EdgeId>,
    events: Vec<Event>,
    /// An edge that sets a variable from outside; the value is to be seen at the next edge.
    pending: Option<(EdgeId, VarId)>,
    count: Count,
}

impl Observer for Watcher<'_> {
    fn edge(&mut self, edge: EdgeId, view: &View<'_>) {
        assert_eq!(view.function(), self.graph.program.start, "all is inlined");
        let step = &self.graph.cfa().edges[edge];
        if let Some((setter, var)) = self.pending.take() {
            let bits = view.value(var).expect("a variable of this function");
            self.seen.insert(Origin::Result(setter), bits);
            if let Action::Input { site, .. } = self.graph.cfa().edges[setter].action {
                self.events.push(Event { site, bits });
            }
        }
        if let Some(node) = self.graph.node_at(step.source) {
            self.arrive(node, &|var| view.value(var));
        }
        self.observe(edge, view);
        self.path.push(edge);
        self.pending = match step.action {
            Action::Assign { .. } => None,
            ref other => other.defined_var().map(|var| (edge, var)),
        };
    }
}

impl Watcher<'_> {
    /// Values of expressions that formulas leave open.
    fn observe(&mut self, edge: EdgeId, view: &View<'_>) {
        let step = &self.graph.cfa().edges[edge];
        let node = self.node.expect("a run starts at a node");
        let outgoing = &self.graph.nodes[node].outgoing;
        let unknowns = outgoing
            .iter()
            .flat_map(|&edge| &self.graph.edges[edge].unknowns);
        for unknown in unknowns {
            if let Origin::Expr(location, expr) = unknown.origin
                && location == step.source
            {
                let bits = match step.action {
                    Action::Assume { cond, holds } if cond == expr => Some(u128::from(holds)),
                    _ => evaluate(&self.graph.program, expr, view),
                };
                if let Some(bits) = bits {
                    self.seen.insert(unknown.origin, bits);
                }
            }
        }
    }

    /// Comes to a cut point.
    fn arrive(&mut self, node: NodeId, value: &dyn Fn(VarId) -> Option<u128>) {
        let mut state = Assignment::default();
        for cell in self.graph.live(node) {
            let Content::Variable(var) = cell.content else {
                panic!("addresses don't change");
            };
            let bits = value(var).expect("a variable of this function");
            state.insert(cell.symbol, cell.value(bits).expect("a value of its sort"));
        }
        assert!(
            holds(&self.graph.terms, self.graph.ranges(node), &state)
                || self.graph.state.constants().count() > 0,
            "a state out of range"
        );
        if self.node.is_some() {
            self.check(Some((node, &state)));
        }
        self.node = Some(node);
        self.pre = state;
        self.seen.clear();
        self.path.clear();
        self.events.clear();
    }

    /// The run has ended before another cut point.
    fn ended(&mut self) {
        self.check(None);
        self.count.ended += 1;
    }

    fn check(&mut self, end: Option<(NodeId, &Assignment)>) {
        let graph = self.graph;
        let Some(source) = self.node else { return };
        let outgoing = &graph.nodes[source].outgoing;
        let mut taken = None;
        for &edge in outgoing {
            if Some(graph.edges[edge].target) == end.map(|(node, _)| node) {
                taken = Some(edge);
            } else if graph.edges[edge].exact() && !self.has_address(edge) {
                let (all, _) = self.assignment(edge);
                let guard = graph.edges[edge].transition.guard;
                assert!(
                    !holds(&graph.terms, guard, &all),
                    "{edge:?} can't be taken, too\n{}",
                    self.dump()
                );
                self.count.refuted += 1;
            }
        }
        let Some((_, post)) = end else { return };
        let Some(edge) = taken else {
            panic!("no block for what the run does\n{}", self.dump());
        };
        self.taken(edge, post);
    }

    fn taken(&mut self, edge: BlockEdgeId, post: &Assignment) {
        let graph = self.graph;
        let block = &graph.edges[edge];
        let terms = &graph.terms;
        self.count.blocks += 1;
        let has_address = self.has_address(edge);
        self.count.plain += usize::from(
            !has_address
                && block
                    .approximations
                    .iter()
                    .all(|(cause, _)| !matches!(cause, Cause::Memory | Cause::Float)),
        );
        let (all, inputs) = self.assignment(edge);
        if has_address {
            return;
        } else if block.exact() {
            self.count.exact += 1;
            self.count.nonlinear += usize::from(block.nonlinear);
        } else {
            // What is open on the way that was taken must have been seen.
            let passed = |location: LocId| {
                self.path
                    .iter()
                    .any(|&edge| graph.cfa().edges[edge].source == location)
            };
            let hidden = block.unknowns.iter().any(|unknown| match unknown.origin {
                Origin::Expr(location, _) => {
                    passed(location) && !self.seen.contains_key(&unknown.origin)
                }
                Origin::Global(..) => true,
                Origin::Result(_) => false,
            });
            if hidden {
                return;
            }
            self.count.allowed += 1;
        }
        assert!(
            holds(terms, block.transition.guard, &all),
            "{edge:?} is taken, and its guard is false\n{}",
            self.dump()
        );
        let symbols: Vec<_> = graph.live(block.target).map(|cell| cell.symbol).collect();
        let updates: FxHashMap<_, _> = block.transition.updates.iter().copied().collect();
        let values: Vec<_> = symbols
            .iter()
            .map(|symbol| updates.get(symbol).copied().unwrap_or(terms.var(*symbol)))
            .collect();
        for (symbol, value) in symbols.iter().zip(evaluate_all(terms, &values, &all)) {
            let name = &terms.symbol_info(*symbol).name;
            assert_eq!(
                value.as_ref(),
                post.get(symbol),
                "{name} after {edge:?}\n{}",
                self.dump()
            );
        }
        // The compiled block says the same.
        let compiled = graph.compile(edge);
        let mut frame = compiled.frame();
        let given = |symbols: &mut dyn Iterator<Item = rhumb_logic::Symbol>| -> Vec<Value> {
            symbols
                .map(|symbol| all.get(&symbol).cloned().unwrap_or(Value::Int(0.into())))
                .collect()
        };
        let state = given(&mut graph.state_at(block.source).map(|cell| cell.symbol));
        let read = given(&mut block.transition.inputs.iter().copied());
        match compiled.step_exact(&mut frame, &state, &read) {
            Step::To(after) => {
                for (symbol, value) in symbols.iter().zip(&after) {
                    assert_eq!(
                        Some(value),
                        post.get(symbol),
                        "compiled {edge:?}\n{}",
                        self.dump()
                    );
                }
            }
            other => panic!("compiled {edge:?}: {other:?}"),
        }
        // And so does the walk through the automaton.
        let path = graph.decode(edge, &self.pre, &inputs).expect("a path");
        assert!(path.is_exact() || !block.exact());
        // A value that the formula doesn't need is zero in the walk, which may then take another way to the same end.
        let needed = |origin: &Origin| {
            block
                .unknowns
                .iter()
                .any(|unknown| unknown.origin == *origin)
        };
        if self.seen.keys().all(needed) {
            self.count.paths += 1;
            assert_eq!(path.edges, self.path);
            assert_eq!(path.events, self.events);
        }
        for symbol in symbols {
            assert_eq!(path.post.get(&symbol), post.get(&symbol));
        }
    }

    /// Whether a block's formula names an address. The interpreter doesn't tell which one it is.
    fn has_address(&self, edge: BlockEdgeId) -> bool {
        let transition = &self.graph.edges[edge].transition;
        let updates = transition.updates.iter().map(|update| update.1);
        let used = self.graph.terms.symbols(updates.chain([transition.guard]));
        let mut addresses = self.graph.state.constants();
        addresses.any(|cell| used.contains(&cell.symbol))
    }

    /// Values of all symbols of a block, and of its inputs alone.
    fn assignment(&self, edge: BlockEdgeId) -> (Assignment, Assignment) {
        let mut inputs = Assignment::default();
        for unknown in &self.graph.edges[edge].unknowns {
            if let Some(&bits) = self.seen.get(&unknown.origin) {
                let ty = match unknown.origin {
                    Origin::Result(setter) => {
                        let action = &self.graph.cfa().edges[setter].action;
                        let var = action.defined_var().expect("it sets something");
                        self.graph.program.vars[var].ty
                    }
                    Origin::Expr(_, expr) => self.graph.program.exprs.ty(expr),
                    Origin::Global(_, var) => self.graph.program.vars[var].ty,
                };
                let value = value_of(Sort::Int, ty, bits).expect("an integer");
                let model = self.graph.program.data_model;
                assert_eq!(bits_of(Sort::Int, ty, model, &value), Some(bits));
                inputs.insert(unknown.symbol, value);
            }
        }
        let mut all = self.pre.clone();
        all.extend(
            inputs
                .iter()
                .map(|(symbol, value)| (*symbol, value.clone())),
        );
        (all, inputs)
    }

    fn dump(&self) -> String {
        format!("{}\n{}", self.graph.program.to_text(), self.graph.display())
    }
}

/// The value of an expression that doesn't look at memory.
fn evaluate(program: &Program, id: ExprId, view: &View<'_>) -> Option<u128> {
    let exprs = &program.exprs;
    let ty = exprs.ty(id);
    match exprs[id].kind {
        ExprKind::Const(bits) => Some(bits),
        ExprKind::Var(var) => view.value(var),
        ExprKind::Unary(op, arg) => eval::unary(op, ty, evaluate(program, arg, view)?).ok(),
        ExprKind::Binary(op, lhs, rhs) => {
            let (a, b) = (evaluate(program, lhs, view)?, evaluate(program, rhs, view)?);
            eval::binary(op, exprs.ty(lhs), a, exprs.ty(rhs), b).ok()
        }
        ExprKind::Cast(arg) => eval::cast(exprs.ty(arg), ty, evaluate(program, arg, view)?).ok(),
        ExprKind::CastOverflows(to, arg) => {
            let overflows = eval::cast_overflows(to, exprs.ty(arg), evaluate(program, arg, view)?);
            overflows.ok().map(u128::from)
        }
        _ => None,
    }
}
