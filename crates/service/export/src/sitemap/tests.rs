use serde_json::json;

use super::*;
use crate::test_sink::TestSink;

fn subject() -> ExportSubject {
    let url = Some("https://shop.test/start?x".to_owned());
    ExportSubject { schema: registry::item_schema(contract::Mode::Sitemap), url, table: None }
}

fn page(url: &str) -> Value {
    json!({"url": url, "type": "page", "status_code": 200, "indexable": true, "external": false})
}

fn with(url: &str, changes: &Value) -> Value {
    let mut item = page(url);
    for (member, value) in changes.as_object().expect("an object") {
        item[member] = value.clone();
    }
    item
}

fn written(limits: (usize, usize), items: &[Value]) -> (FileKind, Vec<u8>) {
    let kept = TestSink::default();
    let mut writer =
        Box::new(SitemapWriter::within(limits, &subject(), kept.clone()).expect("it begins"));
    items.iter().for_each(|item| writer.write(item).expect("it is written"));
    writer.finish().expect("it ends");
    kept.take()
}

#[test]
fn sitemap_lists_indexable_pages_only() {
    let items = [
        page("https://shop.test/a?b&c"),
        with("https://shop.test/404", &json!({"status_code": 404})),
        with("https://shop.test/hidden", &json!({"indexable": false})),
        with("https://shop.test/unknown", &json!({"indexable": null})),
        with("https://shop.test/a.pdf", &json!({"type": "file"})),
        with("https://other.test/", &json!({"external": true})),
    ];
    let (kind, bytes) = written((PART_URLS, PART_BYTES), &items);
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(kind, FileKind::Xml);
    assert_eq!(text.matches("<url>").count(), 1, "{text}");
    assert!(text.contains("<loc>https://shop.test/a?b&amp;c</loc>"), "{text}");
}

#[test]
fn valid_sitemap_metadata_is_kept_and_invalid_is_dropped() {
    let item = with(
        "https://shop.test/",
        &json!({
            "lastmod": "2026-02-28T10:00:00+01:00", "changefreq": "daily", "priority": "0.8",
            "images": ["https://shop.test/a.png"],
            "alternates": [{"lang": "de", "url": "https://shop.test/de?a&b"}],
        }),
    );
    let odd = with(
        "https://shop.test/odd",
        &json!({"lastmod": "yesterday", "changefreq": "often", "priority": "9"}),
    );
    let (_, bytes) = written((PART_URLS, PART_BYTES), &[item, odd]);
    let text = String::from_utf8(bytes).expect("UTF-8");
    for part in [
        "<lastmod>2026-02-28T10:00:00+01:00</lastmod>",
        "<changefreq>daily</changefreq>",
        "<priority>0.8</priority>",
        "<xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"https://shop.test/de?a&amp;b\"/>",
        "<image:image><image:loc>https://shop.test/a.png</image:loc></image:image>",
        "<url><loc>https://shop.test/odd</loc></url>",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn large_sitemap_becomes_archive_with_index() {
    let items: Vec<_> = (0..7).map(|n| page(&format!("https://shop.test/{n}"))).collect();
    for limits in [(3, PART_BYTES), (100, 360)] {
        let (kind, bytes) = written(limits, &items);
        assert_eq!(kind, FileKind::Zip);
        let mut archive = zip::ZipArchive::new(io::Cursor::new(bytes)).expect("an archive");
        let mut read = |name: &str| {
            let file = archive.by_name(name).expect("it is there");
            io::read_to_string(file).expect("UTF-8")
        };
        let index = read("sitemap.xml");
        let parts = index.matches("<sitemap>").count();
        assert!(parts >= 3 && index.contains("<loc>https://shop.test/sitemap-1.xml</loc>"));
        let files: Vec<_> = (1..=parts).map(|n| read(&name(n))).collect();
        let urls: usize = files.iter().map(|file| file.matches("<url>").count()).sum();
        assert_eq!(urls, items.len());
        assert!(files.iter().all(|file| file.matches("<url>").count() <= limits.0));
        assert!(files.iter().all(|file| file.len() <= limits.1 && file.ends_with(CLOSE)));
        assert!(!files[parts - 1].is_empty());
    }
}

#[test]
fn datetimes_match_the_sitemap_schema() {
    for good in [
        "2026-11-15",
        "2024-02-29",
        "2026-11-15T12:30:00Z",
        "2026-11-15T12:30:00.123+14:00",
        "2026-11-15T23:59:59-05:30",
    ] {
        assert!(is_w3c_datetime(good), "{good}");
    }
    for bad in [
        "",
        "2026",
        "2026-1-5",
        "2026-02-29",
        "2026-13-01",
        "2026-11-15T12:30:00",
        "2026-11-15T12:30Z",
        "2026-11-15T24:00:00Z",
        "2026-11-15T12:30:00.Z",
        "2026-11-15T12:30:00+15:00",
        "2026-11-15 12:30:00Z",
        "０２６-11-15",
    ] {
        assert!(!is_w3c_datetime(bad), "{bad}");
    }
}
