//! The block graph: cut points, and between them formulas.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_logic::{Node, Renaming, Symbol, Term, Terms, Transition};
use rhumb_program::graph::{CallEffects, Graph};
use rhumb_program::{Action, Cfa, EdgeId, FuncId, LocId, Program, Span, VarId};
use rustc_hash::FxHashMap;

use crate::block::Blocks;
use crate::calls::followed;
use crate::cells::{Cell, CellId, Cells, in_range};
use crate::cut::{CutPolicy, NodeKind, cut_points};
use crate::expr::Encoder;
use crate::liveness::Liveness;
use crate::ranges::Ranges;
use crate::region::{Region, RegionPlace};
use crate::unknown::{Cause, Unknown};

index_vec::define_index_type! {
    /// A node of a block graph.
    pub struct NodeId = u32;
    DEBUG_FORMAT = "n{}";
}
index_vec::define_index_type! {
    /// An edge of a block graph.
    pub struct BlockEdgeId = u32;
    DEBUG_FORMAT = "b{}";
}

/// The automaton of a function as a graph of cut points, with a formula for all the ways between two of them.
///
/// Every cycle goes through a node. A run that ends (in undefined behaviour, by `exit`, where nothing asked for can
/// follow) is not seen any more from the last node before on; a run to a goal ([`NodeKind::is_goal`]) is a path of the
/// graph.
#[derive(Clone, Debug)]
pub struct BlockGraph {
    /// The program.
    pub program: Arc<Program>,
    /// The function that was encoded.
    pub function: FuncId,
    /// The store of the formulas' terms.
    pub terms: Arc<Terms>,
    /// The cells of the state.
    pub state: Cells,
    /// The cut points.
    pub nodes: IndexVec<NodeId, BlockNode>,
    /// The blocks; at most one for each pair of nodes.
    pub edges: IndexVec<BlockEdgeId, BlockEdge>,
    /// Where runs begin. Nothing is known of the state there: the first values of globals are set by the blocks that
    /// leave it, if the program begins there.
    pub entry: NodeId,
    pub(crate) node_at: FxHashMap<LocId, NodeId>,
    /// What the calls that are left can set.
    pub(crate) calls: CallEffects,
    /// What is assumed of the state at each node.
    assumed: IndexVec<NodeId, Term>,
}

/// A cut point.
#[derive(Clone, Debug)]
pub struct BlockNode {
    /// The location in the function's automaton.
    pub location: LocId,
    /// What it is.
    pub kind: NodeKind,
    /// The cells that are live there, but for those that never change; the values of others don't matter.
    pub live: Vec<CellId>,
    /// The blocks that begin there.
    pub outgoing: Vec<BlockEdgeId>,
    /// The blocks that end there.
    pub incoming: Vec<BlockEdgeId>,
    /// What the function returns from there, where calls are edges of their own.
    pub returned: Option<Returned>,
}

/// What a function returns.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The edge.
    pub edge: EdgeId,
    /// The value, over the cells that are live there.
    pub value: Option<Term>,
}

/// What a block is.
#[derive(Clone, Debug)]
pub enum BlockKind {
    /// Its transition says what it does.
    Formula,
    /// A call that was not inlined, and nothing else ([`CutPolicy::Calls`]). Its transition sets all that the call may
    /// set to open values: the result is that of [`Origin::Result`](crate::Origin::Result), a global that of
    /// [`Origin::Global`](crate::Origin::Global).
    Call {
        /// The edge.
        edge: EdgeId,
        /// What is called.
        callee: FuncId,
        /// What it is given, over the cells that are live where it begins.
        arguments: Vec<Term>,
    },
}

/// All the ways from one cut point to another that pass no third one.
#[derive(Clone, Debug)]
pub struct BlockEdge {
    /// Where it begins.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
    /// What it is.
    pub kind: BlockKind,
    /// What it does, to the variables that are live at its end. Its symbols are those of [`BlockGraph::state`], and inputs.
    pub transition: Transition,
    /// What the transition's inputs are, in topological order of the places where the values arise.
    pub unknowns: Vec<Unknown>,
    /// What the formula allows and the program perhaps doesn't: each with its place in the source. Empty for an exact block.
    pub approximations: Vec<(Cause, Span)>,
    /// Whether there are products of variables, or operations that linear arithmetic doesn't have. The formula is exact all the same.
    pub nonlinear: bool,
}

impl BlockEdge {
    /// Whether the formula says exactly what the program does, for every state and all inputs.
    pub fn exact(&self) -> bool {
        self.approximations.is_empty()
    }
}

impl BlockGraph {
    /// Encodes the start function of a program: all its runs.
    pub fn build(program: &Arc<Program>, terms: &Arc<Terms>, policy: CutPolicy) -> BlockGraph {
        BlockGraph::of_function(program, program.start, terms, policy)
    }

    /// Encodes a function: runs that begin there, with any arguments, and anywhere but at the start of the program with
    /// any values of globals. Calls should be inlined before (see [`prepare`](crate::prepare)): those that are left are
    /// approximated.
    pub fn of_function(
        program: &Arc<Program>,
        function: FuncId,
        terms: &Arc<Terms>,
        policy: CutPolicy,
    ) -> BlockGraph {
        let cfa = &program.functions[function].cfa;
        let kinds = cut_points(program, function, policy);
        let is_cut: IndexVec<LocId, bool> = kinds.iter().map(Option::is_some).collect();
        let incoming = cfa.incoming();
        let is_wanted = |at: LocId| is_cut[at] || incoming[at].len() > 1;
        let live = match policy {
            CutPolicy::Calls => Liveness::across_calls(program, function, is_wanted),
            _ => Liveness::of(program, cfa, is_wanted),
        };
        let mut ranges = Ranges::default();
        let cuts = is_cut.iter_enumerated().filter(|(_, is_cut)| **is_cut);
        let vars = cuts.flat_map(|(location, _)| live.at(location));
        let state = Cells::new(program, terms, &mut ranges, vars);
        let mut nodes: IndexVec<NodeId, BlockNode> = IndexVec::new();
        let mut node_at = FxHashMap::default();
        for (location, kind) in kinds.iter_enumerated() {
            if let Some(kind) = *kind {
                let id = nodes.push(BlockNode {
                    location,
                    kind,
                    live: live
                        .at(location)
                        .filter_map(|var| state.of_var(var))
                        .collect(),
                    outgoing: Vec::new(),
                    incoming: Vec::new(),
                    returned: None,
                });
                node_at.insert(location, id);
            }
        }
        let calls = CallEffects::of(program, function).on(|var| live.mentions(var));
        let entry = node_at.get(&cfa.entry).copied();
        let mut builder = Builder {
            graph: BlockGraph {
                program: program.clone(),
                function,
                terms: terms.clone(),
                state,
                nodes,
                edges: IndexVec::new(),
                entry: entry.unwrap_or(NodeId::from_usize(0)),
                node_at,
                calls,
                assumed: IndexVec::new(),
            },
            ranges,
            live,
            is_cut,
            follows_calls: policy == CutPolicy::Calls,
        };
        for node in builder.graph.nodes.indices() {
            builder.blocks_from(node);
        }
        builder.finish()
    }

    /// What is assumed of every state at a node: that live variables have values of their types, and what is known of addresses.
    pub fn ranges(&self, node: NodeId) -> Term {
        self.assumed[node]
    }

    /// The cells that are live at a node, but for those that never change.
    pub fn live(&self, node: NodeId) -> impl Iterator<Item = &Cell> + '_ {
        let live = self.nodes.get(node).into_iter();
        live.flat_map(|node| node.live.iter().map(|&cell| &self.state[cell]))
    }

    /// The cells that make up the state at a node: those that are live, then those that never change.
    pub fn state_at(&self, node: NodeId) -> impl Iterator<Item = &Cell> + '_ {
        self.live(node).chain(self.state.constants())
    }

    /// The node of a location, if it is a cut point.
    pub fn node_at(&self, location: LocId) -> Option<NodeId> {
        self.node_at.get(&location).copied()
    }

    /// Whether a block multiplies variables, or divides by one.
    pub fn is_nonlinear(&self) -> bool {
        self.edges.iter().any(|edge| edge.nonlinear)
    }

    /// The nodes that must not be reached.
    pub fn goals(&self) -> impl Iterator<Item = NodeId> + '_ {
        let goal = |(id, node): (NodeId, &BlockNode)| node.kind.is_goal().then_some(id);
        self.nodes.iter_enumerated().filter_map(goal)
    }

    /// The graph of the nodes, for graph algorithms.
    pub fn graph(&self) -> Graph<NodeId> {
        let edges = self.edges.iter();
        Graph::new(
            self.nodes.len(),
            edges.map(|edge| (edge.source, edge.target)),
        )
    }

    /// The automaton that was encoded.
    pub fn cfa(&self) -> &Cfa {
        &self.program.functions[self.function].cfa
    }

    /// The edges of the automaton that lie on the ways of a block, in topological order.
    pub fn fragment(&self, edge: BlockEdgeId) -> Vec<EdgeId> {
        let BlockEdge { source, target, .. } = self.edges[edge];
        let cfa = self.cfa();
        let mut is_cut: IndexVec<LocId, bool> =
            IndexVec::from_vec(vec![false; cfa.locations.len()]);
        for &location in self.node_at.keys() {
            is_cut[location] = true;
        }
        let region = Region::of(cfa, self.nodes[source].location, &is_cut);
        let end = self.nodes[target].location;
        let mut ends = region.ends.iter().copied();
        let Some(end) = ends.find(|&place| region.locations[place] == end) else {
            return Vec::new();
        };
        let useful = leading_to(&region, end);
        let places = region.places().filter(|&place| useful[place]);
        places
            .flat_map(|place| region.incoming[place].iter().map(|&(_, edge)| edge))
            .collect()
    }
}

/// The places from which a place can be reached.
fn leading_to(region: &Region, goal: RegionPlace) -> IndexVec<RegionPlace, bool> {
    let mut useful: IndexVec<RegionPlace, bool> =
        IndexVec::from_vec(vec![false; region.locations.len()]);
    useful[goal] = true;
    for place in region.places().collect::<Vec<_>>().into_iter().rev() {
        if useful[place] {
            for &(source, _) in &region.incoming[place] {
                useful[source] = true;
            }
        }
    }
    useful
}

struct Builder {
    graph: BlockGraph,
    ranges: Ranges,
    live: Liveness,
    is_cut: IndexVec<LocId, bool>,
    /// Whether calls are edges of their own.
    follows_calls: bool,
}

/// A block before its open values get symbols of their own.
struct Draft {
    target: NodeId,
    guard: Term,
    updates: Vec<(Symbol, Term)>,
    marks: Vec<(Cause, Span)>,
    kind: BlockKind,
}

impl Builder {
    /// All blocks that begin at a node.
    fn blocks_from(&mut self, source: NodeId) {
        let program = self.graph.program.clone();
        let terms = self.graph.terms.clone();
        let function = self.graph.function;
        let cfa = &program.functions[function].cfa;
        let node = &self.graph.nodes[source];
        let region = Region::of(cfa, node.location, &self.is_cut);
        let mut encoder = Encoder::new(
            &program,
            &terms,
            &region,
            &mut self.graph.state,
            &mut self.ranges,
            &self.graph.calls,
            node.location == cfa.entry && function == program.start,
        );
        let mut blocks = Blocks::of(&mut encoder, cfa, &self.live);
        let mut drafts = Vec::new();
        for &end in &region.ends {
            let guard = blocks.reach(end);
            if terms.as_bool(guard) == Some(false) {
                continue;
            }
            let Some(&target) = self.graph.node_at.get(&region.locations[end]) else {
                continue;
            };
            let vars: Vec<VarId> = self.live.at(region.locations[end]).collect();
            let values: Vec<(VarId, Term)> = vars
                .into_iter()
                .map(|var| (var, blocks.value(end, var)))
                .collect();
            let mut marks = Vec::new();
            if !blocks.marks.is_empty() {
                let useful = leading_to(&region, end);
                let passed = blocks.marks.iter().filter(|(place, _, _)| useful[*place]);
                marks.extend(passed.map(|&(_, edge, cause)| (cause, cfa.edges[edge].span)));
            }
            drafts.push((target, guard, values, marks));
        }
        // What leaves the function here, or goes into another one: over the state at the node.
        let mut kind = BlockKind::Formula;
        let mut returned = None;
        if let (true, &[edge]) = (self.follows_calls, cfa.outgoing(node.location)) {
            let step = &cfa.edges[edge];
            encoder.go_to(RegionPlace::from_usize(0), step.span);
            match &step.action {
                Action::Return { value } if function != program.start => {
                    let value = value.map(|value| encoder.value(value));
                    returned = Some(Returned { edge, value });
                }
                Action::Call { args, .. } => {
                    if let Some(callee) = followed(&program, &step.action) {
                        let arguments = args.iter().map(|&arg| encoder.value(arg)).collect();
                        kind = BlockKind::Call {
                            edge,
                            callee,
                            arguments,
                        };
                    }
                }
                _ => {}
            }
        }
        let unknowns = std::mem::take(&mut encoder.unknowns);
        self.graph.nodes[source].returned = returned;
        for (position, (target, guard, values, marks)) in drafts.into_iter().enumerate() {
            let state = &self.graph.state;
            let updates = values.into_iter().filter_map(|(var, value)| {
                let symbol = state.symbol(var)?;
                (terms.var(symbol) != value).then_some((symbol, value))
            });
            let draft = Draft {
                target,
                guard,
                updates: updates.collect(),
                marks,
                kind: kind.clone(),
            };
            self.add(source, draft, &unknowns, position > 0);
        }
    }

    /// Adds a block. Blocks from one node are made of common terms; the open values of all but the first are renamed,
    /// since each block has its own.
    fn add(&mut self, source: NodeId, draft: Draft, unknowns: &[Unknown], rename: bool) {
        let terms = self.graph.terms.clone();
        let Draft {
            target,
            mut guard,
            mut updates,
            marks,
            kind,
        } = draft;
        let all = terms.postorder(updates.iter().map(|update| update.1).chain([guard]));
        let mut used: Vec<Symbol> = all
            .iter()
            .filter_map(|&term| terms.as_symbol(term))
            .collect();
        used.sort_unstable();
        let nonlinear = all
            .iter()
            .any(|&term| matches!(terms.node(term), Node::Product(..) | Node::Op(..)));
        let mut unknowns: Vec<Unknown> = unknowns
            .iter()
            .filter(|unknown| used.binary_search(&unknown.symbol).is_ok())
            .cloned()
            .collect();
        if rename && !unknowns.is_empty() {
            let mut map = FxHashMap::default();
            for unknown in &mut unknowns {
                let new = terms.fresh_copy(unknown.symbol);
                if let Some(range) = self.ranges.symbol(unknown.symbol).cloned() {
                    self.ranges.declare(new, range);
                }
                map.insert(unknown.symbol, terms.var(new));
                unknown.symbol = new;
            }
            let mut renaming = Renaming::new(map);
            guard = renaming.apply(&terms, guard);
            for (_, value) in &mut updates {
                *value = renaming.apply(&terms, *value);
            }
        }
        let in_ranges = unknowns
            .iter()
            .map(|unknown| in_range(&terms, &self.ranges, unknown.symbol));
        let guard = terms.and(in_ranges.chain([guard]).collect::<Vec<_>>());
        let mut approximations = marks;
        let open = unknowns
            .iter()
            .filter(|unknown| unknown.cause.is_approximation());
        approximations.extend(open.map(|unknown| (unknown.cause, unknown.span)));
        approximations.sort_by_key(|(_, span)| *span);
        approximations.dedup();
        let mut inputs: Vec<Symbol> = unknowns.iter().map(|unknown| unknown.symbol).collect();
        inputs.sort_unstable();
        updates.sort_unstable();
        let id = self.graph.edges.push(BlockEdge {
            source,
            target,
            kind,
            transition: Transition {
                updates,
                guard,
                inputs,
            },
            unknowns,
            approximations,
            nonlinear,
        });
        self.graph.nodes[source].outgoing.push(id);
        self.graph.nodes[target].incoming.push(id);
    }

    fn finish(self) -> BlockGraph {
        let Builder {
            mut graph, ranges, ..
        } = self;
        let terms = &graph.terms;
        let addresses = graph.state.address_facts(terms, &ranges);
        graph.assumed = graph
            .nodes
            .iter()
            .map(|node| {
                let live = node.live.iter().map(|&cell| graph.state[cell].symbol);
                let in_ranges = live.map(|symbol| in_range(terms, &ranges, symbol));
                terms.and(in_ranges.chain([addresses]).collect::<Vec<_>>())
            })
            .collect();
        graph
    }
}
