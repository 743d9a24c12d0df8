//! When two states are the same: up to the numbers of objects and the names of symbols, and apart from what no thread
//! looks at any more.
//!
//! A state is written down as a list of words, beginning with what threads and globals can reach; objects, symbols and
//! inputs that nobody has looked at are named by the order in which they are met. So equal lists are states with the
//! same future: nothing that a program does depends on those names. Of the conditions of a path those are kept that
//! have a symbol in common with the state, or with one that is kept: the others hold of some values of symbols that
//! nobody else speaks of, and say nothing. Where no such values are known they are kept, too: a path whose conditions
//! turn out to be impossible ends, and must not have stood for one whose conditions are not.
//!
//! What no thread may still look at ([`super::ahead`]) is left out: contents of objects, threads that have ended, the
//! number of threads. Where nobody asks for numbers of threads, threads that stand alike may change places: nothing that
//! a program does depends on their order.

use std::sync::Arc;

use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::{LocId, Program, VarId};
use rustc_hash::FxHashMap;

use super::super::live::Live;
use super::Path;
use super::ahead::Ahead;
use crate::proof::execution::memory::{Content, Instance, Source};
use crate::proof::execution::state::{Frame, PathState};
use crate::proof::execution::value::{Base, Value};

/// Writes states down.
pub(super) struct Keys<'p> {
    program: &'p Program,
    live: Live<'p>,
    /// The names that symbols get, by sort and number.
    names: FxHashMap<(Sort, usize), Symbol>,
    /// The symbols of terms.
    symbols: FxHashMap<Term, Arc<[Symbol]>>,
    /// Parts of states, each once.
    parts: FxHashMap<Box<[u64]>, u64>,
    words: usize,
}

/// What of a state can be seen later.
#[derive(Clone, Copy)]
pub(super) struct Sight<'a> {
    /// What all threads together may still do; if that is not known, everything can be seen.
    pub(super) ahead: Option<&'a Ahead>,
    /// Whether nobody looks at the numbers of threads, but where that is ahead.
    pub(super) are_alike: bool,
}

/// A state, written down.
pub(super) type Key = Box<[u64]>;

/// What was met so far in one state.
#[derive(Default)]
struct Met {
    objects: FxHashMap<u32, u64>,
    order: Vec<u32>,
    events: FxHashMap<Source, u64>,
    symbols: FxHashMap<Symbol, Term>,
    counts: FxHashMap<Sort, usize>,
}

impl<'p> Keys<'p> {
    pub(super) fn new(program: &'p Program) -> Keys<'p> {
        Keys {
            program,
            live: Live::new(program),
            names: FxHashMap::default(),
            symbols: FxHashMap::default(),
            parts: FxHashMap::default(),
            words: 0,
        }
    }

    /// The state that a path has come to. All threads stand where others may go on.
    pub(super) fn key(
        &mut self,
        terms: &Terms,
        path: &Path,
        globals: &[u32],
        sight: Sight<'_>,
    ) -> Key {
        let state = &path.state;
        let mut met = Met::default();
        let mut key = vec![path.is_exact.into(), state.atomic.into()];
        // The next thread that is created gets the next number.
        if sight.ahead.is_none_or(|ahead| ahead.creates) {
            key.push(state.threads.len() as u64);
        }
        for &object in globals {
            met.object(object);
        }
        let mut words = Vec::new();
        for value in state.globals.values() {
            self.value(terms, value, &mut met, &mut words);
        }
        key.push(self.part(&mut words));
        let order = self.order(state, sight);
        key.push(order.len() as u64);
        for number in order {
            let thread = &state.threads[number];
            let frames = state.calls(number);
            match &thread.result {
                Some(value) => {
                    self.value(terms, value, &mut met, &mut words);
                    words.push(1);
                }
                None => words.push(0),
            }
            words.extend([frames.len() as u64, thread.is_many.into()]);
            key.push(self.part(&mut words));
            for (depth, frame) in frames.iter().enumerate() {
                let is_last = depth + 1 == frames.len();
                self.frame(terms, frame, is_last, &mut met, &mut words);
                key.push(self.part(&mut words));
            }
        }
        let mut next = 0;
        while let Some(&object) = met.order.get(next) {
            next += 1;
            let instance = &state.instances[object as usize];
            let reads = |ahead: &Ahead| ahead.reads(self.program, instance);
            let is_read = sight.ahead.is_none_or(reads);
            self.object(terms, instance, is_read, &mut met, &mut words);
            key.push(self.part(&mut words));
        }
        let is_possible = path.model.is_some();
        if !met.symbols.is_empty() || !is_possible {
            self.conditions(terms, &path.conditions, is_possible, &mut met, &mut words);
            key.push(self.part(&mut words));
        }
        key.into()
    }

    /// The threads that matter, in an order that doesn't depend on their numbers where nobody looks at these.
    fn order(&mut self, state: &PathState, sight: Sight<'_>) -> Vec<usize> {
        let asks = sight.ahead.is_none_or(|ahead| ahead.asks_for_ends);
        if asks || !sight.are_alike {
            return (0..state.threads.len()).collect();
        }
        let running: Vec<usize> = state.running().collect();
        let mut marked: Vec<(Vec<u64>, usize)> = Vec::with_capacity(running.len());
        for number in running {
            let frames = state.calls(number);
            let mut marks = Vec::new();
            for (depth, frame) in frames.iter().enumerate() {
                marks.push(u64::from(frame.function.raw()) << 32 | u64::from(frame.location.raw()));
                for var in self.looked_at(frame, depth + 1 == frames.len()) {
                    if let Value::Known(bits) = frame.variables[&var] {
                        marks.extend([bits as u64, (bits >> 64) as u64]);
                    }
                }
            }
            marked.push((marks, number));
        }
        marked.sort_unstable();
        marked.into_iter().map(|(_, number)| number).collect()
    }

    /// A thread alone, where it stands and what it has in variables and objects of its own, with the conditions that
    /// speak of nothing else: its number among all such threads. Globals have the same names for all threads.
    pub(super) fn alone(
        &mut self,
        terms: &Terms,
        state: &PathState,
        frames: &[Arc<Frame>],
        conditions: &[Term],
        globals: &[u32],
    ) -> u64 {
        let mut met = Met::default();
        for &object in globals {
            met.object(object);
        }
        let mut words = Vec::new();
        let mut parts = vec![frames.len() as u64];
        for (depth, frame) in frames.iter().enumerate() {
            let is_last = depth + 1 == frames.len();
            self.frame(terms, frame, is_last, &mut met, &mut words);
            parts.push(self.part(&mut words));
        }
        let mut next = globals.len();
        while let Some(&object) = met.order.get(next) {
            next += 1;
            let instance = &state.instances[object as usize];
            self.object(terms, instance, true, &mut met, &mut words);
            parts.push(self.part(&mut words));
        }
        let is_own = |condition: &&Term| {
            let symbols = terms.symbols([**condition]);
            symbols
                .iter()
                .all(|symbol| met.symbols.contains_key(symbol))
        };
        let own: Vec<Term> = conditions.iter().filter(is_own).copied().collect();
        let mut own: Vec<u64> = (own.iter())
            .map(|&condition| self.renamed(terms, condition, &mut met).raw().into())
            .collect();
        own.sort_unstable();
        own.dedup();
        parts.push(u64::MAX);
        parts.extend(own);
        self.part(&mut parts)
    }

    /// The variables of a call that are looked at later.
    pub(super) fn looked_at(&mut self, frame: &Frame, is_last: bool) -> Vec<VarId> {
        let (location, set) = self.goes_on(frame, is_last);
        let live = self.live.at(frame.function, location);
        let variables = frame.variables.keys().copied();
        variables
            .filter(|var| live.contains(var) && Some(*var) != set)
            .collect()
    }

    /// Where a call goes on, and the variable that is set before. A caller stands before its call, and goes on behind it with a result.
    fn goes_on(&self, frame: &Frame, is_last: bool) -> (LocId, Option<VarId>) {
        let cfa = &self.program.functions[frame.function].cfa;
        match (is_last, cfa.locations[frame.location].outgoing.first()) {
            (false, Some(&edge)) => {
                let edge = &cfa.edges[edge];
                (edge.target, edge.action.defined_var())
            }
            _ => (frame.location, None),
        }
    }

    /// The number of a part, whose words are taken out.
    fn part(&mut self, words: &mut Vec<u64>) -> u64 {
        if let Some(&number) = self.parts.get(&words[..]) {
            words.clear();
            return number;
        }
        let number = self.parts.len() as u64;
        self.words += words.len();
        self.parts.insert(std::mem::take(words).into(), number);
        number
    }

    /// About how many words all parts have.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    fn frame(
        &mut self,
        terms: &Terms,
        frame: &Frame,
        is_last: bool,
        met: &mut Met,
        words: &mut Vec<u64>,
    ) {
        words.push(u64::from(frame.function.raw()) << 32 | u64::from(frame.location.raw()));
        words.push(frame.result.map_or(u64::MAX, |var| var.raw().into()));
        let variables = self.looked_at(frame, is_last);
        let variables = variables
            .into_iter()
            .map(|var| (var, frame.variables[&var].clone()));
        for (var, value) in variables {
            words.push(var.raw().into());
            self.value(terms, &value, met, words);
        }
        words.push(u64::MAX);
        for (&object, &instance) in &frame.objects {
            words.extend([object.raw().into(), met.object(instance)]);
        }
        words.push(u64::MAX);
        for &instance in &frame.allocated {
            words.push(met.object(instance));
        }
    }

    fn object(
        &mut self,
        terms: &Terms,
        instance: &Instance,
        is_read: bool,
        met: &mut Met,
        words: &mut Vec<u64>,
    ) {
        let flags = [instance.is_alive, instance.read_only, instance.is_shared];
        words.push(flags.iter().fold(instance.kind as u64, |bits, &flag| {
            2 * bits + u64::from(flag)
        }));
        words.push(instance.size);
        if !is_read {
            return;
        }
        let (bytes, cells) = instance.parts();
        let cells: Vec<(u64, u64, Content)> = cells
            .map(|(start, size, content)| (start, size, content.clone()))
            .collect();
        // What lies below a cell means nothing.
        let mut bytes = bytes.to_vec();
        for (start, size, _) in &cells {
            bytes[*start as usize..(start + size) as usize].fill(0);
        }
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u64::from_le_bytes(word));
        }
        for (start, size, content) in cells {
            words.extend([start, size]);
            match &content {
                Content::Number(number) => {
                    words.push(0);
                    self.term(terms, number.term, met, words);
                }
                Content::Whole(value) => {
                    words.push(1);
                    self.value(terms, value, met, words);
                }
                Content::Fresh(source) => {
                    let event = Source {
                        offset: 0,
                        ..*source
                    };
                    let next = met.events.len() as u64;
                    let event = *met.events.entry(event).or_insert(next);
                    words.extend([2, event, source.offset]);
                }
            }
        }
    }

    fn value(&mut self, terms: &Terms, value: &Value, met: &mut Met, words: &mut Vec<u64>) {
        match value {
            Value::Known(bits) => words.extend([0, *bits as u64, (*bits >> 64) as u64]),
            Value::Truth(truth) => {
                words.push(1);
                self.term(terms, *truth, met, words);
            }
            Value::Number(number) => {
                words.push(2);
                self.term(terms, number.term, met, words);
            }
            Value::Pointer(pointer) => {
                match pointer.base {
                    Base::Instance(object) => words.extend([3, met.object(object)]),
                    Base::Function(function) => words.extend([4, function.raw().into()]),
                }
                self.term(terms, pointer.offset.term, met, words);
            }
            Value::Wild => words.push(5),
            // Nobody makes them where there are threads; if there were one, it would be like no other.
            Value::Choice(choice) => {
                for (condition, value) in &*choice.0 {
                    self.term(terms, *condition, met, words);
                    self.value(terms, value, met, words);
                }
            }
        }
    }

    /// A term with its symbols renamed.
    fn term(&mut self, terms: &Terms, term: Term, met: &mut Met, words: &mut Vec<u64>) {
        let renamed = self.renamed(terms, term, met);
        words.push(u64::from(renamed.raw()));
    }

    fn renamed(&mut self, terms: &Terms, term: Term, met: &mut Met) -> Term {
        if let Some(symbol) = terms.as_symbol(term) {
            return self.name(terms, symbol, met);
        }
        let symbols = self.symbols(terms, term);
        if symbols.is_empty() {
            return term;
        }
        for &symbol in symbols.iter() {
            self.name(terms, symbol, met);
        }
        terms.substitute(term, &met.symbols)
    }

    /// The name that a symbol has in the state that is written down.
    fn name(&mut self, terms: &Terms, symbol: Symbol, met: &mut Met) -> Term {
        if let Some(&name) = met.symbols.get(&symbol) {
            return name;
        }
        let sort = terms.symbol_info(symbol).sort;
        let count = met.counts.entry(sort).or_default();
        let names = self.names.entry((sort, *count));
        let name = *names.or_insert_with(|| terms.symbol("any", sort));
        *count += 1;
        let name = terms.var(name);
        met.symbols.insert(symbol, name);
        name
    }

    /// The symbols of a term, which is asked for again and again.
    fn symbols(&mut self, terms: &Terms, term: Term) -> Arc<[Symbol]> {
        let known = self.symbols.entry(term);
        let known = known.or_insert_with(|| terms.symbols([term]).into());
        known.clone()
    }

    /// The conditions that say something about the state; all, if it is not known that they can hold together.
    fn conditions(
        &mut self,
        terms: &Terms,
        conditions: &[Term],
        is_possible: bool,
        met: &mut Met,
        words: &mut Vec<u64>,
    ) {
        let mut rest: Vec<(Term, Arc<[Symbol]>)> = conditions
            .iter()
            .map(|&condition| (condition, self.symbols(terms, condition)))
            .collect();
        let mut kept: Vec<Term> = Vec::new();
        loop {
            let is_known = |symbol: &Symbol| met.symbols.contains_key(symbol);
            let (now, later): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|(_, symbols)| symbols.iter().any(is_known));
            rest = later;
            if now.is_empty() {
                break;
            }
            for (condition, _) in now {
                kept.push(self.renamed(terms, condition, met));
            }
        }
        if !is_possible {
            for (condition, _) in rest {
                kept.push(self.renamed(terms, condition, met));
            }
        }
        let mut kept: Vec<u64> = kept.iter().map(|term| u64::from(term.raw())).collect();
        kept.sort_unstable();
        kept.dedup();
        words.extend(kept);
    }
}

impl Met {
    /// The name of an object.
    fn object(&mut self, object: u32) -> u64 {
        let next = self.objects.len() as u64;
        *self.objects.entry(object).or_insert_with(|| {
            self.order.push(object);
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use rhumb_cfront::{Options, compile_text};

    use super::super::AllSchedules;
    use super::*;

    /// Conditions on symbols that are gone are no part of a state if values for them are known, and else they are: what
    /// may be impossible doesn't stand for anything but itself.
    #[test]
    fn only_what_is_possible_is_left_out() {
        let text = "int main(void) { return 0; }";
        let program = compile_text("main.c", text, &Options::default()).expect("compiles");
        let mut all = AllSchedules::new(&program);
        let terms = all.machine.terms.clone();
        let start = all.pending.values().flatten().next().unwrap().clone();
        let gone = terms.fresh("gone", Sort::Int);
        let other = terms.mul(gone, terms.mul(gone, gone));
        let conditions = [
            vec![],
            vec![terms.eq(other, terms.int(7))],
            vec![terms.eq(other, terms.int(8))],
        ];
        let mut keys = |is_possible: bool| -> Vec<Key> {
            let of = |conditions: &Vec<Term>| {
                let mut path = start.clone();
                path.conditions = Arc::new(conditions.clone());
                path.model = path.model.filter(|_| is_possible);
                all.key_of(&path)
            };
            conditions.iter().map(of).collect()
        };
        let possible = keys(true);
        assert!(possible[0] == possible[1] && possible[1] == possible[2]);
        let open = keys(false);
        assert!(open[0] != open[1] && open[1] != open[2] && open[0] != open[2]);
        // What is open stands for nothing that is possible.
        assert!(open[1] != possible[1]);
    }
}
