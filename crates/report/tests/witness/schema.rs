//! The format, as strictly as its definition: which fields there are, and what is in them.

use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    entry_type: String,
    metadata: Metadata,
    content: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata {
    format_version: String,
    uuid: String,
    creation_time: String,
    producer: BTreeMap<String, String>,
    task: WitnessTask,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WitnessTask {
    input_files: Vec<String>,
    input_file_hashes: BTreeMap<String, String>,
    specification: String,
    data_model: String,
    language: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Item {
    segment: Option<Vec<Step>>,
    invariant: Option<Invariant>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    waypoint: Waypoint,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Waypoint {
    r#type: String,
    action: String,
    location: Location,
    constraint: Option<Constraint>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constraint {
    value: String,
    format: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Location {
    file_name: String,
    line: u32,
    column: Option<u32>,
    function: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Invariant {
    r#type: String,
    location: Location,
    value: String,
    format: String,
}

/// Fails unless the text is a witness file of format 2.0.
pub(crate) fn check(text: &str) {
    let entries: Vec<Entry> = serde_saphyr::from_str(text).expect("the schema");
    assert_eq!(entries.len(), 1);
    for entry in entries {
        check_metadata(&entry.metadata);
        assert!(!entry.content.is_empty());
        match &*entry.entry_type {
            "invariant_set" => entry.content.iter().for_each(|item| {
                assert!(item.segment.is_none());
                check_invariant(
                    item.invariant.as_ref().expect("an invariant"),
                    &entry.metadata,
                );
            }),
            "violation_sequence" => {
                let (last, others) = entry.content.split_last().expect("segments");
                check_segment(last, true, &entry.metadata);
                for item in others {
                    check_segment(item, false, &entry.metadata);
                }
            }
            other => panic!("{other}"),
        }
    }
}

fn check_metadata(metadata: &Metadata) {
    assert_eq!(metadata.format_version, "2.0");
    let groups: Vec<usize> = metadata.uuid.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12]);
    let shape: String = metadata
        .creation_time
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00T00:00:00Z");
    assert!(metadata.producer.contains_key("name") && metadata.producer.contains_key("version"));
    let task = &metadata.task;
    assert!(!task.input_files.is_empty());
    for file in &task.input_files {
        let hash = &task.input_file_hashes[file];
        assert!(hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit()));
    }
    assert!(task.specification.starts_with("CHECK( init("));
    assert!(matches!(&*task.data_model, "ILP32" | "LP64"));
    assert_eq!(task.language, "C");
}

fn check_location(location: &Location, metadata: &Metadata) {
    assert!(metadata.task.input_files.contains(&location.file_name));
    assert!(location.line >= 1 && location.column.is_none_or(|column| column >= 1));
    assert!(
        location
            .function
            .as_ref()
            .is_none_or(|name| !name.is_empty())
    );
}

fn check_invariant(invariant: &Invariant, metadata: &Metadata) {
    assert!(matches!(
        &*invariant.r#type,
        "loop_invariant" | "location_invariant"
    ));
    check_location(&invariant.location, metadata);
    assert!(!invariant.value.is_empty());
    assert_eq!(invariant.format, "c_expression");
}

fn check_segment(item: &Item, is_last: bool, metadata: &Metadata) {
    assert!(item.invariant.is_none());
    let (last, others) = item
        .segment
        .as_ref()
        .expect("a segment")
        .split_last()
        .expect("waypoints");
    assert!(others.iter().all(|step| step.waypoint.action == "avoid"));
    let waypoint = &last.waypoint;
    assert_eq!(waypoint.action, "follow");
    assert_eq!(waypoint.r#type == "target", is_last);
    check_location(&waypoint.location, metadata);
    match (&*waypoint.r#type, &waypoint.constraint) {
        ("target", None) => {}
        ("function_return", Some(constraint)) => {
            assert!(constraint.value.starts_with("\\result "));
            assert_eq!(constraint.format.as_deref(), Some("acsl_expression"));
        }
        (other, _) => panic!("{other}"),
    }
}
