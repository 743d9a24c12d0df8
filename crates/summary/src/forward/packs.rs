//! Which variables are followed, and in which groups.

use index_vec::IndexVec;
use rhumb_program::graph::LoopNest;
use rhumb_program::{Action, FuncId, IntType, LocId, Program, Type, VarId};
use rustc_hash::FxHashMap;

/// A group takes no more variables than this: the cost of a step grows with the square.
const PACK: usize = 16;

/// The variables of one automaton in groups. Relations are kept within a group only.
#[derive(Clone, Debug)]
pub(super) struct Packs {
    places: IndexVec<VarId, Option<PackPlace>>,
    members: Vec<Vec<VarId>>,
}

/// Where a variable is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PackPlace {
    pub(super) pack: usize,
    pub(super) index: usize,
}

impl Packs {
    /// Groups of variables that occur together in a condition or an assignment, or that the same loop changes: such variables keep step.
    pub(super) fn new(program: &Program, function: FuncId, nest: &LoopNest<LocId>) -> Packs {
        let mut groups = Groups {
            parent: program.vars.indices().collect(),
            size: IndexVec::from_vec(vec![1; program.vars.len()]),
        };
        let mut used: IndexVec<VarId, bool> = IndexVec::from_vec(vec![false; program.vars.len()]);
        for edge in &program.functions[function].cfa.edges {
            let mut together: Vec<VarId> = match edge.action {
                Action::Assign { dst, .. } | Action::Input { dst, .. } => vec![dst],
                _ => Vec::new(),
            };
            if matches!(edge.action, Action::Assign { .. } | Action::Assume { .. }) {
                edge.action.for_each_expr(|expr| {
                    program
                        .exprs
                        .for_each_var(expr, &mut |var| together.push(var));
                });
            }
            together.retain(|&var| range(program.vars[var].ty).is_some());
            for &var in &together {
                used[var] = true;
                groups.unite(together[0], var);
            }
        }
        let mut changed: FxHashMap<LocId, VarId> = FxHashMap::default();
        for edge in &program.functions[function].cfa.edges {
            if let (Some(var), Some(head)) =
                (edge.action.defined_var(), nest.innermost(edge.source))
                && used[var]
            {
                let first = *changed.entry(head).or_insert(var);
                groups.unite(first, var);
            }
        }
        let mut packs = Packs {
            places: IndexVec::from_vec(vec![None; program.vars.len()]),
            members: Vec::new(),
        };
        let mut numbers: FxHashMap<VarId, usize> = FxHashMap::default();
        for var in program.vars.indices().filter(|&var| used[var]) {
            let root = groups.find(var);
            let pack = *numbers.entry(root).or_insert_with(|| {
                packs.members.push(Vec::new());
                packs.members.len() - 1
            });
            packs.places[var] = Some(PackPlace {
                pack,
                index: packs.members[pack].len(),
            });
            packs.members[pack].push(var);
        }
        packs
    }

    /// Where a variable is kept; nothing for one that is not followed.
    pub(super) fn place(&self, var: VarId) -> Option<PackPlace> {
        self.places[var]
    }

    /// The groups.
    pub(super) fn members(&self) -> &[Vec<VarId>] {
        &self.members
    }
}

/// The values of a type that is followed.
pub(super) fn range(ty: Type) -> Option<(i128, i128)> {
    match ty {
        Type::Bool => Some((0, 1)),
        Type::Int(int) if int.width <= 64 => Some(int_range(int)),
        // An address. The widest there is: what is known beyond the type's own range says nothing.
        Type::Ptr => Some((0, u64::MAX.into())),
        _ => None,
    }
}

fn int_range(int: IntType) -> (i128, i128) {
    (int.extend(int.min_bits()), int.extend(int.max_bits()))
}

struct Groups {
    parent: IndexVec<VarId, VarId>,
    size: IndexVec<VarId, usize>,
}

impl Groups {
    fn find(&mut self, mut var: VarId) -> VarId {
        while self.parent[var] != var {
            self.parent[var] = self.parent[self.parent[var]];
            var = self.parent[var];
        }
        var
    }

    fn unite(&mut self, a: VarId, b: VarId) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b && self.size[a] + self.size[b] <= PACK {
            self.parent[b] = a;
            self.size[a] += self.size[b];
        }
    }
}
