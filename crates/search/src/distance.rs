//! Distances to a goal, for searches that are to come to one soon (TOUR: Lee, Kim, Kim, Ryu, Baik, IEEE Access 2021).
//!
//! Every location of the program as lowered has two distances: to the exit of its function, and to a target, by ways
//! that don't leave the function but through calls. A call weighs as much as the shortest way through what is called.
//! Both are shortest ways, found by going backwards again and again until nothing gets shorter, so recursion is no case
//! of its own: a function that never returns has no distance to its exit. In a call the distance is the shorter one of
//! the way to a target inside, and the way out and on from where the call ends. (The paper goes on from where the call
//! *begins*, and so counts the way through it twice.)
//!
//! Right for programs in which some ways to a target are much shorter than others, and depth first would get lost on the long ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::IndexVec;
use rhumb_encode::NodeId;
use rhumb_program::passes::{LocRef, Placed};
use rhumb_program::{Action, Callee, Cfa, EdgeId, FuncId, LocId, LocKind, Program};

use crate::art::{Tree, TreeId};
use crate::frontier::Order;
use crate::task::Task;

/// No way leads there.
const NEVER: u64 = u64::MAX;

/// What makes a way long.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Metric {
    /// Nothing: the order of the search is the engine's own.
    #[default]
    None,
    /// Statements (`st`).
    Statements,
    /// Branches (`bb`): the number of basic blocks. Checks for undefined behaviour don't count.
    Blocks,
    /// Conditions of loops (`lh`): branches of which one side leaves the loop.
    LoopHeads,
    /// The same, and entries and exits of functions (`lf`).
    LoopsAndFunctions,
}

/// How much each edge of an automaton weighs.
fn weights(cfa: &Cfa, metric: Metric) -> IndexVec<EdgeId, u64> {
    let loops = cfa.loops();
    let is_inside = |mut at: Option<LocId>, head: LocId| {
        while let Some(inner) = at {
            if inner == head {
                return true;
            }
            at = loops.enclosing(inner);
        }
        false
    };
    let leaves_loop = |source: LocId| {
        loops.innermost(source).is_some_and(|head| {
            let mut targets = cfa
                .outgoing(source)
                .iter()
                .map(|&edge| cfa.edges[edge].target);
            targets.any(|target| !is_inside(loops.innermost(target), head))
        })
    };
    let is_check = |source: LocId| {
        let mut targets = cfa
            .outgoing(source)
            .iter()
            .map(|&edge| cfa.edges[edge].target);
        targets.any(|target| matches!(cfa.locations[target].kind, LocKind::Ub(_)))
    };
    let weight = |edge: &rhumb_program::Edge| {
        let is_branch = matches!(edge.action, Action::Assume { .. }) && !is_check(edge.source);
        let counts = match metric {
            Metric::None => false,
            Metric::Statements => true,
            Metric::Blocks => is_branch,
            Metric::LoopHeads => is_branch && leaves_loop(edge.source),
            Metric::LoopsAndFunctions => {
                edge.source == cfa.entry
                    || matches!(edge.action, Action::Return { .. })
                    || (is_branch && leaves_loop(edge.source))
            }
        };
        u64::from(counts)
    };
    cfa.edges.iter().map(weight).collect()
}

/// The distances of the locations of a program.
pub(crate) struct Distances {
    /// To the exit of the function.
    exit: IndexVec<FuncId, IndexVec<LocId, u64>>,
    /// To a target, without leaving the function by its exit.
    target: IndexVec<FuncId, IndexVec<LocId, u64>>,
}

impl Distances {
    /// Those of a program, by a metric.
    pub(crate) fn of(program: &Program, metric: Metric) -> Distances {
        let weights: IndexVec<FuncId, IndexVec<EdgeId, u64>> = (program.functions.iter())
            .map(|function| weights(&function.cfa, metric))
            .collect();
        let never = |function: &rhumb_program::Function| {
            function.cfa.locations.iter().map(|_| NEVER).collect()
        };
        let mut distances = Distances {
            exit: program.functions.iter().map(never).collect(),
            target: program.functions.iter().map(never).collect(),
        };
        // What is called first: functions without recursion are done after the first round.
        for to_target in [false, true] {
            let mut changes = true;
            while changes {
                changes = false;
                for function in program.functions.indices() {
                    changes |= distances.relax(program, &weights[function], function, to_target);
                }
            }
        }
        distances
    }

    /// Goes backwards through a function, given what is known of the others. Says whether its entry got nearer.
    fn relax(
        &mut self,
        program: &Program,
        weights: &IndexVec<EdgeId, u64>,
        function: FuncId,
        to_target: bool,
    ) -> bool {
        let cfa = &program.functions[function].cfa;
        let incoming = cfa.incoming();
        let called = |edge: EdgeId| match cfa.edges[edge].action {
            Action::Call {
                callee: Callee::Function(callee),
                ..
            } => Some((callee, program.functions[callee].cfa.entry)),
            _ => None,
        };
        let mut found: IndexVec<LocId, u64> = cfa.locations.iter().map(|_| NEVER).collect();
        let mut waiting = BinaryHeap::new();
        for (at, location) in cfa.locations.iter_enumerated() {
            let is_end = match to_target {
                true => matches!(location.kind, LocKind::Target(_)),
                false => location.kind == LocKind::Exit,
            };
            if is_end {
                waiting.push(Reverse((0, at)));
            }
        }
        if to_target {
            for (edge, step) in cfa.edges.iter_enumerated() {
                if let Some((callee, entry)) = called(edge) {
                    let inside = self.target[callee][entry].saturating_add(weights[edge]);
                    waiting.push(Reverse((inside, step.source)));
                }
            }
        }
        while let Some(Reverse((distance, at))) = waiting.pop() {
            if distance >= found[at] {
                continue;
            }
            found[at] = distance;
            for &edge in &incoming[at] {
                let through = called(edge).map_or(0, |(callee, entry)| self.exit[callee][entry]);
                let whole = distance
                    .saturating_add(weights[edge])
                    .saturating_add(through);
                waiting.push(Reverse((whole, cfa.edges[edge].source)));
            }
        }
        let known = match to_target {
            true => &mut self.target[function],
            false => &mut self.exit[function],
        };
        let changes = found[cfa.entry] < known[cfa.entry];
        *known = found;
        changes
    }

    /// The distance of a location from a target, in calls that end at these places, the innermost last.
    fn in_calls(&self, at: LocRef, ends: &[LocRef]) -> u64 {
        let nearest = |at: LocRef, behind: u64| {
            let out = self.exit[at.function][at.location].saturating_add(behind);
            out.min(self.target[at.function][at.location])
        };
        let behind = ends.iter().fold(NEVER, |behind, &end| nearest(end, behind));
        nearest(at, behind)
    }

    /// The same for a place of a program in which calls are inlined.
    fn of_place(&self, task: &Task<'_>, place: Placed<LocRef>) -> u64 {
        let calls = task.prepared.restore.contexts().calls(place.context);
        let ends = calls.into_iter().map(|call| LocRef {
            function: call.function,
            location: task.lowered.functions[call.function].cfa.edges[call.edge].target,
        });
        self.in_calls(place.item, &ends.collect::<Vec<_>>())
    }
}

/// The nearest to a target first, and of those the end of the longest path.
pub(crate) struct Directed {
    distances: IndexVec<NodeId, u64>,
}

/// A distance that counts for more than all depths together.
const DEPTHS: u64 = 1 << 32;

impl Directed {
    /// The order by a metric.
    pub(crate) fn new(task: &Task<'_>, metric: Metric) -> Directed {
        let locations = Distances::of(task.lowered, metric);
        let prepared = &task.prepared;
        let graph = &task.graph;
        let function = prepared.program.start;
        let mut distances: IndexVec<NodeId, u64> = (graph.nodes.iter())
            .map(|node| {
                let location = node.location;
                let origin = prepared.restore.location(LocRef { function, location });
                origin.map_or(NEVER, |origin| locations.of_place(task, origin))
            })
            .collect();
        // A place that the program as lowered doesn't have is as far away as the nearest one behind it.
        for _ in graph.nodes.indices() {
            let mut changes = false;
            for (id, node) in graph.nodes.iter_enumerated() {
                if distances[id] == NEVER {
                    let next = node.outgoing.iter().map(|&edge| graph.edges[edge].target);
                    let nearest = next.map(|next| distances[next]).min().unwrap_or(NEVER);
                    changes |= nearest != NEVER;
                    distances[id] = nearest;
                }
            }
            if !changes {
                break;
            }
        }
        Directed { distances }
    }
}

impl Order for Directed {
    fn rank(&self, tree: &Tree, leaf: TreeId) -> u64 {
        let depth = tree.upwards(leaf).count() as u64;
        let distance = self.distances[tree.at(leaf)];
        distance
            .saturating_mul(DEPTHS)
            .saturating_add(DEPTHS - depth)
    }
}

/// The order that a task asks for, or else an engine's own.
pub(crate) fn order(task: &Task<'_>, own: impl Order + 'static) -> Box<dyn Order> {
    match task.metric {
        Metric::None => Box::new(own),
        metric => Box::new(Directed::new(task, metric)),
    }
}

#[cfg(test)]
mod tests {
    use rhumb_cfront::{Options, compile_text};

    use super::*;
    use crate::frontier::{DepthFirst, Frontier};

    fn program(text: &str) -> Program {
        let text = format!(
            "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n{text}"
        );
        compile_text("test.c", &text, &Options::default()).expect("valid C")
    }

    fn function(program: &Program, name: &str) -> FuncId {
        let mut all = program.functions.iter_enumerated();
        let found = all.find(|(_, function)| &*function.name == name);
        found.expect("a function of that name").0
    }

    /// The paper's first example in our words: two numbers are told to somebody, and made equal, on one side of a
    /// branch only; then they are compared again.
    const EXAMPLE: &str = "
        int first, second, which;
        static void tell(int number) { int told = number; }
        int main(void) {
            if (first > second) {
                tell(first);
                if (which == 0) { second = first; } else { first = second; }
            } else {
                tell(second);
            }
            if (first > second) reach_error();
            return 0;
        }";

    /// Locations of a function where something begins, in the order of the text.
    fn places(program: &Program, function: FuncId, wanted: impl Fn(&Action) -> bool) -> Vec<LocId> {
        let edges = program.functions[function].cfa.edges.iter();
        let mut found: Vec<_> = (edges.filter(|edge| wanted(&edge.action)))
            .map(|edge| (edge.span, edge.source))
            .collect();
        found.sort_unstable_by_key(|(span, at)| (*span, *at));
        found.dedup_by_key(|(_, at)| *at);
        found.into_iter().map(|(_, at)| at).collect()
    }

    #[test]
    fn the_distances_of_the_papers_example() {
        let program = program(EXAMPLE);
        let distances = Distances::of(&program, Metric::Blocks);
        let (main, tell) = (function(&program, "main"), function(&program, "tell"));
        let branches = places(&program, main, |action| {
            matches!(action, Action::Assume { .. })
        });
        let calls = places(
            &program,
            main,
            |action| matches!(action, Action::Call { callee: Callee::Function(f), .. } if *f == tell),
        );
        // Exit, then target: of L2, L4 and L10, of L3 and L8, of L1, and of L21.
        let of = |function: FuncId, at: LocId| {
            (distances.exit[function][at], distances.target[function][at])
        };
        let found: Vec<_> = branches.iter().map(|&at| of(main, at)).collect();
        assert_eq!(found, [(2, 2), (2, 2), (1, 1)]);
        let found: Vec<_> = calls.iter().map(|&at| of(main, at)).collect();
        assert_eq!(found, [(2, 2), (1, 1)]);
        let entry = |function: FuncId| of(function, program.functions[function].cfa.entry);
        assert_eq!(entry(main), (2, 2));
        assert_eq!(entry(tell), (0, NEVER));
    }

    /// A state of a search that knows nothing but the automata: a path of places, and where the calls end that it is in.
    #[derive(Clone)]
    struct State {
        path: Vec<LocRef>,
        ends: Vec<LocRef>,
    }

    /// The number of states on the first path to a target that a search finds which takes the state with the least rank
    /// first, and of those the latest.
    fn first_path(program: &Program, rank: impl Fn(&State) -> u64) -> usize {
        let place = |function: FuncId, location: LocId| LocRef { function, location };
        let start = place(program.start, program.functions[program.start].cfa.entry);
        let mut open = vec![State {
            path: vec![start],
            ends: Vec::new(),
        }];
        loop {
            let first = (0..open.len())
                .rev()
                .min_by_key(|&state| rank(&open[state]));
            let state = open.remove(first.expect("a way to a target"));
            let LocRef { function, location } = state.path[state.path.len() - 1];
            let cfa = &program.functions[function].cfa;
            if matches!(cfa.locations[location].kind, LocKind::Target(_)) {
                return state.path.len();
            }
            // The first side of a branch is to be the latest.
            for &edge in cfa.outgoing(location).iter().rev() {
                let mut next = state.clone();
                let target = place(function, cfa.edges[edge].target);
                next.path.push(match &cfa.edges[edge].action {
                    Action::Call {
                        callee: Callee::Function(callee),
                        ..
                    } => {
                        next.ends.push(target);
                        place(*callee, program.functions[*callee].cfa.entry)
                    }
                    Action::Return { .. } => match next.ends.pop() {
                        Some(end) => end,
                        None => continue,
                    },
                    _ => target,
                });
                open.push(next);
            }
        }
    }

    #[test]
    fn directed_search_takes_the_shorter_path() {
        let program = program(EXAMPLE);
        let deep = first_path(&program, |_| 0);
        for metric in [Metric::Statements, Metric::Blocks] {
            let distances = Distances::of(&program, metric);
            let directed = first_path(&program, |state| {
                distances.in_calls(state.path[state.path.len() - 1], &state.ends)
            });
            assert_eq!((directed, deep), (8, 10), "{metric:?}");
        }
    }

    #[test]
    fn an_engine_goes_the_shorter_way_first() {
        // The long way is the first side of the branch, and leads to the target as well.
        let program = program(
            "int main(void) {
                int n = __VERIFIER_nondet_int(), m = n;
                if (n > 3) {
                    if (__VERIFIER_nondet_int()) m++; else m--;
                    if (__VERIFIER_nondet_int()) m++; else m--;
                    if (__VERIFIER_nondet_int()) m++; else m--;
                }
                if (m != n || n == 2) reach_error();
                return 0;
            }",
        );
        let whole = Task::new(&program);
        let task = whole.everywhere();
        let turns = |order: Box<dyn Order>| {
            let mut tree = Tree::new(&task.graph);
            let mut frontier = Frontier::new(order);
            frontier.push(&tree, tree.root());
            let mut turns = 0;
            while let Some(leaf) = frontier.pop() {
                turns += 1;
                if task.graph.nodes[tree.at(leaf)].kind.is_goal() {
                    return (turns, tree.path(None, leaf).len());
                }
                tree.expand(&task.graph, leaf);
                for child in tree.children(leaf) {
                    frontier.push(&tree, child);
                }
            }
            panic!("there is a way to the target");
        };
        let deep = turns(Box::new(DepthFirst));
        for metric in [Metric::Statements, Metric::Blocks] {
            let directed = turns(Box::new(Directed::new(task, metric)));
            assert!(
                directed.0 < deep.0 && directed.1 < deep.1,
                "{metric:?}: {directed:?} {deep:?}"
            );
        }
    }

    #[test]
    fn recursion_is_left_by_its_shortest_way() {
        let program = program(
            "int down(int n) { if (n <= 0) return 0; return down(n - 1); }
             int round(int n) { return round(n) + 1; }
             int main(void) {
                int n = __VERIFIER_nondet_int();
                if (n == 1) { n = round(n); if (n == 2) reach_error(); }
                n = down(n);
                if (n == 3) reach_error();
                return 0;
             }",
        );
        let entry = |name: &str| {
            let function = function(&program, name);
            (function, program.functions[function].cfa.entry)
        };
        for (metric, expected) in [
            (Metric::Blocks, 1),
            (Metric::LoopHeads, 0),
            (Metric::LoopsAndFunctions, 2),
        ] {
            let distances = Distances::of(&program, metric);
            let (down, at) = entry("down");
            assert_eq!(distances.exit[down][at], expected, "{metric:?}");
            // Nobody comes back from a call that calls itself whatever happens.
            let (round, at) = entry("round");
            assert_eq!(distances.exit[round][at], NEVER, "{metric:?}");
        }
        let distances = Distances::of(&program, Metric::Blocks);
        let (main, at) = entry("main");
        // Past the first branch, through one of `down`, and the last one.
        assert_eq!(distances.target[main][at], 3);
    }
}
