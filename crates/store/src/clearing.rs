//! Results without what was objected to: on their way into the store, and when somebody is
//! erased from what is stored. One rule for both.

use std::borrow::Cow;

use contract::{ContactItem, ContactStatus, Item, Mode};
use journal::{Commit, Segment};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use site::Objections;

use crate::StoreError;

/// A commit with its results, as they may be stored.
#[derive(Debug)]
pub(crate) struct Cleared<'a> {
    pub commit: Cow<'a, Commit>,
    pub segment: Option<Segment>,
}

impl<'a> Cleared<'a> {
    /// Clears the items, and makes free what is not worth its price any more.
    pub fn of(
        objections: &Objections,
        commit: &'a Commit,
        items: &[Item],
    ) -> Result<Self, StoreError> {
        let commit = Cow::Borrowed(commit);
        if items.is_empty() {
            return Ok(Self { commit, segment: None });
        }
        if objections.is_empty() {
            return Ok(Self { commit, segment: Some(Segment::pack(items)?) });
        }
        let mut lines: Vec<Box<RawValue>> = Vec::with_capacity(items.len());
        let mut free = vec![false; items.len()];
        for (item, free) in items.iter().zip(&mut free) {
            let mut item = Cow::Borrowed(item);
            if clear_item(objections, &mut item) {
                *free = is_free(&item);
            }
            let line = to_raw_value(item.as_ref()).map_err(damaged)?;
            lines.push(match clear_text(objections, line.get())? {
                Some(line) => RawValue::from_string(line).map_err(damaged)?,
                None => line,
            });
        }
        let segment = Some(Segment::pack(&lines)?);
        let mut commit = commit;
        if free.contains(&true) {
            commit.to_mut().waive(|place| free.get(place).is_some_and(|free| *free));
        }
        Ok(Self { commit, segment })
    }
}

/// The line of a result as it may be kept; `None` when it may stay as it is.
pub(crate) fn clear_line(
    objections: &Objections,
    mode: Mode,
    line: &str,
) -> Result<Option<String>, StoreError> {
    let item = match mode {
        Mode::Contacts => {
            serde_json::from_str::<ContactItem>(line).map(|item| Item::Contact(Box::new(item)))
        }
        Mode::Links | Mode::Sitemap | Mode::Markdown | Mode::Products => serde_json::from_str(line),
    };
    // What another release wrote and this one does not know is cleared as plain text.
    let Ok(item) = item else { return clear_text(objections, line) };
    let mut item = Cow::Owned(item);
    if !clear_item(objections, &mut item) {
        return clear_text(objections, line);
    }
    let line = serde_json::to_string(item.as_ref()).map_err(damaged)?;
    Ok(Some(clear_text(objections, &line)?.unwrap_or(line)))
}

/// A text of JSON without the mailboxes that may not be kept; `None` when there are none.
pub(crate) fn clear_text(
    objections: &Objections,
    json: &str,
) -> Result<Option<String>, StoreError> {
    let bytes = json.as_bytes();
    let may_hold_one =
        memchr::memchr(b'@', bytes).is_some() || memchr::memmem::find(bytes, b"%40").is_some();
    if !may_hold_one {
        return Ok(None);
    }
    let mut value: Value = serde_json::from_str(json).map_err(damaged)?;
    if !clear_value(objections, &mut value) {
        return Ok(None);
    }
    serde_json::to_string(&value).map(Some).map_err(damaged)
}

fn clear_value(objections: &Objections, value: &mut Value) -> bool {
    match value {
        Value::String(text) => match objections.redact(text) {
            Some(kept) => {
                *text = kept;
                true
            }
            None => false,
        },
        Value::Array(values) => {
            values.iter_mut().fold(false, |changed, value| clear_value(objections, value) | changed)
        }
        Value::Object(members) => members
            .values_mut()
            .fold(false, |changed, value| clear_value(objections, value) | changed),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Clears an item by what it is, and tells whether anything changed.
fn clear_item(objections: &Objections, item: &mut Cow<'_, Item>) -> bool {
    match item.as_ref() {
        Item::Contact(record) => {
            let mut record = record.clone();
            let changed = objections.apply(&mut record);
            if changed {
                *item = Cow::Owned(Item::Contact(record));
            }
            changed
        }
        Item::Link(_) | Item::Sitemap(_) | Item::Markdown(_) | Item::Product(_) => {
            if !objections.cover_url(item.url()) {
                return false;
            }
            let mut withheld = item.as_ref().clone();
            withheld.withhold();
            let changed = withheld != *item.as_ref();
            if changed {
                *item = Cow::Owned(withheld);
            }
            changed
        }
    }
}

/// Whether nobody pays for it.
fn is_free(item: &Item) -> bool {
    match item {
        Item::Contact(record) => match record.status {
            ContactStatus::Found | ContactStatus::Partial => false,
            ContactStatus::None
            | ContactStatus::Blocked
            | ContactStatus::Unreachable
            | ContactStatus::Parked => true,
        },
        Item::Link(_) | Item::Sitemap(_) | Item::Markdown(_) | Item::Product(_) => true,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands in `map_err`")]
fn damaged(cause: serde_json::Error) -> StoreError {
    StoreError::Damaged(format!("a result: {cause}"))
}
