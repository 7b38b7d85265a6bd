//! Filters over hand-written items.

use serde_json::{Value, json};

use super::*;
use crate::{ExportTable, ItemComparison, export_columns};

const COLUMNS: &[ExportColumn] = export_columns![
    "url" 60 filter,
    "title" 40,
    "status_code" 12 integer filter,
    "price" 12 decimal filter,
    "rating"."value" 8 real filter,
    "rendered" 9 truth filter,
    "availability" 14 one_of(&["in_stock", "out_of_stock"]),
    "language" 10 language,
    "gtin"."value" 18 list filter,
    "fetched_at" 20 moment filter,
];

const SCHEMA: ItemSchema = ItemSchema {
    tables: &[ExportTable::of_items("items", COLUMNS)],
    markdown_document: false,
    xml_sitemap: false,
    comparison: ItemComparison {
        key: "url",
        identity: None,
        ignored: &[],
        ignored_inside: &[],
        ordered_lists: true,
    },
};

fn item() -> Value {
    json!({
        "url": "https://a.test/1", "title": "One", "status_code": 200, "price": "19.90",
        "rating": {"value": 4.5}, "rendered": false, "availability": "in_stock",
        "language": "en-GB", "gtin": [{"value": "111"}, {"value": "222"}],
        "fetched_at": "2026-11-15T10:00:00.000Z",
    })
}

fn matches(item: &Value, given: &[(&str, &str)]) -> bool {
    let filter = ItemFilter::parse(&SCHEMA, given.iter().copied());
    filter.unwrap_or_else(|errors| panic!("{given:?}: {errors:?}")).matches(item)
}

#[test]
fn conditions_compare_values_by_the_kind_of_the_column() {
    for (name, value, expected) in [
        ("url", "https://a.test/1", true),
        ("url", "https://A.test/1", false),
        ("url[ne]", "https://a.test/2", true),
        ("status_code", "200", true),
        ("status_code[gte]", "200", true),
        ("status_code[gt]", "200", false),
        ("status_code[lt]", "300", true),
        ("price", "19.9", true),
        ("price[gt]", "19.89", true),
        ("price[lte]", "9", false),
        ("rating.value[gte]", "4.5", true),
        ("rating.value[lt]", "4.5", false),
        ("rendered", "false", true),
        ("rendered", "true", false),
        ("availability", "in_stock", true),
        ("availability[ne]", "in_stock", false),
        ("language", "en", true),
        ("language", "EN-gb", true),
        ("language", "e", false),
        ("language", "en-US", false),
        ("gtin.value", "222", true),
        ("gtin.value[ne]", "222", false),
        ("gtin.value[ne]", "333", true),
        ("gtin.value[exists]", "true", true),
        ("fetched_at[gte]", "2026-11-15", true),
        ("fetched_at[lt]", "2026-11-15T12:00:00 02:00", false),
        ("fetched_at[lte]", "2026-11-15T12:00:00 02:00", true),
        ("fetched_at[lt]", "2026", false),
    ] {
        assert_eq!(matches(&item(), &[(name, value)]), expected, "{name} {value}");
    }
}

#[test]
fn missing_value_matches_only_ne_and_exists_false() {
    let empty = json!({"url": "u", "price": null, "rating": null, "gtin": [], "language": ""});
    for name in ["status_code", "price", "rating.value"] {
        assert!(matches(&empty, &[(&format!("{name}[ne]"), "1")]), "{name}");
        assert!(matches(&empty, &[(&format!("{name}[exists]"), "false")]), "{name}");
        assert!(!matches(&empty, &[(&format!("{name}[exists]"), "true")]), "{name}");
        for operator in ["eq", "gt", "gte", "lt", "lte"] {
            assert!(!matches(&empty, &[(&format!("{name}[{operator}]"), "0")]), "{name}");
        }
    }
    for name in ["gtin.value", "language"] {
        assert!(matches(&empty, &[(&format!("{name}[exists]"), "false")]), "{name}");
    }
}

#[test]
fn repeated_values_are_alternatives_and_other_conditions_hold_together() {
    assert!(matches(&item(), &[("status_code", "404"), ("status_code", "200")]));
    assert!(!matches(&item(), &[("status_code[ne]", "404"), ("status_code[ne]", "200")]));
    assert!(matches(&item(), &[("price[gte]", "10"), ("price[lt]", "20"), ("language", "en")]));
    assert!(!matches(&item(), &[("price[gte]", "10"), ("price[lt]", "19")]));
}

#[test]
fn equal_filters_have_equal_canonical_texts() {
    let canonical = |given: &[(&str, &str)]| {
        let filter = ItemFilter::parse(&SCHEMA, given.iter().copied()).expect("a filter");
        filter.canonical().to_owned()
    };
    let first = canonical(&[("url", "a"), ("price[gt]", "1")]);
    assert_eq!(canonical(&[("price[gt]", "1"), ("url[eq]", "a"), ("url", "a")]), first);
    assert_ne!(canonical(&[("url", "a"), ("price[gte]", "1")]), first);
}

#[test]
fn invalid_conditions_name_the_parameter_and_the_remedy() {
    for (name, value, field, part) in [
        ("status", "200", "filter[status]", "did you mean status_code?"),
        ("title", "One", "filter[title]", "no column that filters"),
        ("", "1", "filter[]", "no column that filters"),
        ("price[above]", "1", "filter[price][above]", "eq, ne, gt, gte, lt, lte, exists"),
        ("price[gte", "1", "filter[price][gte", "the operators are"),
        ("price[gte]", "cheap", "filter[price][gte]", "must be a number"),
        ("price", "inf", "filter[price]", "must be a number"),
        ("status_code", "404,410", "filter[status_code]", "several times"),
        ("rendered", "yes", "filter[rendered]", "true or false"),
        ("url[exists]", "1", "filter[url][exists]", "true or false"),
        ("url[gt]", "a", "filter[url][gt]", "has no order"),
        ("availability", "instock", "filter[availability]", "in_stock, out_of_stock"),
        ("fetched_at[gte]", "yesterday", "filter[fetched_at][gte]", "must be a date"),
        ("url", "", "filter[url]", "[exists]=false"),
    ] {
        let errors = ItemFilter::parse(&SCHEMA, [(name, value)]).expect_err("invalid");
        assert_eq!(errors[0].field, field);
        assert!(errors[0].message.contains(part), "{name}: {}", errors[0].message);
    }
    let twice = ItemFilter::parse(&SCHEMA, [("price[gt]", "1"), ("price[gt]", "2")]);
    assert_eq!(twice.expect_err("twice")[0].message, "is given twice");
    let many = (0..21).map(|_| ("url", "a"));
    assert!(ItemFilter::parse(&SCHEMA, many).is_err());
    let long = "x".repeat(MAX_VALUE_CHARS + 1);
    assert!(ItemFilter::parse(&SCHEMA, [("url", long.as_str())]).is_err());
}

#[test]
fn searched_text_is_found_in_any_text_column_in_any_case() {
    let search = |text: &str| ItemFilter::default().containing(&SCHEMA, text);
    let found = |text: &str| search(text).expect("a text").matches(&item());
    for text in ["one", "A.TEST/1", " in_stock ", "222", "EN-gb"] {
        assert!(found(text), "{text}");
    }
    // Numbers and other items are not searched.
    for text in ["19.90 ", "two", "200"] {
        assert!(!found(text), "{text}");
    }
    let both = ItemFilter::parse(&SCHEMA, [("status_code", "404")]).expect("a condition");
    let both = both.containing(&SCHEMA, "one").expect("a text");
    assert!(!both.is_empty() && !both.matches(&item()));
    assert_ne!(both.canonical(), search("one").expect("a text").canonical());
    for text in ["", "  ", &"x".repeat(201)] {
        assert_eq!(search(text).expect_err("invalid").field, "q");
    }
}
