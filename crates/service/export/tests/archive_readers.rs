//! Web archives as warcio, cdxj-indexer and wacz read them.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use contract::{JobId, Millis, Mode};
use export::{ArchiveFormat, ArchiveSubject, ArchivedPage, ExportSink, FileKind};
use serde_json::Value;

struct ArchiveSink(File);

impl Write for ArchiveSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl ExportSink for ArchiveSink {
    fn start(&mut self, _: FileKind) {}
}

/// Runs a program of the Python packages, which `scripts/test` installs.
fn python_tool(name: &str, arguments: &[&str]) -> Output {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/python-tools");
    let tools = std::env::var_os("TRAWL_PYTHON_TOOLS").map_or(here, PathBuf::from);
    let output = Command::new(tools.join("bin").join(name)).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{name} runs: {error}"));
    let printed = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {printed}{errors}");
    output
}

fn page(item: u64, url: &str, headers: &[(&str, &str)], body: &[u8]) -> ArchivedPage {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    ArchivedPage {
        item,
        title: Some(format!("Page {item} ä")),
        url: url.to_owned(),
        status: 200,
        headers: headers.collect(),
        fetched_at: Millis(1_794_735_000_123 + i64::try_from(item).expect("small")),
        rendered: false,
        body: body.to_vec(),
        warnings: Vec::new(),
    }
}

/// Pages with repeated and binary payloads, other encodings, errors, and URLs whose keys differ from them.
fn pages() -> Vec<ArchivedPage> {
    let html = [("content-type", "text/html; charset=utf-8"), ("x-latin", "caf\u{e9}")];
    let mut pages = vec![
        page(0, "https://www.site.test/", &html, "<p>Häuser</p>".as_bytes()),
        page(1, "https://site.test/B/?z=1&a=2", &html, "<p>Häuser</p>".as_bytes()),
        page(
            2,
            "https://site.test/a%20b//c/../d/?a&a=",
            &[("transfer-encoding", "chunked")],
            &[0, 255, 13, 10, 7],
        ),
        page(3, "http://127.0.0.1:8080/x?PHPSESSID=0123456789abcdef0123456789abcdef", &html, b""),
        page(5, "https://other.test:8443/caf%C3%A9?q=%23x", &html, &vec![b'x'; 300_000]),
        page(6, "https://site.test/script", &html, b"<p>rendered</p>"),
    ];
    pages[3].status = 404;
    pages[5].rendered = true;
    for number in 7..60 {
        pages.push(page(number, &format!("https://site.test/{number}"), &html, b"<p>Same</p>"));
    }
    pages
}

fn write(format: ArchiveFormat, path: &Path) {
    let subject = ArchiveSubject {
        job: JobId::new(Millis(1), [7; 10]),
        mode: Mode::Markdown,
        url: Some("https://www.site.test/".to_owned()),
        created_at: Millis(1_794_735_000_000),
    };
    let sink = ArchiveSink(File::create(path).expect("a file"));
    let pages = pages().into_iter().map(Ok::<_, io::Error>);
    export::write_archive(pages, format, &subject, sink).expect("it is written");
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

const READ: &str = r#"
import json, sys
from warcio.archiveiterator import ArchiveIterator
rows = []
with open(sys.argv[1], "rb") as file:
    for record in ArchiveIterator(file, check_digests="raise"):
        body = record.content_stream().read()
        head = record.rec_headers
        rows.append({
            "type": record.rec_type, "version": record.rec_headers.protocol,
            "url": head.get_header("WARC-Target-URI"),
            "date": head.get_header("WARC-Date"),
            "refers": head.get_header("WARC-Refers-To-Target-URI"),
            "status": record.http_headers.get_statuscode() if record.http_headers else None,
            "latin": record.http_headers.get_header("x-latin") if record.http_headers else None,
            "body": body.hex()[:100], "length": len(body),
        })
print(json.dumps(rows))
"#;

#[test]
#[ignore = "needs warcio: scripts/test installs it"]
fn warcio_reads_every_record_and_accepts_its_digests() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.warc.gz");
    write(ArchiveFormat::Warc, &path);
    let printed = python_tool("warcio", &["check", "-v", text(&path)]).stdout;
    let printed = String::from_utf8(printed).expect("text");
    assert!(printed.contains("digest pass") && !printed.contains("fail"), "{printed}");

    let read = python_tool("python", &["-c", READ, text(&path)]).stdout;
    let records: Vec<Value> = serde_json::from_slice(&read).expect("JSON");
    assert!(records.iter().all(|record| record["version"] == "WARC/1.1"));
    assert_eq!(records[0]["type"], "warcinfo");
    let of = |wanted: &'static str| records.iter().filter(move |record| record["type"] == wanted);
    assert_eq!((of("response").count(), of("revisit").count()), (5, 53));
    let first = of("response").next().expect("a response");
    assert_eq!(first["url"], "https://www.site.test/");
    assert_eq!((&first["status"], &first["latin"]), (&"200".into(), &"caf\u{e9}".into()));
    assert_eq!(first["date"], "2026-11-15T09:30:00.123Z");
    let revisit = of("revisit").next().expect("a revisit");
    assert_eq!((&revisit["refers"], &revisit["length"]), (&first["url"], &0.into()));
    let binary = of("response")
        .find(|record| record["url"].as_str().is_some_and(|url| url.contains("a%20b")));
    assert_eq!(binary.expect("a record")["body"], "00ff0d0a07");
    let large = of("response").find(|record| record["length"] == 300_000);
    assert!(large.is_some(), "{records:?}");
    let rendered = of("resource").next().expect("a resource");
    assert_eq!(rendered["body"].as_str().map(str::len), Some(30));
    assert_eq!(of("metadata").count(), 1);
}

#[test]
#[ignore = "needs cdxj-indexer: scripts/test installs it"]
fn index_equals_that_of_cdxj_indexer() {
    let folder = tempfile::tempdir().expect("a folder");
    let warc = folder.path().join(format!("{}.warc.gz", JobId::new(Millis(1), [7; 10])));
    let index = folder.path().join("run.cdxj");
    write(ArchiveFormat::Warc, &warc);
    write(ArchiveFormat::Cdxj, &index);
    let expected = python_tool("cdxj-indexer", &["--sort", text(&warc)]).stdout;
    let parse = |text: &str| -> Vec<(String, Value)> {
        let lines = text.lines().map(|line| {
            let (key, fields) = line.split_once(" {").expect("fields");
            (key.to_owned(), serde_json::from_str(&format!("{{{fields}")).expect("JSON"))
        });
        lines.collect()
    };
    let expected = parse(&String::from_utf8(expected).expect("text"));
    let found = parse(&std::fs::read_to_string(&index).expect("text"));
    assert_eq!(found, expected);
}

#[test]
#[ignore = "needs wacz: scripts/test installs it"]
fn wacz_accepts_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("run.wacz");
    write(ArchiveFormat::Wacz, &path);
    let printed = python_tool("wacz", &["validate", "-f", text(&path)]).stdout;
    let printed = String::from_utf8(printed).expect("text");
    assert!(printed.contains("Validation succeeded"), "{printed}");
}
