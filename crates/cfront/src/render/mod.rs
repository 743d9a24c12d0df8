//! Messages as text, in the style of rustc: the line of the user's file with a caret under the place.
//!
//! After preprocessing, the line that was parsed is not the line that the user wrote. If the user's file can be read,
//! its line is shown, and the caret stands under the same token there.

mod place;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use rhumb_program::{SourceMap, Span};
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::source::{FileMessage, LoadError, read_file};
use place::CaretPlace;

/// Files larger than this are not read again to show a line of them.
const MAX_ORIGINAL: u64 = 256 << 20;
/// Places of one message that are at most this many lines apart are shown together.
const MAX_DISTANCE: u32 = 20;

/// Renders messages about one text.
#[derive(Debug)]
pub struct MessageRenderer<'m> {
    map: &'m SourceMap,
    renderer: Renderer,
    originals: Originals,
}

impl<'m> MessageRenderer<'m> {
    /// A renderer for messages about this text. Colour is for terminals.
    pub fn new(map: &'m SourceMap, colour: bool) -> MessageRenderer<'m> {
        let directory = Path::new(&**map.main_file()).parent();
        MessageRenderer {
            map,
            renderer: renderer(colour),
            originals: Originals {
                directory: directory.map(Path::to_owned).unwrap_or_default(),
                files: FxHashMap::default(),
            },
        }
    }

    /// All messages, each followed by an empty line.
    pub fn render_all(&mut self, diagnostics: &Diagnostics) -> String {
        let mut text = String::new();
        for diagnostic in diagnostics.iter() {
            text.push_str(&self.render(diagnostic));
            text.push_str("\n\n");
        }
        text
    }

    /// One message.
    pub fn render(&mut self, diagnostic: &Diagnostic) -> String {
        let level = match diagnostic.severity {
            Severity::Warning => Level::WARNING,
            Severity::Error => Level::ERROR,
        };
        let primary = self.place(diagnostic.span);
        let notes: Vec<(CaretPlace, &str)> = diagnostic
            .notes
            .iter()
            .map(|(span, note)| (self.place(*span), note.as_str()))
            .collect();
        // Notes that stand near are shown in the same picture, the others in one of their own.
        let (near, far): (Vec<_>, Vec<_>) = notes
            .into_iter()
            .partition(|(place, _)| self.can_join(&primary, place));
        let mut lines = BTreeMap::from([(primary.line, primary.text.clone())]);
        for (place, _) in &near {
            self.add_lines(&mut lines, &primary, place);
        }
        let picture = Picture::new(&lines);
        let mut snippet = picture.snippet(&primary.file).annotation(annotation(
            AnnotationKind::Primary,
            picture.range(&primary),
            &diagnostic.label,
        ));
        for (place, note) in &near {
            snippet = snippet.annotation(annotation(
                AnnotationKind::Context,
                picture.range(place),
                note,
            ));
        }
        let mut groups = vec![level.primary_title(&diagnostic.message).element(snippet)];
        for (place, note) in &far {
            groups.push(place_group(Level::NOTE, note, place, ""));
        }
        primary.correct_column(self.renderer.render(&groups))
    }

    /// Where a span is in the user's file.
    fn place(&mut self, span: Span) -> CaretPlace {
        let position = self.map.position(span);
        let physical = self.map.physical_line(span.lo);
        let parsed = self.map.physical_line_text(physical);
        let start = (position.column as usize - 1).min(parsed.len());
        let end = (start + (span.hi - span.lo) as usize).min(parsed.len());
        match self.originals.line(&position.file, position.line) {
            Some(original) if original != parsed => {
                let range = place::locate(original, parsed, start..end);
                CaretPlace::new(&position.file, position.line, original, range)
            }
            _ => CaretPlace::new(&position.file, position.line, parsed, start..end),
        }
        .with_physical(physical)
    }

    /// Whether both places can be shown in one picture.
    fn can_join(&mut self, primary: &CaretPlace, other: &CaretPlace) -> bool {
        if other.line == primary.line {
            return other.file == primary.file && other.text == primary.text;
        }
        other.file == primary.file
            && !primary.is_cut()
            && !other.is_cut()
            && other.line.abs_diff(primary.line) <= MAX_DISTANCE
            && between(primary, other).all(|line| self.line_between(primary, other, line).is_some())
    }

    /// Adds the lines of a place and those between it and the primary one.
    fn add_lines(
        &mut self,
        lines: &mut BTreeMap<u32, String>,
        primary: &CaretPlace,
        other: &CaretPlace,
    ) {
        for line in between(primary, other) {
            if let Some(text) = self.line_between(primary, other, line) {
                let text = String::from_utf8_lossy(text).into_owned();
                lines.entry(line).or_insert(text);
            }
        }
        lines
            .entry(other.line)
            .or_insert_with(|| other.text.clone());
    }

    /// The text of a line between two places of a file.
    fn line_between(&mut self, a: &CaretPlace, b: &CaretPlace, line: u32) -> Option<&[u8]> {
        let in_step = i64::from(a.physical) - i64::from(a.line);
        if self.originals.line(&a.file, line).is_some() {
            self.originals.line(&a.file, line)
        } else if in_step == i64::from(b.physical) - i64::from(b.line) {
            // No line marker stands between them.
            let physical = u32::try_from(i64::from(line) + in_step).ok()?;
            Some(self.map.physical_line_text(physical))
        } else {
            None
        }
    }
}

/// Renders what is wrong with an input that could not be loaded.
pub fn render_load_error(error: &LoadError, colour: bool) -> String {
    let renderer = renderer(colour);
    let messages = match error {
        LoadError::Located(messages) => &**messages,
        LoadError::NotATask(message) => std::slice::from_ref(message),
        _ => {
            let title = error.to_string();
            return renderer.render(&[Level::ERROR.primary_title(title).elements([NOTHING; 0])]);
        }
    };
    let mut originals = Originals {
        directory: PathBuf::new(),
        files: FxHashMap::default(),
    };
    let texts: Vec<String> = messages
        .iter()
        .map(|message| render_file_message(&renderer, message, &mut originals))
        .collect();
    texts.join("\n\n")
}

/// The type of an element of a group without any.
const NOTHING: annotate_snippets::Padding = annotate_snippets::Padding;

fn render_file_message(
    renderer: &Renderer,
    message: &FileMessage,
    originals: &mut Originals,
) -> String {
    match originals.line(&message.file, message.line) {
        Some(line) => {
            let range = place::token_at(line, message.column);
            let place = CaretPlace::new(&message.file, message.line, line, range);
            let group = place_group(Level::ERROR, &message.message, &place, &message.label);
            place.correct_column(renderer.render(&[group]))
        }
        None => {
            let mut origin = Origin::path(&message.file);
            if message.line > 0 {
                origin = origin.line(message.line as usize);
            }
            if message.line > 0 && message.column > 0 {
                origin = origin.char_column(message.column as usize);
            }
            let title = Level::ERROR.primary_title(&message.message);
            renderer.render(&[title.element(origin)])
        }
    }
}

fn renderer(colour: bool) -> Renderer {
    if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}

fn annotation<'a>(
    kind: AnnotationKind,
    range: std::ops::Range<usize>,
    label: &'a str,
) -> Annotation<'a> {
    let annotation = kind.span(range);
    if label.is_empty() {
        annotation
    } else {
        annotation.label(label)
    }
}

/// A message with the picture of one place.
fn place_group<'a>(
    level: Level<'a>,
    message: &'a str,
    place: &'a CaretPlace,
    label: &'a str,
) -> Group<'a> {
    let snippet = Snippet::source(&place.text)
        .path(&place.file)
        .line_start(place.line as usize)
        .annotation(annotation(
            AnnotationKind::Primary,
            place.range.clone(),
            label,
        ));
    if level == Level::NOTE {
        level.secondary_title(message).element(snippet)
    } else {
        level.primary_title(message).element(snippet)
    }
}

/// The lines between two places, without theirs.
fn between(a: &CaretPlace, b: &CaretPlace) -> std::ops::Range<u32> {
    let first = a.line.min(b.line);
    let last = a.line.max(b.line);
    (first + 1).min(last)..last
}

/// Consecutive lines of a file.
struct Picture {
    first_line: u32,
    source: String,
    starts: Vec<usize>,
}

impl Picture {
    fn new(lines: &BTreeMap<u32, String>) -> Picture {
        let mut picture = Picture {
            first_line: lines.keys().next().copied().unwrap_or(1),
            source: String::new(),
            starts: Vec::new(),
        };
        for line in lines.values() {
            picture.starts.push(picture.source.len());
            picture.source.push_str(line);
            picture.source.push('\n');
        }
        picture
    }

    fn snippet<'a>(&'a self, file: &'a str) -> Snippet<'a, Annotation<'a>> {
        Snippet::source(&self.source)
            .path(file)
            .line_start(self.first_line as usize)
    }

    /// Where a place is in the picture.
    fn range(&self, place: &CaretPlace) -> std::ops::Range<usize> {
        let index = (place.line - self.first_line) as usize;
        let start = self.starts.get(index).copied().unwrap_or(0);
        start + place.range.start..start + place.range.end
    }
}

/// The user's files, read when they are first needed.
#[derive(Debug)]
struct Originals {
    /// Where to look for a file that line markers name relative to something that we don't know: beside the file that was parsed.
    directory: PathBuf,
    files: FxHashMap<String, Option<Original>>,
}

#[derive(Debug)]
struct Original {
    text: Vec<u8>,
    line_starts: Vec<usize>,
}

impl Originals {
    /// A line of a file, from 1, without its line end.
    fn line(&mut self, file: &str, line: u32) -> Option<&[u8]> {
        if !self.files.contains_key(file) {
            let original = self.read(file);
            self.files.insert(file.to_owned(), original);
        }
        let original = self.files.get(file)?.as_ref()?;
        let index = (line as usize).checked_sub(1)?;
        let start = *original.line_starts.get(index)?;
        let end = original
            .line_starts
            .get(index + 1)
            .map_or(original.text.len(), |next| next - 1);
        let bytes = &original.text[start..end];
        Some(bytes.strip_suffix(b"\r").unwrap_or(bytes))
    }

    fn read(&self, file: &str) -> Option<Original> {
        let candidates = [PathBuf::from(file), self.directory.join(file)];
        let path = candidates.iter().find(|path| path.is_file())?;
        let text = read_file(path, MAX_ORIGINAL).ok()?;
        let mut line_starts = vec![0];
        for (index, &byte) in text.iter().enumerate() {
            if byte == b'\n' {
                line_starts.push(index + 1);
            }
        }
        Some(Original { text, line_starts })
    }
}
