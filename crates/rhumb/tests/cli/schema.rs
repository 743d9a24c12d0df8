//! As much of JSON Schema as our own schemas use: whether a value is what they say.

use serde_json::Value;

/// What is wrong with a value, and where; nothing if all is well. A keyword that is not known here is a mistake, too.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "$", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    for (keyword, says) in schema {
        let is_met = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let path = says.as_str().and_then(|path| path.strip_prefix('#'));
                let other = path.and_then(|path| root.pointer(path));
                check(
                    root,
                    other.expect("a reference to something"),
                    value,
                    at,
                    found,
                );
                true
            }
            "const" => value == says,
            "enum" => says.as_array().is_some_and(|all| all.contains(value)),
            "minimum" => value
                .as_f64()
                .zip(says.as_f64())
                .is_none_or(|(value, least)| value >= least),
            "minItems" => length(value).is_none_or(|len| len >= number(says)),
            "maxItems" => length(value).is_none_or(|len| len <= number(says)),
            "type" => match says.as_str() {
                Some("object") => value.is_object(),
                Some("array") => value.is_array(),
                Some("string") => value.is_string(),
                Some("boolean") => value.is_boolean(),
                Some("number") => value.is_number(),
                Some("integer") => value.is_u64() || value.is_i64(),
                _ => false,
            },
            "required" => says.as_array().is_some_and(|names| {
                let mut names = names.iter().filter_map(Value::as_str);
                names.all(|name| value.get(name).is_some())
            }),
            "properties" => {
                for (name, inner) in says.as_object().into_iter().flatten() {
                    if let Some(inside) = value.get(name) {
                        check(root, inner, inside, &format!("{at}.{name}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                let mut names = value
                    .as_object()
                    .into_iter()
                    .flat_map(|object| object.keys());
                says != &Value::Bool(false)
                    || names.all(|name| known.is_some_and(|known| known.contains_key(name)))
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, says, item, &format!("{at}[{index}]"), found);
                }
                true
            }
            _ => false,
        };
        if !is_met {
            found.push(format!("{at}: {keyword}: {says}"));
        }
    }
}

fn length(value: &Value) -> Option<u64> {
    value.as_array().map(|items| items.len() as u64)
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

#[test]
fn what_is_wrong_is_found() {
    let schema = serde_json::json!({"type": "object", "required": ["a"], "additionalProperties": false,
        "properties": {"a": {"type": "array", "items": {"enum": [1, 2]}, "maxItems": 2}}});
    for (value, count) in [
        (serde_json::json!({"a": [1, 2]}), 0),
        (serde_json::json!({"a": [1, 3, 1]}), 2),
        (serde_json::json!({"b": []}), 2),
        (serde_json::json!([]), 2),
    ] {
        assert_eq!(problems(&schema, &value).len(), count, "{value}");
    }
}
