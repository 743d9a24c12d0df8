//! Places in the user's file.
//!
//! A witness speaks of the file that was given to the tool. If that file was parsed as it is, a place is a line and a column of it, whatever
//! line markers say. If it was preprocessed, lines come from the markers, and columns are only those of lines that preprocessing left alone.

use rhumb_program::{FuncId, Program, Span};

use super::model::Location;

/// The program and the file that it was read from.
pub(super) struct Places<'p> {
    pub(super) program: &'p Program,
    file_name: String,
    /// The lines of the file.
    lines: Vec<&'p [u8]>,
    is_preprocessed: bool,
    /// Where the lines of the parsed text begin.
    starts: Vec<u32>,
}

impl<'p> Places<'p> {
    pub(super) fn new(program: &'p Program, file_name: &str, file: &'p [u8]) -> Places<'p> {
        let text = program.sources.text();
        let newlines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
        let starts = newlines.map(|(at, _)| at as u32 + 1);
        Places {
            program,
            file_name: file_name.to_owned(),
            lines: file.split(|&byte| byte == b'\n').collect(),
            is_preprocessed: !text.starts_with(file),
            starts: std::iter::once(0).chain(starts).collect(),
        }
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
            return (position.file == *sources.main_file()).then_some(position.line);
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
        let given = *self.lines.get(line as usize - 1)?;
        let given = given.strip_suffix(b"\r").unwrap_or(given);
        (!self.is_preprocessed || parsed == given).then(|| offset - start + 1)
    }

    /// The function whose text a byte is in.
    pub(super) fn function(&self, offset: u32) -> Option<FuncId> {
        let contains = |span: Span| span.lo <= offset && offset < span.hi;
        let functions = self.program.functions.iter_enumerated();
        let mut inside =
            functions.filter(|(id, function)| *id != self.program.start && contains(function.span));
        inside.next().map(|(id, _)| id)
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
