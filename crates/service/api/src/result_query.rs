//! What a client asks of the results of a job: fields, filters, and where to start.

use std::collections::BTreeMap;
use std::ops::Range;

use axum::http::{HeaderMap, header};
use contract::{FieldError, FieldSelection, ItemFilter, JobId};
use data_encoding::BASE64URL_NOPAD;
use job::Job;
use runtime::off_runtime;
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::{Store, StoreError};

use crate::ApiState;
use crate::item_files::{ItemFileLinks, with_files};
use crate::query::Params;

/// Maximum items that one request for a page examines, and maximum stored bytes of them. A filter
/// that matches little ends with a cursor instead of reading a whole run.
const SCAN_ITEMS: u64 = 20_000;
const SCAN_BYTES: usize = 32 * 1024 * 1024;

/// Maximum stored bytes of the items of a filtered page.
const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// The requested part of the results of a job.
#[derive(Debug)]
pub(crate) struct ResultQuery {
    fields: Option<FieldSelection>,
    pub filter: ItemFilter,
    /// The number of the item that a cursor continues at.
    pub from: Option<u64>,
    /// The files of the pages of items, if the job has them and they are selected.
    files: Option<ItemFileLinks>,
}

impl ResultQuery {
    /// Reads `fields`, `filter[…]`, `q` and `cursor` for a job.
    pub fn read(params: &mut Params, job: &Job, state: &ApiState) -> Self {
        let schema = registry::item_schema(job.mode);
        let fields = params.text("fields").and_then(|list| {
            let parsed = FieldSelection::parse(schema, &list);
            parsed.map_err(|error| params.add_errors([error])).ok()
        });
        let given = params.keyed("filter");
        let pairs = given.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let filter = ItemFilter::parse(schema, pairs).unwrap_or_else(|errors| {
            params.add_errors(errors);
            ItemFilter::default()
        });
        let filter = match params.text("q").map(|text| filter.clone().containing(schema, &text)) {
            Some(Ok(filter)) => filter,
            Some(Err(error)) => {
                params.add_errors([error]);
                filter
            }
            None => filter,
        };
        let cursor = params.text("cursor");
        for name in ["page", "offset"] {
            if params.is_given(name) && cursor.is_some() {
                params.contradicts(name, "must not be given together with cursor");
            } else if params.is_given(name) && !filter.is_empty() {
                params.contradicts(name, "does not count filtered items; continue with cursor");
            }
        }
        let from = cursor.and_then(|text| {
            let cursor = ResultCursor::decode(&text, &job.id, &filter);
            if cursor.is_none() {
                params.add_errors([FieldError::new("cursor", CURSOR_ERROR)]);
            }
            cursor.map(|cursor| cursor.next)
        });
        let files = ItemFileLinks::of(state, job)
            .filter(|_| fields.as_ref().is_none_or(FieldSelection::has_files));
        Self { fields, filter, from, files }
    }

    /// The item with the requested members, and with the files of its page.
    pub fn select(&self, item: Value, files: Option<Value>) -> Value {
        let item = with_files(item, files);
        match &self.fields {
            Some(fields) => fields.select(item),
            None => item,
        }
    }

    /// The files of the pages of items with these numbers.
    pub async fn files_of(&self, items: Range<u64>) -> Result<BTreeMap<u64, Value>, StoreError> {
        match &self.files {
            Some(files) => files.read(items).await,
            None => Ok(BTreeMap::new()),
        }
    }

    /// At most `most` matching items among those with these numbers, and the number after the last
    /// examined item. Ends early after a limit of items and bytes.
    pub async fn scan(
        &self,
        store: &Store,
        job: &JobId,
        numbers: Range<u64>,
        most: u64,
    ) -> Result<(Vec<Value>, u64), StoreError> {
        let mut scan = ResultScan {
            query: self,
            items: Vec::new(),
            most: usize::try_from(most).unwrap_or(usize::MAX),
            next: numbers.start,
            last: numbers.end.min(numbers.start.saturating_add(SCAN_ITEMS)),
            scanned: 0,
            kept: 0,
        };
        while !scan.is_full() {
            let rows = store.some_results(job, scan.next..scan.last).await?;
            if rows.is_empty() {
                break;
            }
            let files = self.files_of(scan.next..rows.end()).await?;
            off_runtime(|| scan.examine(rows.numbered_from(scan.next), files))?;
        }
        Ok((scan.items, scan.next))
    }
}

const CURSOR_ERROR: &str = "is damaged, or belongs to another job or to other filters; pass \
    next_cursor of the previous answer unchanged, with the same filters";

/// A scan of consecutive items for a page.
struct ResultScan<'q> {
    query: &'q ResultQuery,
    items: Vec<Value>,
    most: usize,
    /// The next item to examine, and the end of the scan.
    next: u64,
    last: u64,
    /// Stored bytes of the examined items, and of the matching ones.
    scanned: usize,
    kept: usize,
}

impl ResultScan<'_> {
    fn is_full(&self) -> bool {
        self.items.len() >= self.most || self.next >= self.last || self.scanned >= SCAN_BYTES
    }

    /// Examines the items of one segment. Ends before an item that exceeds the page.
    fn examine(
        &mut self,
        rows: impl Iterator<Item = Result<(u64, usize, Value), StoreError>>,
        mut files: BTreeMap<u64, Value>,
    ) -> Result<(), StoreError> {
        for row in rows {
            if self.is_full() {
                return Ok(());
            }
            let (number, bytes, item) = row?;
            if self.query.filter.matches(&item) {
                if !self.items.is_empty() && self.kept + bytes > PAGE_BYTES {
                    self.scanned = SCAN_BYTES;
                    return Ok(());
                }
                self.kept += bytes;
                self.items.push(self.query.select(item, files.remove(&number)));
            }
            self.scanned += bytes;
            self.next = number + 1;
        }
        Ok(())
    }
}

/// Where a client continues: the number of the next item, which never changes.
///
/// The text is opaque: a version, the number, and a hash of both with the job and the filters, so
/// that a cursor that is damaged or of another request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultCursor {
    pub next: u64,
}

const CURSOR_VERSION: u8 = 1;
const CURSOR_CHECK_BYTES: usize = 8;

impl ResultCursor {
    pub fn encode(self, job: &JobId, filter: &ItemFilter) -> String {
        let mut bytes = vec![CURSOR_VERSION];
        bytes.extend(self.next.to_be_bytes());
        bytes.extend(self.check(job, filter));
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// The cursor of this job and these filters; `None` if the text is another one.
    pub fn decode(text: &str, job: &JobId, filter: &ItemFilter) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let (version, rest) = bytes.split_first()?;
        let (number, check) = rest.split_first_chunk::<8>()?;
        let cursor = Self { next: u64::from_be_bytes(*number) };
        (*version == CURSOR_VERSION && check == cursor.check(job, filter)).then_some(cursor)
    }

    fn check(self, job: &JobId, filter: &ItemFilter) -> [u8; CURSOR_CHECK_BYTES] {
        let mut hash = Sha256::new();
        for part in [job.as_str(), "\0", filter.canonical(), "\0"] {
            hash.update(part);
        }
        hash.update(self.next.to_be_bytes());
        let mut check = [0; CURSOR_CHECK_BYTES];
        check.copy_from_slice(&hash.finalize()[..CURSOR_CHECK_BYTES]);
        check
    }
}

/// Whether the client prefers one item per line to a page of JSON.
pub(crate) fn prefers_lines(headers: &HeaderMap) -> bool {
    let (mut lines, mut page) = (None, None);
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    for range in values.flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse::<f32>().ok());
        let quality = quality.unwrap_or(1.0);
        match kind.as_str() {
            "application/x-ndjson" | "application/ndjson" | "application/jsonl" => {
                lines = lines.max(Some(rank(quality)));
            }
            "application/json" => page = page.max(Some(rank(quality))),
            _ => {}
        }
    }
    lines.is_some_and(|lines| lines > 0 && page.is_none_or(|page| lines >= page))
}

/// A quality value in thousandths, its smallest step.
fn rank(quality: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 1000")]
    let rank = (quality.clamp(0.0, 1.0) * 1_000.0) as u16;
    rank
}

#[cfg(test)]
mod tests {
    use contract::Millis;

    use super::*;

    #[test]
    fn cursor_is_read_only_for_its_job_and_filters() {
        let (job, other) = (JobId::new(Millis(1), [1; 10]), JobId::new(Millis(1), [2; 10]));
        let schema = registry::item_schema(contract::Mode::Links);
        let filter = ItemFilter::parse(schema, [("status_code", "404")]).expect("a filter");
        let all = ItemFilter::default();
        let cursor = ResultCursor { next: 70_000 };
        let text = cursor.encode(&job, &filter);
        assert_eq!(ResultCursor::decode(&text, &job, &filter), Some(cursor));
        assert_eq!(ResultCursor::decode(&text, &other, &filter), None);
        assert_eq!(ResultCursor::decode(&text, &job, &all), None);
        for damaged in ["", "7", "AA", &text[1..], &format!("{text}A"), &text.to_lowercase()] {
            assert_eq!(ResultCursor::decode(damaged, &job, &filter), None, "{damaged:?}");
        }
    }

    #[test]
    fn accept_header_selects_pages_or_lines() {
        for (accept, expected) in [
            (None, false),
            (Some("*/*"), false),
            (Some("application/json"), false),
            (Some("application/x-ndjson"), true),
            (Some("Application/X-NDJSON; charset=utf-8"), true),
            (Some("application/jsonl, */*;q=0.1"), true),
            (Some("application/x-ndjson, application/json"), true),
            (Some("application/x-ndjson;q=0.5, application/json"), false),
            (Some("application/x-ndjson;q=0"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, accept.parse().expect("a value"));
            }
            assert_eq!(prefers_lines(&headers), expected, "{accept:?}");
        }
    }
}
