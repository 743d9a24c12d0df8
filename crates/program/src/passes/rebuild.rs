//! Building an automaton anew from parts of an old one, with the map back.

use index_vec::IndexVec;

use super::restore::{ContextId, EdgeOrigin, EdgeRef, FunctionRestore, LocRef, Placed, Role};
use crate::cfa::{Action, Cfa, LocKind, Location};
use crate::ids::{EdgeId, FuncId, LocId};

/// Copies a part of a function's automaton.
pub(super) struct Rebuild<'c> {
    function: FuncId,
    old: &'c Cfa,
    new: Cfa,
    restore: FunctionRestore,
    /// Where the kept locations are now.
    moved: IndexVec<LocId, Option<LocId>>,
    /// The sink for everything that is cut off.
    pruned: Option<LocId>,
}

impl<'c> Rebuild<'c> {
    /// Copies the kept locations, without edges. Entry and exit stay in any case; an entry that is not to be kept is cut off.
    pub(super) fn new(function: FuncId, old: &'c Cfa, keep: impl Fn(LocId) -> bool) -> Rebuild<'c> {
        let mut rebuild = Rebuild {
            function,
            old,
            new: Cfa {
                entry: old.entry,
                exit: old.exit,
                locations: IndexVec::new(),
                edges: IndexVec::new(),
            },
            restore: FunctionRestore::default(),
            moved: IndexVec::from_vec(vec![None; old.locations.len()]),
            pruned: None,
        };
        for (at, location) in old.locations.iter_enumerated() {
            let kept = keep(at);
            if !kept && at != old.entry && at != old.exit {
                continue;
            }
            let cut_off = !kept && at != old.exit;
            let id = rebuild.new.locations.push(Location {
                kind: if cut_off {
                    LocKind::Pruned
                } else {
                    location.kind
                },
                loop_statement: location.loop_statement,
                outgoing: Vec::new(),
            });
            rebuild.restore.locations.push(Some(Placed {
                item: LocRef {
                    function,
                    location: at,
                },
                context: ContextId::ROOT,
            }));
            rebuild.moved[at] = Some(id);
        }
        rebuild.new.entry = rebuild.moved[old.entry].unwrap_or(old.entry);
        rebuild.new.exit = rebuild.moved[old.exit].unwrap_or(old.exit);
        rebuild
    }

    /// Copies an edge of a kept location, with another action and target (of the old automaton; one that is not kept is cut off).
    pub(super) fn edge(&mut self, edge: EdgeId, action: Action, target: LocId, role: Role) {
        let old = &self.old.edges[edge];
        let Some(source) = self.moved[old.source] else {
            return;
        };
        let target = match self.moved[target] {
            Some(target) => target,
            None => self.pruned_sink(),
        };
        self.new.add_edge(source, action, target, old.span);
        self.restore.edges.push(EdgeOrigin {
            edge: Placed {
                item: EdgeRef {
                    function: self.function,
                    edge,
                },
                context: ContextId::ROOT,
            },
            role,
        });
    }

    /// The one location where everything ends that is cut off.
    fn pruned_sink(&mut self) -> LocId {
        if let Some(sink) = self.pruned {
            return sink;
        }
        let sink = self.new.add_location(LocKind::Pruned);
        self.restore.locations.push(None);
        self.pruned = Some(sink);
        sink
    }

    /// The new automaton and its origins.
    pub(super) fn finish(self) -> (Cfa, FunctionRestore) {
        (self.new, self.restore)
    }
}
