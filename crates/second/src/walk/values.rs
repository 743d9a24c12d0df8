//! Values of variables along stretches, found when somebody asks.

use rhumb_program::{IntType, Type, VarId};
use rustc_hash::FxHashMap;

use crate::certificate::Name;
use crate::memory::To;
use crate::pool::{Id, Pool, Sort};
use crate::unfold::{Unfolded, Var};

/// A stretch, by its place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Stretch(pub(super) u32);

/// What comes before a stretch.
enum Before {
    /// Where the region begins.
    Beginning,
    /// A stretch that goes on here alone.
    One(Stretch),
    /// Several that meet here, with what each has to say about the values that it brings.
    Several(Vec<(Stretch, Vec<Id>)>),
}

struct Piece {
    before: Before,
    /// Values at the end of the stretch, as far as it goes; of variables that it doesn't set, values at its beginning.
    known: FxHashMap<Var, Id>,
}

/// All stretches of a region, and the values at their ends.
pub(crate) struct Values<'u, 'p> {
    pub(crate) unfolded: &'u Unfolded<'p>,
    pub(crate) pool: Pool,
    pieces: Vec<Piece>,
    /// The values where the region begins.
    first: FxHashMap<Var, Id>,
    /// Whether a run starts there: then global variables have their first values.
    at_start: bool,
    /// What names of the proof stand for that are no variables of the region: the same wherever they occur.
    pub(crate) free: FxHashMap<Name, Id>,
    /// What is in memory where nothing is known of it: by address, type and version.
    pub(super) contents: FxHashMap<(Id, Type, Id), Id>,
    /// Addresses of global objects.
    pub(super) objects: FxHashMap<rhumb_program::ObjectId, Id>,
}

impl<'u, 'p> Values<'u, 'p> {
    pub(crate) fn new(unfolded: &'u Unfolded<'p>, at_start: bool) -> Values<'u, 'p> {
        Values {
            unfolded,
            pool: Pool::default(),
            pieces: Vec::new(),
            first: FxHashMap::default(),
            at_start,
            free: FxHashMap::default(),
            contents: FxHashMap::default(),
            objects: FxHashMap::default(),
        }
    }

    fn add(&mut self, before: Before) -> Stretch {
        let stretch = Stretch(self.pieces.len() as u32);
        self.pieces.push(Piece {
            before,
            known: FxHashMap::default(),
        });
        stretch
    }

    /// The stretch where the region begins.
    pub(crate) fn begin(&mut self) -> Stretch {
        self.add(Before::Beginning)
    }

    /// A stretch behind another.
    pub(crate) fn behind(&mut self, before: Stretch) -> Stretch {
        self.add(Before::One(before))
    }

    /// A stretch where others meet.
    pub(crate) fn meeting(&mut self, before: Vec<Stretch>) -> Stretch {
        let before = before.into_iter().map(|stretch| (stretch, Vec::new()));
        self.add(Before::Several(before.collect()))
    }

    /// What a way into a meeting has to say: that the symbols of the meeting have its values.
    pub(crate) fn equations(&self, meeting: Stretch, way: usize) -> &[Id] {
        match &self.pieces[meeting.0 as usize].before {
            Before::Several(ways) => &ways[way].1,
            Before::Beginning | Before::One(_) => &[],
        }
    }

    /// The sort of a variable's values: an address is an unsigned word, a floating-point number its bits.
    pub(super) fn sort(&self, ty: Type) -> Sort {
        match ty {
            Type::Bool => Sort::Bool,
            Type::Int(int) => Sort::Word(int),
            Type::Ptr => Sort::Word(self.unfolded.program.data_model.size_type()),
            Type::Float(float) => Sort::Word(IntType::unsigned(match float {
                rhumb_program::FloatType::F32 => 32,
                rhumb_program::FloatType::F64 => 64,
                rhumb_program::FloatType::X87 => 80,
                rhumb_program::FloatType::F128 => 128,
            })),
        }
    }

    /// Any value of a type.
    pub(super) fn any(&mut self, ty: Type) -> Id {
        let sort = self.sort(ty);
        self.pool.fresh(sort)
    }

    pub(crate) fn set(&mut self, stretch: Stretch, var: Var, value: Id) {
        self.pieces[stretch.0 as usize].known.insert(var, value);
    }

    /// The value of a variable at the end of a stretch as far as it goes.
    pub(crate) fn get(&mut self, stretch: Stretch, var: Var) -> Id {
        let mut todo = vec![stretch];
        let mut result = None;
        while let Some(&stretch) = todo.last() {
            let value = match self.known(stretch, var) {
                Some(value) => value,
                None => match self.value_before(stretch, var, &mut todo) {
                    Some(value) => {
                        self.set(stretch, var, value);
                        value
                    }
                    // Something has to be found first.
                    None => continue,
                },
            };
            todo.pop();
            result = Some(value);
        }
        // The loop ends with the value of the stretch that was asked for.
        result.unwrap_or_else(|| self.pool.bool(false))
    }

    fn known(&self, stretch: Stretch, var: Var) -> Option<Id> {
        self.pieces[stretch.0 as usize].known.get(&var).copied()
    }

    /// The value at the beginning of a stretch; none if stretches before it come first, which are then to be done.
    fn value_before(&mut self, stretch: Stretch, var: Var, todo: &mut Vec<Stretch>) -> Option<Id> {
        let piece = &self.pieces[stretch.0 as usize];
        let ways: Vec<Stretch> = match &piece.before {
            Before::Beginning => return Some(self.first(var)),
            Before::One(before) => vec![*before],
            Before::Several(ways) => ways.iter().map(|way| way.0).collect(),
        };
        let mut values = Vec::with_capacity(ways.len());
        for &way in &ways {
            match self.known(way, var) {
                Some(value) => values.push(value),
                None => todo.push(way),
            }
        }
        if values.len() < ways.len() {
            return None;
        }
        let (&first, rest) = values.split_first()?;
        if rest.iter().all(|&value| value == first) {
            return Some(first);
        }
        let symbol = self.any(self.unfolded.ty(var));
        let equations: Vec<Id> = values
            .iter()
            .map(|&value| self.pool.same(symbol, value))
            .collect();
        if let Before::Several(ways) = &mut self.pieces[stretch.0 as usize].before {
            for (way, equation) in ways.iter_mut().zip(equations) {
                way.1.push(equation);
            }
        }
        Some(symbol)
    }

    /// The value where the region begins.
    fn first(&mut self, var: Var) -> Id {
        if let Some(&known) = self.first.get(&var) {
            return known;
        }
        let value = match self.unfolded.global(var) {
            Some(global) if self.at_start => self.initial(global),
            None if self.at_start && self.unfolded.extra(var).is_some() => {
                let first = self
                    .unfolded
                    .extra(var)
                    .map_or(To::Any, |extra| extra.first);
                self.become_of(self.unfolded.ty(var), first)
            }
            _ => self.any(self.unfolded.ty(var)),
        };
        self.first.insert(var, value);
        value
    }

    /// The first value of a global variable.
    fn initial(&mut self, var: VarId) -> Id {
        let declared = &self.unfolded.program.vars[var];
        match (declared.init, self.sort(declared.ty)) {
            (Some(init), _) => self.constant(init),
            (None, Sort::Bool) => self.pool.bool(false),
            (None, Sort::Word(ty)) => self.pool.word(ty, 0),
            (None, Sort::Int) => self.any(declared.ty),
        }
    }

    /// The variables of a stretch where the region begins, with their symbols: what a counter-model is about.
    pub(crate) fn beginning(&self) -> impl Iterator<Item = (Var, Id)> + '_ {
        self.first.iter().map(|(&var, &value)| (var, value))
    }
}
