//! Cost of bot protection detection compared with reading the page.
//!
//!     cargo bench -p page --bench protection
//!
//! Pages are synthetic; `TRAWL_BENCH_PAGES` may name a folder of real ones (`.html` or `.html.gz`).
//! Each figure is the minimum of several rounds that alternate with those of `read_page`, so that
//! noise affects both alike.

use std::fs;
use std::hint::black_box;
use std::io::Read as _;
use std::time::{Duration, Instant};

use lab::{Catalogue, ProtectionPage, Reply, Site};
use page::{HeaderSigns, PageHead, PageLimits, ProtectionEvidence};
use urls::CanonicalUrl;

const ROUNDS: usize = 15;
/// Number of real pages, sampled evenly from the folder.
const REAL_PAGES: usize = 300;

/// Headers that ordinary pages commonly have.
const HEADERS: &[(&str, &str)] = &[
    ("content-type", "text/html; charset=utf-8"),
    ("date", "Tue, 02 Jan 2024 10:00:00 GMT"),
    ("server", "cloudflare"),
    ("cf-ray", "8f00aa11bb22cc33-FRA"),
    ("cache-control", "max-age=60"),
    ("set-cookie", "__cf_bm=1; path=/"),
    ("vary", "accept-encoding"),
    ("x-frame-options", "SAMEORIGIN"),
    ("x-powered-by", "words"),
    ("strict-transport-security", "max-age=31536000"),
];

fn main() {
    println!("ordinary pages under 200: the marker against reading the page");
    for kilobytes in [2, 8, 30, 60, 120, 500] {
        let site = Catalogue { page_bytes: kilobytes * 1_024, ..Catalogue::plain(40) };
        let pages: Vec<Vec<u8>> =
            site.truth().delivered.keys().map(|path| body(&site, path)).collect();
        compare(&format!("{kilobytes} KB, made up"), &pages);
    }
    match std::env::var_os("TRAWL_BENCH_PAGES") {
        Some(folder) => {
            let mut pages = real_pages(folder.as_ref());
            pages.sort_by_key(Vec::len);
            compare("real pages, all", &pages);
            let third = pages.len().div_ceil(3).max(1);
            for (part, name) in pages.chunks(third).zip(["short", "middle", "long"]) {
                compare(&format!("real pages, {name}"), part);
            }
        }
        None => println!("real pages: not measured, TRAWL_BENCH_PAGES names no folder"),
    }
    println!("\nsuspicious answers: microseconds each (goal: at most 50)");
    let mut slowest = (Duration::ZERO, "");
    for challenge in ProtectionPage::all() {
        let cost = suspicious(challenge.status, challenge.body.as_bytes(), challenge.headers);
        slowest = slowest.max((cost, challenge.name));
    }
    show(&format!("slowest challenge ({})", slowest.1), slowest.0);
    for kilobytes in [2, 30, 120] {
        let site = Catalogue { page_bytes: kilobytes * 1_024, ..Catalogue::plain(2) };
        let page = body(&site, "/");
        show(&format!("403, a page of the site, {kilobytes} KB"), suspicious(403, &page, HEADERS));
        let widget = [b"<div class=g-recaptcha></div>", page.as_slice()].concat();
        let name = format!("403, the same with a CAPTCHA, {kilobytes} KB");
        show(&name, suspicious(403, &widget, HEADERS));
    }
}

fn body(site: &dyn Site, path: &str) -> Vec<u8> {
    match site.answer(path) {
        Reply::Full(whole) => whole.body.to_vec(),
        Reply::Raw(_) => Vec::new(),
    }
}

fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://shop.lab.test/page").expect("an address")
}

fn marker(
    url: &CanonicalUrl,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
    text_chars: Option<u64>,
) -> bool {
    let headers = HeaderSigns::of(headers.iter().copied());
    let seen = ProtectionEvidence { status, url, location: None, headers, body, text_chars };
    page::detect_protection(black_box(&seen)).is_some()
}

/// Runs `work` and keeps the minimum of its times in `best`.
fn least(best: &mut Duration, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    *best = start.elapsed().min(*best);
}

fn compare(name: &str, pages: &[Vec<u8>]) {
    let (url, limits) = (url(), PageLimits::default());
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    let read = |page: &[u8]| page::read_page(page, &head, &url, &limits);
    let chars: Vec<u64> = pages.iter().map(|page| read(page).text_chars).collect();
    let (mut reading, mut counted, mut alone) = (Duration::MAX, Duration::MAX, Duration::MAX);
    let mut found = 0;
    for _ in 0..ROUNDS {
        least(&mut reading, || pages.iter().for_each(|page| drop(black_box(read(page)))));
        least(&mut counted, || {
            for (page, chars) in pages.iter().zip(&chars) {
                black_box(marker(&url, 200, HEADERS, page, Some(*chars)));
            }
        });
        least(&mut alone, || {
            found = pages.iter().filter(|page| marker(&url, 200, HEADERS, page, None)).count();
        });
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / pages.len().max(1) as f64;
    println!(
        "{name:28} read {:8.1} µs; marker after it {:6.2} µs = {:5.2} % (goal 3 %); \
         without it {:6.2} µs = {:5.2} %; detected as challenges: {found} of {}",
        each(reading),
        each(counted),
        100.0 * counted.as_secs_f64() / reading.as_secs_f64(),
        each(alone),
        100.0 * alone.as_secs_f64() / reading.as_secs_f64(),
        pages.len(),
    );
}

fn suspicious(status: u16, body: &[u8], headers: &[(&str, &str)]) -> Duration {
    let (url, mut best) = (url(), Duration::MAX);
    for _ in 0..200 {
        least(&mut best, || {
            black_box(marker(&url, status, headers, body, None));
        });
    }
    best
}

fn show(name: &str, cost: Duration) {
    println!("{name:48} {:8.1}", cost.as_secs_f64() * 1e6);
}

fn real_pages(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let step = files.len().div_ceil(REAL_PAGES).max(1);
    let read = |path: &std::path::PathBuf| {
        let raw = fs::read(path).expect("a page");
        if path.extension().is_some_and(|ending| ending == "gz") {
            let mut page = Vec::new();
            flate2::read::GzDecoder::new(&*raw).read_to_end(&mut page).expect("gzip");
            page
        } else {
            raw
        }
    };
    files.iter().step_by(step).map(read).collect()
}
