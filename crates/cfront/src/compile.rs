//! The way through the front end: parse, analyse, lower.

use std::path::Path;
use std::sync::Arc;

use rhumb_program::{DataModel, Program, SourceMap};

use crate::ast::Ast;
use crate::diagnostic::Diagnostics;
use crate::hir::{Callee, ExprKind, FunctionId};
use crate::intern::Interner;
use crate::lower::functions::plain_name;
use crate::lower::{ARGUMENTS, lower, takes_arguments};
use crate::models::{self, Model};
use crate::options::Options;
use crate::parse::Parser;
use crate::sema::Analyzer;
use crate::source::{LoadError, LoadOptions, load, load_text};
use crate::taskfile::load_task;

/// What the front end made of a text.
#[derive(Debug)]
pub struct Compiled {
    /// The program; `None` if the text is not valid C, which the diagnostics explain.
    pub program: Option<Program>,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// Positions.
    pub sources: Arc<SourceMap>,
    /// The text without what the library adds to it.
    pub text: Arc<[u8]>,
}

/// A file of a program.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its text.
    pub map: SourceMap,
    /// Whether its definitions stand in for those of other files: stubs.
    pub is_model: bool,
}

impl From<SourceMap> for SourceFile {
    fn from(map: SourceMap) -> SourceFile {
        let is_model = false;
        SourceFile { map, is_model }
    }
}

/// Makes a program of a text.
pub fn compile(sources: SourceMap, options: &Options) -> Compiled {
    compile_files(vec![sources.into()], options)
}

/// Makes a program of several files, linked as C links. Without a file it is an empty text.
pub fn compile_files(files: Vec<SourceFile>, options: &Options) -> Compiled {
    let mut names = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let mut analyzer = Analyzer::new(options.data_model, &mut names);
    let mut files = files.into_iter();
    let first = files.next();
    let mut is_model = first.as_ref().is_some_and(|file| file.is_model);
    let mut sources =
        first.map_or_else(|| SourceMap::new("", Arc::from(&b""[..])), |file| file.map);
    let mut start = 0;
    loop {
        analyzer.is_model = is_model;
        let text = sources.text().clone();
        let parser = Parser::at(&text, start as usize, &mut names, &mut diagnostics);
        analyse(parser, &mut analyzer, &mut names, &mut diagnostics);
        let Some(next) = files.next() else {
            break;
        };
        let end = text.len() as u32;
        analyzer.end_file(end, is_model, &mut names, &mut diagnostics);
        start = sources.join(&next.map);
        is_model = next.is_model;
    }
    let text = sources.text().clone();
    if !diagnostics.has_errors() {
        analyzer.link(&mut names, &mut diagnostics);
    }
    if !diagnostics.has_errors() {
        let entry = &*options.entry;
        add_library(
            entry,
            &mut sources,
            &mut analyzer,
            &mut names,
            &mut diagnostics,
        );
    }
    let unit = analyzer.finish(&mut diagnostics);
    let sources = Arc::new(sources);
    let program = if diagnostics.has_errors() {
        None
    } else {
        let program = lower(&unit, &names, sources.clone(), options, &mut diagnostics);
        program.map(|program| options.checks.apply(program))
    };
    Compiled {
        program,
        diagnostics,
        sources,
        text,
    }
}

/// Reads a C file, or the program of a task definition (`.yml`), and makes a program of it: in the task's data model,
/// and with the default options otherwise.
pub fn compile_file(path: &Path) -> Result<Compiled, LoadError> {
    let is_task = path.extension().is_some_and(|extension| extension == "yml");
    let (file, data_model) = if is_task {
        let task = load_task(path)?;
        (
            task.program()?.to_owned(),
            task.data_model.unwrap_or_default(),
        )
    } else {
        (path.to_owned(), DataModel::default())
    };
    let load_options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let options = Options {
        data_model,
        ..Options::default()
    };
    Ok(compile(load(&file, &load_options)?.map, &options))
}

/// Why a text is no program.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// It can't be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// It is not valid C.
    #[error("{}", .0.first_error())]
    Invalid(Diagnostics),
}

/// Makes a program of a text that stands in no file, read in the data model of the options.
pub fn compile_text(name: &str, text: &str, options: &Options) -> Result<Program, TextError> {
    let load_options = LoadOptions {
        data_model: options.data_model,
        ..LoadOptions::default()
    };
    let source = load_text(name, text.as_bytes().to_vec(), &load_options)?;
    let compiled = compile(source.map, options);
    let diagnostics = compiled.diagnostics;
    compiled.program.ok_or(TextError::Invalid(diagnostics))
}

/// Parses and analyses to the end of the text.
fn analyse(
    mut parser: Parser<'_>,
    analyzer: &mut Analyzer,
    names: &mut Interner,
    diagnostics: &mut Diagnostics,
) {
    let mut ast = Ast::default();
    loop {
        let declaration = parser.next_external(&mut ast, names, diagnostics);
        for (pragma, span) in parser.take_unit_pragmas() {
            analyzer.pragma(pragma, span, names);
        }
        let Some(declaration) = declaration else {
            return;
        };
        analyzer.external(&declaration, &ast, names, diagnostics);
        ast.exprs.clear();
        ast.stmts.clear();
    }
}

/// Adds the library functions that are written in C and that the program uses without defining them.
fn add_library(
    entry: &str,
    sources: &mut SourceMap,
    analyzer: &mut Analyzer,
    names: &mut Interner,
    diagnostics: &mut Diagnostics,
) {
    let mut added: Vec<u32> = Vec::new();
    loop {
        // A model may use another one.
        let missing: Vec<&'static Model> = used_without_body(analyzer, entry)
            .into_iter()
            .filter(|model| !added.contains(&model.line))
            .collect();
        if missing.is_empty() {
            return;
        }
        for model in missing {
            // Two names may ask for one piece.
            if added.contains(&model.line) {
                continue;
            }
            added.push(model.line);
            let start = sources.append(models::FILE, model.line, model.text.as_bytes());
            let text = sources.text().clone();
            let parser = Parser::at(&text, start as usize, names, diagnostics);
            analyse(parser, analyzer, names, diagnostics);
        }
    }
}

/// The models of library functions that some body uses and none defines.
fn used_without_body(analyzer: &Analyzer, entry: &str) -> Vec<&'static Model> {
    let functions = analyzer.functions();
    let looks_at_arguments = functions
        .iter()
        .any(|function| &*function.name == entry && takes_arguments(function));
    let arguments = looks_at_arguments
        .then(|| models::model(ARGUMENTS))
        .flatten();
    let mut used: Vec<FunctionId> = functions
        .iter()
        .filter_map(|function| function.body.as_ref())
        .flat_map(|body| &body.exprs)
        .filter_map(|expr| match expr.kind {
            ExprKind::Function(id) => Some(id),
            ExprKind::Call {
                callee: Callee::Function(id),
                ..
            } => Some(id),
            _ => None,
        })
        .filter(|&id| functions[id].body.is_none())
        .collect();
    used.sort_unstable();
    used.dedup();
    used.into_iter()
        .filter_map(|id| {
            let name = &*functions[id].name;
            models::model(
                name.strip_prefix(models::PREFIX)
                    .unwrap_or(plain_name(name)),
            )
        })
        .chain(arguments)
        .collect()
}
