//! `trawl extract`: single pages and batches.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::server::{text, trawl};

const PAGE: &str = "<!doctype html><html lang=\"en\"><head><title>Lamps</title>\
    <link rel=\"canonical\" href=\"/lamps\"></head><body><main><h1>Lamps</h1><p>A lamp is lit in the \
    evening, and put out when everybody has gone to bed. <a href=\"/oil?utm_source=x\">Oil</a></p>\
    </main></body></html>";

fn extract(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = trawl()
        .arg("extract")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join();
    output
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn lines(output: &Output) -> Vec<Value> {
    let lines = text(&output.stdout);
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn page_is_printed_as_markdown() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plain, gz) = (folder.path().join("page.html"), folder.path().join("page.html.gz"));
    std::fs::write(&plain, PAGE).expect("written");
    std::fs::write(&gz, packed(PAGE.as_bytes())).expect("written");
    let name = |path: &Path| path.to_str().expect("a name").to_owned();
    let url = ["--mode", "markdown", "--url", "https://example.com/a"];
    let by_pipe = extract(&url, PAGE.as_bytes());
    assert!(by_pipe.status.success(), "{}", text(&by_pipe.stderr));
    assert!(text(&by_pipe.stdout).contains("A lamp is lit in the evening"));
    for file in [name(&plain), name(&gz)] {
        let read = extract(&[&url[..], &[file.as_str()]].concat(), b"");
        assert_eq!(read.stdout, by_pipe.stdout, "{file}");
    }
    let whole = extract(&[&url[..], &["--json"]].concat(), PAGE.as_bytes());
    let record: Value = serde_json::from_slice(&whole.stdout).expect("JSON");
    assert_eq!(record["url"], "https://example.com/a");
    assert_eq!(record["title"], "Lamps");
    assert_eq!(record["language"], "en");
    assert_eq!(record["canonical_url"], "https://example.com/lamps");
}

#[test]
fn links_of_a_page_are_printed() {
    let ended = extract(&["--mode", "links", "--url", "https://example.com/a"], PAGE.as_bytes());
    assert!(ended.status.success());
    let record: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&record["type"], &record["h1"]), (&json!("page"), &json!("Lamps")));
    let links = record["links"].as_array().expect("links");
    let oil = links.iter().find(|link| link["text"] == "Oil").expect("the link");
    assert_eq!(oil["kind"], "link");
    assert!(oil["url"].as_str().is_some_and(|url| url.starts_with("https://example.com/oil")));
}

#[test]
fn batch_keeps_order_and_reports_failures() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut input = String::new();
    for number in 0..200 {
        let file = folder.path().join(format!("{number}.html"));
        let page = PAGE.replace("evening", &format!("evening number {number}"));
        // Some pages are large, so that later ones finish first.
        let page =
            if number % 50 == 0 { page + &"<p>more words </p>".repeat(20_000) } else { page };
        let bytes = if number % 3 == 0 { packed(page.as_bytes()) } else { page.into_bytes() };
        std::fs::write(&file, bytes).expect("written");
        let line = json!({"url": format!("https://example.com/{number}"), "file": file});
        input.push_str(&format!("{line}\n"));
        if number == 100 {
            input.push_str("{\"url\": \"https://example.com/missing\", \"file\": \"/no/such\"}\n");
            input.push_str("not json\n\n{\"url\": \"https://example.com/half\"}\n");
            input.push_str("{\"url\": \"nonsense\", \"file\": \"/no/such\"}\n");
        }
    }
    let ended = extract(&["--mode", "markdown", "--batch"], input.as_bytes());
    assert_eq!(ended.status.code(), Some(1), "some failed: {}", text(&ended.stderr));
    let records = lines(&ended);
    let (failed, read): (Vec<_>, Vec<_>) =
        records.iter().partition(|record| record.get("error").is_some());
    let urls: Vec<_> = failed.iter().map(|record| record["url"].clone()).collect();
    assert_eq!(
        urls,
        [
            json!("https://example.com/missing"),
            Value::Null,
            json!("https://example.com/half"),
            json!("nonsense")
        ]
    );
    assert_eq!(records.iter().position(|record| record.get("error").is_some()), Some(101));
    assert_eq!(read.len(), 200);
    for (number, record) in read.iter().enumerate() {
        assert_eq!(record["url"], format!("https://example.com/{number}"));
        let words = format!("evening number {number}");
        assert!(record["markdown"].as_str().is_some_and(|text| text.contains(&words)));
    }
    let good = input.lines().next().expect("a line").to_owned();
    assert!(extract(&["--mode", "links", "--batch"], good.as_bytes()).status.success());
}

#[test]
fn batch_result_is_flushed_before_the_next_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, PAGE).expect("written");
    let mut child = trawl()
        .args(["extract", "--mode", "markdown", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    for number in 0..3 {
        let line = json!({"url": format!("https://example.com/{number}"), "file": file});
        writeln!(stdin, "{line}").expect("it reads");
        let mut answer = String::new();
        answers.read_line(&mut answer).expect("a line");
        assert!(answer.contains(&format!("example.com/{number}")), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

const LAMP: &str = "<!doctype html><html lang=\"en\"><head><title>Storm lamp</title>\
    <script type=\"application/ld+json\">{\"@context\": \"https://schema.org\", \"@type\": \
    \"Product\", \"name\": \"Storm lamp\", \"sku\": \"LMP-1\", \"offers\": {\"@type\": \"Offer\", \
    \"price\": \"19.90\", \"priceCurrency\": \"EUR\"}}</script></head><body><main>\
    <h1>Storm lamp</h1><p class=\"price\">19,90 €</p><form action=\"/cart\" method=\"post\">\
    <button>Add to cart</button></form></main></body></html>";

#[test]
fn product_is_extracted_and_other_pages_are_reported() {
    let url = ["--mode", "products", "--url", "https://example.com/lamp"];
    let read = extract(&url, LAMP.as_bytes());
    assert!(read.status.success(), "{}", text(&read.stderr));
    assert!(text(&read.stdout).starts_with("{\n"), "for people to read");
    let record: Value = serde_json::from_slice(&read.stdout).expect("JSON");
    assert_eq!(record["url"], "https://example.com/lamp");
    assert_eq!((&record["name"], &record["product_id"]), (&json!("Storm lamp"), &json!("LMP-1")));
    assert_eq!((&record["price"], &record["currency"]), (&json!("19.90"), &json!("EUR")));
    assert_eq!((&record["language"], &record["template_id"]), (&json!("en"), &Value::Null));
    let none = extract(&url, PAGE.as_bytes());
    assert_eq!((none.status.code(), none.stdout.is_empty()), (Some(1), true));
    assert!(
        text(&none.stderr).contains("not a page of a single product"),
        "{}",
        text(&none.stderr)
    );
    let none = extract(&[&url[..], &["--json"]].concat(), PAGE.as_bytes());
    let record: Value = serde_json::from_slice(&none.stdout).expect("JSON");
    assert_eq!(record, json!({"url": "https://example.com/lamp", "product": null}));
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn page_without_text_gives_the_reason() {
    let shell =
        "<div id=app></div><noscript>Enable JavaScript</noscript><script src=a.js></script>";
    for (page, why) in [(shell, "without JavaScript"), ("<p> </p>", "has no text")] {
        let ended = extract(&["--mode", "markdown"], page.as_bytes());
        assert_eq!((ended.status.code(), ended.stdout.is_empty()), (Some(1), true), "{page}");
        assert!(text(&ended.stderr).contains(why), "{}", text(&ended.stderr));
    }
}

#[test]
fn batch_marks_pages_without_product() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut input = String::new();
    for (number, page) in [LAMP, PAGE, LAMP].iter().enumerate() {
        let file = folder.path().join(format!("{number}.html"));
        std::fs::write(&file, page).expect("written");
        let line = json!({"url": format!("https://example.com/{number}"), "file": file});
        input.push_str(&format!("{line}\n"));
    }
    let ended = extract(&["--mode", "products", "--batch"], input.as_bytes());
    assert!(ended.status.success(), "a page without a product is no failure");
    let records = lines(&ended);
    let names: Vec<_> = records.iter().map(|record| record["name"].clone()).collect();
    assert_eq!(names, [json!("Storm lamp"), Value::Null, json!("Storm lamp")]);
    assert_eq!(records[1], json!({"url": "https://example.com/1", "product": null}));
}

#[test]
fn unreadable_input_is_rejected_with_a_message() {
    for (arguments, code, said) in [
        (&["--mode", "sitemap"][..], 2, "does not apply to a single page"),
        (&["--mode", "everything"], 2, "no mode"),
        (&["--mode", "markdown", "--url", "nonsense"], 2, "nonsense"),
        (&["--mode", "markdown", "/no/such/page.html"], 1, "/no/such/page.html"),
    ] {
        let ended = extract(arguments, b"");
        assert_eq!(ended.status.code(), Some(code), "{arguments:?}");
        assert!(text(&ended.stderr).contains(said), "{arguments:?}: {}", text(&ended.stderr));
    }
}
