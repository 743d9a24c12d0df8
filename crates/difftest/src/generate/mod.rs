//! Random C programs without undefined behaviour.
//!
//! A program is written top down as text: types, globals, functions from callees to callers,
//! `main`. It is well-defined by construction:
//!
//! * values: every object has a promised range ([`types`]), every expression a computed one;
//!   an operator is used bare when its operands' ranges allow it and guarded otherwise ([`arith`]);
//! * evaluation order: an expression carries the memory classes that it reads and writes, and
//!   unsequenced operands never conflict ([`effects`]);
//! * memory: pointers carry how far they may be moved and how long their target lives ([`pointer`]);
//! * termination: loops, backward jumps and recursion have counters that nothing else writes, and
//!   an estimate of the work bounds what may be called where ([`control`], [`function`]).
//!
//! Everything a program computes ends up in its output: statements print as they go, and `main`
//! prints all globals at the end.

mod aggregate;
mod arith;
mod assign;
mod call;
mod constant;
mod control;
mod define;
mod effects;
mod expr;
mod float;
mod function;
mod idiom;
mod initialise;
mod jump;
mod numeric;
mod place;
mod pointer;
mod print;
mod recursion;
mod safe_math;
mod scope;
mod spell;
mod statement;
mod storage;
mod types;

use std::collections::{BTreeSet, HashMap};

use crate::feature::{Feature, FeatureSet};
use crate::model::{DataModel, IntKind, Interval};
use crate::rng::Rng;

use effects::{ClassAllocator, Classes, Effects};
use function::Function;
use scope::Var;
use types::{Enumeration, IntTy, Record, Ty};

/// What kind of programs to generate.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Sizes of the basic types; a program is well-defined under this model.
    pub model: DataModel,
    /// How large programs are: 1 is a few lines, 4 about two hundred, 10 very large.
    pub size: u32,
    /// What may occur; every program uses a random part of it.
    pub features: FeatureSet,
}

impl Options {
    /// Programs of ordinary size with every feature that is on by default.
    pub fn new(model: DataModel) -> Self {
        Self {
            model,
            size: 4,
            features: FeatureSet::defaults(),
        }
    }
}

/// A generated program and what it needs to run.
#[derive(Clone, Debug)]
pub struct GeneratedProgram {
    /// The seed that gives this program again, under the same options.
    pub seed: u64,
    /// The data model for which it is well-defined.
    pub model: DataModel,
    /// The C text: one translation unit, no preprocessor lines.
    pub source: String,
    /// Values of the `__VERIFIER_nondet_*` calls, in the order of the calls; 0 when used up.
    pub inputs: Vec<i128>,
    /// The features that occur in the text.
    pub features: FeatureSet,
}

/// The program that belongs to `seed`.
pub fn generate(seed: u64, options: &Options) -> GeneratedProgram {
    let mut rng = Rng::new(seed ^ (u64::from(options.model == DataModel::Lp64) << 63));
    let mut inputs = rng.fork(1);
    let mut generator = Generator::new(rng, options);
    let source = generator.program();
    let features = generator.used;
    let count = if features.contains(Feature::Input) {
        inputs.between(0, 40)
    } else {
        0
    };
    GeneratedProgram {
        seed,
        model: options.model,
        source,
        inputs: (0..count)
            .map(|_| crate::outcome::random_input(&mut inputs))
            .collect(),
        features,
    }
}

/// How many expressions may be open at the same time before only leaves are added.
const MAX_NESTING: u32 = 5;

/// The state of one program under construction.
struct Generator {
    rng: Rng,
    model: DataModel,
    size: u32,
    /// Features that this program may use.
    enabled: FeatureSet,
    /// Features that it does use.
    used: FeatureSet,

    records: Vec<Record>,
    enumerations: Vec<Enumeration>,
    typedefs: Vec<(IntKind, String)>,
    functions: Vec<Function>,
    /// The names of functions and tables that some call uses.
    called: BTreeSet<String>,
    /// Groups of functions with one signature, called through pointers.
    tables: Vec<function::Table>,
    /// Helper functions that some expression calls.
    helpers: BTreeSet<safe_math::Helper>,
    /// Whether the functions that print floating values are needed.
    prints_float: bool,
    prints_double: bool,
    /// Library and input functions that need a declaration.
    externs: BTreeSet<String>,

    /// Scopes from the file to the innermost block.
    scopes: Vec<Vec<Var>>,
    /// A name that is being declared: its initialiser must not see an outer object of that name.
    hidden: Option<String>,
    classes: ClassAllocator,
    type_classes: HashMap<Ty, Classes>,

    /// Lines of the function that is being written.
    lines: Vec<String>,
    indent: usize,
    /// Expressions that are being built around the current one.
    open_expressions: u32,
    next_name: u32,
    next_array: u32,

    /// Estimated steps of the current function, and how often the current statement is executed.
    work: u64,
    repeat: u64,
    budget: u64,
    /// What the current function has done to memory so far.
    effects: Effects,
    /// Loops around the current statement in which `break` and `continue` are allowed.
    loops: Vec<control::LoopKind>,
    /// What `return` may give: `None` where it must not be used at all.
    return_ty: Option<Option<Ty>>,
}

impl Generator {
    fn new(mut rng: Rng, options: &Options) -> Self {
        // Between half and nearly all of what is allowed, so that rare company occurs as well.
        let share = rng.between(55, 97) as u32;
        let enabled = options
            .features
            .iter()
            .filter(|_| rng.percent(share))
            .collect();
        Self {
            rng,
            model: options.model,
            size: options.size.clamp(1, 10),
            enabled,
            used: FeatureSet::default(),
            records: Vec::new(),
            enumerations: Vec::new(),
            typedefs: Vec::new(),
            functions: Vec::new(),
            called: BTreeSet::new(),
            tables: Vec::new(),
            helpers: BTreeSet::new(),
            prints_float: false,
            prints_double: false,
            externs: BTreeSet::new(),
            scopes: vec![Vec::new()],
            hidden: None,
            classes: ClassAllocator::default(),
            type_classes: HashMap::new(),
            lines: Vec::new(),
            indent: 0,
            open_expressions: 0,
            next_name: 0,
            next_array: 0,
            work: 0,
            repeat: 1,
            budget: 0,
            effects: Effects::default(),
            loops: Vec::new(),
            return_ty: None,
        }
    }

    /// The whole text.
    fn program(&mut self) -> String {
        let types = self.capture(Self::define_types);
        let globals = self.capture(Self::define_globals);
        let functions = self.define_functions();
        let main = self.capture(Self::define_main);

        let mut text = String::new();
        for name in ["int printf(const char *, ...);"]
            .into_iter()
            .map(String::from)
            .chain(self.externs.clone())
        {
            text.push_str(&name);
            text.push('\n');
        }
        let helpers = self.helper_definitions();
        for part in [
            types,
            helpers,
            self.printer_definitions(),
            globals,
            functions,
            main,
        ] {
            if !part.is_empty() {
                text.push('\n');
                text.push_str(&part);
            }
        }
        text
    }

    /// The lines that `write` emits, as one text.
    fn capture(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.lines);
        write(self);
        let lines = std::mem::replace(&mut self.lines, outer);
        lines
            .iter()
            .fold(String::new(), |text, line| text + line + "\n")
    }

    /// Writes one line at the current indentation.
    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        let comment = if self.decide(Feature::Comment, 2) {
            *self
                .rng
                .pick(&[" // why not", " /* here */", " /* over\n * lines */", " //"])
        } else {
            ""
        };
        self.lines.push(format!(
            "{:width$}{text}{comment}",
            "",
            width = self.indent * 4
        ));
    }

    /// Writes `{`, what `body` writes, and `}` with `tail` behind it.
    fn braces(&mut self, head: &str, tail: &str, body: impl FnOnce(&mut Self)) {
        let open = if head.is_empty() {
            "{".to_owned()
        } else {
            format!("{head} {{")
        };
        self.line(open);
        self.indent += 1;
        self.scopes.push(Vec::new());
        body(self);
        self.scopes.pop();
        self.indent -= 1;
        self.line(format!("}}{tail}"));
    }

    /// Builds a part of an expression with at most `depth` levels, and fewer where expressions are
    /// nested deeply already: through indices, arguments and initialisers they could go on for ever.
    fn nested<T>(&mut self, depth: u32, build: impl FnOnce(&mut Self, u32) -> T) -> T {
        let depth = depth.min(MAX_NESTING.saturating_sub(self.open_expressions));
        self.open_expressions += 1;
        let built = build(self, depth);
        self.open_expressions -= 1;
        built
    }

    /// Whether expressions are nested as deeply as they may.
    fn is_deep(&self) -> bool {
        self.open_expressions > MAX_NESTING
    }

    /// Whether the program may use `feature` at all.
    fn has(&self, feature: Feature) -> bool {
        self.enabled.contains(feature)
    }

    /// Decides, `percent` times in a hundred, to use `feature` here and now.
    fn decide(&mut self, feature: Feature, percent: u32) -> bool {
        let yes = self.has(feature) && self.rng.percent(percent);
        if yes {
            self.used.insert(feature);
        }
        yes
    }

    /// `weight` when the program may use `feature`, otherwise 0.
    fn weight(&self, feature: Feature, weight: u32) -> u32 {
        if self.has(feature) { weight } else { 0 }
    }

    fn mark(&mut self, feature: Feature) {
        self.used.insert(feature);
    }

    /// A name that no other object has.
    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}{}", self.next_name)
    }

    /// An integer type that the program may use.
    fn int_kind(&mut self) -> IntKind {
        let wide = if self.model == DataModel::Lp64 {
            self.weight(Feature::Int128, 1)
        } else {
            0
        };
        let choices = [
            (self.weight(Feature::Bool, 2), IntKind::Bool),
            (self.weight(Feature::PlainChar, 3), IntKind::Char),
            (self.weight(Feature::PlainChar, 2), IntKind::SChar),
            (self.weight(Feature::PlainChar, 3), IntKind::UChar),
            (self.weight(Feature::Short, 3), IntKind::Short),
            (self.weight(Feature::Short, 3), IntKind::UShort),
            (9, IntKind::Int),
            (6, IntKind::UInt),
            (self.weight(Feature::Long, 3), IntKind::Long),
            (self.weight(Feature::Long, 3), IntKind::ULong),
            (self.weight(Feature::LongLong, 3), IntKind::LLong),
            (self.weight(Feature::LongLong, 3), IntKind::ULLong),
            (wide, IntKind::Int128),
            (wide, IntKind::UInt128),
        ];
        let kind = self.rng.weighted(&choices).unwrap_or(IntKind::Int);
        self.mark_kind(kind);
        kind
    }

    fn mark_kind(&mut self, kind: IntKind) {
        match kind {
            IntKind::Bool => self.mark(Feature::Bool),
            IntKind::Char | IntKind::SChar | IntKind::UChar => self.mark(Feature::PlainChar),
            IntKind::Short | IntKind::UShort => self.mark(Feature::Short),
            IntKind::Int | IntKind::UInt => {}
            IntKind::Long | IntKind::ULong => self.mark(Feature::Long),
            IntKind::LLong | IntKind::ULLong => self.mark(Feature::LongLong),
            IntKind::Int128 | IntKind::UInt128 => self.mark(Feature::Int128),
        }
    }

    /// An integer type with a promise: everything it can hold, or something small.
    fn int_ty(&mut self) -> IntTy {
        if !self.enumerations.is_empty() && self.rng.percent(6) {
            let index = self.rng.index(self.enumerations.len());
            return self.enum_ty(index);
        }
        let kind = self.int_kind();
        let full = kind.range(self.model);
        if kind == IntKind::Bool || self.rng.percent(45) {
            return IntTy::ranged(kind, full);
        }
        let bits = self.rng.between(1, 12) as u32;
        let wanted = match self.rng.below(5) {
            0 => Interval::new(-10, 10),
            1 => Interval::new(0, 100),
            2 => Interval::new(-1000, 1000),
            3 => Interval::unsigned(bits),
            _ => Interval::new(1, 9),
        };
        let range = Interval::new(wanted.low.max(full.low), wanted.high.min(full.high));
        IntTy::ranged(kind, range)
    }

    fn enum_ty(&mut self, index: usize) -> IntTy {
        self.mark(Feature::Enum);
        let enumeration = &self.enumerations[index];
        let values = enumeration.constants.iter().map(|(_, value)| *value);
        let low = values.clone().min().unwrap_or(0);
        let high = values.max().unwrap_or(0);
        IntTy {
            kind: enumeration.kind,
            range: Interval::new(low, high),
            field_bits: None,
            enumeration: Some(index),
        }
    }
}
