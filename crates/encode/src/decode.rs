//! From a model of a block formula to the path of the automaton that it describes.
//!
//! The block is walked edge by edge with the exact meaning of expressions, from the state and the open values that the
//! model gives. So the path that comes out is one that the program takes, as far as nothing on it is approximated,
//! whatever the formula said.

use rhumb_logic::{Assignment, Symbol};
use rhumb_program::interp::eval;
use rhumb_program::{
    Action, Callee, EdgeId, ExprId, ExprKind, InputSiteId, LocId, Scope, Type, VarId,
};
use rustc_hash::FxHashMap;

use crate::cells::{Addressed, Content};
use crate::graph::{BlockEdge, BlockEdgeId, BlockGraph};
use crate::region::is_dead_end;
use crate::unknown::{Cause, Origin};
use crate::values::bits_of;

/// A value from outside, in the order of execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Event {
    /// Which input.
    pub site: InputSiteId,
    /// Bit pattern of the value.
    pub bits: u128,
}

/// A path through a block.
#[derive(Clone, Debug)]
pub struct DecodedPath {
    /// The edges of the encoded automaton, from the block's source to its target.
    pub edges: Vec<EdgeId>,
    /// What was read on the way.
    pub events: Vec<Event>,
    /// The steps of the path that are approximated: what they gave was taken from the model.
    pub approximated: Vec<EdgeId>,
    /// The values of the symbols of all state variables at the end.
    pub post: Assignment,
}

/// Why there is no path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecodeError {
    /// From this state, with these open values, the program goes elsewhere.
    #[error("the run leaves the block at location {0:?}")]
    Elsewhere(LocId),
    /// The value of a symbol has no bit pattern: it is of a sort that the program has no values of.
    #[error("the value of {0:?} is none of the program")]
    Sort(Symbol),
}

impl BlockGraph {
    /// Walks a block: `pre` has values of the state's symbols, `inputs` of the transition's inputs. What is not given is zero.
    pub fn decode(
        &self,
        edge: BlockEdgeId,
        pre: &Assignment,
        inputs: &Assignment,
    ) -> Result<DecodedPath, DecodeError> {
        let block = &self.edges[edge];
        let location = self.nodes[block.source].location;
        let unknowns = block.unknowns.iter();
        let origins = unknowns.map(|unknown| (unknown.origin, (unknown.symbol, unknown.cause)));
        let mut walker = Walker {
            graph: self,
            block,
            pre,
            inputs,
            origins: origins.collect(),
            values: FxHashMap::default(),
            location,
            path: DecodedPath {
                edges: Vec::new(),
                events: Vec::new(),
                approximated: Vec::new(),
                post: Assignment::default(),
            },
            approximated: false,
            foreign: None,
        };
        walker.walk()?;
        for cell in self.state.iter() {
            if let Content::Variable(var) = cell.content {
                let bits = walker.var(var);
                let value = cell.value(bits).ok_or(DecodeError::Sort(cell.symbol))?;
                walker.path.post.insert(cell.symbol, value);
            }
        }
        walker.foreign.map_or(Ok(walker.path), Err)
    }
}

struct Walker<'g> {
    graph: &'g BlockGraph,
    block: &'g BlockEdge,
    pre: &'g Assignment,
    inputs: &'g Assignment,
    origins: FxHashMap<Origin, (Symbol, Cause)>,
    /// Bit patterns of what was set or read so far.
    values: FxHashMap<VarId, u128>,
    location: LocId,
    path: DecodedPath,
    /// Whether the current step rests on something approximated.
    approximated: bool,
    /// The first value that was none of the program.
    foreign: Option<DecodeError>,
}

impl Walker<'_> {
    fn walk(&mut self) -> Result<(), DecodeError> {
        let cfa = self.graph.cfa();
        loop {
            self.approximated = false;
            let mut taken = None;
            for &edge in cfa.outgoing(self.location) {
                let goes = match cfa.edges[edge].action {
                    Action::Assume { cond, holds } => (self.eval(cond) != 0) == holds,
                    _ => true,
                };
                if goes {
                    taken = Some(edge);
                    break;
                }
            }
            let edge = taken.ok_or(DecodeError::Elsewhere(self.location))?;
            self.step(edge);
            self.path.edges.push(edge);
            if self.approximated {
                self.path.approximated.push(edge);
            }
            self.location = cfa.edges[edge].target;
            match self.graph.node_at(self.location) {
                Some(node) if node == self.block.target => return Ok(()),
                None if !is_dead_end(cfa.locations[self.location].kind) => {}
                _ => return Err(DecodeError::Elsewhere(self.location)),
            }
        }
    }

    /// What an edge does to the variables.
    fn step(&mut self, edge: EdgeId) {
        let program = &self.graph.program;
        match self.graph.cfa().edges[edge].action {
            Action::Assign { dst, value } => {
                let bits = self.eval(value);
                self.values.insert(dst, bits);
            }
            Action::Input { dst, site } => {
                let bits = self.open(Origin::Result(edge), program.vars[dst].ty);
                self.path.events.push(Event { site, bits });
                self.values.insert(dst, bits);
            }
            Action::Load { dst, .. } | Action::Alloc { dst, .. } => self.set_unknown(edge, dst),
            Action::Approximate { dst, .. } => {
                self.approximated = true;
                dst.into_iter().for_each(|dst| self.set_unknown(edge, dst));
            }
            ref action @ Action::Call { dst, callee, .. } => {
                self.approximated |= !matches!(callee, Callee::Builtin(_));
                for &var in self.graph.calls.set_by(program, action) {
                    let bits = self.open(Origin::Global(edge, var), program.vars[var].ty);
                    self.values.insert(var, bits);
                }
                dst.into_iter().for_each(|dst| self.set_unknown(edge, dst));
            }
            _ => {}
        }
    }

    fn set_unknown(&mut self, edge: EdgeId, dst: VarId) {
        let bits = self.open(Origin::Result(edge), self.graph.program.vars[dst].ty);
        self.values.insert(dst, bits);
    }

    /// The value that the model gives to something open. What is not in the formula makes no difference.
    fn open(&mut self, origin: Origin, ty: Type) -> u128 {
        match self.origins.get(&origin) {
            Some(&(symbol, cause)) => {
                self.approximated |= cause.is_approximation();
                self.bits(ty, symbol, self.inputs)
            }
            None => 0,
        }
    }

    /// The bit pattern of the value of a symbol.
    fn bits(&mut self, ty: Type, symbol: Symbol, values: &Assignment) -> u128 {
        let Some(value) = values.get(&symbol) else {
            return 0;
        };
        let sort = self.graph.terms.symbol_info(symbol).sort;
        let bits = bits_of(sort, ty, self.graph.program.data_model, value);
        bits.unwrap_or_else(|| {
            self.foreign.get_or_insert(DecodeError::Sort(symbol));
            0
        })
    }

    fn var(&mut self, var: VarId) -> u128 {
        if let Some(&bits) = self.values.get(&var) {
            return bits;
        }
        let graph = self.graph;
        let info = &graph.program.vars[var];
        let is_first = self.block.source == graph.entry && graph.function == graph.program.start;
        let first = if is_first && info.scope == Scope::Global {
            info.init.map_or(0, |init| self.eval(init))
        } else {
            match graph.state.symbol(var) {
                Some(symbol) => self.bits(info.ty, symbol, self.pre),
                None => 0,
            }
        };
        self.values.insert(var, first);
        first
    }

    fn address(&mut self, what: Addressed) -> u128 {
        match self.graph.state.address(what) {
            Some(cell) => self.bits(cell.ty, cell.symbol, self.pre),
            None => 0,
        }
    }

    /// The value of an expression, as a bit pattern. An operation may have none where a check before it rests on
    /// something approximated; then it is as if the value was approximated, too.
    fn eval(&mut self, id: ExprId) -> u128 {
        let origin = Origin::Expr(self.location, id);
        if self.origins.contains_key(&origin) {
            return self.open(origin, self.graph.program.exprs.ty(id));
        }
        let program = &self.graph.program;
        let ty = program.exprs.ty(id);
        // Pointers count as integers of their width.
        let plain = |ty: Type| match ty {
            Type::Ptr => Type::Int(program.data_model.size_type()),
            other => other,
        };
        let exprs = &program.exprs;
        let value = match exprs[id].kind {
            ExprKind::Const(bits) => Ok(bits),
            ExprKind::Var(var) => Ok(self.var(var)),
            ExprKind::AddrOf(object) => Ok(self.address(Addressed::Object(object))),
            ExprKind::FuncAddr(function) => Ok(self.address(Addressed::Function(function))),
            ExprKind::Unary(op, arg) => {
                let bits = self.eval(arg);
                eval::unary(op, plain(ty), bits)
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.eval(lhs), self.eval(rhs));
                let (left, right) = (plain(exprs.ty(lhs)), plain(exprs.ty(rhs)));
                eval::binary(op, left, a, right, b)
            }
            ExprKind::Cast(arg) => {
                let bits = self.eval(arg);
                eval::cast(plain(exprs.ty(arg)), plain(ty), bits)
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.eval(lhs), self.eval(rhs));
                let (left, right) = (plain(exprs.ty(lhs)), plain(exprs.ty(rhs)));
                eval::overflows(op, left, a, right, b).map(u128::from)
            }
            ExprKind::CastOverflows(to, arg) => {
                let bits = self.eval(arg);
                eval::cast_overflows(to, exprs.ty(arg), bits).map(u128::from)
            }
            ExprKind::PtrAdd(ptr, bytes) => {
                let sum = self.eval(ptr).wrapping_add(self.eval(bytes));
                Ok(program.data_model.size_type().wrap(sum))
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                let difference = self.eval(lhs).wrapping_sub(self.eval(rhs));
                Ok(program.data_model.size_type().wrap(difference))
            }
            // Not in the formula, so it makes no difference.
            ExprKind::AccessOk { .. } | ExprKind::FreeOk(_) => Ok(1),
        };
        value.unwrap_or_else(|_| {
            self.approximated = true;
            0
        })
    }
}

impl DecodedPath {
    /// Whether nothing on the path is approximated.
    pub fn is_exact(&self) -> bool {
        self.approximated.is_empty()
    }
}

impl BlockEdge {
    /// The inputs of the block: symbols and the sites that they belong to.
    pub fn input_sites(&self) -> impl Iterator<Item = (Symbol, InputSiteId)> + '_ {
        self.unknowns
            .iter()
            .filter_map(|unknown| match unknown.cause {
                Cause::Input(site) => Some((unknown.symbol, site)),
                _ => None,
            })
    }
}
