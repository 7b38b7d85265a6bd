//! Page state in the `devalue` format: one flat list whose values refer to each other by index.

use serde_json::{Map, Value};

use super::lenient::length;
use crate::budget::{self, ScriptBudget};

/// Maximum number of values and depth, because a list may contain cycles.
const MAX_VALUES: usize = 200_000;
const MAX_DEPTH: usize = 48;

/// The value that a flattened list represents; `None` if it is no such list.
pub fn revive(value: &Value) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() > 1)?;
    // The first value is an object or a wrapper whose members are indices.
    let is_index = |value: &Value| value.as_i64().is_some();
    let fits = match list.first()? {
        Value::Object(members) => !members.is_empty() && members.values().all(is_index),
        Value::Array(wrapper) => {
            wrapper.len() == 2 && wrapper[0].is_string() && is_index(&wrapper[1])
        }
        _ => false,
    };
    fits.then(|| {
        // A value that is referenced several times is copied for each reference.
        let bytes = ScriptBudget::for_script(length(value));
        Reviver { list, left: MAX_VALUES, bytes }.at(0, 0)
    })
}

struct Reviver<'v> {
    list: &'v [Value],
    left: usize,
    bytes: ScriptBudget,
}

impl Reviver<'_> {
    fn at(&mut self, index: usize, depth: usize) -> Value {
        if self.left == 0 || depth > MAX_DEPTH || !budget::steps(4) {
            return Value::Null;
        }
        self.left -= 1;
        match self.list.get(index) {
            Some(Value::Object(members)) => {
                let mut revived = Map::new();
                for (key, value) in members {
                    if !self.bytes.bytes(key.len() + 4) {
                        break;
                    }
                    revived.insert(key.clone(), self.value_at_index(value, depth + 1));
                }
                Value::Object(revived)
            }
            Some(Value::Array(values)) => match values.first() {
                // A wrapper: its name, then its content.
                Some(Value::String(name)) => match name.as_str() {
                    "Set" => self.referenced_list(&values[1..], depth),
                    "Date" | "BigInt" => self.copy(values.get(1)),
                    _ => {
                        values.get(1).map_or(Value::Null, |one| self.value_at_index(one, depth + 1))
                    }
                },
                _ => self.referenced_list(values, depth),
            },
            plain => self.copy(plain),
        }
    }

    /// A list of the referenced values; null if the budget is exhausted.
    fn referenced_list(&mut self, values: &[Value], depth: usize) -> Value {
        if !self.bytes.bytes(values.len() + 2) {
            return Value::Null;
        }
        Value::Array(values.iter().map(|one| self.value_at_index(one, depth + 1)).collect())
    }

    /// A copy of a value without references; null if the budget is exhausted.
    fn copy(&mut self, plain: Option<&Value>) -> Value {
        plain.filter(|plain| self.bytes.bytes(length(plain))).cloned().unwrap_or_default()
    }

    /// The value at an index; negative indices are `undefined` and similar constants.
    fn value_at_index(&mut self, value: &Value, depth: usize) -> Value {
        match value.as_u64().and_then(|index| usize::try_from(index).ok()) {
            Some(index) => self.at(index, depth),
            None => Value::Null,
        }
    }
}
