//! Objects that are linked become rows.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_program::Type;

use super::heap::{Contents, End, Kind, Object, Owner, Pointer, Row, State, Value};
use super::rows::{Pattern, may_be_in_row};

/// More kinds of objects in one row are not told apart: there is no such row then.
const MAX_CONTENTS: usize = 12;

/// Objects of a row that differ in nothing but numbers: from so many on they are not told apart.
const MAX_NUMBERS: usize = 3;

/// From so many objects on, those that were allocated at different places may be one row.
const LARGE: usize = 24;

/// Which objects become one row. Whichever is chosen, rows stand for what they stand for: it is a matter of how many
/// states there are, and how much they tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Folding {
    /// All that are linked; a row tells which few numbers are in its objects, and not where.
    Mixed,
    /// Those that hold the same numbers: right for lists that are sorted by a kind, or have a few marked nodes. From many
    /// objects on as before, so that there is an end.
    Alike,
}

impl Folding {
    /// From few states to many.
    pub(super) const ALL: [Folding; 2] = [Folding::Mixed, Folding::Alike];
}

/// Who points where.
struct Pointers {
    /// The objects that have a pointer to this one; none for a variable.
    to: BTreeMap<u32, Vec<(Option<u32>, End)>>,
}

impl Pointers {
    fn of(state: &State) -> Pointers {
        let mut to: BTreeMap<u32, Vec<(Option<u32>, End)>> = BTreeMap::new();
        let mut note = |from: Option<u32>, value: Value| {
            if let Value::Pointer(pointer) = value {
                to.entry(pointer.object)
                    .or_default()
                    .push((from, pointer.end));
            }
        };
        state.roots().for_each(|value| note(None, value));
        for (&number, object) in &state.objects {
            object.values().for_each(|value| note(Some(number), value));
        }
        Pointers { to }
    }

    fn to(&self, number: u32) -> &[(Option<u32>, End)] {
        self.to.get(&number).map_or(&[], Vec::as_slice)
    }

    fn count(&self, number: u32, end: End) -> usize {
        self.to(number)
            .iter()
            .filter(|entry| entry.1 == end)
            .count()
    }

    fn is_held(&self, number: u32) -> bool {
        self.to(number).iter().any(|entry| entry.0.is_none())
    }
}

/// Two objects that can be one row, the first one with a pointer to the second.
struct Pair {
    first: Part,
    second: Part,
    row: Row,
}

impl Pair {
    /// Whether all objects of both hold the same numbers.
    fn holds_same_numbers(&self) -> bool {
        let mut all = self.first.contents.iter().chain(&self.second.contents);
        let Some(first) = all.next() else {
            return true;
        };
        all.all(|other| {
            let mut cells = first.cells.values().zip(other.cells.values());
            are_alike(first, other) && cells.all(|(a, b)| a.ty == Type::Ptr || a.value == b.value)
        })
    }
}

/// A part of a row in the making.
struct Part {
    number: u32,
    /// What each object of it has beside links.
    contents: Vec<Contents>,
    /// What belongs to an object that is no row yet, in no order.
    belonging: Vec<u32>,
}

impl State {
    /// Makes rows of objects that are linked and that no variable points to, as far as that goes; inner ones first.
    /// Objects that were allocated at different places are taken for different things, unless there are many.
    pub(super) fn fold(&mut self, folding: Folding) {
        loop {
            let is_large = self.objects.values().filter(|it| may_be_in_row(it)).count() > LARGE;
            let folding = if is_large { Folding::Mixed } else { folding };
            let strict = self.foldable(folding, true);
            let pair = strict.or_else(|| self.foldable(folding, false).filter(|_| is_large));
            match pair {
                Some(pair) => self.fold_pair(pair),
                None => return,
            }
        }
    }

    fn foldable(&self, folding: Folding, is_strict: bool) -> Option<Pair> {
        let pointers = Pointers::of(self);
        let mut with_belongings = None;
        for (&first, object) in &self.objects {
            for (link, value) in links(object) {
                let Value::Pointer(Pointer {
                    object: second,
                    end: End::First,
                    offset: Some(head),
                }) = value
                else {
                    continue;
                };
                let is_one_site = object.site == self.objects[&second].site;
                if second == first || is_strict && !is_one_site {
                    continue;
                }
                let Some(pair) = self.pair(&pointers, first, second, link, head) else {
                    continue;
                };
                if folding == Folding::Alike && !pair.holds_same_numbers() {
                    continue;
                }
                match pair.first.belonging.is_empty() && pair.second.belonging.is_empty() {
                    true => return Some(pair),
                    false => drop(with_belongings.get_or_insert(pair)),
                }
            }
        }
        with_belongings
    }

    /// Whether two objects, of which the first points to the second one, can be one row.
    fn pair(
        &self,
        pointers: &Pointers,
        first: u32,
        second: u32,
        link: u64,
        head: i64,
    ) -> Option<Pair> {
        let (a, b) = (&self.objects[&first], &self.objects[&second]);
        let may = |number: u32, object: &Object| {
            let fits = (object.row.as_ref()).is_none_or(|row| row.link == link && row.head == head);
            fits && may_be_in_row(object) && (object.row.is_some() || !pointers.is_held(number))
        };
        if !may(first, a) || !may(second, b) || a.size != b.size || a.read_only != b.read_only {
            return None;
        }
        let to_first = Value::Pointer(Pointer {
            object: first,
            end: if a.row.is_some() {
                End::Last
            } else {
                End::First
            },
            offset: Some(head),
        });
        let back = match (&a.row, &b.row) {
            (Some(row), Some(other)) if row.back != other.back => return None,
            (Some(row), _) | (None, Some(row)) => row.back,
            (None, None) => {
                let mut cells = b.contents.cells.iter();
                cells
                    .find(|&(&offset, cell)| offset != link && cell.value == to_first)
                    .map(|entry| *entry.0)
            }
        };
        // Nothing else may point to what will be between.
        let is_inner = |object: &Object, number: u32, end: End, links: usize| {
            object.row.is_none() || pointers.count(number, end) <= links
        };
        if !is_inner(b, second, End::First, 1)
            || !is_inner(a, first, End::Last, usize::from(back.is_some()))
        {
            return None;
        }
        let next = match &b.row {
            Some(row) => row.next,
            None => linked(b, link)?,
        };
        let mut prev = Value::Any;
        if let Some(back) = back {
            let before = |object: &Object| match &object.row {
                Some(row) => Some(row.prev),
                None => linked(object, back),
            };
            prev = before(a)?;
            if before(b)? != to_first {
                return None;
            }
        }
        let row = Row {
            link,
            back,
            head,
            next,
            prev,
            contents: Vec::new(),
        };
        let ends = [first, second];
        let (first, second) = (
            self.part(pointers, first, &row, ends)?,
            self.part(pointers, second, &row, ends)?,
        );
        let kinds = first.contents.len() + second.contents.len();
        (kinds <= MAX_CONTENTS).then_some(Pair { first, second, row })
    }

    /// An object as a part of a row.
    fn part(&self, pointers: &Pointers, number: u32, row: &Row, ends: [u32; 2]) -> Option<Part> {
        let object = &self.objects[&number];
        let part = match &object.row {
            Some(row) => Part {
                number,
                contents: row.contents.clone(),
                belonging: Vec::new(),
            },
            None => {
                let mut contents = object.contents.clone();
                contents
                    .cells
                    .retain(|&at, _| at != row.link && Some(at) != row.back);
                let belonging = self.belongings(pointers, number, &contents, ends);
                Part {
                    number,
                    contents: vec![contents],
                    belonging,
                }
            }
        };
        // The rest may point to this very object, and to no other of the row.
        let inner = |value: Value| match value {
            Value::Pointer(pointer) if ends.contains(&pointer.object) => {
                pointer.object != number || object.row.is_some() && pointer.end != End::Own
            }
            _ => false,
        };
        let contents = part.contents.iter().flat_map(Contents::values);
        let all = match object.row.is_some() {
            true => self.belonging(number, None),
            false => part.belonging.clone(),
        };
        let others = all.iter().flat_map(|number| self.objects[number].values());
        let is_right = !contents.chain(others).any(inner);
        is_right.then_some(part)
    }

    /// The objects to which nothing leads but this one's contents and each other; with what belongs to them.
    fn belongings(
        &self,
        pointers: &Pointers,
        number: u32,
        contents: &Contents,
        ends: [u32; 2],
    ) -> Vec<u32> {
        let mut found: BTreeSet<u32> = BTreeSet::new();
        let mut todo: Vec<Value> = contents.values().collect();
        while let Some(value) = todo.pop() {
            if let Value::Pointer(pointer) = value
                && !ends.contains(&pointer.object)
                && self.objects[&pointer.object].kind == Kind::Heap
                && found.insert(pointer.object)
            {
                todo.extend(self.objects[&pointer.object].values());
            }
        }
        let own: Vec<u32> = (contents.values())
            .filter_map(|value| match value {
                Value::Pointer(pointer) => Some(pointer.object),
                _ => None,
            })
            .collect();
        // Links of this object lead elsewhere, so pointers of it count only as far as they are among the contents.
        let is_own = |found: &BTreeSet<u32>, to: u32| {
            let from_contents = own.iter().filter(|&&it| it == to).count();
            let from_here = pointers
                .to(to)
                .iter()
                .filter(|entry| entry.0 == Some(number))
                .count();
            let from_found = |from: Option<u32>| from.is_some_and(|from| found.contains(&from));
            let others = pointers
                .to(to)
                .iter()
                .filter(|entry| entry.0 != Some(number));
            from_here == from_contents && others.clone().all(|entry| from_found(entry.0))
        };
        loop {
            let left: BTreeSet<u32> = (found.iter().copied())
                .filter(|&it| {
                    let owner = self.objects[&it].owner;
                    is_own(&found, it) && owner.is_none_or(|owner| found.contains(&owner.row))
                })
                .collect();
            if left.len() == found.len() {
                return left.into_iter().collect();
            }
            found = left;
        }
    }

    fn fold_pair(&mut self, pair: Pair) {
        let (first, second) = (pair.first.number, pair.second.number);
        let ends_with_row = self.objects[&second].row.is_some();
        let mut row = pair.row;
        for part in [pair.first, pair.second] {
            let is_row = self.objects[&part.number].row.is_some();
            for (index, contents) in part.contents.into_iter().enumerate() {
                let belonging = match is_row {
                    true => self.belonging(part.number, Some(index)),
                    false => part.belonging.clone(),
                };
                let contents = self.owned(part.number, first, contents, &belonging);
                self.add_contents(first, &mut row, contents, &belonging);
            }
        }
        // In an order that doesn't depend on how they came here; what belongs to them knows their numbers.
        if self.belonging(first, None).is_empty() {
            let values = |contents: &Contents| contents.values().collect::<Vec<Value>>();
            row.contents.sort_by_key(values);
        }
        let behind = self.objects.remove(&second);
        if let Some(object) = self.objects.get_mut(&first) {
            if behind.is_some_and(|behind| behind.site != object.site) {
                object.site = 0;
            }
            object.contents = Contents::default();
            object.row = Some(row);
        }
        self.retarget(|pointer| {
            let is_last = pointer.object == second && (!ends_with_row || pointer.end == End::Last);
            debug_assert!(
                is_last || pointer.object != second,
                "a pointer to one between"
            );
            Value::Pointer(match is_last {
                true => Pointer {
                    object: first,
                    end: End::Last,
                    ..pointer
                },
                false => pointer,
            })
        });
    }

    /// Contents that come from one object, or row, to a row in the making, with what belongs to them: from now on they
    /// are the row's, and a pointer to that object means each one's own.
    fn owned(
        &mut self,
        from: u32,
        row: u32,
        mut contents: Contents,
        belonging: &[u32],
    ) -> Contents {
        let own = |value: &mut Value| {
            if let Value::Pointer(pointer) = value
                && pointer.object == from
            {
                (pointer.object, pointer.end) = (row, End::Own);
            }
        };
        contents.values_mut().for_each(own);
        for number in belonging {
            if let Some(object) = self.objects.get_mut(number) {
                object.values_mut().for_each(own);
                if object.owner.is_none_or(|owner| owner.row == from) {
                    let contents = NOT_YET;
                    object.owner = Some(Owner { row, contents });
                }
            }
        }
        contents
    }

    /// Adds contents to a row in the making, or joins them with some that are the same but for numbers.
    fn add_contents(&mut self, number: u32, row: &mut Row, contents: Contents, belonging: &[u32]) {
        let pattern = Pattern::of(self, number, &contents, belonging);
        // A few numbers are told apart, if there is nothing else.
        let alike = || {
            row.contents
                .iter()
                .filter(|known| are_alike(known, &contents))
        };
        let is_covered = alike().any(|known| covers(known, &contents));
        let is_new = belonging.is_empty() && !is_covered && alike().count() < MAX_NUMBERS;
        let known = row.contents.iter_mut().enumerate();
        for (index, known) in
            known.filter(|(_, known)| !is_new && (!is_covered || covers(known, &contents)))
        {
            let others = self.belonging(number, Some(index));
            let other = Pattern::of(self, number, known, &others);
            let (Some((pattern, order)), Some((other, others))) = (&pattern, &other) else {
                continue;
            };
            if pattern != other {
                continue;
            }
            join(known, &contents);
            for (old, new) in others.iter().zip(order) {
                let Some(new) = self.objects.remove(new) else {
                    continue;
                };
                if let Some(old) = self.objects.get_mut(old) {
                    join(&mut old.contents, &new.contents);
                    let rows = old.row.iter_mut().zip(&new.row);
                    for (old, new) in rows.flat_map(|(a, b)| a.contents.iter_mut().zip(&b.contents))
                    {
                        join(old, new);
                    }
                }
            }
            return;
        }
        for number in belonging {
            let object = self.objects.get_mut(number);
            if let Some(owner) = object.and_then(|object| object.owner.as_mut())
                && owner.contents == NOT_YET
            {
                owner.contents = row.contents.len();
            }
        }
        row.contents.push(contents);
    }
}

/// Contents of a row in the making that have no number yet.
const NOT_YET: usize = usize::MAX;

/// Whether contents have scalars of the same types at the same places.
fn are_alike(a: &Contents, b: &Contents) -> bool {
    let places = |contents: &Contents| -> Vec<(u64, Type)> {
        let cells = contents.cells.iter();
        cells.map(|(&at, cell)| (at, cell.ty)).collect()
    };
    a.is_zero == b.is_zero && places(a) == places(b)
}

/// Whether the scalars of contents that are alike are among those of others.
fn covers(old: &Contents, new: &Contents) -> bool {
    let mut cells = old.cells.values().zip(new.cells.values());
    are_alike(old, new)
        && cells.all(|(old, new)| match old.ty {
            Type::Ptr => old.value == new.value,
            _ => old.value.covers(new.value),
        })
}

/// Joins the numbers of contents that are the same otherwise.
fn join(old: &mut Contents, new: &Contents) {
    for (old, new) in old.cells.values_mut().zip(new.cells.values()) {
        if old.ty != Type::Ptr {
            old.value = old.value.join(new.value);
        }
    }
}

/// Where an object has pointers, and what they are.
fn links(object: &Object) -> Vec<(u64, Value)> {
    match &object.row {
        Some(row) => vec![(row.link, row.next)],
        None => (object.contents.cells.iter())
            .filter(|(_, cell)| cell.ty == Type::Ptr)
            .map(|(&offset, cell)| (offset, cell.value))
            .collect(),
    }
}

/// The pointer that an object has at a place.
fn linked(object: &Object, at: u64) -> Option<Value> {
    let cell = object.contents.cells.get(&at)?;
    (cell.ty == Type::Ptr).then_some(cell.value)
}
