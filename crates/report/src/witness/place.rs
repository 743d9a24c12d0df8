//! Places in the user's file.
//!
//! A witness speaks of the file that was given to the tool. If that file was parsed as it is, a place is a line and a
//! column of it, whatever line markers say. If it was preprocessed, lines come from the markers, and columns are only
//! those of lines that preprocessing left alone.

use rhumb_program::{FuncId, Program, Span};
use rustc_hash::FxHashMap;

use super::model::Location;
use crate::scan::Scan;

/// The program and the file that it was read from.
pub(super) struct Places<'p> {
    pub(super) program: &'p Program,
    /// The parsed text.
    pub(super) scan: Scan<'p>,
    file_name: String,
    /// The lines of the file.
    lines: Vec<&'p [u8]>,
    is_preprocessed: bool,
    /// Where the lines of the parsed text begin.
    starts: Vec<u32>,
    /// And which of them begin a line of the user's file.
    by_line: FxHashMap<u32, Vec<u32>>,
    /// The braces of the functions.
    bodies: Vec<(FuncId, Span)>,
}

impl<'p> Places<'p> {
    pub(super) fn new(program: &'p Program, file_name: &str, file: &'p [u8]) -> Places<'p> {
        let text = program.sources.text();
        let newlines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        let starts = newlines.map(|(at, _)| at as u32 + 1);
        let scan = Scan::new(text);
        let functions = program.functions.iter_enumerated();
        let bodies =
            functions.filter_map(|(id, function)| Some((id, scan.braces_of(&function.name)?)));
        let mut places = Places {
            bodies: bodies.collect(),
            scan,
            by_line: FxHashMap::default(),
            program,
            file_name: file_name.to_owned(),
            lines: file.split(|&byte| byte == b'\n').collect(),
            is_preprocessed: !text.starts_with(file),
            starts: std::iter::once(0).chain(starts).collect(),
        };
        for &start in &places.starts {
            if let Some(line) = places.line(start) {
                places.by_line.entry(line).or_default().push(start);
            }
        }
        places
    }

    /// Where a line of the user's file begins in the parsed text; a line may be there several times.
    fn starts_of(&self, line: u32) -> &[u32] {
        self.by_line.get(&line).map_or(&[], |starts| starts)
    }

    /// The name of the file, as it stands in locations.
    pub(super) fn file_name(&self) -> &str {
        &self.file_name
    }

    /// The text that was parsed.
    pub(super) fn text(&self) -> &'p [u8] {
        self.program.sources.text()
    }

    /// Line (from 1) of the user's file that a byte is on; none if it is in another file.
    pub(super) fn line(&self, offset: u32) -> Option<u32> {
        let sources = &self.program.sources;
        if self.is_preprocessed {
            let position = sources.position(Span::new(offset, offset));
            let is_ours = position.file == *sources.main_file() && position.line > 0;
            return is_ours.then_some(position.line);
        }
        let line = sources.physical_line(offset) + 1;
        (line as usize <= self.lines.len()).then_some(line)
    }

    /// Column (from 1) of a byte, if its line is in the user's file as it is in the parsed text.
    pub(super) fn column(&self, offset: u32) -> Option<u32> {
        let line = self.line(offset)?;
        let physical = self.program.sources.physical_line(offset);
        let start = *self.starts.get(physical as usize)?;
        let parsed = self.program.sources.physical_line_text(physical);
        let given = *self.lines.get((line as usize).checked_sub(1)?)?;
        let given = given.strip_suffix(b"\r").unwrap_or(given);
        (!self.is_preprocessed || parsed == given).then(|| offset - start + 1)
    }

    /// The function whose body a byte is in.
    pub(super) fn function(&self, offset: u32) -> Option<FuncId> {
        let contains = |span: Span| span.lo <= offset && offset < span.hi;
        let inside = self.bodies.iter().find(|body| contains(body.1));
        inside.map(|body| body.0)
    }

    /// The body of a function, with its braces.
    pub(super) fn body(&self, function: FuncId) -> Option<Span> {
        let found = self.bodies.iter().find(|body| body.0 == function);
        found.map(|body| body.1)
    }

    /// The first byte behind white space on a line of the user's file.
    pub(super) fn line_start(&self, line: u32) -> Option<u32> {
        let mut on_line = self.starts_of(line).iter().copied();
        on_line.find_map(|start| {
            let rest = self.text().get(start as usize..)?;
            let first = rest
                .iter()
                .position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
            (rest.get(first) != Some(&b'\n')).then(|| start + first as u32)
        })
    }

    /// The bytes that a location may mean: that of its column, if it has one, and the first one of its line.
    pub(super) fn offsets(&self, location: &Location) -> Vec<u32> {
        let at_column = location.column.and_then(|column| {
            let on_line = self.starts_of(location.line).iter().copied();
            on_line
                .map(|start| start.saturating_add(column.saturating_sub(1)))
                .find(|&at| self.line(at) == Some(location.line) && self.column(at).is_some())
        });
        at_column
            .into_iter()
            .chain(self.line_start(location.line))
            .collect()
    }

    /// Where the statement begins that a location means, if this is the first byte that it may mean. A line alone may
    /// be that of a function's head, with the body, or a part of it, behind it: then the first statement of the body is
    /// meant, of the function that is named if several begin there.
    pub(super) fn statement(&self, first: u32, location: &Location) -> u32 {
        let is_named = |id: FuncId| match &location.function {
            Some(name) => *self.program.functions[id].name == **name,
            None => true,
        };
        let is_inside =
            |&&(id, body): &&(FuncId, Span)| is_named(id) && body.lo < first && first < body.hi;
        if self.bodies.iter().any(|body| is_inside(&body)) {
            return first;
        }
        let begins_here = |&&(id, body): &&(FuncId, Span)| {
            is_named(id) && first <= body.lo && self.line(body.lo) == Some(location.line)
        };
        let body = (self.bodies.iter().filter(begins_here)).min_by_key(|(_, body)| body.lo);
        let statement = body.and_then(|(_, body)| self.scan.statement_from(body.lo as usize + 1));
        let statement = statement.and_then(|at| u32::try_from(at).ok());
        statement.unwrap_or(first)
    }

    /// A byte as a witness names it; none if it is in another file.
    pub(super) fn location(&self, offset: u32) -> Option<Location> {
        let function = self.function(offset);
        Some(Location {
            file_name: self.file_name.clone(),
            line: self.line(offset)?,
            column: self.column(offset),
            function: function.map(|id| self.program.functions[id].name.to_string()),
        })
    }
}
