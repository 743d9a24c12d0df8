//! A counterexample as C: definitions of everything that the program leaves open, so that compiled code reaches the error for real.
//!
//! The harness defines the input functions (`__VERIFIER_nondet_*`, and functions without a body), which give the
//! recorded values in the order of their calls; the function that must not be called, where the program has no body for
//! it; what a failing `assert` calls; and `__VERIFIER_assume`. It is used as
//!
//! ```sh
//! gcc file.c harness.c && ./a.out; echo $?    # 10: the error was reached
//! ```
//!
//! or, as one file that compiles alone, in the form of [`Harness::standalone`]. Exit status 10 means that the error was
//! reached after exactly the recorded inputs; 11 that an error was reached after other inputs; 12 that an assumption
//! failed; 1 that the program ended without an error.
//!
//! An uninitialised local, an argument of `main` and the like get their values only in a patched copy of the program, which comes with the
//! harness where the values may matter: [`Harness::patched`]. It is then that copy which has to be compiled.
//!
//! All names of the harness are tied to the symbols they define by assembler names, so that they collide with no declaration of the
//! program, whatever it is, even in one file with it.

mod need;
mod outside;
mod patch;
mod record;
mod text;

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_program::dialect::{ROLES, Role};
use rhumb_program::interp::{Machine, Outcome};
use rhumb_program::{InputKind, InputSiteId, LocKind, Part, Program, TargetKind, Type};

use crate::entry_function;
use crate::scan::{ASSERT_FAIL, Scan};
use need::Needs;
use outside::{FunctionValues, PartValues};
use patch::Patch;
use record::{Record, Stream};
use rhumb_certify::counterexample::{Budget, Counterexample};
use text::Writer;

/// What it takes to reach the error in compiled code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Harness {
    /// The harness: a C file.
    pub harness_c: String,
    /// The copy of the program that has to be compiled in its place, if there is one.
    pub patched: Option<Vec<u8>>,
    /// The program as it was parsed.
    original: Vec<u8>,
}

impl Harness {
    /// Program and harness as one C file that compiles and links alone.
    pub fn standalone(&self) -> Vec<u8> {
        let mut text = self
            .patched
            .clone()
            .unwrap_or_else(|| self.original.clone());
        text.extend_from_slice(b"\n");
        text.extend_from_slice(self.harness_c.as_bytes());
        text
    }
}

/// Why there is no harness.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CannotHarness {
    /// The text is not the one that the program was made from.
    #[error("the text is not the one that the program was made from")]
    OtherText,
    /// The run doesn't reach its target.
    #[error("the inputs don't reach the target by plain execution: {0}")]
    NotReached(String),
    /// The order of the inputs is not known, since several places call one function and the run is too long to be executed.
    #[error(
        "`{0}` is called from several places, and the run is too long to find out in which order"
    )]
    TooLong(String),
    /// A value that the error depends on can't be given to compiled code.
    #[error("{what} ({place}) can't be given to compiled code")]
    Value {
        /// Which value.
        what: String,
        /// Where, as `file:line`.
        place: String,
    },
}

/// Makes a harness for a counterexample that was found to be right. The text is what the program was parsed from (after preprocessing, if
/// there was any).
pub fn write(
    program: &Program,
    text: &[u8],
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Harness, CannotHarness> {
    if !program.sources.text().starts_with(text) {
        return Err(CannotHarness::OtherText);
    }
    if let Some(site) = program.schedule() {
        let position = program.sources.position(program.inputs[site].span);
        return Err(CannotHarness::Value {
            what: "the schedule of threads, which the system chooses,".to_owned(),
            place: format!("{}:{}", position.file, position.line),
        });
    }
    let machine = Machine::compile(program);
    let (run, record) = Record::of(&machine, &counterexample.inputs, budget);
    match run.outcome {
        Outcome::Target(target) if target == counterexample.target => {}
        Outcome::StepLimit => {}
        outcome => return Err(CannotHarness::NotReached(format!("{outcome:?}"))),
    }
    let record = match run.outcome {
        Outcome::Target(_) => record,
        _ => Record::by_site(program, &counterexample.inputs)?,
    };
    let builder = Builder {
        program,
        scan: Scan::new(text),
        needs: Needs::new(&machine, counterexample, &record, budget),
        record,
        writer: Writer::new(program.data_model),
        patch: Patch::default(),
        written: Vec::new(),
    };
    builder.build(text, counterexample)
}

/// A harness under way.
struct Builder<'a> {
    program: &'a Program,
    scan: Scan<'a>,
    needs: Needs,
    record: Record,
    writer: Writer,
    patch: Patch,
    /// Functions that nobody defines and that the harness has.
    written: Vec<Arc<str>>,
}

impl Builder<'_> {
    fn build(
        mut self,
        text: &[u8],
        counterexample: &Counterexample,
    ) -> Result<Harness, CannotHarness> {
        self.target(counterexample);
        self.record.add_unread(self.program);
        let mut functions: BTreeMap<Arc<str>, FunctionValues> = BTreeMap::new();
        let mut objects: BTreeMap<Part, PartValues> = BTreeMap::new();
        for (stream, values) in std::mem::take(&mut self.record.streams) {
            match stream {
                Stream::Function(name) => functions.entry(name).or_default().result = Some(values),
                Stream::Part(function, part, is_bytes) => {
                    let parts = match function {
                        Some(name) => &mut functions.entry(name).or_default().parts,
                        None => &mut objects,
                    };
                    let part = parts.entry(part).or_default();
                    match is_bytes {
                        true => part.bytes = Some(values),
                        false => part.scalars = Some(values),
                    }
                }
                Stream::Site(site) => self.site(site, &values)?,
            }
        }
        self.functions(&functions)?;
        for (part, values) in &objects {
            match (part, &values.bytes) {
                (Part::Argument(_), _) => {
                    return Err(CannotHarness::Value {
                        what: part.to_string(),
                        place: "a pointer".to_owned(),
                    });
                }
                (Part::Other, Some(bytes)) => self.writer.others(bytes),
                (Part::Pointer(name), _) => self.writer.pointer(name, values),
                (Part::Object { name, .. }, Some(bytes)) => self.writer.object(name, None, bytes),
                _ => {}
            }
        }
        self.entry();
        self.others();
        let position = |target| self.program.sources.position(target);
        let at = position(self.program.targets[counterexample.target].span);
        let complete = self.record.complete;
        let harness_c = self
            .writer
            .finish(&format!("{}:{}", at.file, at.line), complete);
        Ok(Harness {
            harness_c,
            patched: self.patch.apply(text),
            original: text.to_vec(),
        })
    }

    /// The functions that give inputs.
    fn functions(
        &mut self,
        functions: &BTreeMap<Arc<str>, FunctionValues>,
    ) -> Result<(), CannotHarness> {
        let outside = &self.program.outside.functions;
        let parts = || functions.values().flat_map(|values| values.parts.keys());
        let kept = parts().filter_map(|part| match part {
            Part::Kept {
                function, index, ..
            } => Some((function.clone(), *index)),
            _ => None,
        });
        let kept = kept.collect();
        if parts().next().is_some() {
            self.writer.begin_externals(&kept);
        }
        for (name, values) in functions {
            if self.scan.defines(name) {
                continue;
            }
            let external = outside.iter().find(|external| external.name == *name);
            let Some(external) = external else {
                if let Some(values) = &values.result {
                    self.writer.function(name, values);
                }
                continue;
            };
            let is_record = |result: &record::Values| result.ty.is_none();
            if values.result.as_ref().is_some_and(is_record) {
                return Err(CannotHarness::Value {
                    what: format!("the result of `{name}`, a record,"),
                    place: "outside".to_owned(),
                });
            }
            self.writer.external(external, values, &kept);
            self.written.push(name.clone());
        }
        Ok(())
    }

    fn place(&self, site: InputSiteId) -> String {
        let position = self
            .program
            .sources
            .position(self.program.inputs[site].span);
        format!("{}:{}", position.file, position.line)
    }

    /// Makes the harness notice that the target is reached.
    fn target(&mut self, counterexample: &Counterexample) {
        let target = &self.program.targets[counterexample.target];
        match &target.kind {
            TargetKind::Call(name) => {
                let Some(body) = self.scan.body_of(name) else {
                    self.writer.reaches(name);
                    return;
                };
                if self.returns(name) {
                    self.patch
                        .declare("extern void rhumb_harness_reached(void);");
                    self.patch.insert(body, " rhumb_harness_reached();");
                } else {
                    // Its body ends the program, by one of these.
                    self.assertions();
                    if !self.scan.defines("abort") {
                        self.writer.reaches("abort");
                    }
                }
            }
            TargetKind::Assertion => {
                self.assertions();
                self.roles(|role| matches!(role, Role::Assert | Role::Fail));
            }
            TargetKind::Label(_) => {
                let label = target.span.lo as usize;
                if let Some(colon) = self.scan.colon_behind(label) {
                    self.patch
                        .declare("extern void rhumb_harness_reached(void);");
                    self.patch.insert(colon, " rhumb_harness_reached();");
                }
            }
            // A sanitizer has to notice that.
            TargetKind::Undefined(_)
            | TargetKind::Leak(_)
            | TargetKind::Thread(_)
            | TargetKind::Endless(_)
            | TargetKind::Goal(_) => {}
        }
    }

    /// Defines the functions of other tools that have one of these roles and that the program uses.
    fn roles(&mut self, wanted: fn(Role) -> bool) {
        for &(name, role) in ROLES.iter().filter(|(_, role)| wanted(*role)) {
            if self.scan.mentions(name) && !self.scan.defines(name) {
                match role {
                    Role::Assert => self.writer.asserts(name),
                    Role::Assume => self.writer.assumes(name),
                    Role::Fail => self.writer.reaches(name),
                    Role::End => self.writer.ends(name),
                    Role::Nothing => self.writer.nothing(name),
                }
            }
        }
    }

    fn assertions(&mut self) {
        for name in ASSERT_FAIL {
            if self.scan.mentions(name) && !self.scan.defines(name) {
                self.writer.reaches(name);
            }
        }
    }

    /// Whether a function may come to its end.
    fn returns(&self, name: &str) -> bool {
        let Some(id) = self.program.function_named(name) else {
            return true;
        };
        let cfa = &self.program.functions[id].cfa;
        let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let graph = rhumb_program::graph::Graph::new(cfa.locations.len(), edges);
        let reachable = graph.reachable([cfa.entry]);
        let mut locations = cfa.locations.iter_enumerated();
        locations.any(|(id, location)| reachable[id] && location.kind == LocKind::Exit)
    }

    /// A value that no function gives.
    fn site(&mut self, site: InputSiteId, values: &record::Values) -> Result<(), CannotHarness> {
        let info = &self.program.inputs[site];
        let outside = info.function == self.program.start;
        match &info.kind {
            InputKind::Uninitialised(name) if outside => {
                self.writer.object(name, info.ty, values);
                Ok(())
            }
            _ if !self.needs.matter(site) => Ok(()),
            InputKind::Uninitialised(name) => {
                let end = info.span.hi as usize;
                let patched = match info.ty {
                    Some(ty) => self.scan.declarator_end(end).map(|at| {
                        let value = self.input(site, ty, values);
                        self.patch.insert(at, &format!(" = {value}"));
                    }),
                    // What a function of the library allocates has no name.
                    None if !self.is_object(name) => None,
                    None => self.scan.statement_end(end).map(|at| {
                        let function = self.writer.bytes(site.index(), values);
                        self.patch.declare(&format!(
                            "extern int {function}(void *, unsigned long);"
                        ));
                        let index = site.index();
                        self.patch.insert(at, &format!(
                            " int rhumb_harness_filled_{index} = {function}((void *)&{name}, sizeof({name})); (void)rhumb_harness_filled_{index};"
                        ));
                    }),
                };
                patched.ok_or_else(|| self.not_given(site, &format!("the value of `{name}`")))
            }
            InputKind::EntryArgument(name) => {
                let Some(entry) = entry_function(self.program) else {
                    return Err(self.not_given(site, &format!("argument `{name}`")));
                };
                let entry = &self.program.functions[entry].name;
                if &**entry != "main" {
                    self.writer.argument(values);
                    return Ok(());
                }
                match (self.scan.body_of(entry), info.ty) {
                    (Some(body), Some(ty)) => {
                        let value = self.input(site, ty, values);
                        self.patch.insert(body, &format!(" {name} = {value};"));
                        Ok(())
                    }
                    _ => Err(self.not_given(site, &format!("argument `{name}`"))),
                }
            }
            InputKind::Order => {
                Err(self.not_given(site, "the order of evaluation, which the compiler chooses,"))
            }
            InputKind::Others => Err(self.not_given(site, "what other threads do")),
            InputKind::Schedule => Err(self.not_given(site, "the schedule of threads")),
            InputKind::Remember => {
                Err(self.not_given(site, "which state comes back, in a run without an end,"))
            }
            InputKind::MissingReturn => {
                Err(self.not_given(site, "the result of a function that ends without `return`"))
            }
            InputKind::Nondet(name) | InputKind::UndefinedFunction(name) => {
                Err(self.not_given(site, &format!("the result of `{name}`")))
            }
            InputKind::Outside { part, .. } => Err(self.not_given(site, &part.to_string())),
            InputKind::Read(what) => Err(self.not_given(site, what)),
        }
    }

    /// C text that gives the next value of a site.
    fn input(&mut self, site: InputSiteId, ty: Type, values: &record::Values) -> String {
        let (function, result) = self.writer.input(site.index(), ty, values);
        self.patch
            .declare(&format!("extern {result} {function}(void);"));
        format!("{function}()")
    }

    fn is_object(&self, name: &str) -> bool {
        let mut objects = self.program.objects.iter();
        objects.any(|object| &*object.decl.name == name)
    }

    fn not_given(&self, site: InputSiteId, what: &str) -> CannotHarness {
        CannotHarness::Value {
            what: what.to_owned(),
            place: self.place(site),
        }
    }

    /// A `main` for a program that begins elsewhere.
    fn entry(&mut self) {
        let Some(entry) = entry_function(self.program) else {
            return;
        };
        let function = &self.program.functions[entry];
        if &*function.name != "main" && !self.scan.defines("main") {
            let params = function.params.iter();
            let types: Vec<Type> = params.map(|&var| self.program.vars[var].ty).collect();
            self.writer.main(&function.name, &types);
        }
    }

    /// What verification tasks leave undefined beside that.
    fn others(&mut self) {
        self.roles(|role| matches!(role, Role::Assume | Role::End | Role::Nothing));
        let sources = &self.program.sources;
        for (name, at) in self.scan.undefined_void_functions() {
            let span = rhumb_program::Span::new(at as u32, at as u32);
            let is_system = sources.position(span).file.starts_with("/usr/");
            let is_written = self.written.iter().any(|written| **written == *name);
            if !is_system && !is_written {
                self.writer.nothing(name);
            }
        }
    }
}
