//! Lists that are shared in pieces: a copy takes as long as there are pieces, and so does a look at two lists most of
//! whose pieces are the same.

use std::sync::Arc;

/// Members of a piece.
const PIECE: usize = 32;

/// A list of fixed length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pieces<T> {
    pieces: Vec<Arc<[T]>>,
}

impl<T: Clone> FromIterator<T> for Pieces<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Pieces<T> {
        let members: Vec<T> = members.into_iter().collect();
        Pieces {
            pieces: members.chunks(PIECE).map(Arc::from).collect(),
        }
    }
}

impl<T: Clone> Pieces<T> {
    pub(super) fn get(&self, index: usize) -> &T {
        &self.pieces[index / PIECE][index % PIECE]
    }

    pub(super) fn get_mut(&mut self, index: usize) -> &mut T {
        &mut Arc::make_mut(&mut self.pieces[index / PIECE])[index % PIECE]
    }

    pub(super) fn len(&self) -> usize {
        let last = self.pieces.last().map_or(0, |piece| piece.len());
        PIECE * self.pieces.len().saturating_sub(1) + last
    }

    /// A list of what becomes of members of two lists, where pieces that are the same in both stay as they are.
    pub(super) fn zip_with(&self, other: &Pieces<T>, mut both: impl FnMut(&T, &T) -> T) -> Self {
        let pieces = self.pieces.iter().zip(&other.pieces);
        Pieces {
            pieces: pieces
                .map(|(ours, theirs)| match Arc::ptr_eq(ours, theirs) {
                    true => ours.clone(),
                    false => {
                        let members = ours.iter().zip(&**theirs);
                        members.map(|(ours, theirs)| both(ours, theirs)).collect()
                    }
                })
                .collect(),
        }
    }

    /// Whether something holds of members of two lists in all pieces that are not the same in both.
    pub(super) fn all_different(
        &self,
        other: &Pieces<T>,
        mut both: impl FnMut(&T, &T) -> bool,
    ) -> bool {
        let mut pieces = self.pieces.iter().zip(&other.pieces);
        pieces.all(|(ours, theirs)| {
            Arc::ptr_eq(ours, theirs) || {
                let mut members = ours.iter().zip(&**theirs);
                members.all(|(ours, theirs)| both(ours, theirs))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_a_list() {
        for len in [0, 1, 31, 32, 33, 100] {
            let list: Pieces<usize> = (0..len).collect();
            assert_eq!(list.len(), len);
            let mut other = list.clone();
            for index in (0..len).step_by(7) {
                *other.get_mut(index) += 1000;
            }
            for index in 0..len {
                assert_eq!(*list.get(index), index);
                let more = if index % 7 == 0 { 1000 } else { 0 };
                assert_eq!(*other.get(index), index + more);
            }
            let greater = list.zip_with(&other, |a, b| *a.max(b));
            assert_eq!(greater, other);
            assert!(list.all_different(&other, |a, b| a <= b));
            assert_eq!(list.all_different(&other, |a, b| a == b), len == 0);
            assert!(list.all_different(&list.clone(), |_, _| false));
        }
    }
}
