//! A program as text, for people.
//!
//! Expressions look like C. Every leaf shows its type (variables where they are declared, constants by a suffix where
//! their surroundings don't tell), so every operation's width and signedness can be read off. `ptr + n` and `p - q`
//! count bytes. The text depends on the program only.

mod expr;

use std::fmt::Write;
use std::sync::Arc;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use crate::builtin::{Builtin, ThreadOp};
use crate::cfa::{Action, AllocKind, Callee, EndKind, LocKind};
use crate::ids::{EdgeId, ExprId, FuncId, LocId, ObjectId, VarId};
use crate::model::{Decl, Function, Init, InputKind, Object, Program, Scope};
use crate::span::Span;
use crate::types::{Access, IntType, Shape, Type};

/// Prints the parts of a program.
pub struct Printer<'p> {
    program: &'p Program,
    vars: IndexVec<VarId, String>,
    objects: IndexVec<ObjectId, String>,
    /// What each scope declares.
    declared: FxHashMap<Scope, (Vec<VarId>, Vec<ObjectId>)>,
}

impl Program {
    /// The whole program as text.
    pub fn to_text(&self) -> String {
        Printer::new(self).program()
    }
}

impl<'p> Printer<'p> {
    /// A printer for the program. Things that share a name in one place are told apart by their number.
    pub fn new(program: &'p Program) -> Printer<'p> {
        let mut count: FxHashMap<(Scope, &str), u32> = FxHashMap::default();
        let vars = program.vars.iter().map(|var| (&var.decl, var.scope));
        let objects = program
            .objects
            .iter()
            .map(|object| (&object.decl, object.scope));
        for (decl, scope) in vars.chain(objects) {
            *count.entry((scope, &decl.name)).or_default() += 1;
        }
        let name = |decl: &Decl, scope: Scope, number: usize, mark: char| {
            let name: &str = &decl.name;
            let unique = count.get(&(scope, name)) == Some(&1)
                && (scope == Scope::Global || !count.contains_key(&(Scope::Global, name)));
            if name.is_empty() {
                format!("${number}")
            } else if unique {
                name.to_owned()
            } else {
                format!("{name}{mark}{number}")
            }
        };
        let mut declared: FxHashMap<Scope, (Vec<VarId>, Vec<ObjectId>)> = FxHashMap::default();
        for (id, var) in program.vars.iter_enumerated() {
            declared.entry(var.scope).or_default().0.push(id);
        }
        for (id, object) in program.objects.iter_enumerated() {
            declared.entry(object.scope).or_default().1.push(id);
        }
        Printer {
            program,
            declared,
            vars: program
                .vars
                .iter_enumerated()
                .map(|(id, var)| name(&var.decl, var.scope, id.index(), '.'))
                .collect(),
            objects: program
                .objects
                .iter_enumerated()
                .map(|(id, object)| name(&object.decl, object.scope, id.index(), '@'))
                .collect(),
        }
    }

    /// The name of a variable, different from all others that can be seen where it can.
    pub fn var(&self, var: VarId) -> &str {
        &self.vars[var]
    }

    /// The name of an object.
    pub fn object(&self, object: ObjectId) -> &str {
        &self.objects[object]
    }

    /// The name of a function.
    pub fn function(&self, function: FuncId) -> &'p Arc<str> {
        &self.program.functions[function].name
    }

    /// `file:line` of a span.
    pub fn position(&self, span: Span) -> String {
        let position = self.program.sources.position(span);
        format!("{}:{}", position.file, position.line)
    }

    /// What a location stands for; empty for an ordinary one.
    pub fn kind(&self, kind: LocKind) -> String {
        match kind {
            LocKind::Plain => String::new(),
            LocKind::Exit => "exit".into(),
            LocKind::Target(target) => {
                format!("target {target:?}: {}", self.program.targets[target].kind)
            }
            LocKind::Ub(kind) => format!("undefined: {}", kind.describe()),
            LocKind::End(EndKind::Exit) => "end: exit".into(),
            LocKind::End(EndKind::Abort) => "end: abort".into(),
            LocKind::End(EndKind::AssumptionFailed) => "end: assumption failed".into(),
            LocKind::End(EndKind::WaitsForever) => "end: waits forever".into(),
            LocKind::Unsupported(id) => {
                format!("unsupported: {}", self.program.unsupported[id].what)
            }
            LocKind::Pruned => "cut off".into(),
        }
    }

    /// An action.
    pub fn action(&self, action: &Action) -> String {
        match action {
            Action::Skip => "skip".into(),
            Action::Assume { cond, holds: true } => format!("[{}]", self.expr(*cond)),
            Action::Assume { cond, holds: false } => format!("[{}]", self.negated(*cond)),
            Action::Assign { dst, value } => {
                format!("{} = {}", self.vars[*dst], self.expr_of_known_type(*value))
            }
            Action::Input { dst, site } => {
                format!(
                    "{} = input {site:?} {}",
                    self.vars[*dst],
                    self.input(&self.program.inputs[*site].kind)
                )
            }
            Action::InputBytes { ptr, size, site } => format!(
                "bytes({}, {}) = input {site:?} {}",
                self.expr(*ptr),
                self.expr_of_known_type(*size),
                self.input(&self.program.inputs[*site].kind)
            ),
            Action::Approximate { dst, what } => {
                let what = &self.program.approximations[*what].what;
                match dst {
                    Some(dst) => format!("{} = unknown: {what}", self.vars[*dst]),
                    None => format!("unknown: {what}"),
                }
            }
            Action::Load { dst, ptr, access } => {
                format!("{} = {}", self.vars[*dst], self.place(*ptr, *access))
            }
            Action::Store { ptr, value, access } => format!(
                "{} = {}",
                self.place(*ptr, *access),
                self.expr_of_known_type(*value)
            ),
            Action::Copy { dst, src, size } => format!(
                "copy({}, {}, {})",
                self.expr(*dst),
                self.expr(*src),
                self.expr_of_known_type(*size)
            ),
            Action::Fill { dst, byte, size } => format!(
                "fill({}, {}, {})",
                self.expr(*dst),
                self.expr(*byte),
                self.expr_of_known_type(*size)
            ),
            Action::Enter(object) => format!("enter {}", self.objects[*object]),
            Action::Leave(object) => format!("leave {}", self.objects[*object]),
            Action::Alloc { dst, size, kind } => format!(
                "{} = {}({})",
                self.vars[*dst],
                match kind {
                    AllocKind::Heap => "malloc",
                    AllocKind::Stack => "alloca",
                },
                self.expr_of_known_type(*size)
            ),
            Action::Free { ptr, kind } => format!(
                "{}({})",
                match kind {
                    AllocKind::Heap => "free",
                    AllocKind::Stack => "end alloca",
                },
                self.expr(*ptr)
            ),
            Action::Call { dst, callee, args } => {
                let mut text = dst.map_or(String::new(), |dst| format!("{} = ", self.vars[dst]));
                match callee {
                    Callee::Function(function) => text += self.function(*function),
                    Callee::Builtin(builtin) => text += &builtin_name(*builtin),
                    Callee::Pointer(ptr) => {
                        text += "(*";
                        text += &self.expr(*ptr);
                        text.push(')');
                    }
                }
                let args: Vec<String> = args.iter().map(|&arg| self.expr(arg)).collect();
                text.push('(');
                text += &args.join(", ");
                text.push(')');
                text
            }
            Action::Return { value: None } => "return".into(),
            Action::Return { value: Some(value) } => {
                format!("return {}", self.expr_of_known_type(*value))
            }
            Action::Exit { code } => format!("exit({})", self.expr(*code)),
        }
    }

    /// Memory at a pointer, as an access sees it.
    fn place(&self, ptr: ExprId, access: Access) -> String {
        match access.bits {
            None => format!("{}[{}]", access.ty, self.expr(ptr)),
            Some(bits) => format!(
                "{}:{}..{}[{}]",
                access.ty,
                bits.offset,
                u16::from(bits.offset) + u16::from(bits.width),
                self.expr(ptr)
            ),
        }
    }

    fn input(&self, kind: &InputKind) -> String {
        match kind {
            InputKind::Nondet(name) | InputKind::UndefinedFunction(name) => format!("{name}()"),
            InputKind::EntryArgument(name) => format!("argument {name}"),
            InputKind::Uninitialised(name) => format!("uninitialised {name}"),
            InputKind::MissingReturn => "missing return".into(),
            InputKind::Order => "order of evaluation".into(),
            InputKind::Schedule => "schedule".into(),
            InputKind::Outside { .. } => kind.describe(),
            InputKind::Remember => "state to remember".into(),
            InputKind::Others => "other threads".into(),
            InputKind::Read(what) => what.to_string(),
        }
    }

    /// The whole program.
    pub fn program(&self) -> String {
        let mut text = format!("// data model {}\n", self.program.data_model);
        self.declarations(&mut text, Scope::Global, "");
        for function in self.program.functions.indices() {
            text.push('\n');
            self.write_function(&mut text, function);
        }
        text
    }

    fn declarations(&self, text: &mut String, scope: Scope, indent: &str) {
        let Some((vars, objects)) = self.declared.get(&scope) else {
            return;
        };
        let params: &[VarId] = match scope {
            Scope::Global => &[],
            Scope::Local(function) => &self.program.functions[function].params,
        };
        for &id in vars.iter().filter(|var| !params.contains(var)) {
            let var = &self.program.vars[id];
            let mut line = format!("{indent}var {}: {}", self.vars[id], var.ty);
            if let Some(value) = var.init {
                let _ = write!(line, " = {}", self.expr_of_known_type(value));
            }
            self.write_line(text, line, var.decl.span);
        }
        for &id in objects {
            let object = &self.program.objects[id];
            let line = format!("{indent}{}", self.object_declaration(id, object));
            self.write_line(text, line, object.decl.span);
        }
    }

    fn object_declaration(&self, id: ObjectId, object: &Object) -> String {
        let mut line = format!(
            "{} {}: {} bytes, {}",
            if object.read_only { "const" } else { "object" },
            self.objects[id],
            object.size,
            shape(&object.shape)
        );
        if object.init.is_empty() {
            return line;
        }
        let pieces: Vec<String> = object
            .init
            .iter()
            .map(|init| match init {
                Init::Bytes { offset, bytes } => {
                    format!("{offset}: \"{}\"", bytes.escape_ascii())
                }
                Init::Scalar {
                    offset,
                    access,
                    value,
                } => format!(
                    "{offset}: {} {}",
                    access.ty,
                    self.expr_of_known_type(*value)
                ),
            })
            .collect();
        let _ = write!(line, " = {{{}}}", pieces.join(", "));
        line
    }

    fn write_function(&self, text: &mut String, id: FuncId) {
        let function = &self.program.functions[id];
        let mut params: Vec<String> = function
            .params
            .iter()
            .map(|&param| format!("{}: {}", self.vars[param], self.program.vars[param].ty))
            .collect();
        if function.variadic {
            params.push("...".into());
        }
        let mut line = format!("fn {}({})", function.name, params.join(", "));
        if let Some(result) = function.result {
            let _ = write!(line, " -> {result}");
        }
        let cfa = &function.cfa;
        if cfa.edges.is_empty() && cfa.locations[cfa.entry].kind == LocKind::Pruned {
            line += ": cut off";
            self.write_line(text, line, function.span);
            return;
        }
        line += if id == self.program.start {
            " {  // start"
        } else {
            " {"
        };
        self.write_line(text, line, function.span);
        self.declarations(text, Scope::Local(id), "    ");
        let loops = cfa.loops();
        for (at, location) in cfa.locations.iter_enumerated() {
            let notes = self.location_notes(function, at, loops.is_head(at));
            let _ = write!(text, "  {at:?}:");
            if !notes.is_empty() {
                let _ = write!(text, "  // {}", notes.join(", "));
            }
            text.push('\n');
            for &edge in &location.outgoing {
                self.write_edge(text, function, edge);
            }
        }
        text.push_str("}\n");
    }

    /// What there is to say about a location.
    pub(crate) fn location_notes(
        &self,
        function: &Function,
        at: LocId,
        loop_head: bool,
    ) -> Vec<String> {
        let location = &function.cfa.locations[at];
        let mut notes = Vec::new();
        if at == function.cfa.entry {
            notes.push("entry".into());
        }
        if let Some(span) = location.loop_statement {
            notes.push(format!("loop at {}", self.position(span)));
        } else if loop_head {
            notes.push("loop head".into());
        }
        let kind = self.kind(location.kind);
        if !kind.is_empty() {
            notes.push(kind);
        }
        notes
    }

    fn write_edge(&self, text: &mut String, function: &Function, id: EdgeId) {
        let edge = &function.cfa.edges[id];
        let line = format!("    {:<44} -> {:?}", self.action(&edge.action), edge.target);
        self.write_line(text, line, edge.span);
    }

    /// Writes a line with the position that belongs to it, in a column of its own where that is possible.
    fn write_line(&self, text: &mut String, line: String, span: Span) {
        let _ = writeln!(text, "{line:<56}  // {}", self.position(span));
    }
}

fn builtin_name(builtin: Builtin) -> String {
    let (function, ty) = match builtin {
        Builtin::Printf => return "printf".into(),
        Builtin::Puts => return "puts".into(),
        Builtin::Putchar => return "putchar".into(),
        Builtin::Outside => return "outside".into(),
        Builtin::Unseen(_) => return "unseen".into(),
        Builtin::SetRounding => return "fesetround".into(),
        Builtin::GetRounding => return "fegetround".into(),
        Builtin::Thread(ThreadOp::Races { write }) => {
            return format!("thread races {}", if write { "write" } else { "read" });
        }
        Builtin::Thread(op) => return format!("thread {op:?}").to_lowercase(),
        Builtin::Leaks(leak) => return format!("leaks {leak:?}"),
        Builtin::Math(function, ty) => (format!("{function:?}"), ty),
        Builtin::Math2(function, ty) => (format!("{function:?}"), ty),
        Builtin::Classify(function, ty) => (format!("{function:?}"), ty),
    };
    format!("{}.{ty}", function.to_lowercase())
}

/// The shape of an object in C's manner, elements last.
fn shape(shape: &Shape) -> String {
    let mut counts = String::new();
    let mut at = shape;
    while let Shape::Array { element, count, .. } = at {
        let _ = write!(counts, "[{count}]");
        at = element;
    }
    match at {
        Shape::Scalar(ty) => format!("{ty}{counts}"),
        Shape::Record { tag, fields } if tag.is_empty() => {
            let names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
            format!("{{{}}}{counts}", names.join(", "))
        }
        Shape::Record { tag, .. } => format!("{tag}{counts}"),
        Shape::Bytes | Shape::Array { .. } => format!("bytes{counts}"),
    }
}

/// Whether a constant of this type needs no suffix anywhere.
fn is_default(ty: Type) -> bool {
    matches!(ty, Type::Bool | Type::Ptr) || ty == Type::Int(IntType::INT)
}
