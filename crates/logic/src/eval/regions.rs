//! Where a value is computed: the tree of regions that short-circuit evaluation may skip.
//!
//! A region is a piece of code that runs only when a certain operand of a conjunction, a disjunction or a conditional
//! is wanted. A term belongs to the innermost region that encloses all of its uses: then it is computed at most once,
//! before its first use, and not at all when none of its uses is wanted.

/// A region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Region(u32);

impl Region {
    /// The region of everything.
    pub(super) const ROOT: Region = Region(0);

    /// Its place among all regions.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The tree of regions. The innermost common region of two is found in logarithmic time, by one longer link per region
/// (Myers, "An applicative random-access stack").
pub(super) struct Regions {
    links: Vec<Link>,
}

struct Link {
    parent: Region,
    far: Region,
    depth: u32,
}

impl Regions {
    /// The root alone.
    pub(super) fn new() -> Regions {
        let root = Link {
            parent: Region::ROOT,
            far: Region::ROOT,
            depth: 0,
        };
        Regions { links: vec![root] }
    }

    /// Number of regions.
    pub(super) fn len(&self) -> usize {
        self.links.len()
    }

    /// A new region inside another.
    pub(super) fn inside(&mut self, parent: Region) -> Region {
        let region = Region(u32::try_from(self.links.len()).unwrap_or(u32::MAX));
        let up = self.link(parent);
        let far = self.link(up.far);
        let balanced = up.depth - far.depth == far.depth - self.link(far.far).depth;
        let link = Link {
            parent,
            far: if balanced { far.far } else { parent },
            depth: up.depth + 1,
        };
        self.links.push(link);
        region
    }

    /// The innermost region that encloses both.
    pub(super) fn common(&self, a: Region, b: Region) -> Region {
        let (mut a, mut b) = if self.link(a).depth >= self.link(b).depth {
            (a, b)
        } else {
            (b, a)
        };
        let depth = self.link(b).depth;
        while self.link(a).depth > depth {
            let far = self.link(a).far;
            a = if self.link(far).depth >= depth {
                far
            } else {
                self.link(a).parent
            };
        }
        while a != b {
            let (up, across) = (self.link(a), self.link(b));
            (a, b) = if up.far == across.far {
                (up.parent, across.parent)
            } else {
                (up.far, across.far)
            };
        }
        a
    }

    fn link(&self, region: Region) -> &Link {
        &self.links[region.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pair of regions of a random tree, against climbing step by step.
    #[test]
    fn the_common_region_is_the_innermost_one() {
        let mut regions = Regions::new();
        let mut parents = vec![0usize];
        let mut state = 1u64;
        for count in 1..300usize {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            // Half of the regions continue a chain: trees that are deep as well as wide.
            let parent = if count % 2 == 0 {
                count - 1
            } else {
                (state >> 33) as usize % count
            };
            parents.push(parent);
            regions.inside(Region(u32::try_from(parent).unwrap()));
        }
        let above = |mut at: usize| {
            let mut path = vec![at];
            while at != 0 {
                at = parents[at];
                path.push(at);
            }
            path
        };
        for a in 0..parents.len() {
            let first = above(a);
            for b in 0..parents.len() {
                let expected = above(b)
                    .into_iter()
                    .find(|region| first.contains(region))
                    .unwrap();
                let found = regions.common(Region(a as u32), Region(b as u32));
                assert_eq!(found.index(), expected, "{a} and {b}");
            }
        }
    }
}
