//! Statements.

use super::Memory;

#[derive(Clone, Copy)]
enum Action {
    Assign,
    Small,
    Branch,
    Repeat,
    Swap,
    Fill,
    Turn,
    Copy,
    Set,
    Record,
    Pair,
    Word,
    Retarget,
    Twice,
    Table,
    Function,
    Walk,
    Row,
    Push,
    Pop,
    Delete,
    Reverse,
    Step,
    Freed,
    Null,
    Cells,
}

const ACTIONS: [(u32, Action); 26] = [
    (12, Action::Assign),
    (3, Action::Small),
    (6, Action::Branch),
    (5, Action::Repeat),
    (3, Action::Swap),
    (4, Action::Fill),
    (2, Action::Turn),
    (3, Action::Copy),
    (2, Action::Set),
    (3, Action::Record),
    (4, Action::Pair),
    (4, Action::Word),
    (6, Action::Retarget),
    (3, Action::Twice),
    (3, Action::Table),
    (2, Action::Function),
    (4, Action::Walk),
    (2, Action::Row),
    (5, Action::Push),
    (3, Action::Pop),
    (2, Action::Delete),
    (2, Action::Reverse),
    (4, Action::Step),
    (2, Action::Freed),
    (2, Action::Null),
    (2, Action::Cells),
];

impl Memory {
    fn line(&mut self, line: impl AsRef<str>) {
        self.out.line(line);
    }

    /// An array and its length.
    fn some_array(&mut self) -> Option<(String, usize)> {
        let index = self.out.rng.index(self.arrays.len());
        self.arrays.get(index).cloned()
    }

    /// Up to three statements.
    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.out.rng.index(3) {
            self.statement(depth);
        }
    }

    pub(super) fn statement(&mut self, depth: usize) {
        self.room = self.room.saturating_sub(1);
        let action = self.out.rng.weighted(&ACTIONS).unwrap_or(Action::Assign);
        if self.act(action, depth).is_none() {
            let (place, value) = (self.int(), self.value(2));
            self.line(format!("{place} = {value};"));
        }
    }

    /// `None` if there is nothing to do it with.
    fn act(&mut self, action: Action, depth: usize) -> Option<()> {
        match action {
            Action::Assign => return None,
            Action::Small => {
                let (place, value) = (self.pick(|memory| &memory.smalls)?, self.value(1));
                self.line(format!("{place} = {value};"));
            }
            Action::Branch if depth > 0 => {
                let condition = self.condition();
                self.out.open(format!("if ({condition}) {{"));
                self.block(depth - 1);
                self.out.close();
            }
            Action::Repeat if depth > 0 => {
                let (counter, rounds) = (self.out.fresh("i"), self.out.rng.between(1, 3));
                self.out.open(format!(
                    "for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{"
                ));
                self.block(depth - 1);
                self.out.close();
            }
            Action::Branch | Action::Repeat => return None,
            Action::Swap => {
                let (a, b) = (self.address(), self.address());
                self.line(format!("swap({a}, {b});"));
            }
            Action::Fill => {
                let ((name, len), value) = (self.some_array()?, self.value(1));
                let function = ["fill", "ramp"][self.out.rng.index(2)];
                self.line(format!("{function}({name}, {len}, {value});"));
            }
            Action::Turn => {
                let (name, len) = self.some_array()?;
                let function = ["reverse", "sort"][self.out.rng.index(2)];
                self.line(format!("{function}({name}, {len});"));
            }
            Action::Copy => {
                let ((to, m), (from, n)) = (self.some_array()?, self.some_array()?);
                if to == from {
                    return None;
                }
                let count = match self.dares() {
                    true => m.max(n),
                    false => m.min(n),
                };
                self.line(format!("memcpy({to}, {from}, {count} * sizeof(int));"));
            }
            Action::Set => {
                let ((name, len), byte) = (self.some_array()?, self.out.rng.between(-1, 1));
                self.line(format!("memset({name}, {byte}, {len} * sizeof(int));"));
            }
            Action::Record => self.record_action()?,
            Action::Pair => self.pair_action()?,
            Action::Word => self.word_action()?,
            Action::Retarget => {
                let (pointer, to) = (self.pick(|memory| &memory.pointers)?, self.address());
                self.line(format!("{pointer} = {to};"));
            }
            Action::Twice => {
                let (name, pointer) = (self.out.fresh("pp"), self.pick(|m| &m.pointers)?);
                let (value, to) = (self.plain(), self.address());
                self.line(format!("int **{name} = &{pointer};"));
                match self.out.rng.percent(50) {
                    true => self.line(format!("*{name} = {to};")),
                    false => self.line(format!("**{name} = {value};")),
                }
            }
            Action::Table => {
                let (name, a, b, c) = (
                    self.out.fresh("q"),
                    self.address(),
                    self.address(),
                    self.address(),
                );
                let (index, value) = (self.index(3), self.value(1));
                self.line(format!("int *{name}[3] = {{{a}, {b}, {c}}};"));
                self.line(format!("*{name}[{index}] += {value};"));
            }
            Action::Function => {
                let (name, index) = (self.out.fresh("f"), self.index(2));
                let (to, place, value) = (self.address(), self.int(), self.plain());
                self.line(format!("int (*{name}[2])(int *) = {{bump, halve}};"));
                self.line(format!("{place} = {name}[{index}]({to}) + {value};"));
            }
            Action::Walk => {
                let (counter, (name, len)) = (self.out.fresh("p"), self.some_array()?);
                let value = self.plain();
                self.line(format!(
                    "for (int *{counter} = {name}; {counter} < {name} + {len}; {counter}++) *{counter} += {value};"
                ));
            }
            Action::Row => {
                let (name, row, column) = (self.out.fresh("m"), self.index(2), self.index(3));
                let (a, b, place) = (self.plain(), self.value(1), self.int());
                self.line(format!("int {name}[2][3] = {{{{{a}}}, {{1, 2}}}};"));
                self.line(format!("{name}[{row}][{column}] = {b};"));
                self.line(format!("{place} = {name}[0][1] + {name}[1][2];"));
            }
            Action::Push => {
                let (list, value) = (self.pick(|memory| &memory.lists)?, self.value(1));
                let function = ["push", "append"][self.out.rng.index(2)];
                self.line(format!("{function}(&{list}, {value});"));
            }
            Action::Pop => {
                let (list, place) = (self.pick(|memory| &memory.lists)?, self.int());
                self.line(format!("{place} = pop(&{list});"));
            }
            Action::Delete => {
                let (list, value) = (self.pick(|memory| &memory.lists)?, self.plain());
                self.line(format!("delete(&{list}, {value});"));
            }
            Action::Reverse => {
                let list = self.pick(|memory| &memory.lists)?;
                self.line(format!("{list} = turn({list});"));
            }
            Action::Step => {
                let (place, value) = (self.int(), self.plain());
                match self.out.rng.index(3) {
                    0 => self.line(format!("{place} += {value};")),
                    1 => self.line(format!("{place}++;")),
                    _ => {
                        let to = self.address();
                        self.line(format!("{place} = bump({to});"));
                    }
                }
            }
            Action::Freed => self.freed_action()?,
            Action::Null => {
                let (pointer, value) = (self.pick(|memory| &memory.pointers)?, self.value(1));
                let condition = self.condition();
                self.line(format!("int *n{pointer} = {condition} ? {pointer} : 0;"));
                match self.dares() {
                    true => self.line(format!("*n{pointer} = {value};")),
                    false => self.line(format!("if (n{pointer}) *n{pointer} = {value};")),
                }
                // The name may not be made twice in a block.
                self.pointers.retain(|other| *other != pointer);
            }
            Action::Cells => {
                let (name, index, other) = (self.out.fresh("c"), self.index(2), self.index(2));
                let (a, b, place) = (self.plain(), self.plain(), self.int());
                self.line(format!(
                    "struct cell {name}[2] = {{{{{a}, 0}}, {{{b}, 0}}}};"
                ));
                self.line(format!("{name}[{index}].next = &{name}[{other}];"));
                self.line(format!("if ({name}[0].next) {place} = {name}[0].next->v;"));
            }
        }
        Some(())
    }

    fn record_action(&mut self) -> Option<()> {
        let record = self.pick(|memory| &memory.records)?;
        let value = self.value(1);
        match self.out.rng.index(4) {
            0 => {
                let index = self.index(3);
                self.line(format!("{record}.part[{index}] = {value};"));
            }
            1 => {
                let (copy, place) = (self.out.fresh("rc"), self.int());
                self.line(format!("struct record {copy} = {record};"));
                self.line(format!("{copy}.value += {value};"));
                self.line(format!("{place} = {copy}.value - {record}.value;"));
            }
            2 => {
                let other = self.pick(|memory| &memory.records)?;
                self.line(format!("{record} = {other};"));
            }
            _ => {
                let name = self.out.fresh("rp");
                self.line(format!("struct record *{name} = &{record};"));
                self.line(format!("{name}->inner.b = {value};"));
            }
        }
        Some(())
    }

    fn pair_action(&mut self) -> Option<()> {
        let pair = self.pick(|memory| &memory.pairs)?;
        let other = self.pick(|memory| &memory.pairs)?;
        let (a, b) = (self.plain(), self.plain());
        match self.out.rng.index(5) {
            0 => self.line(format!("{pair} = {other};")),
            1 => self.line(format!("{pair} = make({a}, {b});")),
            2 => self.line(format!("{pair} = flip({other});")),
            3 if pair != other => self.line(format!("memcpy(&{pair}, &{other}, sizeof {pair});")),
            _ => {
                let (name, condition) = (self.out.fresh("sp"), self.condition());
                self.line(format!(
                    "struct pair *{name} = {condition} ? &{pair} : &{other};"
                ));
                self.line(format!("{name}->a = {a} + {name}->b;"));
            }
        }
        Some(())
    }

    fn word_action(&mut self) -> Option<()> {
        let word = self.pick(|memory| &memory.words)?;
        let value = self.value(1);
        match self.out.rng.index(3) {
            0 => self.line(format!("{word}.i = {value};")),
            1 => {
                let index = self.index(4);
                self.line(format!("{word}.bytes[{index}] = {value};"));
            }
            _ => {
                let index = self.index(2);
                self.line(format!("{word}.halves[{index}] = {value};"));
            }
        }
        Some(())
    }

    /// Memory that comes and goes.
    fn freed_action(&mut self) -> Option<()> {
        let (name, value, place) = (self.out.fresh("d"), self.value(1), self.int());
        let condition = self.condition();
        self.line(format!("int *{name} = malloc(sizeof(int));"));
        self.line(format!("*{name} = {value};"));
        if self.dares() {
            self.line(format!("if ({condition}) free({name});"));
        }
        self.line(format!("{place} = *{name} + 1;"));
        match self.dares() {
            true => self.line(format!("if (!({condition})) free({name});")),
            false => self.line(format!("free({name});")),
        }
        Some(())
    }
}
