//! Hashes of the fields of an item that count in a comparison of two runs.
//!
//! Fields with content of the site count. Fields that depend on the run do not: time of the fetch,
//! link path, order, confidence. The [`ItemComparison`] of the mode names them. See
//! `docs/schedules.md`.

use contract::ItemComparison;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128_with_seed;

/// The hashes by which an item is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ItemFingerprint {
    /// Hash of the field that is unique in a run: URL or domain.
    pub key: u128,
    /// Hash of the field that identifies an item whose key has changed.
    pub identity: Option<u128>,
    /// Hash of all fields that count.
    pub content: u128,
    pub number: u32,
}

impl ItemFingerprint {
    pub fn of(comparison: &ItemComparison, item: &Value, number: u64) -> Self {
        let identity = comparison.identity.and_then(|field| item.get(field)?.as_str());
        // A sum, because the order of fields differs between releases.
        let content = counted(comparison, item).map(|(_, hash)| hash).fold(0, u128::wrapping_add);
        Self {
            key: text(key_of(comparison, item)),
            identity: identity.filter(|id| !id.is_empty()).map(text),
            content,
            number: u32::try_from(number).unwrap_or(u32::MAX),
        }
    }
}

/// The URL or the domain of an item.
pub(super) fn key_of<'i>(comparison: &ItemComparison, item: &'i Value) -> &'i str {
    item.get(comparison.key).and_then(Value::as_str).unwrap_or_default()
}

/// The names of the fields that differ, in the order of the newer item.
pub(super) fn differing(comparison: &ItemComparison, before: &Value, after: &Value) -> Vec<String> {
    let old: Vec<_> = counted(comparison, before).collect();
    let new: Vec<_> = counted(comparison, after).collect();
    let changed = new.iter().filter(|member| !old.contains(member)).map(|(name, _)| *name);
    let gone = old.iter().map(|(name, _)| *name);
    let gone = gone.filter(|name| !new.iter().any(|(other, _)| other == name));
    changed.chain(gone).map(str::to_owned).collect()
}

/// The fields that count, each with the hash of its name and value. Null equals absent, because
/// items of an older release lack newer fields.
fn counted<'i>(
    comparison: &ItemComparison,
    item: &'i Value,
) -> impl Iterator<Item = (&'i str, u128)> {
    let members = item.as_object().into_iter().flatten();
    members
        .filter(move |(name, value)| {
            !value.is_null() && !comparison.ignored.contains(&name.as_str())
        })
        // Earlier releases wrote false instead of null when no sitemap was read.
        .filter(|(name, value)| *name != "in_sitemap" || **value != Value::Bool(false))
        .map(move |(name, value)| (name.as_str(), member(name, digest(comparison, value))))
}

fn digest(comparison: &ItemComparison, value: &Value) -> u128 {
    match value {
        Value::Null => 1,
        Value::Bool(truth) => 2 + u128::from(*truth),
        Value::Number(number) => xxh3_128_with_seed(number.to_string().as_bytes(), 4),
        Value::String(said) => text(said),
        Value::Array(items) if !comparison.ordered_lists => {
            let sum = items.iter().map(|item| digest(comparison, item)).fold(0, u128::wrapping_add);
            xxh3_128_with_seed(&sum.to_le_bytes(), 5)
        }
        Value::Array(items) => {
            let all: Vec<u8> =
                items.iter().flat_map(|item| digest(comparison, item).to_le_bytes()).collect();
            xxh3_128_with_seed(&all, 6)
        }
        Value::Object(members) => members
            .iter()
            .filter(|(name, value)| {
                !value.is_null() && !comparison.ignored_inside.contains(&name.as_str())
            })
            .map(|(name, value)| member(name, digest(comparison, value)))
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
    use contract::Mode;
    use registry::item_schema;
    use serde_json::json;

    use super::*;

    fn fingerprint(mode: Mode, item: &Value) -> ItemFingerprint {
        ItemFingerprint::of(&item_schema(mode).comparison, item, 0)
    }

    fn changed_fields(mode: Mode, before: &Value, after: &Value) -> Vec<String> {
        differing(&item_schema(mode).comparison, before, after)
    }

    fn same(mode: Mode, before: &Value, after: &Value) -> bool {
        let equal = fingerprint(mode, before).content == fingerprint(mode, after).content;
        assert_eq!(equal, changed_fields(mode, before, after).is_empty(), "{before} {after}");
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
            assert_eq!(changed_fields(Mode::Links, &page, &later), [member]);
        }
        let without = json!({"url": "https://a.example/", "status_code": 200});
        assert_eq!(
            changed_fields(Mode::Links, &page, &without),
            ["title"],
            "what is gone counts, too"
        );
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
        assert_eq!(changed_fields(Mode::Contacts, &before, &left), ["people"]);
        assert_eq!(key_of(&item_schema(Mode::Contacts).comparison, &left), "a.example");
    }

    #[test]
    fn markdown_is_compared_by_text_and_products_by_fields() {
        let page = |text: &str, hash: &str, kept: f64| {
            json!({"url": "u", "markdown": text, "content_hash": hash, "word_count": 2,
                "extraction": {"kept_ratio": kept}})
        };
        assert!(same(Mode::Markdown, &page("a b", "1", 0.5), &page("a b", "2", 0.7)));
        assert_eq!(
            changed_fields(Mode::Markdown, &page("a b", "1", 0.5), &page("a c", "2", 0.5)),
            ["markdown"]
        );
        let product = |price: &str, sure: f64| json!({"url": "u", "product_id": "L-1", "price": price, "confidence": sure});
        assert!(same(Mode::Products, &product("9.90", 0.5), &product("9.90", 0.8)));
        let (old, new) = (product("9.90", 0.5), product("8.90", 0.5));
        assert_eq!(changed_fields(Mode::Products, &old, &new), ["price"]);
        assert!(fingerprint(Mode::Products, &old).identity.is_some());
        assert!(fingerprint(Mode::Links, &old).identity.is_none());
    }
}
