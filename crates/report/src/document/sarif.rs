//! SARIF 2.1.0: results with code flows, for code scanning and editors.

use serde_json::{Value, json};

use super::{Document, Word};

/// More steps than this are no help in a list.
const STEPS: usize = 2_000;

/// A log of one run of the tool.
pub fn sarif(document: &Document) -> String {
    let targets = document.targets.iter().enumerate();
    let results: Vec<Value> = targets
        .filter(|(_, target)| target.verdict != Word::Safe)
        .map(|(index, _)| result(document, index))
        .collect();
    let mut notifications = Vec::new();
    if document.targets.is_empty()
        && let Some(reason) = &document.reason
    {
        notifications.push(json!({"level": "warning", "message": {"text": reason}}));
    }
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": document.tool.name,
                "semanticVersion": document.tool.version,
                "rules": [rule("reached", "Something is reached that must not be", "error"), rule("undecided", "Not decided", "warning")],
            }},
            "artifacts": document.files.iter().map(|file| json!({"location": {"uri": uri(file)}})).collect::<Vec<_>>(),
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": notifications,
            }],
            "columnKind": "utf16CodeUnits",
            "results": results,
            "properties": {"verdict": document.verdict.text(), "assumptions": document.assumptions},
        }],
    });
    let mut text = serde_json::to_string_pretty(&log).unwrap_or_default();
    text.push('\n');
    text
}

fn rule(id: &str, text: &str, level: &str) -> Value {
    json!({"id": id, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}})
}

fn result(document: &Document, index: usize) -> Value {
    let target = &document.targets[index];
    let (rule, number, level) = match target.verdict {
        Word::Unsafe => ("reached", 0, "error"),
        _ => ("undecided", 1, "warning"),
    };
    let message = document.message(target) + &document.inputs_text(index);
    let mut result = json!({
        "ruleId": rule,
        "ruleIndex": number,
        "level": level,
        "message": {"text": message},
        "locations": [location(&target.file, target.line, Some(target.column), None)],
        "partialFingerprints": {"rhumb/v2": target.key},
    });
    let run = document.counterexample.as_ref();
    if let Some(run) = run.filter(|run| run.target == index) {
        let steps = run.steps.iter().take(STEPS);
        let mut flow: Vec<Value> = steps
            .map(|step| {
                let place = location(&step.file, step.line, None, Some(&step.remarks));
                let mut shown = json!({"location": place, "nestingLevel": step.depth});
                if step.decisions.iter().any(|one| one.mattered == Some(true)) {
                    shown["importance"] = json!("essential");
                }
                shown
            })
            .collect();
        let end = location(
            &target.file,
            target.line,
            Some(target.column),
            Some(&message),
        );
        flow.push(json!({"location": end, "importance": "essential"}));
        result["codeFlows"] = json!([{"threadFlows": [{"locations": flow}]}]);
    }
    result
}

fn location(file: &str, line: u32, column: Option<u32>, message: Option<&str>) -> Value {
    let mut region = json!({"startLine": line.max(1)});
    if let Some(column) = column.filter(|column| *column > 0) {
        region["startColumn"] = json!(column);
    }
    let mut location = json!({
        "physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region},
    });
    if let Some(message) = message.filter(|message| !message.is_empty()) {
        location["message"] = json!({"text": message});
    }
    location
}

/// A path as a reference: bytes that have a meaning there are written as numbers.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
