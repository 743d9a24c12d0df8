//! Rounds of loops, and calls of functions by themselves, that runs have made.

use rhumb_program::interp::{
    InputSource, KeyedInputs, Machine, Observer, RandomInputs, RunLimits, View,
};
use rhumb_program::{
    EdgeId, FuncId, LocId, MeasuredPlace, Program, Term, Type, VarId, WatchPoint, WatchedPlace,
    watched,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::places::Places;

/// Runs with random inputs, and steps that each may take.
const RUNS: u64 = 24;
const STEPS: u64 = 4_000;
/// The same for a run that is known to be of interest.
const LONG: u64 = 1 << 20;
const MEMORY: u64 = 1 << 26;

/// Rounds that are kept of a place.
const KEPT: usize = 400;

/// What terms had before and behind a round.
pub(super) type Round = (Values, Values);
pub(super) type Values = FxHashMap<Term, i128>;

/// The program that is run: terms are variables there, behind some locations.
pub(super) struct Watching {
    program: Program,
    points: Vec<Point>,
}

struct Point {
    function: FuncId,
    place: MeasuredPlace,
    /// The location of the place.
    head: LocId,
    /// The edges back to it.
    back: FxHashSet<EdgeId>,
    /// Where values are known.
    at: LocId,
    values: Vec<(Term, VarId)>,
}

impl Watching {
    pub(super) fn of(program: &Program, places: &Places) -> Watching {
        let terms = |sums: &[super::linear::Linear]| {
            let mut seen = FxHashSet::default();
            let all = sums.iter().flat_map(|sum| sum.parts.keys().copied());
            all.filter(|&term| seen.insert(term)).collect::<Vec<Term>>()
        };
        let places: Vec<WatchedPlace> = places
            .all
            .iter()
            .map(|place| WatchedPlace {
                function: place.function,
                place: place.place,
                terms: terms(&place.sums),
            })
            .collect();
        let heads: Vec<(LocId, FxHashSet<EdgeId>)> = places
            .iter()
            .map(|place| {
                let cfa = &program.functions[place.function].cfa;
                let MeasuredPlace::Loop(number) = place.place else {
                    return (cfa.entry, FxHashSet::default());
                };
                let nest = cfa.loops();
                let head = nest.heads()[number];
                let back = cfa.edges.iter_enumerated();
                let back = back.filter(|(_, it)| it.target == head && nest.is_in(it.source, head));
                (head, back.map(|(id, _)| id).collect())
            })
            .collect();
        let (program, points) = watched(program.clone(), &places);
        let all = places.into_iter().zip(heads).zip(points);
        let points = all.map(|((place, (head, back)), point)| {
            let WatchPoint { at, values } = point;
            Point {
                function: place.function,
                place: place.place,
                head,
                back,
                at,
                values: place.terms.into_iter().zip(values).collect(),
            }
        });
        Watching {
            points: points.collect(),
            program,
        }
    }
}

/// The rounds.
pub(super) struct Rounds<'p> {
    machine: Machine<'p>,
    watching: &'p Watching,
    pub(super) seen: FxHashMap<(FuncId, MeasuredPlace), Vec<Round>>,
}

impl<'p> Rounds<'p> {
    pub(super) fn new(watching: &'p Watching) -> Rounds<'p> {
        Rounds {
            machine: Machine::compile(&watching.program),
            watching,
            seen: FxHashMap::default(),
        }
    }

    /// Runs on random inputs.
    pub(super) fn stumble(&mut self) {
        for seed in 0..RUNS {
            self.run(&mut RandomInputs::new(seed), STEPS);
        }
    }

    /// The run on these inputs.
    pub(super) fn follow(&mut self, inputs: &KeyedInputs) {
        self.run(&mut inputs.clone(), LONG);
    }

    fn run(&mut self, inputs: &mut dyn InputSource, steps: u64) {
        let limits = RunLimits {
            steps,
            memory: MEMORY,
            ..RunLimits::default()
        };
        let mut at: FxHashMap<(FuncId, LocId), Vec<usize>> = FxHashMap::default();
        for (number, point) in self.watching.points.iter().enumerate() {
            for place in [point.head, point.at] {
                let numbers = at.entry((point.function, place)).or_default();
                if !numbers.contains(&number) {
                    numbers.push(number);
                }
            }
        }
        let mut watch = Watch {
            points: &self.watching.points,
            at,
            seen: &mut self.seen,
            last: Vec::new(),
            before: FxHashMap::default(),
            came_back: FxHashSet::default(),
        };
        self.machine.trace(inputs, &limits, &mut watch);
    }
}

struct Watch<'a> {
    points: &'a [Point],
    /// Points by their locations.
    at: FxHashMap<(FuncId, LocId), Vec<usize>>,
    seen: &'a mut FxHashMap<(FuncId, MeasuredPlace), Vec<Round>>,
    /// By depth, the edge that was taken last.
    last: Vec<Option<(FuncId, EdgeId)>>,
    /// What terms had when a place was passed last, by depth and point.
    before: FxHashMap<(usize, usize), Values>,
    /// Points that were reached by an edge back to them, by depth.
    came_back: FxHashSet<(usize, usize)>,
}

impl Watch<'_> {
    fn pass(&mut self, number: usize, at: LocId, depth: usize, state: &View<'_>) {
        let point = &self.points[number];
        if at == point.head {
            let last = self.last[depth];
            let is_back = last.is_some_and(|(function, edge)| {
                function == point.function && point.back.contains(&edge)
            });
            match is_back {
                true => self.came_back.insert((depth, number)),
                false => self.came_back.remove(&(depth, number)),
            };
        }
        if at != point.at {
            return;
        }
        let values = values(point, state);
        // An entry is compared with that of the caller.
        let before = match point.place {
            MeasuredPlace::Loop(_) if self.came_back.contains(&(depth, number)) => {
                self.before.get(&(depth, number))
            }
            MeasuredPlace::Loop(_) => None,
            MeasuredPlace::Entry => depth
                .checked_sub(1)
                .filter(|&above| self.last[above].is_some_and(|last| last.0 == point.function))
                .and_then(|above| self.before.get(&(above, number))),
        };
        if let Some(before) = before {
            let rounds = self.seen.entry((point.function, point.place)).or_default();
            keep(rounds, (before.clone(), values.clone()));
        }
        self.before.insert((depth, number), values);
    }
}

impl Observer for Watch<'_> {
    fn edge(&mut self, edge: EdgeId, state: &View<'_>) {
        let (function, depth) = (state.function(), state.depth());
        if self.last.len() <= depth {
            self.last.resize(depth + 1, None);
        }
        let at = state.program().functions[function].cfa.edges[edge].source;
        if let Some(numbers) = self.at.get(&(function, at)).cloned() {
            for number in numbers {
                self.pass(number, at, depth, state);
            }
        }
        self.last[depth] = Some((function, edge));
    }
}

/// Keeps a round: all of the first ones, and of later ones the newest.
fn keep(rounds: &mut Vec<Round>, round: Round) {
    if rounds.contains(&round) {
        return;
    }
    if rounds.len() >= KEPT {
        rounds.remove(KEPT / 2);
    }
    rounds.push(round);
}

fn values(point: &Point, state: &View<'_>) -> Values {
    let all = point.values.iter();
    all.filter_map(|&(term, var)| {
        let bits = state.value(var)?;
        let value = match state.program().vars[var].ty {
            Type::Int(int) => int.extend(bits),
            Type::Ptr => i128::try_from(bits).ok()?,
            Type::Bool | Type::Float(_) => return None,
        };
        Some((term, value))
    })
    .collect()
}
