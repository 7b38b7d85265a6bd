//! Cost of a `markdown` record: everything that a crawl does with the bytes of a page, from
//! classification to the line of JSON.
//!
//!     cargo bench -p markdown --bench markdown                     lab pages
//!     cargo bench -p markdown --bench markdown -- FOLDER           also real ones, `.html.gz`
//!     cargo bench -p markdown --bench markdown -- write OUT FOLDER writes records for comparison
//!     cargo bench -p markdown --bench markdown -- once             lab pages, for a profiler
//!     cargo bench -p markdown --bench markdown -- once FOLDER      real pages, for a profiler
//!
//! Each figure is the sum of the minimum times of all pages over several rounds.

use std::fs;
use std::hint::black_box;
use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use contract::{MarkdownItem, Millis};
use lab::{Catalogue, Reply, Site};
use markdown::{MarkdownPage, RepeatedBlocks};
use mimalloc::MiMalloc;
use page::{FetchContext, HeaderSigns, PageHead, PageLimits, ProtectionEvidence, Shell};
use urls::CanonicalUrl;

/// The allocator of the binary.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const ROUNDS: usize = 7;

/// Number of lab pages that are read.
const LAB_PAGES: usize = 500;

/// One of this many real pages is timed.
const ONE_PAGE_IN: usize = 3;

/// A URL and its saved body.
type Saved = (CanonicalUrl, Vec<u8>);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => report("the lab", &lab_pages()),
        ["once"] => once(&lab_pages()),
        ["once", folder] => once(&real_pages(folder, 10)),
        ["write", out, folder] => write(out, folder),
        [folder] => {
            report("the lab", &lab_pages());
            report("real", &real_pages(folder, ONE_PAGE_IN));
        }
        _ => panic!("nothing, or FOLDER, or write OUT FOLDER, or once [FOLDER]"),
    }
}

/// Repeated blocks of a site, because a crawl always has some.
fn known() -> RepeatedBlocks {
    RepeatedBlocks::new([(1, 255), (2, 128)])
}

fn report(name: &str, pages: &[Saved]) {
    let known = known();
    let mut total = Duration::ZERO;
    for (url, body) in pages {
        let rounds = (0..ROUNDS).map(|_| {
            let started = Instant::now();
            black_box(line(url, body, &known));
            started.elapsed()
        });
        total += rounds.min().unwrap_or_default();
    }
    let bytes: usize = pages.iter().map(|(_, body)| body.len()).sum();
    println!(
        "{name}: {} pages of {} KB, {:.1} µs a page",
        pages.len(),
        bytes / pages.len().max(1) / 1_000,
        total.as_secs_f64() * 1e6 / pages.len().max(1) as f64
    );
}

fn once(pages: &[Saved]) {
    let known = known();
    pages.iter().for_each(|(url, body)| drop(black_box(line(url, body, &known))));
    println!("{} pages", pages.len());
}

/// Writes the records of all pages, with and without repeated blocks.
fn write(out: &str, folder: &str) {
    let mut out = BufWriter::new(fs::File::create(out).expect("a file"));
    let pages = lab_pages().into_iter().chain(mixed_pages()).chain(real_pages(folder, 1));
    for (url, body) in pages {
        let (line, blocks) = record(&url, &body, &RepeatedBlocks::default());
        writeln!(out, "{line}").expect("room");
        // Every third block repeats, with increasing shares.
        let shares = blocks.iter().step_by(3).zip((0..=u8::MAX).step_by(17).cycle());
        let known = RepeatedBlocks::new(shares.map(|(block, share)| (*block, share)));
        writeln!(out, "{} {blocks:?}", record(&url, &body, &known).0).expect("room");
    }
}

fn line(url: &CanonicalUrl, body: &[u8], known: &RepeatedBlocks) -> String {
    record(url, body, known).0
}

/// The record of a page as a crawl makes it, and the fingerprints of its blocks.
fn record(url: &CanonicalUrl, body: &[u8], known: &RepeatedBlocks) -> (String, Vec<u64>) {
    let content_type = Some("text/html; charset=utf-8");
    black_box(page::classify(content_type, body, url.path()));
    let head = PageHead { content_type, ..PageHead::default() };
    let limits = PageLimits { images: false, ..PageLimits::default() };
    let (page, mut text) = MarkdownPage::read(body, &head, url, &limits, known);
    let marker = page::detect_protection(&ProtectionEvidence {
        status: 200,
        url,
        location: None,
        headers: HeaderSigns::default(),
        body,
        text_chars: Some(page.text_chars),
    });
    black_box(marker.is_some() || Shell::of(&page, body).is_some());
    let blocks = std::mem::take(&mut text.blocks);
    let fetched = FetchContext {
        url: url.to_string(),
        final_url: None,
        depth: Some(1),
        status_code: 200,
        language: None,
        rendered: false,
        fetched_at: Millis(0),
    };
    let item: MarkdownItem = text.into_item(&page, fetched);
    (sonic_rs::to_string(&item).expect("a record"), blocks)
}

fn lab_pages() -> Vec<Saved> {
    let shape = Catalogue { links_per_page: 60, page_bytes: 30 * 1024, ..Catalogue::plain(10_000) };
    pages_of(&shape, LAB_PAGES)
}

fn mixed_pages() -> Vec<Saved> {
    pages_of(&Catalogue::mixed(1_000), LAB_PAGES)
}

fn pages_of(site: &Catalogue, count: usize) -> Vec<Saved> {
    let page = |number: usize| {
        let path = format!("/page-{number}");
        let Reply::Full(answer) = site.answer(&path) else { unreachable!("all are pages") };
        let url = CanonicalUrl::parse(&format!("http://catalogue.test:8080{path}"));
        (url.expect("a URL"), answer.body.to_vec())
    };
    (1..=count).map(page).collect()
}

fn real_pages(folder: &str, one_in: usize) -> Vec<Saved> {
    let entries = fs::read_dir(Path::new(folder)).expect("a folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let page = |file: &std::path::PathBuf| {
        let bytes = fs::read(file).expect("a file");
        let mut body = Vec::new();
        flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut body).expect("a page");
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let url = CanonicalUrl::parse(&format!("https://pages.test/blog/{name}"));
        (url.expect("a URL"), body)
    };
    files.iter().step_by(one_in).map(page).collect()
}
