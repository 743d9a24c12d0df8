//! What the analysis of pointers says, for people: the objects, the pointers to each, and what the pointers in it
//! point to.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

use super::explain::name;
use super::homes::{Homes, Refusal};
use super::pointees::{Distance, HomeId, Pointees};
use super::{Home, UNKNOWN_SIZE, points_to};
use crate::model::Program;

/// The objects of a program after inlining, as if all of them could be followed.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    regions: Vec<Region>,
}

/// An object, or all objects that one line allocates.
#[derive(Clone, Debug)]
struct Region {
    name: String,
    size: u64,
    /// Why it is no set of variables.
    refused: Option<Refusal>,
    /// The variables that may point to it.
    pointers: Vec<String>,
    /// The pointers in it, with what they may point to.
    contents: Vec<(u64, Vec<String>)>,
}

impl Regions {
    /// Of a program that was inlined, and of what the pass refused in it.
    pub fn of(program: &Program, refused: &[(Home, Refusal)]) -> Regions {
        let homes = Homes::unrefused(program);
        let facts = points_to::fixpoint(program, &homes);
        let mut pointers: BTreeMap<HomeId, Vec<String>> = BTreeMap::new();
        for (var, to) in facts.vars.iter_enumerated() {
            let decl = &program.vars[var].decl;
            if decl.name.is_empty() {
                continue;
            }
            for home in objects(to) {
                let names = pointers.entry(home).or_default();
                if !names.iter().any(|known| **known == *decl.name) {
                    names.push(decl.name.to_string());
                }
            }
        }
        let mut contents: BTreeMap<HomeId, Vec<(u64, Vec<String>)>> = BTreeMap::new();
        for (&(home, offset), to) in &facts.contents {
            let places = targets(program, &homes, to);
            contents.entry(home).or_default().push((offset, places));
        }
        contents.values_mut().for_each(|entries| entries.sort());
        let all = homes.chosen().filter_map(|(id, candidate)| {
            let pointers = pointers.remove(&id).unwrap_or_default();
            let contents = contents.remove(&id).unwrap_or_default();
            let refused = refused.iter().find(|entry| entry.0 == candidate.home);
            // Who asks wants to know about pointers.
            (!pointers.is_empty() || !contents.is_empty()).then(|| Region {
                name: name(program, candidate.home),
                size: candidate.size,
                refused: refused.map(|entry| entry.1),
                pointers,
                contents,
            })
        });
        Regions {
            regions: all.collect(),
        }
    }
}

/// The objects, each once.
fn objects(to: &Pointees) -> Vec<HomeId> {
    let mut objects: Vec<HomeId> = to.objects.iter().map(|entry| entry.0).collect();
    objects.dedup();
    objects
}

/// What a pointer may point to, in words.
fn targets(program: &Program, homes: &Homes, to: &Pointees) -> Vec<String> {
    let place = |&(home, distance): &(HomeId, Distance)| {
        let name = name(program, homes[home].home);
        match (distance.offset, distance.stride) {
            (0, 0) => name,
            (offset, 0) => format!("{name} + {offset}"),
            (offset, stride) => format!("{name} + {offset} + {stride} * k"),
        }
    };
    let mut all: Vec<String> = to.objects.iter().map(place).collect();
    if to.other {
        all.push("other memory".to_owned());
    }
    all
}

impl Display for Regions {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        if self.regions.is_empty() {
            return writeln!(out, "no pointer points to an object");
        }
        for region in &self.regions {
            match region.size {
                UNKNOWN_SIZE => writeln!(out, "{}: of unknown size", region.name)?,
                size => writeln!(out, "{}: {size} bytes", region.name)?,
            }
            match region.refused {
                Some(refusal) => writeln!(out, "  stays in memory: it {}", refusal.describe())?,
                None => writeln!(out, "  is variables")?,
            }
            if !region.pointers.is_empty() {
                writeln!(out, "  pointers to it: {}", region.pointers.join(", "))?;
            }
            for (offset, to) in &region.contents {
                let to = match to.is_empty() {
                    true => "nothing".to_owned(),
                    false => to.join(", "),
                };
                writeln!(out, "  at {offset} it points to: {to}")?;
            }
        }
        Ok(())
    }
}
