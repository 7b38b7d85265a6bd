//! One value of a row, selected from an item by its path.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use crate::text::printable;

/// Separator between the members of a list.
const SEPARATOR: &str = "; ";

/// A typed value of a table cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ExportCell<'a> {
    Empty,
    Text(Cow<'a, str>),
    Number(&'a serde_json::Number),
    Truth(bool),
}

impl<'a> ExportCell<'a> {
    /// The value at a path. A list on the path gives the values of all its members, joined; an
    /// object at the end gives its members by name.
    pub(crate) fn of(item: &'a Value, path: &[&str]) -> Self {
        let mut value = item;
        for (depth, member) in path.iter().enumerate() {
            match value {
                Value::Object(members) => match members.get(*member) {
                    Some(found) => value = found,
                    None => return Self::Empty,
                },
                Value::Array(list) => return joined(list, &path[depth..]),
                _ => return Self::Empty,
            }
        }
        match value {
            Value::Null => Self::Empty,
            Value::Bool(truth) => Self::Truth(*truth),
            Value::Number(number) => Self::Number(number),
            Value::String(text) if text.is_empty() => Self::Empty,
            Value::String(text) => Self::Text(printable(text)),
            Value::Array(list) => joined(list, &[]),
            Value::Object(members) => {
                let mut text = String::new();
                for (name, value) in members {
                    let value = Self::of(value, &[]).into_text();
                    // Writing to a String cannot fail.
                    let _ = write!(text, "{}{name}={value}", separator(&text));
                }
                if text.is_empty() { Self::Empty } else { Self::Text(text.into()) }
            }
        }
    }

    /// The value as plain text.
    pub(crate) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Empty => Cow::Borrowed(""),
            Self::Text(text) => text,
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Truth(true) => Cow::Borrowed("true"),
            Self::Truth(false) => Cow::Borrowed("false"),
        }
    }
}

fn joined<'a>(list: &'a [Value], path: &[&str]) -> ExportCell<'a> {
    if list.is_empty() {
        return ExportCell::Empty;
    }
    let mut text = String::new();
    for (number, member) in list.iter().enumerate() {
        if number > 0 {
            text.push_str(SEPARATOR);
        }
        text.push_str(&ExportCell::of(member, path).into_text());
    }
    ExportCell::Text(text.into())
}

fn separator(text: &str) -> &'static str {
    if text.is_empty() { "" } else { SEPARATOR }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cells_are_selected_by_path_and_lists_are_joined() {
        let item = json!({
            "url": "u", "none": null, "empty": "", "depth": 2, "ok": true,
            "hops": [{"url": "a", "status": 301}, {"url": "b", "status": null}],
            "tags": ["x", "y"], "nothing": [],
            "company": {"name": "N", "sources": [{"url": "s"}]},
            "options": {"size": "L", "colour": "red"},
        });
        let text = |path: &[&str]| ExportCell::of(&item, path).into_text().into_owned();
        for (path, expected) in [
            (&["url"][..], "u"),
            (&["none"], ""),
            (&["empty"], ""),
            (&["missing"], ""),
            (&["url", "deeper"], ""),
            (&["depth"], "2"),
            (&["ok"], "true"),
            (&["hops", "url"], "a; b"),
            (&["hops", "status"], "301; "),
            (&["tags"], "x; y"),
            (&["nothing"], ""),
            (&["company", "name"], "N"),
            (&["company", "sources", "url"], "s"),
            (&["options"], "size=L; colour=red"),
        ] {
            assert_eq!(text(path), expected, "{path:?}");
        }
        assert_eq!(ExportCell::of(&item, &["nothing"]), ExportCell::Empty);
        assert_eq!(ExportCell::of(&item, &["ok"]), ExportCell::Truth(true));
    }
}
