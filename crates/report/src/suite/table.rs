//! Goals and tests as comma-separated values (RFC 4180, with a line feed at the end of a line).

use super::{GoalState, Row};

/// A line for each goal.
pub fn goals_table(rows: &[Row]) -> String {
    let mut text = line(["file", "line", "column", "goal", "state", "detail"]);
    for row in rows {
        let detail = match &row.state {
            GoalState::Covered(tests) => {
                let tests = tests.iter().map(|test| format!("test-{test}"));
                tests.collect::<Vec<_>>().join(" ")
            }
            GoalState::Unreachable => String::new(),
            GoalState::Open(reason) => reason.clone(),
        };
        let (number, column) = (row.line.to_string(), row.column.to_string());
        let (file, what) = (row.file.as_str(), row.what.as_str());
        text += &line([file, &number, &column, what, row.state.word(), &detail]);
    }
    text
}

/// A line for each test, with its inputs in the order in which the program asks for them.
pub fn tests_table(tests: &[(Vec<String>, String)]) -> String {
    let mut text = line(["test", "inputs", "end"]);
    for (index, (inputs, end)) in tests.iter().enumerate() {
        let name = format!("test-{}", index + 1);
        text += &line([&name, &inputs.join(" "), end]);
    }
    text
}

fn line<const N: usize>(fields: [&str; N]) -> String {
    let fields = fields.map(|field| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.to_owned()
        }
    });
    fields.join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_and_quotes_are_quoted() {
        assert_eq!(line(["a", "b,c", "d\"e"]), "a,\"b,c\",\"d\"\"e\"\n");
    }
}
