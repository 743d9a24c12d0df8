//! Programs about memory: arrays, records, unions, pointers into all of them, lists and other small heaps.
//!
//! With a *risk* of 0 accesses are guarded, so that runs get to the end; with more of it guards are left out, and
//! arithmetic comes near the ends of its types.

use super::Text;
use super::library::{FUNCTIONS, MISTAKES, PROLOGUE};
use crate::generate::Draft;
use crate::runs::NARROW_TEXT;
use rhumb_difftest::rng::Rng;

mod action;
mod value;

/// What is in scope.
struct Memory {
    out: Text,
    /// How often, of a hundred times, there is no guard.
    risk: u32,
    /// What holds an `int` and has an address.
    ints: Vec<String>,
    /// What holds a smaller number.
    smalls: Vec<String>,
    /// Arrays of `int`, or pointers to the first of as many.
    arrays: Vec<(String, usize)>,
    /// Variables that point to an `int`.
    pointers: Vec<String>,
    /// Variables that point to the first cell of a list.
    lists: Vec<String>,
    /// Values of `struct pair`.
    pairs: Vec<String>,
    records: Vec<String>,
    words: Vec<String>,
    /// What is to be freed in the end.
    heap: Vec<String>,
    /// Statements that may still be made.
    room: usize,
}

/// A draft with this risk.
pub(super) fn draft(rng: Rng, risk: u32) -> Draft {
    let mut memory = Memory {
        out: Text::new(rng),
        risk,
        ints: Vec::new(),
        smalls: Vec::new(),
        arrays: Vec::new(),
        pointers: Vec::new(),
        lists: Vec::new(),
        pairs: Vec::new(),
        records: Vec::new(),
        words: Vec::new(),
        heap: Vec::new(),
        room: 0,
    };
    let globals = memory.out.rng.index(3);
    for _ in 0..globals {
        memory.global();
    }
    memory.main();
    let vars = memory.looked_at();
    // Places are chosen while `main` is made, but the line is the last one.
    memory.out.look(&vars);
    memory.end();
    let head = memory.head();
    memory.out.draft(&head, vars)
}

impl Memory {
    /// True as often as the risk says.
    fn dares(&mut self) -> bool {
        let risk = self.risk;
        self.out.rng.percent(risk)
    }

    fn pick(&mut self, of: fn(&Memory) -> &Vec<String>) -> Option<String> {
        let count = of(self).len();
        let index = self.out.rng.index(count);
        of(self).get(index).cloned()
    }

    fn global(&mut self) {
        match self.out.rng.index(5) {
            0 => {
                let name = self.out.fresh("g");
                let first = self.out.rng.between(-1, 4);
                self.out.line(format!("int {name} = {first};"));
                self.ints.push(name);
            }
            1 => {
                let (name, len) = (self.out.fresh("t"), 2 + self.out.rng.index(4));
                self.out.line(format!("int {name}[{len}];"));
                self.array(name, len);
            }
            2 => {
                let name = self.out.fresh("gp");
                self.out.line(format!("struct pair {name} = {{1, 2}};"));
                self.pair(name);
            }
            3 => {
                let name = self.out.fresh("gl");
                self.out.line(format!("struct cell *{name};"));
                self.lists.push(name);
            }
            _ => {
                let name = self.out.fresh("gr");
                self.out.line(format!("struct record {name};"));
                self.record(name);
            }
        }
    }

    fn array(&mut self, name: String, len: usize) {
        for at in 0..len {
            self.ints.push(format!("{name}[{at}]"));
        }
        self.arrays.push((name, len));
    }

    fn pair(&mut self, name: String) {
        self.ints.push(format!("{name}.a"));
        self.ints.push(format!("{name}.b"));
        self.pairs.push(name);
    }

    fn record(&mut self, name: String) {
        self.ints.push(format!("{name}.value"));
        self.pair(format!("{name}.inner"));
        self.smalls.push(format!("{name}.tag"));
        self.smalls.push(format!("{name}.part[1]"));
        self.records.push(name);
    }

    fn main(&mut self) {
        self.out.open("int main(void) {");
        let inputs = 1 + self.out.rng.index(3);
        for _ in 0..inputs {
            let (name, bounds) = (self.out.fresh("x"), self.bounds());
            self.out.line(format!("int {name} = in({bounds});"));
            self.ints.push(name);
        }
        for _ in 0..2 + self.out.rng.index(3) {
            self.local();
        }
        self.room = 4 + self.out.rng.index(7);
        while self.room > 0 {
            self.statement(2);
        }
    }

    /// Bounds of an input.
    fn bounds(&mut self) -> String {
        let low = self.out.rng.between(-2, 2);
        let high = low + self.out.rng.between(1, 4);
        format!("{low}, {high}")
    }

    fn local(&mut self) {
        match self.out.rng.index(8) {
            0 => {
                let (name, len) = (self.out.fresh("a"), 2 + self.out.rng.index(4));
                let values: Vec<String> = (0..len).map(|_| self.plain()).collect();
                let values = values.join(", ");
                self.out.line(format!("int {name}[{len}] = {{{values}}};"));
                self.array(name, len);
            }
            1 => {
                let (name, len) = (self.out.fresh("h"), 1 + self.out.rng.index(4));
                self.out
                    .line(format!("int *{name} = malloc({len} * sizeof(int));"));
                for at in 0..len {
                    let value = self.plain();
                    self.out.line(format!("{name}[{at}] = {value};"));
                }
                self.array(name.clone(), len);
                self.heap.push(name);
            }
            2 => {
                let (name, a, b) = (self.out.fresh("s"), self.plain(), self.plain());
                self.out.line(format!("struct pair {name} = {{{a}, {b}}};"));
                self.pair(name);
            }
            3 => {
                let (name, value) = (self.out.fresh("r"), self.plain());
                self.out.line(format!(
                    "struct record {name} = {{.value = {value}, .tag = 1}};"
                ));
                self.record(name);
            }
            4 => {
                let name = self.out.fresh("l");
                self.out.line(format!("struct cell *{name} = 0;"));
                for _ in 0..self.out.rng.index(3) {
                    let value = self.plain();
                    self.out.line(format!("push(&{name}, {value});"));
                }
                self.lists.push(name);
            }
            5 => {
                let (name, value) = (self.out.fresh("w"), self.plain());
                self.out
                    .line(format!("union word {name} = {{.i = {value}}};"));
                self.ints.push(format!("{name}.i"));
                self.smalls.push(format!("{name}.bytes[0]"));
                self.smalls.push(format!("{name}.halves[1]"));
                self.words.push(name);
            }
            _ => {
                let (name, to) = (self.out.fresh("p"), self.address());
                self.out.line(format!("int *{name} = {to};"));
                self.pointers.push(name);
            }
        }
    }

    /// What is looked at in the end.
    fn looked_at(&mut self) -> Vec<String> {
        let mut vars = Vec::new();
        // What was read in says little.
        if self.out.rng.percent(80) {
            self.ints.retain(|place| !place.starts_with('x'));
        }
        for _ in 0..3 {
            vars.extend(self.pick(|memory| &memory.ints));
        }
        if self.out.rng.percent(40) {
            vars.extend(self.pick(|memory| &memory.smalls));
        }
        if self.risk == 0
            && self.out.rng.percent(40)
            && let Some(pointer) = self.pick(|memory| &memory.pointers)
        {
            vars.push(format!("*{pointer}"));
        }
        if let Some(list) = self.pick(|memory| &memory.lists) {
            let function = ["total", "length"][self.out.rng.index(2)];
            vars.push(format!("{function}({list})"));
        }
        vars.sort();
        vars.dedup();
        vars
    }

    /// Frees what there is, mostly.
    fn end(&mut self) {
        for name in std::mem::take(&mut self.heap) {
            if !self.dares() {
                self.out.line(format!("free({name});"));
            }
        }
        if self.risk > 0 {
            for list in std::mem::take(&mut self.lists) {
                if !self.out.rng.percent(15) {
                    self.out.line(format!("while ({list}) pop(&{list});"));
                }
            }
        }
        self.out.line("return 0;");
        self.out.close();
    }

    /// Declarations and the functions that are used.
    fn head(&mut self) -> String {
        let mut used = String::new();
        for (name, right) in FUNCTIONS.iter().rev() {
            if !has_word(&self.out.lines, name) && !has_word(&used, name) {
                continue;
            }
            let wrong: Vec<&str> = MISTAKES
                .iter()
                .filter(|mistake| mistake.0 == *name)
                .map(|mistake| mistake.1)
                .collect();
            let text = match !wrong.is_empty() && self.dares() {
                true => *self.out.rng.pick(&wrong),
                false => right,
            };
            used = format!("{text}\n{used}");
        }
        format!("{PROLOGUE}{NARROW_TEXT}\n{used}")
    }
}

/// Whether a text speaks of a function.
fn has_word(text: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split(|c| !is_letter(c)).any(|word| word == name)
}
