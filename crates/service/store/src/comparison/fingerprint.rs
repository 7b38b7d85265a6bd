//! Hashes of the fields of an item that count in a comparison of two runs.
//!
//! Fields with content of the site count. Fields that depend on the run do not: time of the fetch,
//! link path, order, confidence. See `docs/schedules.md`.

use contract::Mode;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The hashes by which an item is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemFingerprint {
    /// Hash of the URL, or of the domain in mode `contacts`.
    pub key: u128,
    /// Hash of the product id, which identifies a product whose URL has changed.
    pub identity: Option<u128>,
    /// Hash of all fields that count.
    pub content: u128,
    pub number: u32,
}

impl ItemFingerprint {
    pub fn of(mode: Mode, item: &Value, number: u64) -> Self {
        let identity = match mode {
            Mode::Products => item.get("product_id").and_then(Value::as_str),
            Mode::Links | Mode::Sitemap | Mode::Markdown | Mode::Contacts => None,
        };
        // A sum, because the order of fields differs between releases.
        let content = counted(mode, item).map(|(_, hash)| hash).fold(0, u128::wrapping_add);
        Self {
            key: text(key_of(mode, item)),
            identity: identity.filter(|id| !id.is_empty()).map(text),
            content,
            number: u32::try_from(number).unwrap_or(u32::MAX),
        }
    }
}

/// The URL of an item, or its domain in mode `contacts`.
pub(super) fn key_of(mode: Mode, item: &Value) -> &str {
    let member = match mode {
        Mode::Contacts => "domain",
        Mode::Links | Mode::Sitemap | Mode::Markdown | Mode::Products => "url",
    };
    item.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The names of the fields that differ, in the order of the newer item.
pub(super) fn differing(mode: Mode, before: &Value, after: &Value) -> Vec<String> {
    let old: Vec<_> = counted(mode, before).collect();
    let new: Vec<_> = counted(mode, after).collect();
    let changed = new.iter().filter(|member| !old.contains(member)).map(|(name, _)| *name);
    let gone = old.iter().map(|(name, _)| *name);
    let gone = gone.filter(|name| !new.iter().any(|(other, _)| other == name));
    changed.chain(gone).map(str::to_owned).collect()
}

/// Fields that depend on the run, or that are derived from other fields.
fn ignored(mode: Mode) -> &'static [&'static str] {
    match mode {
        // `word_count` is derived from the text, whose hash counts.
        Mode::Links | Mode::Sitemap => &[
            "fetched_at",
            "word_count",
            "response_ms",
            "size_bytes",
            "depth",
            "inlinks",
            "found_on",
            "anchor",
            "nofollow",
            "discovered_by",
            "duplicate_of",
            "sitemap_url",
        ],
        // Words, tokens, headings, links and images are derived from the text.
        Mode::Markdown => &[
            "fetched_at",
            "depth",
            "word_count",
            "token_estimate",
            "headings",
            "links",
            "images",
            "content_hash",
            "extraction",
            "rendered",
        ],
        Mode::Products => {
            &["fetched_at", "provenance", "template_id", "confidence", "alternates", "content_hash"]
        }
        Mode::Contacts => &["fetched_at", "pages_checked", "input"],
    }
}

/// Fields of nested objects that depend on the run.
const IGNORED_INSIDE: &[&str] = &["sources", "confidence"];

/// The fields that count, each with the hash of its name and value. Null equals absent, because
/// items of an older release lack newer fields.
fn counted(mode: Mode, item: &Value) -> impl Iterator<Item = (&str, u128)> {
    let members = item.as_object().into_iter().flatten();
    members
        .filter(move |(name, value)| !value.is_null() && !ignored(mode).contains(&name.as_str()))
        // Earlier releases wrote false instead of null when no sitemap was read.
        .filter(|(name, value)| *name != "in_sitemap" || **value != Value::Bool(false))
        .map(move |(name, value)| (name.as_str(), member(name, digest(mode, value))))
}

fn digest(mode: Mode, value: &Value) -> u128 {
    match value {
        Value::Null => 1,
        Value::Bool(truth) => 2 + u128::from(*truth),
        Value::Number(number) => xxh3_128_with_seed(number.to_string().as_bytes(), 4),
        Value::String(said) => text(said),
        // The order of a company's phone numbers and people does not count.
        Value::Array(items) if mode == Mode::Contacts => {
            let sum = items.iter().map(|item| digest(mode, item)).fold(0, u128::wrapping_add);
            xxh3_128_with_seed(&sum.to_le_bytes(), 5)
        }
        Value::Array(items) => {
            let all: Vec<u8> =
                items.iter().flat_map(|item| digest(mode, item).to_le_bytes()).collect();
            xxh3_128_with_seed(&all, 6)
        }
        Value::Object(members) => members
            .iter()
            .filter(|(name, value)| {
                let aside = mode == Mode::Contacts && IGNORED_INSIDE.contains(&name.as_str());
                !value.is_null() && !aside
            })
            .map(|(name, value)| member(name, digest(mode, value)))
            .fold(7, u128::wrapping_add),
    }
}

fn member(name: &str, value: u128) -> u128 {
    let pair: Vec<u8> = text(name).to_le_bytes().into_iter().chain(value.to_le_bytes()).collect();
    xxh3_128_with_seed(&pair, 8)
}

fn text(said: &str) -> u128 {
    xxh3_128_with_seed(said.as_bytes(), 9)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(mode: Mode, before: &Value, after: &Value) -> bool {
        let equal = ItemFingerprint::of(mode, before, 0).content
            == ItemFingerprint::of(mode, after, 0).content;
        assert_eq!(equal, differing(mode, before, after).is_empty(), "{before} {after}");
        equal
    }

    #[test]
    fn content_fields_count_and_run_dependent_fields_do_not() {
        let page = json!({"url": "https://a.example/", "title": "A", "status_code": 200,
            "inlinks": 3, "depth": 1, "response_ms": 7, "fetched_at": "2026-11-15T00:00:00.000Z"});
        let mut later = page.clone();
        for (member, value) in [
            ("inlinks", json!(9)),
            ("depth", json!(2)),
            ("response_ms", json!(null)),
            ("fetched_at", json!("2026-11-16T00:00:00.000Z")),
            ("found_on", json!("https://a.example/b")),
            ("in_sitemap", json!(false)),
            ("in_sitemap", json!(null)),
        ] {
            later[member] = value;
            assert!(same(Mode::Links, &page, &later), "{member}");
        }
        for (member, value) in [("title", json!("B")), ("status_code", json!(404))] {
            let mut later = page.clone();
            later[member] = value;
            assert!(!same(Mode::Links, &page, &later), "{member}");
            assert_eq!(differing(Mode::Links, &page, &later), [member]);
        }
        let without = json!({"url": "https://a.example/", "status_code": 200});
        assert_eq!(differing(Mode::Links, &page, &without), ["title"], "what is gone counts, too");
    }

    #[test]
    fn order_of_fields_and_null_fields_do_not_count() {
        let one = json!({"url": "u", "title": "A", "h1": null});
        let other = json!({"title": "A", "url": "u"});
        assert!(same(Mode::Sitemap, &one, &other));
        assert!(!same(Mode::Sitemap, &json!({"title": ["a", "b"]}), &json!({"title": ["b", "a"]})));
        assert!(!same(Mode::Sitemap, &json!({"title": "h1"}), &json!({"h1": "title"})));
    }

    #[test]
    fn contact_record_is_equal_regardless_of_sources_and_order() {
        let mail = |value: &str, url: &str| json!({"value": value, "sources": [{"url": url}]});
        let person = |name: &str, sure: f64| json!({"name": name, "confidence": sure});
        let before = json!({"domain": "a.example", "pages_checked": 3,
            "emails": [mail("a@a.example", "x"), mail("b@a.example", "x")],
            "people": [person("Ada", 0.5)]});
        let after = json!({"domain": "a.example", "pages_checked": 5,
            "emails": [mail("b@a.example", "y"), mail("a@a.example", "z")],
            "people": [person("Ada", 0.9)]});
        assert!(same(Mode::Contacts, &before, &after));
        let left = json!({"domain": "a.example", "pages_checked": 5,
            "emails": after["emails"], "people": [person("Bob", 0.9)]});
        assert_eq!(differing(Mode::Contacts, &before, &left), ["people"]);
        assert_eq!(key_of(Mode::Contacts, &left), "a.example");
    }

    #[test]
    fn markdown_is_compared_by_text_and_products_by_fields() {
        let page = |text: &str, hash: &str, kept: f64| {
            json!({"url": "u", "markdown": text, "content_hash": hash, "word_count": 2,
                "extraction": {"kept_ratio": kept}})
        };
        assert!(same(Mode::Markdown, &page("a b", "1", 0.5), &page("a b", "2", 0.7)));
        assert_eq!(
            differing(Mode::Markdown, &page("a b", "1", 0.5), &page("a c", "2", 0.5)),
            ["markdown"]
        );
        let product = |price: &str, sure: f64| json!({"url": "u", "product_id": "L-1", "price": price, "confidence": sure});
        assert!(same(Mode::Products, &product("9.90", 0.5), &product("9.90", 0.8)));
        let (old, new) = (product("9.90", 0.5), product("8.90", 0.5));
        assert_eq!(differing(Mode::Products, &old, &new), ["price"]);
        assert!(ItemFingerprint::of(Mode::Products, &old, 0).identity.is_some());
        assert!(ItemFingerprint::of(Mode::Links, &old, 0).identity.is_none());
    }
}
