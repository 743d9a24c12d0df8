//! Leaving out branches that decide nothing about the goals.
//!
//! The usual slice, backwards from the goals: the branches that decide whether a place is come to, the variables that
//! branches look at, what gives them their values, the branches that decide about that. A branch that decides nothing is
//! left out: the run goes on where its ways meet. Right for programs in which much goes on beside what a goal depends
//! on: loops that fill, count or wait, before and between the checks that are asked about.
//!
//! This pass keeps less than the others do. Every run of the original to a goal is one of the result, without the steps
//! that are left out; but a run of the result need not be one of the original: a loop that was left out may not end
//! there, and a condition may not hold that nobody asked about. So what is proved of the result holds, and an error in it has
//! to be tried. Of conditions that end a run otherwise, those for undefined behaviour stay if they speak only of
//! what matters, the others if they speak of anything that does.
//!
//! Only the start function is looked at, and only if nothing is called there any more.

use index_vec::{IndexVec, index_vec};

use super::prune::Goals;
use super::rebuild::Rebuild;
use super::restore::{FunctionRestore, Restore, Role};
use super::{Passed, finish};
use crate::cfa::{Action, Cfa, LocKind};
use crate::expr::ExprKind;
use crate::graph::{Dominators, Graph, LoopNest};
use crate::ids::{EdgeId, ExprId, InputSiteId, LocId, VarId};
use crate::model::Program;

/// A program without what decides nothing.
#[derive(Clone, Debug)]
pub struct Sliced {
    /// The program, and the map back.
    pub passed: Passed,
    /// Branches that were left out with loops in their ways.
    pub skipped: Vec<Skipped>,
}

/// A branch that was left out, in the original's start function. Nothing that matters changes between it and the place
/// where its ways meet, so what holds at the branch holds at these heads of loops.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// The branch.
    pub at: LocId,
    /// Heads of loops on its ways; not the branch itself.
    pub heads: Vec<LocId>,
}

/// Leaves out what decides nothing; none if that are no loops.
pub fn run(program: &Program, goals: &Goals) -> Option<Sliced> {
    let start = program.start;
    let cfa = &program.functions[start].cfa;
    let calls = |action: &Action| matches!(action, Action::Call { .. });
    if cfa.edges.iter().any(|edge| calls(&edge.action)) {
        return None;
    }
    let is_goal = |at: LocId| goals.contains(cfa.locations[at].kind);
    let goals: Vec<LocId> = cfa.locations.indices().filter(|&at| is_goal(at)).collect();
    let matters = cfa.graph().reaching(goals.iter().copied());
    if goals.is_empty() || !matters[cfa.entry] {
        return None;
    }
    let mut slice = Slice::new(program, cfa, &goals, matters);
    slice.begin(&goals);
    slice.work_off();
    let loops = cfa.loops();
    let skipped = slice.skipped(&loops);
    let leaves_out_a_loop = |skip: &Skipped| !skip.heads.is_empty() || loops.is_head(skip.at);
    if !skipped.iter().any(leaves_out_a_loop) {
        return None;
    }
    let mut marked = cfa.clone();
    for skip in skipped.iter().filter(|skip| leaves_out_a_loop(skip)) {
        let next = cfa.outgoing(skip.at).first();
        let span = next.map(|&edge| cfa.edges[edge].span);
        let mark = &mut marked.locations[skip.at].loop_statement;
        *mark = mark.or(span);
    }
    let mut result = program.clone();
    let mut restore = Restore::without_functions(program);
    for (id, function) in program.functions.iter_enumerated() {
        let (cfa, origins) = match id == start {
            true => slice.rebuild(&marked, program),
            false => {
                let mut rebuild = Rebuild::new(id, &function.cfa, |_| true);
                for (edge, old) in function.cfa.edges.iter_enumerated() {
                    rebuild.edge(edge, old.action.clone(), old.target, Role::Step);
                }
                rebuild.finish()
            }
        };
        result.functions[id].cfa = cfa;
        restore.functions.push(origins);
    }
    Some(Sliced {
        passed: finish(result, restore),
        skipped,
    })
}

/// A condition, one of whose outcomes leads to no goal.
#[derive(Clone, Copy)]
struct Assumption {
    cond: ExprId,
    /// Where a run goes on that is not over.
    next: LocId,
    /// Whether the other outcome is undefined behaviour.
    is_check: bool,
}

struct Slice<'p> {
    program: &'p Program,
    cfa: &'p Cfa,
    /// What can lead to a goal.
    matters: IndexVec<LocId, bool>,
    /// That part of the automaton, with one exit behind all goals.
    graph: Graph<LocId>,
    /// What each location surely leads to on the way to a goal.
    after: Dominators<LocId>,
    exit: LocId,
    assumptions: IndexVec<LocId, Option<Assumption>>,
    /// Assumptions that speak of a variable, checks left out.
    about: IndexVec<VarId, Vec<LocId>>,
    /// For each location the branches that decide whether it is come to.
    deciders: IndexVec<LocId, Vec<LocId>>,
    setters: IndexVec<VarId, Vec<EdgeId>>,
    /// The edges that take an input.
    inputs: IndexVec<InputSiteId, Vec<EdgeId>>,
    /// What is known to matter: branches and assumptions, places, variables, memory.
    decides: IndexVec<LocId, bool>,
    is_reached: IndexVec<LocId, bool>,
    is_followed: IndexVec<VarId, bool>,
    is_memory_followed: bool,
    /// Variables whose setters are still to be looked at.
    waiting: Vec<VarId>,
}

impl<'p> Slice<'p> {
    fn new(
        program: &'p Program,
        cfa: &'p Cfa,
        goals: &[LocId],
        matters: IndexVec<LocId, bool>,
    ) -> Slice<'p> {
        let exit = cfa.locations.next_idx();
        let len = exit.index() + 1;
        let inner = (cfa.edges.iter())
            .filter(|edge| matters[edge.target])
            .map(|edge| (edge.source, edge.target));
        let graph = Graph::new(len, inner.chain(goals.iter().map(|&goal| (goal, exit))));
        let after = Dominators::of(&graph.reversed(), exit);
        let mut slice = Slice {
            program,
            cfa,
            matters,
            graph,
            after,
            exit,
            assumptions: index_vec![None; len],
            about: (0..program.vars.len()).map(|_| Vec::new()).collect(),
            deciders: (0..len).map(|_| Vec::new()).collect(),
            setters: (0..program.vars.len()).map(|_| Vec::new()).collect(),
            inputs: (0..program.inputs.len()).map(|_| Vec::new()).collect(),
            decides: index_vec![false; len],
            is_reached: index_vec![false; len],
            is_followed: index_vec![false; program.vars.len()],
            is_memory_followed: false,
            waiting: Vec::new(),
        };
        slice.find_assumptions();
        slice.find_deciders();
        for (id, edge) in cfa.edges.iter_enumerated() {
            if let Some(var) = edge.action.defined_var() {
                slice.setters[var].push(id);
            }
            if let Action::Input { site, .. } = edge.action {
                slice.inputs[site].push(id);
            }
        }
        slice
    }

    fn find_assumptions(&mut self) {
        for at in self.cfa.locations.indices() {
            let &[one, other] = self.cfa.outgoing(at) else {
                continue;
            };
            let target = |edge: EdgeId| self.cfa.edges[edge].target;
            let (next, end) = match (self.matters[target(one)], self.matters[target(other)]) {
                (true, false) => (target(one), target(other)),
                (false, true) => (target(other), target(one)),
                _ => continue,
            };
            let Action::Assume { cond, .. } = self.cfa.edges[one].action else {
                continue;
            };
            let is_check = matches!(self.cfa.locations[end].kind, LocKind::Ub(_));
            self.assumptions[at] = Some(Assumption {
                cond,
                next,
                is_check,
            });
            if !is_check {
                let about = &mut self.about;
                (self.program.exprs).for_each_var(cond, &mut |var| about[var].push(at));
            }
        }
    }

    fn find_deciders(&mut self) {
        for branch in self.cfa.locations.indices() {
            let successors = self.graph.successors(branch);
            if successors.len() < 2 {
                continue;
            }
            let end = self.after.immediate(branch);
            for &next in successors {
                // All that comes surely after this way was taken, and not in any case.
                let mut at = Some(next);
                while let Some(here) = at.filter(|&here| here != self.exit && at != end) {
                    self.deciders[here].push(branch);
                    at = self.after.immediate(here);
                }
            }
        }
    }

    /// It matters whether goals are come to: so do the last decisions before them, one way of which may lead to none.
    fn begin(&mut self, goals: &[LocId]) {
        let incoming = self.cfa.incoming();
        let mut seen: IndexVec<LocId, bool> = index_vec![false; self.cfa.locations.len()];
        let mut todo = goals.to_vec();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            self.reach(at);
            for &edge in &incoming[at] {
                let source = self.cfa.edges[edge].source;
                let is_check = self.assumptions[source].is_some_and(|it| it.is_check);
                match self.cfa.outgoing(source).len() > 1 && !is_check {
                    true => {
                        if self.decide(source) {
                            self.reach(source);
                        }
                    }
                    false => todo.push(source),
                }
            }
        }
    }

    /// It matters whether a location is come to.
    fn reach(&mut self, at: LocId) {
        let mut todo = vec![at];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut self.is_reached[at], true) {
                continue;
            }
            for branch in std::mem::take(&mut self.deciders[at]) {
                todo.extend(self.decide(branch).then_some(branch));
            }
        }
    }

    /// It matters how a branch goes. Says whether that is new.
    fn decide(&mut self, branch: LocId) -> bool {
        if std::mem::replace(&mut self.decides[branch], true) {
            return false;
        }
        if let Some(&edge) = self.cfa.outgoing(branch).first()
            && let Action::Assume { cond, .. } = self.cfa.edges[edge].action
        {
            self.read(cond);
        }
        true
    }

    /// The value of an expression matters.
    fn read(&mut self, expr: ExprId) {
        let (followed, waiting) = (&mut self.is_followed, &mut self.waiting);
        self.program.exprs.for_each_var(expr, &mut |var| {
            if !std::mem::replace(&mut followed[var], true) {
                waiting.push(var);
            }
        });
        if self.looks_at_memory(expr) {
            self.follow_memory();
        }
    }

    /// Whether an expression asks which objects are alive.
    fn looks_at_memory(&self, expr: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let is_predicate = |kind| matches!(kind, ExprKind::AccessOk { .. } | ExprKind::FreeOk(_));
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            if is_predicate(exprs[expr].kind) {
                return true;
            }
            todo.extend(exprs.children(expr));
        }
        false
    }

    /// What gives variables their values matters, too, and what is assumed of them.
    fn work_off(&mut self) {
        while let Some(var) = self.waiting.pop() {
            for edge in std::mem::take(&mut self.setters[var]) {
                self.perform(edge);
            }
            for at in std::mem::take(&mut self.about[var]) {
                if self.decide(at) {
                    self.reach(at);
                }
            }
        }
    }

    /// What an edge does matters.
    fn perform(&mut self, id: EdgeId) {
        let edge = &self.cfa.edges[id];
        if !self.matters[edge.source] {
            return;
        }
        self.reach(edge.source);
        edge.action.for_each_expr(|expr| self.read(expr));
        match edge.action {
            // An input is named by how often its site was passed.
            Action::Input { site, .. } => {
                for other in std::mem::take(&mut self.inputs[site]) {
                    self.perform(other);
                }
            }
            Action::Load { .. } => self.follow_memory(),
            _ => {}
        }
    }

    /// What is in memory matters.
    fn follow_memory(&mut self) {
        if std::mem::replace(&mut self.is_memory_followed, true) {
            return;
        }
        for (id, edge) in self.cfa.edges.iter_enumerated() {
            let is_written = match edge.action {
                Action::InputBytes { .. }
                | Action::Store { .. }
                | Action::Copy { .. }
                | Action::Fill { .. }
                | Action::Enter(_)
                | Action::Leave(_)
                | Action::Alloc { .. }
                | Action::Free { .. } => true,
                Action::Skip
                | Action::Assume { .. }
                | Action::Assign { .. }
                | Action::Input { .. }
                | Action::Approximate { .. }
                | Action::Load { .. }
                | Action::Call { .. }
                | Action::Return { .. }
                | Action::Exit { .. } => false,
            };
            if is_written {
                self.perform(id);
            }
        }
    }

    /// Where a run goes on that comes to a location and doesn't look, if it need not look.
    fn unseen(&self, at: LocId) -> Option<LocId> {
        if self.decides[at] {
            return None;
        }
        if let Some(assumption) = self.assumptions[at] {
            let mut is_known = assumption.is_check
                && (self.is_memory_followed || !self.looks_at_memory(assumption.cond));
            (self.program.exprs).for_each_var(assumption.cond, &mut |var| {
                is_known &= self.is_followed[var]
            });
            return (!is_known).then_some(assumption.next);
        }
        let is_branch = self.graph.successors(at).len() > 1;
        let meeting = self.after.immediate(at).filter(|_| is_branch);
        meeting.filter(|&meeting| meeting != self.exit)
    }

    /// The branches that are left out, as far as runs still come to them, and the loops on their ways.
    fn skipped(&self, loops: &LoopNest<LocId>) -> Vec<Skipped> {
        let kept = self.kept();
        let branches = self.cfa.locations.indices().filter(|&at| kept[at]);
        let skipped = branches.filter_map(|at| {
            let meeting = self.unseen(at)?;
            let mut seen = vec![false; self.graph.len()];
            seen[at.index()] = true;
            seen[meeting.index()] = true;
            let mut heads = Vec::new();
            let mut todo = self.graph.successors(at).to_vec();
            while let Some(here) = todo.pop() {
                if std::mem::replace(&mut seen[here.index()], true) {
                    continue;
                }
                heads.extend(loops.is_head(here).then_some(here));
                todo.extend(self.graph.successors(here));
            }
            heads.sort_unstable();
            Some(Skipped { at, heads })
        });
        skipped.collect()
    }

    /// What runs still come to.
    fn kept(&self) -> IndexVec<LocId, bool> {
        let mut kept = index_vec![false; self.graph.len()];
        let mut todo = vec![self.cfa.entry];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut kept[at], true) {
                continue;
            }
            match self.unseen(at) {
                Some(next) => todo.push(next),
                None => {
                    let edges = self.cfa.outgoing(at).iter();
                    todo.extend(edges.map(|&edge| self.cfa.edges[edge].target));
                }
            }
        }
        kept
    }

    fn rebuild(&self, marked: &Cfa, program: &Program) -> (Cfa, FunctionRestore) {
        let kept = self.kept();
        let mut rebuild = Rebuild::new(program.start, marked, |at| kept[at]);
        for (at, location) in marked.locations.iter_enumerated() {
            if !kept[at] {
                continue;
            }
            match self.unseen(at) {
                Some(next) => {
                    rebuild.edge(location.outgoing[0], Action::Skip, next, Role::Silent);
                }
                None => {
                    for &edge in &location.outgoing {
                        let old = &marked.edges[edge];
                        rebuild.edge(edge, old.action.clone(), old.target, Role::Step);
                    }
                }
            }
        }
        rebuild.finish()
    }
}
