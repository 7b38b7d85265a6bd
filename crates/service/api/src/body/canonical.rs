//! The canonical hash of a body, which an `Idempotency-Key` is compared by.

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The SHA-256 of the body with its members in order and without white space.
pub(crate) fn canonical_hash(body: &Value) -> String {
    let canonical = sorted(body).to_string();
    HEXLOWER.encode(Sha256::digest(canonical.as_bytes()).as_slice())
}

// Recursion is safe: the body is nested at most 64 deep.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort_unstable();
            let members = names
                .into_iter()
                .filter_map(|name| members.get(name).map(|member| (name.clone(), sorted(member))));
            Value::Object(members.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> String {
        canonical_hash(&serde_json::from_str(text).expect("JSON"))
    }

    #[test]
    fn member_order_and_white_space_do_not_change_the_hash() {
        assert_eq!(
            hash(r#"{"a":[1,{"c":2,"b":3}],"d":"\u0041"}"#),
            hash(r#" {"d": "A", "a": [1, {"b": 3, "c": 2}]} "#)
        );
    }

    #[test]
    fn array_order_null_and_types_change_the_hash() {
        assert_ne!(hash(r#"{"a":[1,2]}"#), hash(r#"{"a":[2,1]}"#));
        assert_ne!(hash(r#"{"a":null}"#), hash("{}"));
        assert_ne!(hash(r#"{"a":"1"}"#), hash(r#"{"a":1}"#));
    }
}
