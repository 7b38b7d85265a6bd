use std::io::{Cursor, Read};

use contract::Mode;
use registry::item_schema;
use serde_json::json;
use zip::ZipArchive;

use super::*;
use crate::test_sink::TestSink;

fn book(rows: u32, mode: Mode, items: &[Value]) -> ZipArchive<Cursor<Vec<u8>>> {
    let (kept, tables) = (TestSink::default(), item_schema(mode).tables);
    let writer = WorkbookFile::within((rows, SHEET_BYTES), tables, kept.clone());
    let mut writer = Box::new(writer.expect("it begins"));
    items.iter().for_each(|item| writer.write(item).expect("it is written"));
    writer.finish().expect("it ends");
    let (kind, bytes) = kept.take();
    assert_eq!(kind, FileKind::Xlsx);
    ZipArchive::new(Cursor::new(bytes)).expect("an archive")
}

fn part(archive: &mut ZipArchive<Cursor<Vec<u8>>>, name: &str) -> String {
    let mut text = String::new();
    archive.by_name(name).expect("it is there").read_to_string(&mut text).expect("UTF-8");
    text
}

#[test]
fn cells_are_typed_and_formulas_are_text() {
    let item = json!({
        "url": "https://a.test/", "title": "=cmd|' /C calc'!A0", "type": "page",
        "status_code": 200, "broken": true, "anchor": "-5", "h1": "bad \u{1} \u{ffff} é😀",
        "size_bytes": 9_007_199_254_740_993_u64, "fetched_at": "2026-11-15T12:00:00.250Z",
    });
    let mut archive = book(10, Mode::Links, &[item]);
    let sheet = part(&mut archive, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<v>200</v>"), "{sheet}");
    assert!(sheet.contains("t=\"b\"><v>1</v>"), "{sheet}");
    assert!(sheet.contains("'=cmd|"), "{sheet}");
    assert!(sheet.contains(">-5<") && sheet.contains("é😀"), "{sheet}");
    assert!(sheet.contains("9007199254740993"), "as text, digit by digit: {sheet}");
    assert!(sheet.contains("<v>46341.5"), "a moment is a number with a format: {sheet}");
    assert!(sheet.contains("state=\"frozen\"") && sheet.contains("<autoFilter"), "{sheet}");
    assert!(!sheet.contains('\u{1}') && !sheet.contains('\u{ffff}'));
}

#[test]
fn full_sheet_continues_on_a_new_one() {
    let items: Vec<_> = (0..7).map(|n| json!({"url": format!("https://a.test/{n}")})).collect();
    let mut archive = book(3, Mode::Links, &items);
    let workbook = part(&mut archive, "xl/workbook.xml");
    for name in ["\"links\"", "\"links 2\"", "\"links 3\""] {
        assert!(workbook.contains(name), "{workbook}");
    }
    let rows = |archive: &mut _, n| part(archive, &format!("xl/worksheets/sheet{n}.xml"));
    let counts: Vec<_> =
        (1..=3).map(|n| rows(&mut archive, n).matches("<row ").count() - 1).collect();
    assert_eq!(counts, [3, 3, 1]);
}

#[test]
fn sheet_size_is_limited() {
    let (kept, tables) = (TestSink::default(), item_schema(Mode::Links).tables);
    let writer = WorkbookFile::within((100, 1_000), tables, kept.clone());
    let mut writer = Box::new(writer.expect("it begins"));
    let item = json!({"url": "https://a.test/", "title": "&".repeat(100)});
    (0..4).for_each(|_| writer.write(&item).expect("it is written"));
    writer.finish().expect("it ends");
    let mut archive = ZipArchive::new(Cursor::new(kept.take().1)).expect("an archive");
    let workbook = part(&mut archive, "xl/workbook.xml");
    assert!(workbook.contains("\"links 2\"") && !workbook.contains("\"links 3\""), "{workbook}");
}

#[test]
fn people_and_variants_have_separate_sheets() {
    let company = json!({
        "domain": "a.test", "company": {"name": "A"},
        "people": [{"name": "P", "emails": ["p@a.test"]}, {"name": "Q", "emails": []}],
    });
    let mut archive = book(10, Mode::Contacts, &[company]);
    let workbook = part(&mut archive, "xl/workbook.xml");
    assert!(workbook.contains("\"companies\"") && workbook.contains("\"people\""), "{workbook}");
    let people = part(&mut archive, "xl/worksheets/sheet2.xml");
    assert_eq!(people.matches("<row ").count(), 3);
    assert_eq!(people.matches(">a.test<").count(), 2, "{people}");
    let product = json!({
        "url": "u", "name": "N", "price": "12.50",
        "variants": [{"variant_id": "v", "options": {"size": "L"}, "price": "13.00"}],
    });
    let mut archive = book(10, Mode::Products, &[product]);
    let products = part(&mut archive, "xl/worksheets/sheet1.xml");
    assert!(products.contains("<v>12.5</v>"), "{products}");
    let variants = part(&mut archive, "xl/worksheets/sheet2.xml");
    assert!(variants.contains("size=L") && variants.contains("<v>13</v>"), "{variants}");
}

#[test]
fn long_cell_text_is_truncated() {
    assert_eq!(truncated("é".repeat(CELL_CHARS)).chars().count(), CELL_CHARS);
    for text in ["a".repeat(CELL_CHARS + 1), "😀".repeat(20_000)] {
        let cut = truncated(text);
        let length = cut.encode_utf16().count();
        assert!((CELL_CHARS - 1..=CELL_CHARS).contains(&length) && cut.ends_with('…'));
    }
}

#[test]
fn variants_sheet_has_one_row_per_variant() {
    let variant = |id: &str| json!({"variant_id": id, "options": {"size": "m"}, "price": "9.50"});
    let item = json!({
        "url": "https://a.test/lamp", "name": "Lamp", "product_id": "L-1", "price": "9.50",
        "variants": [variant("L-1-m"), variant("L-1-l")],
    });
    let plain = json!({"url": "https://a.test/rack", "name": "Rack", "variants": []});
    let mut archive = book(10, Mode::Products, &[item, plain]);
    let workbook = part(&mut archive, "xl/workbook.xml");
    assert!(workbook.contains("\"products\"") && workbook.contains("\"variants\""), "{workbook}");
    let products = part(&mut archive, "xl/worksheets/sheet1.xml");
    let variants = part(&mut archive, "xl/worksheets/sheet2.xml");
    assert_eq!((products.matches("<row ").count(), variants.matches("<row ").count()), (3, 3));
    assert!(products.contains("<v>9.5</v>"), "a price is a number: {products}");
    for piece in ["https://a.test/lamp", "L-1-l", "size=m", "<v>9.5</v>"] {
        assert!(variants.contains(piece), "{piece} in {variants}");
    }
}
