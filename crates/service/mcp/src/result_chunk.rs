//! Results in chunks that fit a context.
//!
//! A chunk has as many items as fit a budget of characters. An item that is larger than the budget
//! is split into parts. A cursor points to the start of the next chunk, so that following the
//! cursors reads everything once.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::api_session::ApiSession;
use crate::tool_error::{ToolError, ToolResult};
use crate::visible::visible;

/// Default characters of a chunk: about five thousand tokens.
pub(crate) const BUDGET: usize = 20_000;
/// Allowed characters of a chunk.
pub(crate) const BUDGETS: std::ops::RangeInclusive<usize> = 1_000..=200_000;

/// Page size of the first request, enough for long items, and of further requests.
const FIRST_PAGE_SIZE: u64 = 25;
const NEXT_PAGE_SIZE: u64 = 100;

/// Maximum API requests per chunk: they count against the caller's rate limit.
const MAX_REQUESTS: usize = 6;

/// Members of items that are useless to a model and would fill its context.
const MACHINE_FIELDS: &[&str] = &[
    "content_hash",
    "content_type",
    "discovered_by",
    "extraction",
    "fetched_at",
    "headings",
    "links",
    "nofollow",
    "rendered",
    "response_ms",
    "robots",
    "size_bytes",
    "token_estimate",
];

/// Start of a chunk: an item, and a character within it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ChunkCursor {
    /// The API's cursor of a filtered page. `item` is then counted from its beginning.
    page: Option<String>,
    item: u64,
    character: usize,
}

impl fmt::Display for ChunkCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.page, self.character) {
            (Some(page), character) => write!(f, "{page}:{}:{character}", self.item),
            (None, 0) => write!(f, "{}", self.item),
            (None, character) => write!(f, "{}:{character}", self.item),
        }
    }
}

impl ChunkCursor {
    /// The cursor that a client passes; the beginning without one.
    pub fn parse(text: Option<&str>) -> ToolResult<Self> {
        text.map_or(Ok(Self::default()), str::parse)
    }
}

impl FromStr for ChunkCursor {
    type Err = ToolError;

    fn from_str(text: &str) -> ToolResult<Self> {
        let is_page = |part: &str| {
            let is_of_cursor = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            part.len() > 16 && part.chars().all(is_of_cursor)
        };
        let (page, rest) = match text.split_once(':') {
            Some((page, rest)) if is_page(page) => (Some(page.to_owned()), rest),
            Some(_) | None => (None, text),
        };
        let (item, character) = rest.split_once(':').unwrap_or((rest, "0"));
        match (item.parse(), character.parse()) {
            (Ok(item), Ok(character)) => Ok(Self { page, item, character }),
            _ => Err(ToolError::Arguments(format!(
                "cursor: {text:?} is invalid; pass next_cursor of the previous result, or the number \
                 of an item, counted from 0"
            ))),
        }
    }
}

/// A request for a chunk of a list.
#[derive(Debug)]
pub(crate) struct ChunkRequest {
    /// The path of the list, with a query that ends in `?` or `&`.
    pub list: String,
    pub from: ChunkCursor,
    pub budget: usize,
    /// The members of items to return; `None` for the useful ones.
    pub fields: Option<Vec<String>>,
    pub paging: ChunkPaging,
}

/// How a list is addressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkPaging {
    /// By page number, with pages of equal size.
    Number,
    /// By item offset: a page of results may have fewer items than requested.
    Offset,
    /// By the cursor of the previous page, for filtered results.
    Cursor,
}

/// Items and the cursor of the next chunk.
#[derive(Debug)]
pub(crate) struct ResultChunk {
    pub items: Vec<Value>,
    pub next: Option<ChunkCursor>,
    /// Members of the list besides its items: the job, its mode, the total.
    pub list: Map<String, Value>,
}

impl ChunkRequest {
    pub async fn read(&self, session: &ApiSession) -> ToolResult<ResultChunk> {
        let mut builder =
            ChunkBuilder { at: self.from.clone(), left: self.budget, items: Vec::new() };
        let mut requests = 0;
        loop {
            // Positions on filtered pages count from the start of pages of one size.
            let is_first = requests == 0 && self.paging != ChunkPaging::Cursor;
            let size = if is_first { FIRST_PAGE_SIZE } else { NEXT_PAGE_SIZE };
            requests += 1;
            let path = self.path(&builder.at, size);
            let mut list: Map<String, Value> = session.get(&path).await?;
            let items = match list.remove("items") {
                Some(Value::Array(items)) => items,
                Some(_) | None => Vec::new(),
            };
            let has_more = list.get("has_more").and_then(Value::as_bool).unwrap_or(false);
            let skip = match self.paging {
                ChunkPaging::Number => builder.at.item % size,
                ChunkPaging::Offset => 0,
                ChunkPaging::Cursor => builder.at.item,
            };
            let skip = usize::try_from(skip).unwrap_or(0);
            for item in items.into_iter().skip(skip) {
                if !builder.push(visible(self.select_fields(item))) {
                    let next = Some(builder.at);
                    return Ok(ResultChunk { items: builder.items, next, list });
                }
            }
            if self.paging == ChunkPaging::Cursor && has_more {
                let page = list.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
                builder.at = ChunkCursor { page, item: 0, character: 0 };
            }
            // No next cursor at the end of the list, or of the results so far.
            let next = has_more.then(|| builder.at.clone());
            if next.is_none() || requests == MAX_REQUESTS {
                return Ok(ResultChunk { items: builder.items, next, list });
            }
        }
    }

    /// The path of a request that starts at this item, or at the page that contains it.
    fn path(&self, at: &ChunkCursor, size: u64) -> String {
        let (list, item) = (&self.list, at.item);
        match (self.paging, &at.page) {
            (ChunkPaging::Offset, _) => format!("{list}offset={item}&page_size={size}"),
            (ChunkPaging::Number, _) => {
                format!("{list}page={}&page_size={size}", item / size + 1)
            }
            (ChunkPaging::Cursor, Some(page)) => format!("{list}cursor={page}&page_size={size}"),
            (ChunkPaging::Cursor, None) => format!("{list}page_size={size}"),
        }
    }

    /// The requested members of an item, without empty ones.
    fn select_fields(&self, item: Value) -> Value {
        let Value::Object(members) = item else { return item };
        // The Markdown of a page includes its images.
        let has_text = members.contains_key("markdown");
        let is_machine_field =
            |name: &str| MACHINE_FIELDS.contains(&name) || (has_text && name == "images");
        let wanted = |name: &str| match &self.fields {
            Some(fields) => fields.iter().any(|field| field == name || field == "*"),
            None => !is_machine_field(name),
        };
        let kept = members.into_iter().filter(|(name, value)| wanted(name) && !is_empty(value));
        Value::Object(kept.collect())
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The part of a page that starts at this character, without empty members and members for
/// programs, and where the next part starts.
pub(crate) fn item_part(item: Value, character: usize, budget: usize) -> (Value, Option<usize>) {
    let from = ChunkCursor { page: None, item: 0, character };
    let request = ChunkRequest {
        list: String::new(),
        from: from.clone(),
        budget,
        fields: None,
        paging: ChunkPaging::Offset,
    };
    let item = request.select_fields(item);
    if character == 0 && item.to_string().chars().count() <= budget {
        return (item, None);
    }
    let (mut part, next) = part(&item, &from, budget);
    let is_last = next.item > 0;
    // The cursor of the caller is another one.
    if let Some(text) = part["part"].as_str() {
        part["part"] = text.split(';').next().unwrap_or_default().into();
    }
    (part, (!is_last).then_some(next.character))
}

/// Collects items up to the budget.
struct ChunkBuilder {
    at: ChunkCursor,
    left: usize,
    items: Vec<Value>,
}

impl ChunkBuilder {
    /// Adds an item; false if it belongs to the next chunk, whole or in part.
    fn push(&mut self, item: Value) -> bool {
        let length = item.to_string().chars().count();
        if self.at.character == 0 && length <= self.left {
            self.left -= length;
            self.items.push(item);
            (self.at.item, self.at.character) = (self.at.item + 1, 0);
            return true;
        }
        // An item that does not fit after others starts the next chunk.
        if self.items.is_empty() {
            let (part, next) = part(&item, &self.at, self.left);
            self.items.push(part);
            self.at = next;
        }
        false
    }
}

/// The part of a large item that starts at a cursor, and the cursor of the next part.
fn part(item: &Value, at: &ChunkCursor, budget: usize) -> (Value, ChunkCursor) {
    // The text of a page is split; other items are split as JSON text.
    let (name, text) = match item["markdown"].as_str() {
        Some(text) => ("markdown", text.to_owned()),
        None => ("json", item.to_string()),
    };
    let all = text.chars().count();
    let taken = fitting(text.chars().skip(at.character), budget);
    let end = at.character + taken.chars().count();
    let mut part = Map::new();
    for known in ["url", "title", "name", "domain"] {
        if let Some(value) = item.get(known).filter(|value| value.to_string().len() < 1_000) {
            part.insert(known.to_owned(), value.clone());
        }
    }
    let from = at.character.min(all);
    part.insert(name.to_owned(), taken.into());
    let page = at.page.clone();
    let next = if end < all {
        ChunkCursor { page, item: at.item, character: end }
    } else {
        ChunkCursor { page, item: at.item + 1, character: 0 }
    };
    let rest = if end < all { format!("; continue with cursor \"{next}\"") } else { String::new() };
    part.insert("part".to_owned(), json!(format!("characters {from} to {end} of {all}{rest}")));
    (Value::Object(part), next)
}

/// As much of a text as fits the budget when written as JSON, up to the end of a line if there is
/// one in its second half.
fn fitting(text: impl Iterator<Item = char>, budget: usize) -> String {
    let mut taken = String::new();
    let mut left = budget;
    let mut is_cut = false;
    for character in text {
        let cost = match character {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            character if character.is_control() => 6,
            _ => 1,
        };
        if cost > left {
            is_cut = true;
            break;
        }
        left -= cost;
        taken.push(character);
    }
    if is_cut && let Some(end) = taken.rfind('\n').filter(|end| *end > taken.len() / 2) {
        taken.truncate(end + 1);
    }
    taken
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use axum::extract::Query;
    use axum::routing::get;
    use axum::{Json, Router};
    use client::Client;
    use contract::CallOrigin;
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::api_session::McpCaller;

    /// A service with one list of these items.
    fn session(items: Vec<Value>) -> ApiSession {
        let list = move |Query(query): Query<BTreeMap<String, usize>>| async move {
            let (page, size) = (query["page"], query["page_size"]);
            let some: Vec<_> = items.iter().skip((page - 1) * size).take(size).cloned().collect();
            let has_more = page * size < items.len();
            Json(json!({"items": some, "total": items.len(), "has_more": has_more}))
        };
        let router = Router::new().route("/list", get(list));
        ApiSession {
            client: Client::in_process(router, CallOrigin::Mcp),
            caller: McpCaller::default(),
            closing: CancellationToken::new(),
        }
    }

    /// All chunks, read by following the cursors.
    async fn read(session: &ApiSession, budget: usize) -> Vec<ResultChunk> {
        let mut chunks: Vec<ResultChunk> = Vec::new();
        let mut from = ChunkCursor::default();
        loop {
            let request = ChunkRequest {
                list: "/list?".to_owned(),
                from,
                budget,
                fields: None,
                paging: ChunkPaging::Number,
            };
            let chunk = request.read(session).await.expect("a chunk");
            let next = chunk.next.clone();
            chunks.push(chunk);
            match next {
                // Use the text form of the cursor, as a client does.
                Some(next) => from = next.to_string().parse().expect("a cursor"),
                None => return chunks,
            }
            assert!(chunks.len() < 1_000, "it does not end");
        }
    }

    #[tokio::test]
    async fn following_cursors_reads_every_item_once_within_the_budget() {
        let items: Vec<_> = (0..1_200).map(|n| json!({"url": format!("https://a/{n}")})).collect();
        for budget in [50, 1_000, 200_000] {
            let chunks = read(&session(items.clone()), budget).await;
            for chunk in &chunks {
                let size: usize = chunk.items.iter().map(|item| item.to_string().len()).sum();
                assert!(size <= budget, "{size} of {budget}");
            }
            assert!(chunks.len() > 1, "a chunk is limited to a number of requests");
            let read: Vec<_> = chunks.into_iter().flat_map(|chunk| chunk.items).collect();
            assert_eq!(read, items, "with {budget}");
        }
    }

    #[tokio::test]
    async fn filtered_results_are_read_by_the_cursors_of_their_pages() {
        // Pages of 3 items of 10, as the API returns after its limit of examined items.
        let items: Vec<_> = (0..10).map(|n| json!({"url": format!("https://a/{n}")})).collect();
        let served = items.clone();
        let list = move |Query(query): Query<BTreeMap<String, String>>| async move {
            let prefix = "CursorOfTheService";
            let from: usize = match query.get("cursor") {
                Some(cursor) => cursor.strip_prefix(prefix).expect("ours").parse().expect("one"),
                None => 0,
            };
            assert_eq!(query["filter[broken]"], "true");
            let some: Vec<_> = served.iter().skip(from).take(3).cloned().collect();
            let (end, has_more) = (from + some.len(), from + 3 < served.len());
            Json(
                json!({"items": some, "has_more": has_more, "next_cursor": format!("{prefix}{end}")}),
            )
        };
        let session = ApiSession {
            client: Client::in_process(Router::new().route("/list", get(list)), CallOrigin::Mcp),
            caller: McpCaller::default(),
            closing: CancellationToken::new(),
        };
        for budget in [30, 60, 1_000] {
            let (mut read, mut from) = (Vec::new(), ChunkCursor::default());
            loop {
                let request = ChunkRequest {
                    list: "/list?filter%5Bbroken%5D=true&".to_owned(),
                    from,
                    budget,
                    fields: None,
                    paging: ChunkPaging::Cursor,
                };
                let chunk = request.read(&session).await.expect("a chunk");
                read.extend(chunk.items);
                match chunk.next {
                    Some(next) => from = next.to_string().parse().expect("a cursor"),
                    None => break,
                }
            }
            assert_eq!(read, items, "with {budget}");
        }
    }

    #[tokio::test]
    async fn long_page_is_split_into_parts_that_join_to_the_whole() {
        let line = "a \"word\" and another – ünïcode\n";
        let text = line.repeat(700);
        let items = vec![
            json!({"url": "https://a/1", "markdown": "short"}),
            json!({"url": "https://a/2", "title": "Two", "markdown": text}),
            json!({"url": "https://a/3", "markdown": "short"}),
        ];
        let chunks = read(&session(items), 5_000).await;
        let parts: Vec<_> = chunks
            .iter()
            .flat_map(|chunk| &chunk.items)
            .filter(|item| item["url"] == "https://a/2")
            .collect();
        assert!(parts.len() > 3);
        let whole: String =
            parts.iter().map(|part| part["markdown"].as_str().expect("text")).collect();
        assert_eq!(whole, text);
        for part in &parts {
            assert!(part["markdown"].as_str().expect("text").ends_with('\n'), "cut at a line");
            assert!(part["part"].is_string() && part["title"] == "Two");
        }
        assert!(parts[0]["part"].as_str().expect("text").contains("continue with cursor \"1:"));
        let last = chunks.last().expect("a chunk").items.last().expect("an item");
        assert_eq!(last["url"], "https://a/3");
    }

    #[tokio::test]
    async fn other_large_items_are_split_as_json_text() {
        let people: Vec<_> = (0..200).map(|n| json!({"name": format!("Person {n}")})).collect();
        let item = json!({"domain": "example.com", "people": people});
        let chunks = read(&session(vec![item.clone()]), 1_000).await;
        let whole: String = chunks
            .iter()
            .flat_map(|chunk| &chunk.items)
            .map(|part| part["json"].as_str().expect("text"))
            .collect();
        assert_eq!(serde_json::from_str::<Value>(&whole).expect("JSON"), item);
    }

    #[test]
    fn empty_members_are_omitted_and_requested_fields_are_kept() {
        let item = json!({"url": "u", "title": null, "content_hash": "x", "redirects": [],
            "broken": false, "images": ["i"]});
        let request = |fields: Option<&[&str]>| ChunkRequest {
            list: String::new(),
            from: ChunkCursor::default(),
            budget: BUDGET,
            fields: fields.map(|fields| fields.iter().map(ToString::to_string).collect()),
            paging: ChunkPaging::Offset,
        };
        let useful = json!({"url": "u", "broken": false, "images": ["i"]});
        assert_eq!(request(None).select_fields(item.clone()), useful);
        let one = json!({"content_hash": "x"});
        assert_eq!(request(Some(&["content_hash", "title"])).select_fields(item.clone()), one);
        let all = request(Some(&["*"])).select_fields(item);
        assert_eq!(all["content_hash"], "x");
    }

    #[test]
    fn invalid_cursors_are_rejected() {
        for text in ["", "a", "1:", ":1", "-1", "1:2:3", "99999999999999999999999"] {
            assert!(text.parse::<ChunkCursor>().is_err(), "{text:?}");
        }
        for text in ["7", "7:30", "AQAAAAAAAAAH1x2y3z4w5v6u:3:0"] {
            let cursor: ChunkCursor = text.parse().expect("a cursor");
            assert_eq!(cursor.to_string(), text);
        }
    }
}
