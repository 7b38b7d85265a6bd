use std::io::{self, Read as _};

use contract::{JobId, Millis, Mode};
use flate2::read::MultiGzDecoder;
use serde_json::Value;
use zip::ZipArchive;

use super::*;
use crate::test_sink::TestSink;

fn subject() -> ArchiveSubject {
    ArchiveSubject {
        job: JobId::new(Millis(1), [7; 10]),
        mode: Mode::Markdown,
        url: Some("https://a.test/start".to_owned()),
        created_at: Millis(1_794_735_000_000),
    }
}

fn page(item: u64, url: &str, body: &str) -> ArchivedPage {
    ArchivedPage {
        item,
        title: Some(format!("Page {item}")),
        url: url.to_owned(),
        status: 200,
        headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
        fetched_at: Millis(1_794_735_000_123),
        rendered: false,
        body: body.into(),
        warnings: Vec::new(),
    }
}

fn written(pages: &[ArchivedPage], format: ArchiveFormat) -> (FileKind, Vec<u8>) {
    let sink = TestSink::default();
    let pages = pages.iter().cloned().map(Ok::<_, io::Error>);
    write_archive(pages, format, &subject(), sink.clone()).expect("it is written");
    sink.take()
}

fn unpacked(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    MultiGzDecoder::new(bytes).read_to_end(&mut text).expect("gzip");
    String::from_utf8_lossy(&text).into_owned()
}

fn warc_of(pages: &[ArchivedPage]) -> String {
    let (kind, bytes) = written(pages, ArchiveFormat::Warc);
    assert_eq!(kind, FileKind::Warc);
    unpacked(&bytes)
}

#[test]
fn index_has_the_place_of_each_record() {
    let pages = [
        page(0, "https://b.test/2", "two"),
        page(1, "https://a.test/", "one"),
        page(4, "https://b.test/", "two"),
    ];
    let (_, warc) = written(&pages, ArchiveFormat::Warc);
    let (kind, index) = written(&pages, ArchiveFormat::Cdxj);
    assert_eq!(kind, FileKind::Cdxj);
    let index = String::from_utf8(index).expect("text");
    let mut keys = Vec::new();
    for line in index.lines() {
        let (key, rest) = line.split_once(' ').expect("a key");
        let (time, fields) = rest.split_once(' ').expect("a time");
        let fields: Value = serde_json::from_str(fields).expect("JSON");
        let number = |name: &str| fields[name].as_str().expect("text").parse().expect("a number");
        let (offset, length): (usize, usize) = (number("offset"), number("length"));
        let record = unpacked(&warc[offset..offset + length]);
        assert!(record.starts_with("WARC/1.1\r\n"), "{record}");
        let url = fields["url"].as_str().expect("text");
        assert!(record.contains(&format!("\r\nWARC-Target-URI: {url}\r\n")), "{record}");
        assert_eq!((time, &fields["filename"]), ("20261115093000", &subject().warc_name().into()));
        keys.push((key.to_owned(), fields["mime"].as_str().expect("text").to_owned()));
    }
    let expected =
        [("test,a)/", "text/html"), ("test,b)/", "warc/revisit"), ("test,b)/2", "text/html")];
    assert_eq!(keys, expected.map(|(key, mime)| (key.to_owned(), mime.to_owned())));
}

#[test]
fn repeated_payload_becomes_a_revisit_of_the_first() {
    let pages = [
        page(0, "https://a.test/1", "same"),
        page(1, "https://a.test/2", "same"),
        page(2, "https://a.test/3", ""),
        page(3, "https://a.test/4", ""),
    ];
    let warc = warc_of(&pages);
    assert_eq!(
        warc.matches("WARC-Type: response\r\n").count(),
        3,
        "empty payloads are not revisits"
    );
    assert_eq!(warc.matches("same").count(), 1);
    let revisit = warc.split("WARC-Type: revisit\r\n").nth(1).expect("a revisit");
    assert!(revisit.contains("WARC-Refers-To-Target-URI: https://a.test/1\r\n"), "{revisit}");
    assert!(revisit.contains("WARC-Refers-To-Date: 2026-11-15T09:30:00.123Z\r\n"), "{revisit}");
    assert!(revisit.contains("HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\n\r\n"));
}

#[test]
fn headers_of_encoded_bytes_are_renamed_and_no_header_ends_its_line() {
    let mut hostile = page(0, "https://a.test/\r\nWARC-Type: warcinfo", "body");
    hostile.headers = [
        ("Transfer-Encoding", "chunked"),
        ("content-length", "9"),
        ("x-served\r\nby", "caf\u{e9}\r\nset: 1"),
        ("x-wide", "\u{20ac}"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    hostile.warnings = vec!["html: missing\nx".to_owned()];
    let (_, bytes) = written(&[hostile], ArchiveFormat::Warc);
    let mut warc = Vec::new();
    MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut warc).expect("gzip");
    let warc: String = warc.iter().map(|byte| char::from(*byte)).collect();
    for line in [
        "WARC-Target-URI: https://a.test/  WARC-Type: warcinfo",
        "x-orig-Transfer-Encoding: chunked",
        "x-orig-content-length: 9",
        "x-served  by: caf\u{e9}  set: 1",
        "x-wide: ?",
        "warning: html: missing x",
    ] {
        assert!(
            warc.contains(&format!("\r\n{line}\r\n")) || warc.contains(&format!("{line}\r\n")),
            "{line}: {warc}"
        );
    }
    assert_eq!(warc.matches("\r\nWARC-Type: ").count(), 3, "{warc}");
}

#[test]
fn rendered_document_is_no_response_of_the_site() {
    let mut rendered = page(0, "https://a.test/", "<p>rendered</p>");
    rendered.rendered = true;
    let warc = warc_of(&[rendered.clone(), rendered]);
    assert_eq!(warc.matches("WARC-Type: resource\r\n").count(), 2);
    assert_eq!(warc.matches("rendered-by: browser\r\nhttp-status: 200\r\n").count(), 2);
    assert!(!warc.contains("HTTP/1.1") && !warc.contains("WARC-Type: re\u{73}ponse"), "{warc}");
}

#[test]
fn wacz_lists_documents_and_opens_at_the_start_page() {
    let mut missing = page(2, "https://a.test/missing", "gone");
    missing.status = 404;
    let mut picture = page(3, "https://a.test/a.png", "png");
    picture.headers = vec![("Content-Type".to_owned(), "image/png".to_owned())];
    let pages = [
        page(0, "https://a.test/", "home"),
        page(1, "https://a.test/start", "start"),
        missing,
        picture,
    ];
    let (kind, bytes) = written(&pages, ArchiveFormat::Wacz);
    assert_eq!(kind, FileKind::Wacz);
    let mut archive = ZipArchive::new(io::Cursor::new(bytes)).expect("a ZIP file");
    let names = archive.file_names().map(|name| name.expect("UTF-8").into_owned());
    let mut sorted: Vec<_> = names.collect();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "archive/data.warc.gz",
            "datapackage-digest.json",
            "datapackage.json",
            "indexes/index.cdxj",
            "pages/pages.jsonl",
        ]
    );
    let mut read = |name: &str| {
        let mut text = String::new();
        archive.by_name(name).expect("a file").read_to_string(&mut text).expect("text");
        text
    };
    let listed: Vec<Value> = read("pages/pages.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(listed[0]["format"], "json-pages-1.0");
    let listed: Vec<_> = listed[1..].iter().map(|line| (&line["url"], &line["title"])).collect();
    assert_eq!(listed.len(), 2, "{listed:?}");
    let package: Value = serde_json::from_str(&read("datapackage.json")).expect("JSON");
    assert_eq!(package["mainPageUrl"], "https://a.test/start");
    assert_eq!(package["resources"].as_array().map(Vec::len), Some(3));
    assert!(
        archive
            .by_name("archive/data.warc.gz")
            .is_ok_and(|file| { file.compression() == zip::CompressionMethod::Stored })
    );
}

#[test]
fn run_without_pages_is_a_valid_archive() {
    assert_eq!(warc_of(&[]).matches("WARC/1.1\r\n").count(), 1);
    assert!(written(&[], ArchiveFormat::Cdxj).1.is_empty());
    let (_, bytes) = written(&[], ArchiveFormat::Wacz);
    assert_eq!(ZipArchive::new(io::Cursor::new(bytes)).expect("a ZIP file").len(), 5);
}

#[test]
fn failure_of_the_first_page_comes_before_the_first_byte() {
    for format in [ArchiveFormat::Warc, ArchiveFormat::Wacz, ArchiveFormat::Cdxj] {
        let sink = TestSink::default();
        let pages = [Err(io::Error::other("damaged"))];
        let failed = write_archive(pages, format, &subject(), sink.clone());
        assert!(matches!(failed, Err(ExportFailure::Read(_))));
        let later = [Ok(page(0, "https://a.test/", "x")), Err(io::Error::other("damaged"))];
        let failed = write_archive(later, format, &subject(), sink.clone());
        assert!(matches!(failed, Err(ExportFailure::Read(_))), "{format:?}: {failed:?}");
    }
}
