//! Whether memory may be lost, or not be freed: an answer that is yes wherever it should be.

use rhumb_program::graph::Graph;
use rhumb_program::passes::EdgeRef;
use rhumb_program::{BinOp, EdgeId, ExprId, IntType, Leak, Scope, Span, Type, Var, VarId};

use super::{Bounds, is_heap};

impl Bounds<'_> {
    /// Whether there may be memory of the heap of which this is true. What a variable that counts points to is not lost.
    pub(super) fn may_leak(&mut self, edge: EdgeId, leak: Leak) -> ExprId {
        let holders = match leak {
            Leak::Lost => self.holders(edge),
            Leak::Unfreed => Vec::new(),
        };
        let heap = self.sites.all.iter_enumerated();
        let heap = heap.filter(|(_, what)| is_heap(**what));
        let heap: Vec<_> = heap.map(|(site, _)| site).collect();
        let mut any = self.passed.program.exprs.bool(false);
        for site in heap {
            let state = self.states[site];
            let (Some(alive), Some(earlier)) = (state.alive, state.earlier) else {
                continue;
            };
            let mut is_lost = self.passed.program.exprs.var(alive, Type::Bool);
            for &var in &holders {
                if let Some(ghost) = self.ghosts[var]
                    && self.sites.may[var].contains(&site)
                {
                    let int = Type::Int(IntType::INT);
                    let at = self.passed.program.exprs.var(ghost.site, int);
                    let is_held = self.is_site(at, site);
                    let is_not_held = self.not(is_held);
                    let exprs = &mut self.passed.program.exprs;
                    is_lost = exprs.binary(BinOp::And, is_lost, is_not_held);
                }
            }
            let exprs = &mut self.passed.program.exprs;
            let earlier = exprs.var(earlier, Type::Bool);
            let is_bad = exprs.binary(BinOp::Or, earlier, is_lost);
            any = exprs.binary(BinOp::Or, any, is_bad);
        }
        any
    }

    /// Pointer variables that hold memory while this edge is under way; there may be more. See
    /// [`rhumb_program::Roots`]: global ones, and those of the entry function that the text names where it stands.
    /// (Functions that it calls begin anew each time, and their variables are not set back here.)
    fn holders(&self, edge: EdgeId) -> Vec<VarId> {
        let program = &self.passed.program;
        let restore = &self.passed.restore;
        let contexts = restore.contexts();
        let cfa = &program.functions[program.start].cfa;
        let origin = restore.edge(EdgeRef {
            function: program.start,
            edge,
        });
        // The entry function's activation, and where it stands.
        let mut at = origin.edge.context;
        let mut spans = vec![cfa.edges[edge].span];
        while let Some((outer, call)) = contexts.last_call(at) {
            if contexts.last_call(outer).is_none() {
                break;
            }
            spans = self.around(call);
            at = outer;
        }
        let is_once = match contexts.last_call(at) {
            Some((_, call)) => self.is_once(call),
            None => false,
        };
        let is_visible = |var: &Var| {
            let visible = var.decl.visible;
            let covers = |span: &Span| visible.lo <= span.lo && span.lo < visible.hi;
            !var.decl.name.is_empty() && spans.iter().all(covers)
        };
        let vars = program.vars.iter_enumerated().take(self.ghosts.len());
        let holds = |(id, var): &(VarId, &Var)| {
            let is_own = || is_once && restore.var(*id).context == at && is_visible(var);
            var.ty == Type::Ptr && (var.scope == Scope::Global || is_own())
        };
        vars.filter(holds).map(|(id, _)| id).collect()
    }

    /// Whether a call is made by the start function, and only once.
    fn is_once(&self, call: EdgeRef) -> bool {
        let cfa = &self.lowered.functions[call.function].cfa;
        let ways = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let components = Graph::new(cfa.locations.len(), ways).components();
        call.function == self.lowered.start && !components.is_cyclic(cfa.edges[call.edge].source)
    }

    /// Where an activation stands during a call, before and behind it.
    fn around(&self, call: EdgeRef) -> Vec<Span> {
        let cfa = &self.lowered.functions[call.function].cfa;
        let edge = &cfa.edges[call.edge];
        let next = cfa.outgoing(edge.target).iter();
        let next = next.map(|&next| cfa.edges[next].span);
        std::iter::once(edge.span).chain(next).collect()
    }
}
