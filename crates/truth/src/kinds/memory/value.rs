//! Numbers, addresses, indices and conditions.

use super::Memory;

impl Memory {
    /// A number without much ado.
    pub(super) fn plain(&mut self) -> String {
        match self.out.rng.index(2) {
            0 if !self.ints.is_empty() => self.int(),
            _ => self.constant(),
        }
    }

    pub(super) fn constant(&mut self) -> String {
        let number = match self.out.rng.percent(self.risk / 4) {
            true => *self
                .out
                .rng
                .pick(&[2_147_483_646, 2_147_483_640, 46_341, -2_147_483_647]),
            false => self.out.rng.between(-2, 6),
        };
        match number < 0 {
            true => format!("({number})"),
            false => number.to_string(),
        }
    }

    /// Something that holds an `int`.
    pub(super) fn int(&mut self) -> String {
        match self.out.rng.index(10) {
            0 | 1 if !self.pointers.is_empty() => self.pointed(),
            2..=4 if !self.arrays.is_empty() => self.element(),
            5 => "x1".to_owned(),
            _ => self
                .pick(|memory| &memory.ints)
                .unwrap_or_else(|| "0".to_owned()),
        }
    }

    /// What a pointer points to.
    fn pointed(&mut self) -> String {
        match self.pick(|memory| &memory.pointers) {
            Some(pointer) => format!("*{pointer}"),
            None => "0".to_owned(),
        }
    }

    pub(super) fn element(&mut self) -> String {
        let index = self.out.rng.index(self.arrays.len());
        let (name, len) = self.arrays[index].clone();
        let index = self.index(len);
        format!("{name}[{index}]")
    }

    /// An index into so many elements.
    pub(super) fn index(&mut self, len: usize) -> String {
        let last = len - 1;
        let variable = self
            .pick(|memory| &memory.ints)
            .unwrap_or_else(|| "0".to_owned());
        if self.dares() {
            return match self.out.rng.index(3) {
                0 => variable,
                1 => format!("{variable} + 1"),
                _ => self.out.rng.index(len + 1).to_string(),
            };
        }
        match self.out.rng.index(6) {
            0 | 1 => self.out.rng.index(len).to_string(),
            2 => format!("({variable} > 0 && {variable} <= {last} ? {variable} : 0)"),
            3 => format!("in(0, {last})"),
            _ => format!("(unsigned){variable} % {len}"),
        }
    }

    /// The address of an `int`.
    pub(super) fn address(&mut self) -> String {
        let place = self
            .pick(|memory| &memory.ints)
            .unwrap_or_else(|| "0".to_owned());
        if self.ints.is_empty() {
            return "0".to_owned();
        }
        if self.dares() && self.out.rng.percent(30) {
            return "0".to_owned();
        }
        match self.out.rng.index(7) {
            0 => {
                let (other, condition) = (self.pick(|memory| &memory.ints), self.condition());
                let other = other.unwrap_or_else(|| place.clone());
                format!("({condition}) ? &{place} : &{other}")
            }
            1 if !self.arrays.is_empty() => format!("&{}", self.element()),
            2 if !self.arrays.is_empty() => {
                let index = self.out.rng.index(self.arrays.len());
                let (name, len) = self.arrays[index].clone();
                let index = self.index(len);
                format!("{name} + ({index})")
            }
            3 => {
                let other = self.pick(|memory| &memory.ints).unwrap_or_default();
                let function = ["larger", "either"][self.out.rng.index(2)];
                let last = match function {
                    "either" => format!(", {}", self.plain()),
                    _ => String::new(),
                };
                format!("{function}(&{place}, &{other}{last})")
            }
            4 if !self.pointers.is_empty() => self
                .pick(|memory| &memory.pointers)
                .unwrap_or_else(|| "0".to_owned()),
            _ => format!("&{place}"),
        }
    }

    /// A number.
    pub(super) fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.plain();
        }
        let dares = self.dares();
        let (a, b) = (self.value(depth - 1), self.plain());
        match self.out.rng.index(16) {
            0..=2 => format!("{a} + {b}"),
            3 | 4 => format!("{a} - {b}"),
            5 => format!("({a}) * {}", self.out.rng.between(2, 3)),
            6 => self
                .pick(|memory| &memory.smalls)
                .unwrap_or_else(|| b.clone()),
            7 if dares => format!("({a}) / ({b})"),
            8 if dares => format!("({a}) % ({b})"),
            9 if dares => format!("1 << ({b})"),
            10 if dares => format!("({a}) * ({b})"),
            7 => format!("({a}) / {}", self.out.rng.between(2, 4)),
            8 => format!("({a}) % {}", self.out.rng.between(2, 5)),
            9 => format!("({a}) & {}", self.out.rng.between(1, 7)),
            11 if !self.arrays.is_empty() => self.whole(),
            12 if !self.lists.is_empty() => {
                let list = self.pick(|memory| &memory.lists).unwrap_or_default();
                let function = ["total", "length"][self.out.rng.index(2)];
                format!("{function}({list})")
            }
            13 if self.pointers.len() > 1 => {
                let (p, q) = (self.pointers[0].clone(), self.pointers[1].clone());
                format!("({p} == {q})")
            }
            _ => self.int(),
        }
    }

    /// Something about all elements of an array.
    fn whole(&mut self) -> String {
        let index = self.out.rng.index(self.arrays.len());
        let (name, len) = self.arrays[index].clone();
        match self.out.rng.index(3) {
            0 => format!("sum({name}, {len})"),
            1 => format!("most({name}, {len})"),
            _ => format!("find({name}, {len}, {})", self.plain()),
        }
    }

    pub(super) fn condition(&mut self) -> String {
        if self.pointers.len() > 1 && self.out.rng.percent(15) {
            let p = self.pick(|memory| &memory.pointers).unwrap_or_default();
            let q = match self.out.rng.percent(50) {
                true => self.pick(|memory| &memory.pointers).unwrap_or_default(),
                false => format!("&{}", self.pick(|memory| &memory.ints).unwrap_or_default()),
            };
            let operator = ["==", "!="][self.out.rng.index(2)];
            return format!("{p} {operator} {q}");
        }
        if !self.lists.is_empty() && self.out.rng.percent(15) {
            let list = self.pick(|memory| &memory.lists).unwrap_or_default();
            let value = self.plain();
            return match self.out.rng.index(3) {
                0 => format!("{list} == 0"),
                1 => format!("{list} && {list}->v == {value}"),
                _ => format!("{list} && {list}->next"),
            };
        }
        let (a, b) = (self.int(), self.plain());
        let operators = ["<", "<=", ">", "==", "!="];
        let operator = self.out.rng.pick(&operators);
        format!("{a} {operator} {b}")
    }
}
