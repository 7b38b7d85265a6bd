//! Parquet files, read with the reader of the crate. `tests/parquet_readers.rs` reads them with
//! DuckDB and pyarrow.

use bytes::Bytes;
use contract::{ExportFormat, Mode};
use parquet::file::reader::{FileReader, SerializedFileReader};
use registry::item_schema;
use serde_json::{Value, json};

use crate::test_sink::TestSink;
use crate::{ExportSubject, FileKind, writer};

fn file(mode: Mode, table: Option<&str>, items: &[Value]) -> SerializedFileReader<Bytes> {
    let table = table.map(str::to_owned);
    let subject = ExportSubject { schema: item_schema(mode), url: None, table };
    let kept = TestSink::default();
    let mut rows = writer(ExportFormat::Parquet, &subject, kept.clone()).expect("it begins");
    items.iter().for_each(|item| rows.write(item).expect("it is written"));
    rows.finish().expect("it ends");
    let (kind, bytes) = kept.take();
    assert_eq!(kind, FileKind::Parquet);
    SerializedFileReader::new(Bytes::from(bytes)).expect("a Parquet file")
}

fn rows(file: &SerializedFileReader<Bytes>) -> Vec<String> {
    let rows = file.get_row_iter(None).expect("rows");
    rows.map(|row| row.expect("a row").to_string()).collect()
}

#[test]
fn columns_of_every_table_have_distinct_names() {
    for mode in Mode::ALL {
        for table in item_schema(*mode).tables {
            let empty = file(*mode, Some(table.name), &[]);
            let schema = empty.metadata().file_metadata().schema().get_fields().to_vec();
            let mut names: Vec<_> = schema.iter().map(|field| field.name().to_owned()).collect();
            assert_eq!(names.len(), table.all_columns().count());
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), table.all_columns().count(), "{mode} {}", table.name);
            assert!(rows(&empty).is_empty());
        }
    }
}

#[test]
fn values_have_the_types_of_their_columns() {
    let items = [
        json!({"url": "u", "name": "ü", "price": "19.90", "regular_price": null,
            "tax_included": true, "rating": {"value": 4.5, "best": 5.0, "count": 12},
            "features": ["a", "b"], "gtin": [{"type": "gtin13", "value": "1"}],
            "breadcrumbs": [{"name": "x", "url": null}, {"name": "y", "url": "z"}],
            "attributes": [], "provenance": {"price": "dom"},
            "fetched_at": "2026-11-15T10:00:00.000Z"}),
        json!({"url": "v", "price": "cheap", "rating": null, "features": null}),
    ];
    let rows = rows(&file(Mode::Products, None, &items));
    for part in [
        "name: \"ü\"",
        "price: 19.9000000000",
        "regular_price: null",
        "tax_included: true",
        "rating_value: 4.5",
        "rating_count: 12",
        "features: [\"a\", \"b\"]",
        "gtin_value: [\"1\"]",
        "breadcrumbs_url: [null, \"z\"]",
        "attributes_name: []",
        "provenance: \"{\"price\":\"dom\"}\"",
        "fetched_at: 2026-11-15 10:00:00",
    ] {
        assert!(rows[0].contains(part), "{part} in {}", rows[0]);
    }
    for part in ["price: null", "rating_value: null", "features: null", "fetched_at: null"] {
        assert!(rows[1].contains(part), "{part} in {}", rows[1]);
    }
}

#[test]
fn parts_of_items_are_rows_with_the_keys_of_their_item() {
    let item = json!({"url": "u", "product_id": "p", "name": "n", "variants": [
        {"variant_id": "1", "options": {"size": "L"}, "price": "-0.5", "gtin": [{"value": "7"}]},
        {"variant_id": "2"},
    ]});
    let rows = rows(&file(Mode::Products, Some("variants"), &[item]));
    assert_eq!(rows.len(), 2);
    for part in ["url: \"u\"", "product_id: \"p\"", "variant_id: \"1\"", "price: -0.5000000000"] {
        assert!(rows[0].contains(part), "{part} in {}", rows[0]);
    }
    assert!(rows[1].contains("variant_id: \"2\""), "{}", rows[1]);
}

#[test]
fn row_groups_are_bounded() {
    let text = "x".repeat(1 << 20);
    let items: Vec<_> =
        (0..40).map(|n| json!({"url": format!("u{n}"), "markdown": text})).collect();
    let file = file(Mode::Markdown, None, &items);
    let groups = file.metadata().row_groups();
    assert!(groups.len() >= 2, "{} groups", groups.len());
    for group in groups {
        assert!(group.total_byte_size() < 20 << 20, "{} bytes", group.total_byte_size());
    }
    assert_eq!(rows(&file).len(), 40);
}

#[test]
fn decimal_numbers_keep_their_digits() {
    for (text, expected) in [
        ("0", Some("0.0000000000")),
        ("19.9", Some("19.9000000000")),
        ("-3.14159265358979", Some("-3.1415926535")),
        ("9999999999999999999999999999.9", Some("9999999999999999999999999999.9000000000")),
        ("99999999999999999999999999999", None),
        ("1e3", None),
        (".5", None),
        ("", None),
        ("-", None),
        ("1.2.3", None),
    ] {
        let row = &rows(&file(Mode::Products, None, &[json!({"price": text})]))[0];
        let expected = format!(" price: {},", expected.unwrap_or("null"));
        assert!(row.contains(&expected), "{text}: {expected} in {row}");
    }
}
