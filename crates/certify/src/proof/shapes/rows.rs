//! Objects become rows, and rows objects again.
//!
//! A row stands for any objects n₁ … nₖ, k ≥ 1, all different and alive, of one size, for which: each has at `link` a
//! pointer to `head` in the next one, the last one has `next` there; if there is `back`, each has there a pointer to
//! `head` in the one before, the first one has `prev`; and every other scalar is one of those that its cell says.
//! Pointers in a state are to the first or to the last of them; no value of the state is a pointer to one between.

use std::collections::BTreeMap;

use rhumb_program::Type;

use super::heap::{Cell, End, Kind, Object, Pointer, Row, State, Value};

/// More ways than that in which the scalars of one object may be chosen are not told apart.
const MAX_CHOICES: usize = 16;

impl State {
    /// The states in which the object at one end of a row stands alone, if it is a row. None if there are too many.
    pub(super) fn unfolded(&self, number: u32, end: End) -> Option<Vec<State>> {
        let object = &self.objects[&number];
        let Some(row) = object.row.clone() else {
            return Some(vec![self.clone()]);
        };
        let mut choices: Vec<BTreeMap<u64, Cell>> = vec![BTreeMap::new()];
        for (&offset, cell) in &object.cells {
            let with = |chosen: &BTreeMap<u64, Cell>, value: Value| {
                let mut chosen = chosen.clone();
                chosen.insert(offset, Cell::one(cell.ty, value));
                chosen
            };
            choices = (choices.iter())
                .flat_map(|chosen| cell.values.iter().map(move |&value| with(chosen, value)))
                .collect();
            if choices.len() > MAX_CHOICES {
                return None;
            }
        }
        let mut states = Vec::new();
        for cells in choices {
            let single = Object {
                cells,
                row: None,
                ..object.clone()
            };
            states.push(self.alone(number, single.clone(), &row));
            states.push(self.apart(number, single, &row, end));
        }
        Some(states)
    }

    /// The row has one object.
    fn alone(&self, number: u32, mut single: Object, row: &Row) -> State {
        let mut state = self.clone();
        single.cells.insert(row.link, Cell::one(Type::Ptr, row.next));
        if let Some(back) = row.back {
            single.cells.insert(back, Cell::one(Type::Ptr, row.prev));
        }
        state.objects.insert(number, single);
        state.retarget(|pointer| {
            Value::Pointer(match pointer.object == number {
                true => Pointer {
                    end: End::First,
                    ..pointer
                },
                false => pointer,
            })
        });
        state
    }

    /// The row has more: the object at one end stands alone, the others are a row.
    fn apart(&self, number: u32, mut single: Object, row: &Row, end: End) -> State {
        let mut state = self.clone();
        let own = state.add(Object::zeros(Kind::Heap, None, false));
        // Pointers from outside, before there are any between the two parts.
        state.retarget(|pointer| {
            Value::Pointer(match pointer.object == number && pointer.end == end {
                true => Pointer {
                    object: own,
                    end: End::First,
                    ..pointer
                },
                false => pointer,
            })
        });
        let to = |object: u32, end: End| {
            Value::Pointer(Pointer {
                object,
                end,
                offset: Some(row.head),
            })
        };
        let Some(rest) = state.objects.get_mut(&number).and_then(|it| it.row.as_mut()) else {
            return state;
        };
        let (next, prev) = match end {
            End::First => {
                let prev = rest.prev;
                rest.prev = to(own, End::First);
                (to(number, End::First), prev)
            }
            End::Last => {
                let next = rest.next;
                rest.next = to(own, End::First);
                (next, to(number, End::Last))
            }
        };
        single.cells.insert(row.link, Cell::one(Type::Ptr, next));
        match row.back {
            Some(back) => drop(single.cells.insert(back, Cell::one(Type::Ptr, prev))),
            None => {
                if let Some(rest) = state.objects.get_mut(&number).and_then(|it| it.row.as_mut()) {
                    rest.prev = Value::Any;
                }
            }
        }
        state.objects.insert(own, single);
        state
    }

    /// Makes rows of objects that are linked and that no variable points to, as far as that goes.
    pub(super) fn fold(&mut self) {
        while let Some(pair) = self.foldable() {
            self.fold_pair(&pair);
        }
    }

    fn foldable(&self) -> Option<Pair> {
        let mut counted: BTreeMap<(u32, End), usize> = BTreeMap::new();
        let mut is_held: BTreeMap<u32, bool> = BTreeMap::new();
        let values = self.objects.values().flat_map(Object::values);
        for value in values.chain(self.roots()) {
            if let Value::Pointer(pointer) = value {
                *counted.entry((pointer.object, pointer.end)).or_default() += 1;
            }
        }
        for value in self.roots() {
            if let Value::Pointer(pointer) = value {
                is_held.insert(pointer.object, true);
            }
        }
        let may_fold = |number: u32, object: &Object| {
            object.kind == Kind::Heap
                && object.size.is_some()
                && (object.row.is_some() || !is_held.contains_key(&number))
        };
        for (&first, object) in &self.objects {
            if !may_fold(first, object) {
                continue;
            }
            let links: Vec<(u64, Value)> = match &object.row {
                Some(row) => vec![(row.link, row.next)],
                None => (object.cells.iter())
                    .filter(|(_, cell)| cell.ty == Type::Ptr)
                    .map(|(&offset, cell)| (offset, cell.values[0]))
                    .collect(),
            };
            for (link, value) in links {
                let Value::Pointer(Pointer {
                    object: second,
                    end: End::First,
                    offset: Some(head),
                }) = value
                else {
                    continue;
                };
                let behind = &self.objects[&second];
                if second == first || !may_fold(second, behind) {
                    continue;
                }
                let Some(pair) = self.pair(first, second, link, head) else {
                    continue;
                };
                // Nothing else may point to what will be between.
                let count = |number, end| counted.get(&(number, end)).copied().unwrap_or(0);
                let is_inner = |is_row: bool, number, end, links: usize| {
                    !is_row || count(number, end) <= links
                };
                let backs = usize::from(pair.back.is_some());
                if is_inner(behind.row.is_some(), second, End::First, 1)
                    && is_inner(object.row.is_some(), first, End::Last, backs)
                {
                    return Some(pair);
                }
            }
        }
        None
    }

    /// Whether two objects, of which the first points to the second one, can be one row.
    fn pair(&self, first: u32, second: u32, link: u64, head: i64) -> Option<Pair> {
        let (a, b) = (&self.objects[&first], &self.objects[&second]);
        let fits = |row: &Option<Row>| {
            (row.as_ref()).is_none_or(|row| row.link == link && row.head == head)
        };
        let is_alike = a.size == b.size && a.is_zero == b.is_zero && a.read_only == b.read_only;
        if !fits(&a.row) || !fits(&b.row) || !is_alike {
            return None;
        }
        let to_first = Value::Pointer(Pointer {
            object: first,
            end: if a.row.is_some() { End::Last } else { End::First },
            offset: Some(head),
        });
        let back = match (&a.row, &b.row) {
            (Some(row), None) => row.back,
            (None, Some(row)) => row.back,
            (Some(row), Some(other)) if row.back == other.back => row.back,
            (Some(_), Some(_)) => return None,
            (None, None) => {
                let mut cells = b.cells.iter();
                let is_back = |cell: &Cell| cell.ty == Type::Ptr && cell.values[0] == to_first;
                cells.find(|&(&offset, cell)| offset != link && is_back(cell))
                    .map(|entry| *entry.0)
            }
        };
        let link_of = |object: &Object, at: u64| {
            let cell = object.cells.get(&at).filter(|cell| cell.ty == Type::Ptr)?;
            Some(cell.values[0])
        };
        let next = match &b.row {
            Some(row) => row.next,
            None => link_of(b, link)?,
        };
        let mut prev = Value::Any;
        if let Some(back) = back {
            prev = match &a.row {
                Some(row) => row.prev,
                None => link_of(a, back)?,
            };
            let before = match &b.row {
                Some(row) => row.prev,
                None => link_of(b, back)?,
            };
            if before != to_first {
                return None;
            }
        }
        let cells = joined(a, b, |offset| offset == link || Some(offset) == back)?;
        let leads_inside = |value: &Value| matches!(value, Value::Pointer(to) if to.object == first || to.object == second);
        let mut values = cells.values().flat_map(|cell| &cell.values);
        if values.any(leads_inside) {
            return None;
        }
        Some(Pair {
            first,
            second,
            link,
            head,
            back,
            next,
            prev,
            cells,
        })
    }

    fn fold_pair(&mut self, pair: &Pair) {
        let &Pair { first, second, .. } = pair;
        let ends_with_row = self.objects[&second].row.is_some();
        let begins_with_row = self.objects[&first].row.is_some();
        self.objects.remove(&second);
        if let Some(object) = self.objects.get_mut(&first) {
            object.cells = pair.cells.clone();
            object.row = Some(Row {
                link: pair.link,
                back: pair.back,
                head: pair.head,
                next: pair.next,
                prev: pair.prev,
            });
        }
        self.retarget(|pointer| {
            let is_last = pointer.object == second
                && (!ends_with_row || pointer.end == End::Last);
            debug_assert!(is_last || pointer.object != second);
            debug_assert!(!begins_with_row || pointer.object != first || pointer.end == End::First);
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
}

/// Two objects that can be one row.
struct Pair {
    first: u32,
    second: u32,
    link: u64,
    head: i64,
    back: Option<u64>,
    next: Value,
    prev: Value,
    cells: BTreeMap<u64, Cell>,
}

/// What the scalars of both objects may be, those that are links left out. None if they lie at different places.
fn joined(a: &Object, b: &Object, is_link: impl Fn(u64) -> bool) -> Option<BTreeMap<u64, Cell>> {
    let own = |object: &Object| -> Vec<(u64, Cell)> {
        let cells = object.cells.iter().filter(|entry| !is_link(*entry.0));
        cells.map(|(&offset, cell)| (offset, cell.clone())).collect()
    };
    let (a, b) = (own(a), own(b));
    if a.len() != b.len() {
        return None;
    }
    let mut cells = BTreeMap::new();
    for ((offset, a), (other, b)) in a.into_iter().zip(b) {
        if offset != other || a.ty != b.ty {
            return None;
        }
        let values = match a.ty {
            Type::Ptr => {
                let mut values = [a.values, b.values].concat();
                values.sort_unstable();
                values.dedup();
                values
            }
            // Numbers have one value in rows, too.
            _ => vec![a.values[0].join(b.values[0])],
        };
        cells.insert(offset, Cell { ty: a.ty, values });
    }
    Some(cells)
}
