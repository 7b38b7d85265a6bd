//! Every format, written from items and read again.

use contract::{ExportFormat, Mode};
use proptest::prelude::*;
use registry::item_schema;
use serde_json::{Value, json};

use crate::test_sink::TestSink;
use crate::{ExportSubject, FileKind, writer};

fn written(format: ExportFormat, mode: Mode, items: &[Value]) -> (FileKind, Vec<u8>) {
    let url = Some("https://a.test/".to_owned());
    let subject = ExportSubject { schema: item_schema(mode), url, table: None };
    let kept = TestSink::default();
    let mut rows = writer(format, &subject, kept.clone()).expect("it begins");
    items.iter().for_each(|item| rows.write(item).expect("it is written"));
    rows.finish().expect("it ends");
    kept.take()
}

fn text(format: ExportFormat, mode: Mode, items: &[Value]) -> String {
    String::from_utf8(written(format, mode, items).1).expect("UTF-8")
}

#[test]
fn empty_results_give_a_valid_file_in_every_format() {
    for mode in Mode::ALL {
        assert_eq!(text(ExportFormat::Json, *mode, &[]), "[]\n");
        assert_eq!(text(ExportFormat::Jsonl, *mode, &[]), "");
        let csv = text(ExportFormat::Csv, *mode, &[]);
        assert!(csv.starts_with('\u{feff}') && csv.matches("\r\n").count() == 1, "{csv}");
        let (kind, book) = written(ExportFormat::Xlsx, *mode, &[]);
        assert_eq!((kind, &book[..2]), (FileKind::Xlsx, &b"PK"[..]));
        let xml = text(ExportFormat::Xml, *mode, &[]);
        assert!(xml.starts_with("<?xml") && xml.trim_end().ends_with('>'), "{xml}");
        let md = text(ExportFormat::Md, *mode, &[]);
        assert_eq!(md.is_empty(), *mode == Mode::Markdown, "{md}");
    }
}

#[test]
fn json_has_the_items_unchanged() {
    let items =
        [json!({"url": "é😀", "b": [1, null], "a": {"z": 1.5}}), json!({"x": "\u{2028}\n"})];
    let array: Vec<Value> =
        serde_json::from_str(&text(ExportFormat::Json, Mode::Links, &items)).expect("an array");
    assert_eq!(array, items);
    let lines = text(ExportFormat::Jsonl, Mode::Links, &items);
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, items);
    let order = text(ExportFormat::Jsonl, Mode::Links, &items[..1]);
    assert!(
        order.find("\"url\"") < order.find("\"b\"") && order.find("\"b\"") < order.find("\"a\"")
    );
}

#[test]
fn markdown_table_escapes_page_content() {
    let item = json!({
        "url": "https://a.test/a|b", "title": "a | b\n# c <img> [x](y) `z` \\", "type": "page",
        "status_code": 200, "depth": 1, "inlinks": 3,
    });
    let table = text(ExportFormat::Md, Mode::Links, &[item.clone(), item]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 4, "{table}");
    assert_eq!(lines[0], "| url | title | type | status\\_code | depth | inlinks |");
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    assert!(lines.iter().all(|line| bars(line) == 7), "{table}");
    assert!(lines[2].starts_with("| <https://a.test/a%7Cb> | a \\| b \\# c \\<img\\> \\[x\\]"));
}

#[test]
fn markdown_pages_are_joined_to_one_document() {
    let page = |n: u32| json!({"url": format!("https://a.test/{n}"), "title": "On *n*", "markdown": "Text\n\n"});
    let document = text(ExportFormat::Md, Mode::Markdown, &[page(1), page(2)]);
    let expected = "# On \\*n\\*\n\nSource: <https://a.test/1>\n\nText\n\n---\n\n\
                    # On \\*n\\*\n\nSource: <https://a.test/2>\n\nText\n";
    assert_eq!(document, expected);
}

#[test]
fn markdown_document_does_not_repeat_the_heading_of_a_page() {
    let page = |text: &str| json!({"url": "https://a.test/", "title": "On n", "markdown": text});
    let items = [page("# On *n*\n\nText\n"), page("# On n\n")];
    let document = text(ExportFormat::Md, Mode::Markdown, &items);
    let expected = "# On *n*\n\nSource: <https://a.test/>\n\nText\n\n---\n\n\
                    # On n\n\nSource: <https://a.test/>\n";
    assert_eq!(document, expected);
}

#[test]
fn llms_txt_links_the_pages_with_their_descriptions() {
    let items = [
        json!({"url": "https://a.test/", "title": "Home", "description": "All about a."}),
        json!({"url": "https://a.test/b(1)", "title": "On [b]", "description": null}),
        json!({"url": "https://a.test/c", "title": null, "description": "On\nc."}),
    ];
    let (kind, bytes) = written(ExportFormat::LlmsTxt, Mode::Markdown, &items);
    assert_eq!((kind, kind.content_type()), (FileKind::LlmsTxt, "text/plain; charset=utf-8"));
    let expected = "# a.test\n\n> All about a.\n\n## Pages\n\n\
        - [Home](https://a.test/): All about a.\n\
        - [On \\[b\\]](https://a.test/b%281%29)\n\
        - [https://a.test/c](https://a.test/c): On c.\n";
    assert_eq!(String::from_utf8(bytes).expect("UTF-8"), expected);
    assert_eq!(text(ExportFormat::LlmsTxt, Mode::Markdown, &[]), "# a.test\n");
    let long = json!({"url": "https://a.test/", "title": "T", "description": "é".repeat(400)});
    let cut = text(ExportFormat::LlmsTxt, Mode::Markdown, &[long]);
    assert_eq!(cut.lines().last().map(|line| line.matches('é').count()), Some(300), "{cut}");
}

#[test]
fn llms_full_txt_has_the_texts_of_all_pages() {
    let page = json!({"url": "https://a.test/1", "title": "T", "markdown": "Text\n"});
    let (kind, bytes) = written(ExportFormat::LlmsFullTxt, Mode::Markdown, &[page]);
    assert_eq!((kind, kind.extension()), (FileKind::LlmsFullTxt, "txt"));
    assert_eq!(bytes, b"# T\n\nSource: <https://a.test/1>\n\nText\n");
}

#[test]
fn link_references_of_joined_pages_are_unique() {
    let page = |n: u32| {
        let markdown = format!("[a][1]\n\n[1]: https://a.test/{n}\n");
        json!({"url": "https://a.test/", "title": "T", "markdown": markdown})
    };
    let document = text(ExportFormat::Md, Mode::Markdown, &[page(1), page(2)]);
    assert!(document.contains("[a][1]\n\n[1]: https://a.test/1\n"), "{document}");
    assert!(document.contains("[a][2]\n\n[2]: https://a.test/2\n"), "{document}");
}

#[test]
fn xml_of_other_modes_has_one_element_per_member() {
    let item = json!({
        "url": "https://a.test/?a&b", "name": "<b>\u{0}", "price": null, "features": [],
        "gtin": [{"type": "ean", "value": "1"}], "provenance": {"price now": "dom"}, "ok": true,
    });
    let xml = text(ExportFormat::Xml, Mode::Products, &[item]);
    let expected = "<item><url>https://a.test/?a&amp;b</url><name>&lt;b&gt;</name><price/>\
        <features/><gtin><item><type>ean</type><value>1</value></item></gtin>\
        <provenance><member name=\"price now\">dom</member></provenance><ok>true</ok></item>";
    assert!(xml.contains(expected), "{xml}");
    let mut reader = quick_xml::Reader::from_str(&xml);
    while reader.read_event().expect("well-formed") != quick_xml::events::Event::Eof {}
}

fn table(mode: Mode, table: &str, items: &[Value]) -> String {
    let table = Some(table.to_owned());
    let subject = ExportSubject { schema: item_schema(mode), url: None, table };
    let kept = TestSink::default();
    let mut rows = writer(ExportFormat::Csv, &subject, kept.clone()).expect("it begins");
    items.iter().for_each(|item| rows.write(item).expect("it is written"));
    rows.finish().expect("it ends");
    String::from_utf8(kept.take().1).expect("UTF-8")
}

#[test]
fn csv_quotes_texts_but_not_numbers_and_empty_cells() {
    let item = json!({"url": "https://a.test/", "title": "say \"hi\"; =1+1", "depth": 2,
        "external": false, "final_url": null, "description": ""});
    let csv = text(ExportFormat::Csv, Mode::Links, &[item]);
    let (heading, row) = csv.trim_end().split_once("\r\n").expect("two lines");
    assert!(heading.starts_with("\u{feff}\"url\",\"title\","), "{heading}");
    assert!(row.starts_with("\"https://a.test/\",\"say \"\"hi\"\"; '=1+1\",,,,"), "{row}");
    assert!(row.contains(",2,") && row.contains(",false,"), "{row}");
}

#[test]
fn csv_table_of_people_or_variants_has_one_row_each() {
    let person = |name: &str| {
        json!({"name": name, "emails": [format!("{name}@a.test")],
        "phones": [], "legal_representative": true, "confidence": 0.5})
    };
    let company = json!({"domain": "a.test", "company": {"name": "A"},
        "people": [person("ada"), person("bob")]});
    let no_people = json!({"domain": "b.test", "company": {"name": "B"}, "people": []});
    let csv = table(Mode::Contacts, "people", &[company, no_people]);
    let rows: Vec<_> = csv.lines().skip(1).collect();
    assert_eq!(rows.len(), 2, "{csv}");
    assert!(rows[1].starts_with("\"a.test\",\"A\",\"bob\","), "{csv}");
    assert!(rows[1].contains("\"bob@a.test\""), "{csv}");
    let variant = |id: &str| {
        json!({"variant_id": id, "options": {"size": id}, "sku": null,
        "price": "9.90", "availability": "in_stock"})
    };
    let product = json!({"url": "https://a.test/p", "product_id": "7", "name": "P",
        "variants": [variant("S"), variant("L")]});
    let csv = table(Mode::Products, "variants", &[product]);
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.lines().nth(2).is_some_and(|row| row.contains("\"L\",\"size=L\"")), "{csv}");
}

#[test]
fn sitemap_comment_counts_omitted_results() {
    let page = |status: u16| {
        json!({"url": format!("https://a.test/{status}"), "type": "page",
        "status_code": status, "indexable": status == 200, "external": false})
    };
    let xml = text(ExportFormat::Xml, Mode::Links, &[page(200), page(404), page(500)]);
    assert!(xml.contains("<!-- 2 of the results are omitted"), "{xml}");
    assert!(xml.find("<!--") < xml.find("</urlset>"), "{xml}");
    let whole = text(ExportFormat::Xml, Mode::Links, &[page(200)]);
    assert!(!whole.contains("<!--"), "{whole}");
}

#[test]
fn same_results_give_identical_bytes_in_every_format() {
    let item = json!({"url": "https://a.test/", "title": "t", "type": "page", "status_code": 200});
    for format in [
        ExportFormat::Json,
        ExportFormat::Csv,
        ExportFormat::Xlsx,
        ExportFormat::Md,
        ExportFormat::Xml,
    ] {
        let first = written(format, Mode::Links, std::slice::from_ref(&item));
        std::thread::sleep(std::time::Duration::from_millis(1_100));
        assert_eq!(first, written(format, Mode::Links, std::slice::from_ref(&item)), "{format:?}");
    }
}

proptest! {
    /// A CSV row keeps its columns and values for any page content.
    #[test]
    fn csv_round_trip_preserves_values(title in "\\PC*|[=+@\t\r-].*|.*[\",\n;].*", depth: u32) {
        let item = json!({"url": "https://a.test/", "title": title, "depth": depth,
            "redirects": [{"url": "a", "status": 301}, {"url": "b", "status": 302}]});
        let csv = written(ExportFormat::Csv, Mode::Links, &[item]).1;
        let body = csv.strip_prefix("\u{feff}".as_bytes()).expect("a mark");
        let mut reader = csv::Reader::from_reader(body);
        let headings = reader.headers().expect("headings").clone();
        let columns = item_schema(Mode::Links).tables[0].columns;
        prop_assert!(headings.iter().eq(columns.iter().map(|column| column.name)));
        let row = reader.records().next().expect("a row").expect("it is whole");
        let value = |name: &str| {
            headings.iter().position(|heading| heading == name).and_then(|at| row.get(at))
        };
        let printable = |c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
        let expected: String = title.chars().filter(printable).collect();
        let got = value("title").expect("a column");
        prop_assert_eq!(got, crate::text::escape_formulas(&expected));
        prop_assert!(!got.starts_with(['=', '@', '\t', '\r', '＝']));
        prop_assert_eq!(value("depth").map(str::parse), Some(Ok(depth)));
        prop_assert_eq!(value("redirects.url"), Some("a; b"));
        prop_assert_eq!(value("redirects.status"), Some("301; 302"));
    }
}
