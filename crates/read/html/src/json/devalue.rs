//! State that was flattened into one list, whose values refer to each other by number.

use serde_json::{Map, Value};

use super::lenient::length;
use crate::budget::{self, ScriptBudget};

/// How many values a list gives at most, and how deep they nest: lists may refer in circles.
const MAX_VALUES: usize = 200_000;
const MAX_DEPTH: usize = 48;

/// The value that a flattened list stands for; none when it is no such list.
pub fn revive(value: &Value) -> Option<Value> {
    let list = value.as_array().filter(|list| list.len() > 1)?;
    // The first is a plain object or a wrapper whose members are numbers.
    let refers = |value: &Value| value.as_i64().is_some();
    let fits = match list.first()? {
        Value::Object(members) => !members.is_empty() && members.values().all(refers),
        Value::Array(wrapper) => {
            wrapper.len() == 2 && wrapper[0].is_string() && refers(&wrapper[1])
        }
        _ => false,
    };
    fits.then(|| {
        // What is referred to from several places is copied into each of them.
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
    fn at(&mut self, place: usize, depth: usize) -> Value {
        if self.left == 0 || depth > MAX_DEPTH || !budget::steps(4) {
            return Value::Null;
        }
        self.left -= 1;
        match self.list.get(place) {
            Some(Value::Object(members)) => {
                let mut revived = Map::new();
                for (key, value) in members {
                    if !self.bytes.bytes(key.len() + 4) {
                        break;
                    }
                    revived.insert(key.clone(), self.referred(value, depth + 1));
                }
                Value::Object(revived)
            }
            Some(Value::Array(values)) => match values.first() {
                // A wrapper: its name, then what it wraps.
                Some(Value::String(name)) => match name.as_str() {
                    "Set" => self.members(&values[1..], depth),
                    "Date" | "BigInt" => self.copied(values.get(1)),
                    _ => values.get(1).map_or(Value::Null, |one| self.referred(one, depth + 1)),
                },
                _ => self.members(values, depth),
            },
            plain => self.copied(plain),
        }
    }

    /// A list of what its numbers refer to; nothing when it is too long by now.
    fn members(&mut self, values: &[Value], depth: usize) -> Value {
        if !self.bytes.bytes(values.len() + 2) {
            return Value::Null;
        }
        Value::Array(values.iter().map(|one| self.referred(one, depth + 1)).collect())
    }

    /// A value that refers to nothing, as it is; nothing of it when it is too long by now.
    fn copied(&mut self, plain: Option<&Value>) -> Value {
        plain.filter(|plain| self.bytes.bytes(length(plain))).cloned().unwrap_or_default()
    }

    /// What a number refers to; negative ones stand for `undefined` and the like.
    fn referred(&mut self, value: &Value, depth: usize) -> Value {
        match value.as_u64().and_then(|place| usize::try_from(place).ok()) {
            Some(place) => self.at(place, depth),
            None => Value::Null,
        }
    }
}
