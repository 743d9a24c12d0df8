//! The end of a function: jumps are resolved, detours and unreachable locations go, targets get their ids.

use index_vec::IndexVec;
use rhumb_program::{Action, Cfa, LocId, LocKind, Target};

use super::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    pub(super) fn finish(mut self) {
        self.resolve_gotos();
        self.let_others_go_on_before_returns();
        let program = &mut self.unit.program;
        let mut keep: IndexVec<LocId, bool> = self.cfa.locations.iter().map(|_| false).collect();
        for target in &self.targets {
            keep[target.location] = true;
        }
        let (cfa, locations) = compact(&self.cfa, &keep);
        program.functions[self.func].cfa = cfa;
        for target in self.targets {
            if let Some(location) = locations[target.location] {
                let id = program.targets.push(Target {
                    kind: target.kind,
                    span: target.span,
                    function: self.func,
                    location,
                });
                let cfa = &mut program.functions[self.func].cfa;
                cfa.locations[location].kind = LocKind::Target(id);
            }
        }
    }

    fn resolve_gotos(&mut self) {
        for goto in std::mem::take(&mut self.gotos) {
            // Analysis reports labels that are not defined.
            let Some((to, live)) = self.labels[goto.label] else {
                continue;
            };
            self.continue_at(goto.from);
            self.change_live(goto.live, live, goto.span);
            self.jump(to, goto.span);
        }
    }
}

/// Leaves out locations that can't be reached and jumps that only lead to a plain location; loop heads and what `keep` names stay.
/// Gives the new id of each location that is left.
fn compact(cfa: &Cfa, keep: &IndexVec<LocId, bool>) -> (Cfa, IndexVec<LocId, Option<LocId>>) {
    let final_target = resolve_detours(cfa, keep);
    let mut renamed: IndexVec<LocId, Option<LocId>> = cfa.locations.iter().map(|_| None).collect();
    let mut new = Cfa::new();
    renamed[cfa.entry] = Some(new.entry);
    renamed[cfa.exit] = Some(new.exit);
    // Depth first, first edge first, so that ids follow the source text.
    let mut work = vec![cfa.entry];
    let mut order = Vec::new();
    let mut seen: IndexVec<LocId, bool> = cfa.locations.iter().map(|_| false).collect();
    seen[cfa.entry] = true;
    while let Some(location) = work.pop() {
        order.push(location);
        for &edge in cfa.outgoing(location).iter().rev() {
            let target = final_target[cfa.edges[edge].target];
            if !seen[target] {
                seen[target] = true;
                work.push(target);
            }
        }
    }
    for &location in &order {
        let kind = cfa.locations[location].kind;
        let id = *renamed[location].get_or_insert_with(|| new.add_location(kind));
        new.locations[id].loop_statement = cfa.locations[location].loop_statement;
    }
    for &location in &order {
        for &edge in cfa.outgoing(location) {
            let edge = &cfa.edges[edge];
            if let (Some(source), Some(target)) =
                (renamed[location], renamed[final_target[edge.target]])
            {
                let id = new.add_edge(source, edge.action.clone(), target, edge.span);
                new.edges[id].mark.clone_from(&edge.mark);
            }
        }
    }
    (new, renamed)
}

/// For each location the one where jumps from it end up.
fn resolve_detours(cfa: &Cfa, keep: &IndexVec<LocId, bool>) -> IndexVec<LocId, LocId> {
    let next = |location: LocId| -> Option<LocId> {
        let &[edge] = cfa.outgoing(location) else {
            return None;
        };
        let edge = &cfa.edges[edge];
        let is_detour = edge.action == Action::Skip
            && edge.mark.is_none()
            && location != cfa.entry
            && cfa.locations[location].loop_statement.is_none()
            && cfa.locations[edge.target].kind == LocKind::Plain
            && !keep[edge.target];
        is_detour.then_some(edge.target)
    };
    let mut resolved: IndexVec<LocId, Option<LocId>> = cfa.locations.iter().map(|_| None).collect();
    let mut on_path: IndexVec<LocId, bool> = cfa.locations.iter().map(|_| false).collect();
    for start in cfa.locations.indices() {
        let mut path = Vec::new();
        let mut at = start;
        let end = loop {
            if let Some(end) = resolved[at] {
                break end;
            }
            // An empty endless loop: one of its locations has to stay.
            if on_path[at] {
                break at;
            }
            let Some(to) = next(at) else { break at };
            path.push(at);
            on_path[at] = true;
            at = to;
        };
        resolved[at] = Some(end);
        for location in path {
            resolved[location] = Some(end);
        }
    }
    resolved
        .into_iter_enumerated()
        .map(|(location, end)| end.unwrap_or(location))
        .collect()
}
