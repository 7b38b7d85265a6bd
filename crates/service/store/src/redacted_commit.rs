//! Redacts the results of a commit before they are stored, with the opt-outs in force at that time.

use std::borrow::Cow;

use contract::{ContactStatus, Item};
use journal::{Commit, Segment};
use privacy::{OptOuts, redact_item, redact_json};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::{Result, StoreError};

/// A commit with its redacted results.
#[derive(Debug)]
pub(crate) struct RedactedCommit<'a> {
    pub commit: Cow<'a, Commit>,
    pub segment: Option<Segment>,
    /// The positions of items that were changed.
    pub redacted: Vec<usize>,
}

impl<'a> RedactedCommit<'a> {
    /// Redacts the items, and waives the charge of items that lost what they are charged for.
    pub fn of(opt_outs: &OptOuts, commit: &'a Commit, items: &[Item]) -> Result<Self> {
        let commit = Cow::Borrowed(commit);
        if items.is_empty() {
            return Ok(Self { commit, segment: None, redacted: Vec::new() });
        }
        if opt_outs.is_empty() {
            let segment = Some(Segment::pack(items)?);
            return Ok(Self { commit, segment, redacted: Vec::new() });
        }
        let mut lines: Vec<Box<RawValue>> = Vec::with_capacity(items.len());
        let mut free = vec![false; items.len()];
        let mut redacted = Vec::new();
        for (position, (item, free)) in items.iter().zip(&mut free).enumerate() {
            let mut item = Cow::Borrowed(item);
            let mut is_redacted = redact_item(opt_outs, &mut item);
            if is_redacted {
                *free = is_free(&item);
            }
            let line = to_raw_value(item.as_ref()).map_err(damaged)?;
            lines.push(match redact_json(opt_outs, line.get()).map_err(damaged)? {
                Some(line) => {
                    is_redacted = true;
                    RawValue::from_string(line).map_err(damaged)?
                }
                None => line,
            });
            redacted.extend(is_redacted.then_some(position));
        }
        let segment = Some(Segment::pack(&lines)?);
        let mut commit = commit;
        if free.contains(&true) {
            commit.to_mut().waive(|place| free.get(place).is_some_and(|free| *free));
        }
        Ok(Self { commit, segment, redacted })
    }
}

/// The redacted item of a page that was read at once, whether anything was redacted by its fields,
/// and whether its charge is waived.
pub(crate) fn redacted_page(opt_outs: &OptOuts, item: &Item) -> Result<(Value, bool, bool)> {
    let mut item = Cow::Borrowed(item);
    let is_redacted = !opt_outs.is_empty() && redact_item(opt_outs, &mut item);
    let is_free = is_redacted && is_free(&item);
    Ok((serde_json::to_value(item.as_ref()).map_err(damaged)?, is_redacted, is_free))
}

/// Whether a redacted item is not charged.
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

#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
pub(crate) fn damaged(cause: serde_json::Error) -> StoreError {
    StoreError::Damaged(format!("invalid result: {cause}"))
}
