//! The text of a witness. Fields have a fixed order and lines end in LF, so equal witnesses have equal texts.

use std::fmt::{self, Display, Formatter};

use super::model::{
    Constraint, Content, Invariant, Location, Metadata, Segment, Waypoint, Witness,
};

/// A string in double quotes. What JSON takes for a string, YAML does, too.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self.0).map_err(|_| fmt::Error)?;
        f.write_str(&text)
    }
}

impl Display for Witness {
    /// The text of a witness file with this one entry.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "- entry_type: {}", self.content.entry_type())?;
        self.metadata.fmt(f)?;
        write!(f, "  content:")?;
        match &self.content {
            Content::Violation(segments) => list(f, segments),
            Content::Correctness(invariants) => list(f, invariants),
        }
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    f.write_str(if items.is_empty() { " []\n" } else { "\n" })?;
    items.iter().try_for_each(|item| item.fmt(f))
}

impl Display for Metadata {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let task = &self.task;
        writeln!(f, "  metadata:")?;
        writeln!(f, "    format_version: {}", Quoted(&self.format_version))?;
        writeln!(f, "    uuid: {}", Quoted(&self.uuid))?;
        writeln!(f, "    creation_time: {}", Quoted(&self.creation_time))?;
        writeln!(f, "    producer:")?;
        writeln!(f, "      name: {}", Quoted(&self.producer.name))?;
        writeln!(f, "      version: {}", Quoted(&self.producer.version))?;
        writeln!(f, "    task:")?;
        writeln!(f, "      input_files:")?;
        for file in &task.input_files {
            writeln!(f, "      - {}", Quoted(file))?;
        }
        writeln!(f, "      input_file_hashes:")?;
        for (file, hash) in &task.input_file_hashes {
            writeln!(f, "        {}: {}", Quoted(file), Quoted(hash))?;
        }
        writeln!(f, "      specification: {}", Quoted(&task.specification))?;
        writeln!(f, "      data_model: {}", task.data_model)?;
        writeln!(f, "      language: {}", task.language)
    }
}

/// A location, on lines that begin with `indent`.
fn location(f: &mut Formatter<'_>, indent: &str, location: &Location) -> fmt::Result {
    writeln!(f, "{indent}location:")?;
    writeln!(f, "{indent}  file_name: {}", Quoted(&location.file_name))?;
    writeln!(f, "{indent}  line: {}", location.line)?;
    if let Some(column) = location.column {
        writeln!(f, "{indent}  column: {column}")?;
    }
    match &location.function {
        Some(function) => writeln!(f, "{indent}  function: {}", Quoted(function)),
        None => Ok(()),
    }
}

impl Display for Segment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "  - segment:")?;
        for waypoint in &self.avoid {
            write_waypoint(f, waypoint, "avoid")?;
        }
        write_waypoint(f, &self.follow, "follow")
    }
}

fn write_waypoint(f: &mut Formatter<'_>, waypoint: &Waypoint, action: &str) -> fmt::Result {
    let indent = "        ";
    writeln!(f, "    - waypoint:")?;
    writeln!(f, "{indent}type: {}", waypoint.kind.name())?;
    writeln!(f, "{indent}action: {action}")?;
    location(f, indent, &waypoint.location)?;
    let Some(Constraint { value, format }) = &waypoint.constraint else {
        return Ok(());
    };
    writeln!(f, "{indent}constraint:")?;
    writeln!(f, "{indent}  value: {}", Quoted(value))?;
    match format {
        Some(format) => writeln!(f, "{indent}  format: {format}"),
        None => Ok(()),
    }
}

impl Display for Invariant {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let indent = "      ";
        writeln!(f, "  - invariant:")?;
        writeln!(f, "{indent}type: {}", self.kind.name())?;
        location(f, indent, &self.location)?;
        writeln!(f, "{indent}value: {}", Quoted(&self.value))?;
        writeln!(f, "{indent}format: {}", self.format)
    }
}
