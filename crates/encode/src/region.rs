//! The loop-free part of an automaton between a cut point and the cut points that come next.

use index_vec::IndexVec;
use rhumb_program::graph::{Dominators, Graph};
use rhumb_program::{Cfa, EdgeId, LocId, LocKind};
use rustc_hash::FxHashMap;

index_vec::define_index_type! {
    /// A place of a region. Places are numbered in topological order, the start first.
    pub(crate) struct RegionPlace = u32;
    DEBUG_FORMAT = "p{}";
}

/// What lies between a cut point and the next ones. Only what leads to a cut point is in it.
pub(crate) struct Region {
    /// The location of each place. An end is a place of its own, also where the region ends at the location that it starts at.
    pub(crate) locations: IndexVec<RegionPlace, LocId>,
    /// Edges into each place: where they come from, and which they are.
    pub(crate) incoming: IndexVec<RegionPlace, Vec<(RegionPlace, EdgeId)>>,
    /// The places where the region ends.
    pub(crate) ends: Vec<RegionPlace>,
    /// Which place is on every way to which.
    pub(crate) dominators: Dominators<RegionPlace>,
}

/// Whether nothing that is asked for lies behind a location of this kind.
pub(crate) fn is_dead_end(kind: LocKind) -> bool {
    match kind {
        LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned | LocKind::Exit => true,
        LocKind::Plain | LocKind::Target(_) | LocKind::Unsupported(_) => false,
    }
}

impl Region {
    /// The region that starts at a cut point. Every cycle of the automaton goes through a cut point.
    pub(crate) fn of(cfa: &Cfa, start: LocId, is_cut: &IndexVec<LocId, bool>) -> Region {
        let mut found = Found::default();
        found.number(start, false);
        let mut edges: Vec<(RegionPlace, RegionPlace, EdgeId)> = Vec::new();
        let mut done = 0;
        while let Some(&(location, is_end)) = found.places.get(done) {
            let source = RegionPlace::from_usize(done);
            done += 1;
            if is_end {
                continue;
            }
            for &edge in cfa.outgoing(location) {
                let target = cfa.edges[edge].target;
                if !is_dead_end(cfa.locations[target].kind) {
                    edges.push((source, found.number(target, is_cut[target]), edge));
                }
            }
        }
        found.region(&edges)
    }

    /// The places, the start first, each before those behind it.
    pub(crate) fn places(&self) -> impl Iterator<Item = RegionPlace> + use<> {
        (0..self.locations.len()).map(RegionPlace::from_usize)
    }
}

/// Places in the order in which they are found.
#[derive(Default)]
struct Found {
    /// Location, and whether it is an end.
    places: Vec<(LocId, bool)>,
    numbers: FxHashMap<(LocId, bool), RegionPlace>,
}

impl Found {
    fn number(&mut self, location: LocId, is_end: bool) -> RegionPlace {
        *self.numbers.entry((location, is_end)).or_insert_with(|| {
            self.places.push((location, is_end));
            RegionPlace::from_usize(self.places.len() - 1)
        })
    }

    /// The region: in topological order, without what leads nowhere.
    fn region(&self, edges: &[(RegionPlace, RegionPlace, EdgeId)]) -> Region {
        let start = RegionPlace::from_usize(0);
        let pairs = edges.iter().map(|&(source, target, _)| (source, target));
        let graph = Graph::new(self.places.len(), pairs);
        let ends = (0..self.places.len()).filter(|&place| self.places[place].1);
        let useful = graph.reaching(ends.map(RegionPlace::from_usize));
        let mut new: IndexVec<RegionPlace, Option<RegionPlace>> =
            IndexVec::from_vec(vec![None; graph.len()]);
        let mut locations: IndexVec<RegionPlace, LocId> = IndexVec::new();
        let mut ends = Vec::new();
        for place in graph.reverse_postorder(start) {
            if useful[place] || place == start {
                let (location, is_end) = self.places[place.index()];
                let number = locations.push(location);
                new[place] = Some(number);
                if is_end {
                    ends.push(number);
                }
            }
        }
        let mut incoming: IndexVec<RegionPlace, Vec<(RegionPlace, EdgeId)>> =
            locations.iter().map(|_| Vec::new()).collect();
        let mut kept = Vec::new();
        for &(source, target, edge) in edges {
            if let (Some(source), Some(target)) = (new[source], new[target]) {
                incoming[target].push((source, edge));
                kept.push((source, target));
            }
        }
        let graph = Graph::new(locations.len(), kept.iter().copied());
        Region {
            dominators: Dominators::of(&graph, start),
            locations,
            incoming,
            ends,
        }
    }
}
