//! The actions in a page.

use contract::{BodyFields, FieldError};
use serde_json::{Map, Value, json};

/// Pixels of an action `scroll`.
const SCROLL_PIXELS: i64 = 800;

/// Reads `actions`; the result has those of a page call.
pub(crate) fn read_actions(fields: &mut BodyFields<'_>) -> Vec<Value> {
    let mut actions = Vec::new();
    match fields.value("actions") {
        None => {}
        Some(Value::Array(given)) => {
            for (index, action) in given.iter().enumerate() {
                match of_action(action, &format!("actions[{index}]")) {
                    Ok(action) => actions.push(action),
                    Err(error) => fields.wrong(&error.field, error.message),
                }
            }
        }
        Some(_) => fields.wrong("actions", "must be an array"),
    }
    actions
}

fn of_action(given: &Value, field: &str) -> Result<Value, FieldError> {
    let wrong =
        |member: &str, message: &str| Err(FieldError::new(format!("{field}{member}"), message));
    let Value::Object(members) = given else { return wrong("", "must be an object") };
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let (used, action): (&[&str], Value) = match kind {
        "wait" => (&["milliseconds", "selector"], json!({"type": "wait"})),
        "click" => (&["selector"], json!({"type": "click"})),
        "write" => (&["text"], json!({"type": "type"})),
        "press" => (&["key"], json!({"type": "press"})),
        "scroll" => {
            let pixels = match members.get("direction").and_then(Value::as_str) {
                None | Some("down") => SCROLL_PIXELS,
                Some("up") => -SCROLL_PIXELS,
                Some(_) => return wrong(".direction", "must be up or down"),
            };
            (&["direction"], json!({"type": "scroll", "pixels": pixels}))
        }
        _ => {
            return wrong(
                ".type",
                "must be one of wait, click, write, press, scroll; use the format screenshot for a \
                 picture",
            );
        }
    };
    let mut mapped = Map::new();
    mapped.extend(action.as_object().cloned().unwrap_or_default());
    for (name, value) in members {
        // Clients send members of other actions without a value.
        if name == "type" || value.is_null() || *value == "" || *value == false {
            continue;
        }
        if !used.contains(&name.as_str()) {
            return wrong(&format!(".{name}"), &format!("is not supported for {kind}"));
        }
        if name != "direction" {
            mapped.insert(name.clone(), value.clone());
        }
    }
    Ok(mapped.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(actions: &Value) -> (Vec<Value>, Vec<String>) {
        let body = json!({"actions": actions});
        let mut fields = BodyFields::of(&body).expect("an object");
        let read = read_actions(&mut fields);
        (read, fields.finish().into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn actions_become_those_of_a_page_call() {
        let given = json!([
            {"type": "wait", "milliseconds": 100}, {"type": "wait", "selector": "#a"},
            {"type": "click", "selector": ".b", "all": false}, {"type": "write", "text": "c"},
            {"type": "press", "key": "Enter"}, {"type": "scroll", "direction": "up", "selector": ""},
        ]);
        let expected = json!([
            {"type": "wait", "milliseconds": 100}, {"type": "wait", "selector": "#a"},
            {"type": "click", "selector": ".b"}, {"type": "type", "text": "c"},
            {"type": "press", "key": "Enter"}, {"type": "scroll", "pixels": -800},
        ]);
        let (actions, errors) = read(&given);
        assert_eq!((Value::from(actions), errors), (expected, Vec::new()));
    }

    #[test]
    fn unsupported_actions_and_members_are_named() {
        let given = json!([{"type": "executeJavascript", "script": "1"}, 3,
            {"type": "click", "selector": "a", "all": true}, {"type": "scroll", "selector": "#a"}]);
        let (actions, errors) = read(&given);
        assert!(actions.is_empty());
        let named = ["actions[0].type", "actions[1]", "actions[2].all", "actions[3].selector"];
        assert_eq!(errors, named);
    }
}
