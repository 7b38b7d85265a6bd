//! Results in pieces that fit a context.
//!
//! A piece is as many items as a budget of characters holds. An item that alone is larger is
//! handed out in parts. A cursor says where the next piece begins, so that a reader who follows
//! it has read everything, once.

use std::fmt;
use std::str::FromStr;

use serde_json::{Map, Value, json};

use crate::desk::Desk;
use crate::trouble::Trouble;
use crate::visible::visible;

/// Characters in a piece, unless told: about five thousand tokens.
pub(crate) const BUDGET: usize = 20_000;
/// What a caller may ask for.
pub(crate) const BUDGETS: std::ops::RangeInclusive<usize> = 1_000..=200_000;

/// Items that are asked of the service at first, which are enough of long ones, and then.
const FIRST: u64 = 25;
const FURTHER: u64 = 100;

/// Requests that a piece may take: they count for the caller, whose items may be tiny.
const REQUESTS: usize = 6;

/// Members of items that are for programs, and fill a context for nothing.
const FOR_PROGRAMS: &[&str] = &[
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

/// Where a piece begins: an item, and a character within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    item: u64,
    character: usize,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.character {
            0 => write!(f, "{}", self.item),
            character => write!(f, "{}:{character}", self.item),
        }
    }
}

impl FromStr for Cursor {
    type Err = Trouble;

    fn from_str(text: &str) -> Result<Self, Trouble> {
        let (item, character) = text.split_once(':').unwrap_or((text, "0"));
        match (item.parse(), character.parse()) {
            (Ok(item), Ok(character)) => Ok(Self { item, character }),
            _ => Err(Trouble::Arguments(format!(
                "cursor: {text:?} is none; take next_cursor of the answer before, or the number \
                 of an item, counted from 0"
            ))),
        }
    }
}

/// What is read, and how much of it.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The path of the list, with a query that ends in `?` or `&`.
    pub list: String,
    pub from: Cursor,
    pub budget: usize,
    /// The members of items that are wanted; `None` for the useful ones.
    pub fields: Option<Vec<String>>,
    /// Whether the list is read by the number of an item instead of by pages.
    pub by_offset: bool,
}

/// Some items, and where the others begin.
#[derive(Debug)]
pub(crate) struct Piece {
    pub items: Vec<Value>,
    pub next: Option<Cursor>,
    /// What the list says besides its items: the job, its mode, the total.
    pub list: Map<String, Value>,
}

impl Reading {
    pub async fn piece(&self, desk: &Desk) -> Result<Piece, Trouble> {
        let mut filling = Filling { at: self.from, left: self.budget, items: Vec::new() };
        let mut requests = 0;
        loop {
            let size = if requests == 0 { FIRST } else { FURTHER };
            requests += 1;
            let path = self.path(filling.at.item, size);
            let mut list: Map<String, Value> = desk.get(&path).await?;
            let items = match list.remove("items") {
                Some(Value::Array(items)) => items,
                Some(_) | None => Vec::new(),
            };
            let has_more = list.get("has_more").and_then(Value::as_bool).unwrap_or(false);
            // A page of results may hold fewer items than were asked for: they are asked for by
            // the number of the first.
            let skip = if self.by_offset { 0 } else { filling.at.item % size };
            let skip = usize::try_from(skip).unwrap_or(0);
            for item in items.into_iter().skip(skip) {
                if !filling.take(visible(self.chosen(item)), self.budget) {
                    let next = Some(filling.at);
                    return Ok(Piece { items: filling.items, next, list });
                }
            }
            // The end of the list, or of what there is of it so far.
            if !has_more {
                return Ok(Piece { items: filling.items, next: None, list });
            }
            if requests == REQUESTS {
                return Ok(Piece { items: filling.items, next: Some(filling.at), list });
            }
        }
    }

    /// Where items are asked for, from this one on or from the page that holds it.
    fn path(&self, item: u64, size: u64) -> String {
        match self.by_offset {
            true => format!("{}offset={item}&page_size={size}", self.list),
            false => format!("{}page={}&page_size={size}", self.list, item / size + 1),
        }
    }

    /// The members of an item that are wanted, without those that say nothing.
    fn chosen(&self, item: Value) -> Value {
        let Value::Object(members) = item else { return item };
        // The text of a page has its images in it.
        let has_text = members.contains_key("markdown");
        let is_for_programs =
            |name: &str| FOR_PROGRAMS.contains(&name) || (has_text && name == "images");
        let wanted = |name: &str| match &self.fields {
            Some(fields) => fields.iter().any(|field| field == name || field == "*"),
            None => !is_for_programs(name),
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

/// A piece that is being filled.
struct Filling {
    at: Cursor,
    left: usize,
    items: Vec<Value>,
}

impl Filling {
    /// Takes an item in; false when it has to wait, whole or in part, for the next piece.
    fn take(&mut self, item: Value, budget: usize) -> bool {
        let length = item.to_string().chars().count();
        if self.at.character == 0 && length <= self.left {
            self.left -= length;
            self.items.push(item);
            self.at = Cursor { item: self.at.item + 1, character: 0 };
            return true;
        }
        // What does not fit behind others begins the next piece.
        if self.items.is_empty() {
            let (part, next) = part(&item, self.at, budget);
            self.items.push(part);
            self.at = next;
        }
        false
    }
}

/// The part of a large item that begins at a cursor, and where the next one does.
fn part(item: &Value, at: Cursor, budget: usize) -> (Value, Cursor) {
    // Of a page it is the text that is long; anything else is cut as it is written.
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
    let next = if end < all {
        Cursor { item: at.item, character: end }
    } else {
        Cursor { item: at.item + 1, character: 0 }
    };
    let rest = if end < all { format!("; read on with cursor \"{next}\"") } else { String::new() };
    part.insert("part".to_owned(), json!(format!("characters {from} to {end} of {all}{rest}")));
    (Value::Object(part), next)
}

/// As much of a text as fits when it is written as JSON, up to the end of a line if there is
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
    use tokio::sync::watch;

    use super::*;
    use crate::desk::Caller;

    /// A service whose one list has these items.
    fn desk(items: Vec<Value>) -> Desk {
        let list = move |Query(query): Query<BTreeMap<String, usize>>| async move {
            let (page, size) = (query["page"], query["page_size"]);
            let some: Vec<_> = items.iter().skip((page - 1) * size).take(size).cloned().collect();
            let has_more = page * size < items.len();
            Json(json!({"items": some, "total": items.len(), "has_more": has_more}))
        };
        let router = Router::new().route("/list", get(list));
        let (_, closing) = watch::channel(false);
        Desk {
            client: Client::in_process(router, CallOrigin::Mcp),
            caller: Caller::default(),
            closing,
        }
    }

    /// Everything that a reader gets who follows the cursors.
    async fn read(desk: &Desk, budget: usize) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        let mut from = Cursor::default();
        loop {
            let reading =
                Reading { list: "/list?".to_owned(), from, budget, fields: None, by_offset: false };
            let piece = reading.piece(desk).await.expect("a piece");
            let next = piece.next;
            pieces.push(piece);
            match next {
                // As a reader would: by the text of the cursor.
                Some(next) => from = next.to_string().parse().expect("a cursor"),
                None => return pieces,
            }
            assert!(pieces.len() < 1_000, "it does not end");
        }
    }

    #[tokio::test]
    async fn whoever_follows_the_cursors_reads_every_item_once_and_within_the_budget() {
        let items: Vec<_> = (0..1_200).map(|n| json!({"url": format!("https://a/{n}")})).collect();
        for budget in [50, 1_000, 200_000] {
            let pieces = read(&desk(items.clone()), budget).await;
            for piece in &pieces {
                let size: usize = piece.items.iter().map(|item| item.to_string().len()).sum();
                assert!(size <= budget, "{size} of {budget}");
            }
            assert!(pieces.len() > 1, "one piece takes no end of requests");
            let read: Vec<_> = pieces.into_iter().flat_map(|piece| piece.items).collect();
            assert_eq!(read, items, "with {budget}");
        }
    }

    #[tokio::test]
    async fn a_long_page_comes_in_parts_that_make_it_whole() {
        let line = "a \"word\" and another – ünïcode\n";
        let text = line.repeat(700);
        let items = vec![
            json!({"url": "https://a/1", "markdown": "short"}),
            json!({"url": "https://a/2", "title": "Two", "markdown": text}),
            json!({"url": "https://a/3", "markdown": "short"}),
        ];
        let pieces = read(&desk(items), 5_000).await;
        let parts: Vec<_> = pieces
            .iter()
            .flat_map(|piece| &piece.items)
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
        assert!(parts[0]["part"].as_str().expect("text").contains("read on with cursor \"1:"));
        let last = pieces.last().expect("a piece").items.last().expect("an item");
        assert_eq!(last["url"], "https://a/3");
    }

    #[tokio::test]
    async fn any_other_large_item_comes_as_parts_of_its_json() {
        let people: Vec<_> = (0..200).map(|n| json!({"name": format!("Person {n}")})).collect();
        let item = json!({"domain": "example.com", "people": people});
        let pieces = read(&desk(vec![item.clone()]), 1_000).await;
        let whole: String = pieces
            .iter()
            .flat_map(|piece| &piece.items)
            .map(|part| part["json"].as_str().expect("text"))
            .collect();
        assert_eq!(serde_json::from_str::<Value>(&whole).expect("JSON"), item);
    }

    #[test]
    fn what_says_nothing_is_left_out_and_what_is_named_is_kept() {
        let item = json!({"url": "u", "title": null, "content_hash": "x", "redirects": [],
            "broken": false, "images": ["i"]});
        let reading = |fields: Option<&[&str]>| Reading {
            list: String::new(),
            from: Cursor::default(),
            budget: BUDGET,
            fields: fields.map(|fields| fields.iter().map(ToString::to_string).collect()),
            by_offset: true,
        };
        let useful = json!({"url": "u", "broken": false, "images": ["i"]});
        assert_eq!(reading(None).chosen(item.clone()), useful);
        let one = json!({"content_hash": "x"});
        assert_eq!(reading(Some(&["content_hash", "title"])).chosen(item.clone()), one);
        let all = reading(Some(&["*"])).chosen(item);
        assert_eq!(all["content_hash"], "x");
    }

    #[test]
    fn what_is_no_cursor_is_told_so() {
        for text in ["", "a", "1:", ":1", "-1", "1:2:3", "99999999999999999999999"] {
            assert!(text.parse::<Cursor>().is_err(), "{text:?}");
        }
        let cursor: Cursor = "7:30".parse().expect("a cursor");
        assert_eq!(cursor.to_string(), "7:30");
    }
}
