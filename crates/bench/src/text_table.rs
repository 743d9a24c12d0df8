//! Tables of text, with columns in groups. (The crates for tables draw boxes, or know no headings over several columns.)

use std::fmt;

/// A table under construction.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextTable {
    columns: Vec<Column>,
    rows: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Column {
    title: String,
    /// Neighbours with the same group stand under one heading.
    group: String,
    left: bool,
}

#[derive(Clone, Debug)]
enum Line {
    Cells(Vec<String>),
    Rule,
}

/// Blanks between columns of a group.
const GAP: &str = "  ";
/// Between groups.
const GROUP_GAP: &str = " | ";

impl TextTable {
    /// Adds a column for text.
    pub(crate) fn left(&mut self, title: &str) {
        self.columns.push(Column {
            title: title.to_owned(),
            group: String::new(),
            left: true,
        });
    }

    /// Adds a column for numbers.
    pub(crate) fn right(&mut self, group: &str, title: &str) {
        self.columns.push(Column {
            title: title.to_owned(),
            group: group.to_owned(),
            left: false,
        });
    }

    /// Adds a row; cells that are not given are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(Line::Cells(cells));
    }

    /// Adds a line between rows.
    pub(crate) fn rule(&mut self) {
        self.rows.push(Line::Rule);
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .map(|column| length(&column.title))
            .collect();
        for line in &self.rows {
            if let Line::Cells(cells) = line {
                for (width, cell) in widths.iter_mut().zip(cells) {
                    *width = (*width).max(length(cell));
                }
            }
        }
        // A heading wider than its columns widens the last of them.
        for (first, last) in self.groups() {
            let inner = inner_width(&widths[first..=last]);
            widths[last] += length(&self.columns[first].group).saturating_sub(inner);
        }
        widths
    }

    /// First and last column of each group.
    fn groups(&self) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for (index, column) in self.columns.iter().enumerate() {
            match groups.last_mut() {
                Some((first, last)) if self.columns[*first].group == column.group => *last = index,
                _ => groups.push((index, index)),
            }
        }
        groups
    }

    /// Puts cells of the given widths in a line.
    fn line(
        &self,
        f: &mut fmt::Formatter<'_>,
        widths: &[usize],
        cell: impl Fn(usize) -> String,
    ) -> fmt::Result {
        let mut text = String::new();
        for (index, column) in self.columns.iter().enumerate() {
            if index > 0 {
                text.push_str(if column.group == self.columns[index - 1].group {
                    GAP
                } else {
                    GROUP_GAP
                });
            }
            let content = cell(index);
            let padding = " ".repeat(widths[index].saturating_sub(length(&content)));
            if column.left {
                text.push_str(&content);
                text.push_str(&padding);
            } else {
                text.push_str(&padding);
                text.push_str(&content);
            }
        }
        writeln!(f, "{}", text.trim_end())
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        if self.columns.iter().any(|column| !column.group.is_empty()) {
            let headings: Vec<String> = self
                .groups()
                .iter()
                .map(|&(first, last)| {
                    let width = inner_width(&widths[first..=last]);
                    format!("{:^width$}", self.columns[first].group)
                })
                .collect();
            writeln!(f, "{}", headings.join(GROUP_GAP).trim_end())?;
        }
        self.line(f, &widths, |index| self.columns[index].title.clone())?;
        let rule = "-".repeat(
            self.groups()
                .iter()
                .map(|&(first, last)| inner_width(&widths[first..=last]) + GROUP_GAP.len())
                .sum::<usize>()
                .saturating_sub(GROUP_GAP.len()),
        );
        writeln!(f, "{rule}")?;
        for line in &self.rows {
            match line {
                Line::Rule => writeln!(f, "{rule}")?,
                Line::Cells(cells) => self.line(f, &widths, |index| {
                    cells.get(index).cloned().unwrap_or_default()
                })?,
            }
        }
        Ok(())
    }
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn inner_width(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_under_their_groups() {
        let mut table = TextTable::default();
        table.left("suite");
        table.right("", "tasks");
        table.right("ours", "correct");
        table.right("ours", "CPU s");
        table.right("a very long heading", "n");
        table.row(vec![
            "one".into(),
            "230".into(),
            "214".into(),
            "7389.1".into(),
            "1".into(),
        ]);
        table.rule();
        table.row(vec!["total".into(), "230".into()]);
        let expected = [
            "             |      ours       | a very long heading",
            "suite  tasks | correct   CPU s |                   n",
            "----------------------------------------------------",
            "one      230 |     214  7389.1 |                   1",
            "----------------------------------------------------",
            "total    230 |                 |",
        ];
        assert_eq!(table.to_string().lines().collect::<Vec<_>>(), expected);
    }
}
