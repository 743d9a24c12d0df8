//! What C expressions mean at places of a program.
//!
//! The front end itself reads them: each is put into a copy of the text, in a block of its own where the names of its
//! place are in scope, as the first value of a variable; the copy is compiled, and what is computed between two marks
//! around the variable is executed symbolically by the encoder of the proof checker. So an expression has exactly the
//! meaning that C gives it there. Where evaluating it is undefined, it counts as false.

use rhumb_cfront::{Options, Severity, compile};
use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::{
    Action, Cfa, EdgeId, FuncId, IndexVec, LocId, Program, Scope, SourceMap, Span, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use rhumb_certify::proof::Meanings;

/// An expression and where it is to be understood.
pub(super) struct Hook<'a> {
    /// The expression. Its parentheses are balanced, and it has none of the characters that end an expression.
    pub(super) text: &'a str,
    /// Where the block that has the expression begins.
    pub(super) open: u32,
    /// Where it ends, if what is between belongs to it.
    pub(super) close: Option<u32>,
}

/// What an expression means.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    /// The function that it is in.
    pub(super) function: FuncId,
    /// When it holds; none if that depends on more than variables. Over symbols for variables of the function.
    pub(super) formula: Option<Term>,
    /// The symbols in it, and the variables of the program that they stand for.
    pub(super) variables: Vec<(Symbol, VarId)>,
    /// The text that is executed next.
    pub(super) next: Option<Span>,
}

/// What is wrong with an expression.
pub(super) struct Misunderstood {
    /// Which.
    pub(super) hook: Option<usize>,
    pub(super) message: String,
}

/// The meaning of each expression; none for a place that no run comes to, as far as the graph says.
pub(super) fn understand(
    program: &Program,
    text: &[u8],
    options: &Options,
    terms: &Terms,
    hooks: &[Hook<'_>],
) -> Result<Vec<Option<Meaning>>, Misunderstood> {
    let changed = Changed::new(text, hooks);
    let copy = changed.compile(program.sources.main_file(), options)?;
    let reader = Reader::new(program, &copy, &changed, terms);
    let meanings = (0..hooks.len()).map(|index| {
        reader.meaning(index).map_err(|message| Misunderstood {
            hook: Some(index),
            message,
        })
    });
    meanings.collect()
}

/// A text with expressions put in.
struct Changed {
    text: Vec<u8>,
    /// What was put in, in the order of places.
    pieces: Vec<Piece>,
}

/// Something that was put into a text.
struct Piece {
    /// Where it begins in the new text, and how long it is.
    start: u32,
    length: u32,
    /// How much was put in before it.
    before: u32,
    /// The expression that it is for.
    hook: usize,
}

impl Changed {
    fn new(text: &[u8], hooks: &[Hook<'_>]) -> Changed {
        // At one place, blocks end before others begin.
        let mut pieces: Vec<(u32, bool, usize, String)> = Vec::new();
        let mut blocks: FxHashSet<(u32, u32)> = FxHashSet::default();
        for (index, hook) in hooks.iter().enumerate() {
            let expression = hook.text.replace(['\n', '\r'], " ");
            let declarations = format!(
                "{{ _Bool {} = 0; _Bool {} = ({expression}); _Bool {} = 0; }}",
                name(Mark::Begin, index),
                name(Mark::Value, index),
                name(Mark::End, index)
            );
            // One block is enough for all expressions at one place.
            let block = hook
                .close
                .filter(|&close| blocks.insert((hook.open, close)));
            let opened = if block.is_some() { "{ " } else { "" };
            pieces.push((hook.open, true, index, format!(" {opened}{declarations} ")));
            if let Some(close) = block {
                pieces.push((close, false, index, " }".to_owned()));
            }
        }
        pieces.sort_by_key(|piece| (piece.0, piece.1, piece.2));
        let mut changed = Changed {
            text: Vec::with_capacity(text.len()),
            pieces: Vec::new(),
        };
        let mut from = 0;
        for (at, _, index, piece) in pieces {
            let at = (at as usize).clamp(from, text.len());
            changed.text.extend_from_slice(&text[from..at]);
            from = at;
            let start = changed.text.len() as u32;
            changed.pieces.push(Piece {
                start,
                length: piece.len() as u32,
                before: start - at as u32,
                hook: index,
            });
            changed.text.extend_from_slice(piece.as_bytes());
        }
        changed.text.extend_from_slice(&text[from..]);
        changed
    }

    /// The program with the expressions in it.
    fn compile(&self, file: &str, options: &Options) -> Result<Program, Misunderstood> {
        let compiled = compile(SourceMap::new(file, (&*self.text).into()), options);
        let mut messages = compiled.diagnostics.iter();
        let first = messages.find(|message| message.severity == Severity::Error);
        compiled.program.ok_or_else(|| Misunderstood {
            hook: first.and_then(|error| self.hook_at(error.span.lo)),
            message: first.map_or_else(String::new, |error| error.message.clone()),
        })
    }

    /// The last piece that begins before a byte of the new text.
    fn piece_before(&self, offset: u32) -> Option<&Piece> {
        let behind = self.pieces.partition_point(|piece| piece.start < offset);
        self.pieces.get(behind.checked_sub(1)?)
    }

    /// The expression that a byte of the new text belongs to.
    fn hook_at(&self, offset: u32) -> Option<usize> {
        let piece = self.piece_before(offset)?;
        (offset - piece.start <= piece.length).then_some(piece.hook)
    }

    /// The byte of the old text that a byte of the new one was.
    fn original(&self, offset: u32) -> u32 {
        match self.piece_before(offset) {
            Some(piece) => offset - piece.before - piece.length.min(offset - piece.start),
            None => offset,
        }
    }
}

/// The variables around an expression.
#[derive(Clone, Copy)]
enum Mark {
    Begin,
    Value,
    End,
}

fn name(mark: Mark, index: usize) -> String {
    let word = match mark {
        Mark::Begin => "begin",
        Mark::Value => "value",
        Mark::End => "end",
    };
    format!("__rhumb_{word}_{index}")
}

struct Reader<'a> {
    program: &'a Program,
    copy: &'a Program,
    changed: &'a Changed,
    terms: &'a Terms,
    /// The program's variables that symbols of the copy's variables stand for: those declared at the same places.
    vars: FxHashMap<Symbol, VarId>,
    /// The variables around expressions, and where they get their values.
    marks: FxHashMap<&'a str, VarId>,
    assigned: FxHashMap<VarId, EdgeId>,
    meanings: Meanings<'a>,
}

impl<'a> Reader<'a> {
    fn new(
        program: &'a Program,
        copy: &'a Program,
        changed: &'a Changed,
        terms: &'a Terms,
    ) -> Reader<'a> {
        let symbol = |var: &rhumb_program::Var| terms.symbol(&*var.decl.name, Sort::Int);
        let symbols: IndexVec<VarId, Symbol> = copy.vars.iter().map(symbol).collect();
        let declared: FxHashMap<(&str, u32), VarId> = program
            .vars
            .iter_enumerated()
            .map(|(id, var)| ((&*var.decl.name, var.decl.span.lo), id))
            .collect();
        let vars = copy.vars.iter_enumerated().filter_map(|(id, var)| {
            let at = changed.original(var.decl.span.lo);
            Some((symbols[id], *declared.get(&(&*var.decl.name, at))?))
        });
        let marks = copy.vars.iter_enumerated();
        let marks = marks.filter(|(_, var)| var.decl.name.starts_with("__rhumb_"));
        let marks: FxHashMap<&str, VarId> = marks.map(|(id, var)| (&*var.decl.name, id)).collect();
        let marked: FxHashSet<VarId> = marks.values().copied().collect();
        let mut assigned = FxHashMap::default();
        for function in &copy.functions {
            for (id, edge) in function.cfa.edges.iter_enumerated() {
                if let Action::Assign { dst, .. } = edge.action
                    && marked.contains(&dst)
                {
                    assigned.entry(dst).or_insert(id);
                }
            }
        }
        let vars = vars.collect();
        Reader {
            vars,
            marks,
            assigned,
            meanings: Meanings::new(copy, terms, symbols),
            program,
            copy,
            changed,
            terms,
        }
    }

    fn mark(&self, mark: Mark, index: usize) -> Option<VarId> {
        self.marks.get(&*name(mark, index)).copied()
    }

    fn meaning(&self, index: usize) -> Result<Option<Meaning>, String> {
        let marks = [Mark::Begin, Mark::Value, Mark::End].map(|mark| self.mark(mark, index));
        let [Some(begin), Some(value), Some(end)] = marks else {
            return Err("it is not understood".to_owned());
        };
        let Scope::Local(function) = self.copy.vars[begin].scope else {
            return Err("it is not understood".to_owned());
        };
        let cfa = &self.copy.functions[function].cfa;
        let Some(&begin) = self.assigned.get(&begin) else {
            return Ok(None);
        };
        let start = cfa.edges[begin].target;
        let end = self.assigned.get(&end).map(|&edge| &cfa.edges[edge]);
        let original = self
            .program
            .function_named(&self.copy.functions[function].name)
            .ok_or("it is not understood")?;
        let Some(end) = end else {
            // Evaluation is always undefined.
            return Ok(Some(Meaning {
                function: original,
                formula: Some(self.terms.bool(false)),
                variables: Vec::new(),
                next: None,
            }));
        };
        self.check_effects(cfa, start, end.source, value)?;
        let formula = self.meanings.is_true_at(cfa, start, end.source, value);
        let (formula, variables) = self.named(formula);
        Ok(Some(Meaning {
            function: original,
            formula,
            variables,
            next: self.next(cfa, end.target),
        }))
    }

    /// An error if something happens between two locations beside the computation of a value.
    fn check_effects(
        &self,
        cfa: &Cfa,
        start: LocId,
        end: LocId,
        value: VarId,
    ) -> Result<(), String> {
        let mut seen: FxHashSet<LocId> = [start, end].into_iter().collect();
        let mut open = vec![start];
        while let Some(location) = open.pop().filter(|_| start != end) {
            for &edge in cfa.outgoing(location) {
                let edge = &cfa.edges[edge];
                let is_temporary =
                    |var: VarId| var == value || self.copy.vars[var].decl.name.is_empty();
                let is_harmless = match edge.action {
                    Action::Skip | Action::Assume { .. } => true,
                    Action::Assign { dst, .. } | Action::Load { dst, .. } => is_temporary(dst),
                    Action::Approximate { dst, .. } => dst.is_none_or(is_temporary),
                    _ => false,
                };
                if !is_harmless {
                    return Err("evaluating it has side effects".to_owned());
                }
                if seen.insert(edge.target) {
                    open.push(edge.target);
                }
            }
        }
        Ok(())
    }

    /// The formula, if it is about variables of the program only, and which they are.
    fn named(&self, formula: Option<Term>) -> (Option<Term>, Vec<(Symbol, VarId)>) {
        let Some(formula) = formula else {
            return (None, Vec::new());
        };
        let known = self
            .terms
            .symbols([formula])
            .into_iter()
            .map(|symbol| Some((symbol, self.vars.get(&symbol).copied()?)));
        match known.collect::<Option<Vec<_>>>() {
            Some(known) => (Some(formula), known),
            None => (None, Vec::new()),
        }
    }

    /// What is executed after the end mark.
    fn next(&self, cfa: &Cfa, mut at: LocId) -> Option<Span> {
        for _ in 0..8 {
            let edge = &cfa.edges[*cfa.outgoing(at).first()?];
            if !matches!(edge.action, Action::Skip) {
                let original = |offset| self.changed.original(offset);
                return Some(Span::new(original(edge.span.lo), original(edge.span.hi)));
            }
            at = edge.target;
        }
        None
    }
}
