//! Sets of what pointers point to: objects of the program (all instances of one are the same here), everything that is
//! allocated, and functions.

use rhumb_program::{FuncId, ObjectId, Program};

/// One of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pointee {
    /// Whatever is allocated.
    Allocated,
    Object(ObjectId),
    Function(FuncId),
}

/// A set of them, by number. Nothing is stored behind the last member.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Pointees(Vec<u64>);

impl Pointee {
    pub(super) fn number(self, program: &Program) -> usize {
        match self {
            Pointee::Allocated => 0,
            Pointee::Object(object) => 1 + object.index(),
            Pointee::Function(function) => 1 + program.objects.len() + function.index(),
        }
    }

    pub(super) fn of(number: usize, program: &Program) -> Pointee {
        let objects = program.objects.len();
        match number {
            0 => Pointee::Allocated,
            number if number <= objects => Pointee::Object(ObjectId::new(number - 1)),
            number => Pointee::Function(FuncId::new(number - 1 - objects)),
        }
    }
}

impl Pointees {
    /// Gives whether it is new.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        let word = number / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let before = self.0[word];
        self.0[word] |= 1 << (number % 64);
        self.0[word] != before
    }

    /// Adds all of another set; gives whether one was new.
    pub(super) fn add(&mut self, other: &Pointees) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut grows = false;
        for (own, word) in self.0.iter_mut().zip(&other.0) {
            grows |= word & !*own != 0;
            *own |= word;
        }
        grows
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        let word = self.0.get(number / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().enumerate();
        words.flat_map(|(at, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| 64 * at + bit)
        })
    }
}
