//! Conditions under which locations are reached.
//!
//! A condition is a chain of literals, one for each branch taken; chains share their beginnings. Where two chains meet,
//! what they have in common stays, and if all that differs is one branch, its literal goes. So conditions behind a nest
//! of branches are as small as before it.
//!
//! **A chain says exactly when its location is reached, never more, never less.** A chain that can't hold is no chain:
//! [`Paths::extend`] and [`Paths::meet`] give none, and the state is dropped. Both are equivalences, so this holds by
//! construction. It is what makes joins right: given the values that a region begins with and what it reads from
//! outside, a run is at one location only, so of the chains of two states that are waiting at the same time at most one
//! holds, and a value may be chosen by asking for one of them. (Saying *less* of a state, "it may be reached", would be
//! fine for that state alone. At the next join it would claim runs that belong to the other side, and with them its
//! values.)

use rhumb_logic::{Term, Terms};

/// A chain, by the place of its last literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct PathId(u32);

struct Link {
    parent: PathId,
    depth: u32,
    literal: Term,
}

/// All chains.
#[derive(Default)]
pub(crate) struct Paths {
    /// The chain `n` ends in link `n - 1`; chain 0 is empty.
    links: Vec<Link>,
}

/// Where two chains meet.
pub(super) struct Meeting {
    /// The chain that holds where one of them does.
    pub(super) path: PathId,
    /// Holds where the first does, and not where the second does.
    pub(super) first: Term,
}

impl Paths {
    /// The chain that holds exactly where this one and the literal do; none if the literal is false.
    pub(super) fn extend(&mut self, terms: &Terms, path: PathId, literal: Term) -> Option<PathId> {
        match terms.as_bool(literal) {
            Some(true) => return Some(path),
            Some(false) => return None,
            None => {}
        }
        let depth = self.depth(path) + 1;
        self.links.push(Link {
            parent: path,
            depth,
            literal,
        });
        // Links are far fewer than terms, which are counted in 32 bits.
        Some(PathId(self.links.len() as u32))
    }

    fn link(&self, path: PathId) -> Option<&Link> {
        self.links.get((path.0 as usize).checked_sub(1)?)
    }

    fn depth(&self, path: PathId) -> u32 {
        self.link(path).map_or(0, |link| link.depth)
    }

    fn parent(&self, path: PathId) -> PathId {
        self.link(path).map_or(PathId(0), |link| link.parent)
    }

    /// The literals between a beginning of a chain and its end, the first one first.
    fn literals(&self, from: PathId, to: PathId) -> Vec<Term> {
        let mut literals: Vec<Term> =
            std::iter::successors(self.link(to), |link| self.link(link.parent))
                .take((self.depth(to) - self.depth(from)) as usize)
                .map(|link| link.literal)
                .collect();
        literals.reverse();
        literals
    }

    /// The literals of a chain.
    pub(crate) fn all(&self, path: PathId) -> Vec<Term> {
        self.literals(PathId(0), path)
    }

    fn common(&self, mut a: PathId, mut b: PathId) -> PathId {
        while a != b {
            if self.depth(a) >= self.depth(b) {
                a = self.parent(a);
            } else {
                b = self.parent(b);
            }
        }
        a
    }

    /// The chain that holds exactly where one of two chains holds, of which at most one can; none if neither can hold.
    pub(super) fn meet(&mut self, terms: &Terms, a: PathId, b: PathId) -> Option<Meeting> {
        let common = self.common(a, b);
        let (left, right) = (self.literals(common, a), self.literals(common, b));
        let opposite = match (left.first(), right.first()) {
            (Some(&x), Some(&y)) => terms.not(x) == y,
            _ => false,
        };
        let (left_holds, right_holds) = (
            terms.and(left.iter().copied()),
            terms.and(right.iter().copied()),
        );
        let first = match left.first() {
            Some(&literal) if opposite => literal,
            _ => left_holds,
        };
        let path = match opposite && left.len() == 1 && right.len() == 1 {
            true => common,
            false => self.extend(terms, common, terms.or([left_holds, right_holds]))?,
        };
        Some(Meeting { path, first })
    }
}
