//! Cost of [`page::read_page`] compared with the least that finds links: a search for `<a href="`,
//! `Url::join`, and a set. Ratios are comparable within one run only.
//!
//!     cargo bench -p page --bench page

#[path = "../../../trawl/benches/harness/bare_links.rs"]
mod bare_links;

use std::collections::HashSet;
use std::hint::black_box;
use std::time::{Duration, Instant};

use lab::{Catalogue, Reply, Site};
use page::{PageHead, PageLimits};
use url::Url;
use urls::CanonicalUrl;

const ROUNDS: usize = 9;

fn main() {
    for (links, bytes) in [(60, 30 * 1024), (20, 1_500), (5, 100 * 1024)] {
        let pages = pages(links, bytes);
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(timed(&pages, |address, body| {
                let limits = PageLimits { images: false, ..PageLimits::default() };
                let url = CanonicalUrl::parse(address).expect("a URL");
                black_box(page::read_page(body, &head(), &url, &limits));
            }));
            bare.push(timed(&pages, |address, body| {
                let base = Url::parse(address).expect("a URL");
                black_box(bare_links::links(body, &base).into_iter().collect::<HashSet<_>>());
            }));
        }
        let (ours, bare) = (least(&ours), least(&bare));
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!("{bytes} bytes, {links} links: {ours:?} a page, bare {bare:?}, {ratio:.2} ×");
    }
}

fn pages(links_per_page: usize, page_bytes: usize) -> Vec<(String, Vec<u8>)> {
    let site = Catalogue { links_per_page, page_bytes, seed: 7, ..Catalogue::plain(10_000) };
    let page = |number: usize| {
        let path = format!("/page-{number}");
        let Reply::Full(answer) = site.answer(&path) else { unreachable!("all are pages") };
        (format!("http://shop.test:8080{path}"), answer.body.to_vec())
    };
    (1..=500).map(page).collect()
}

fn head() -> PageHead<'static> {
    PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() }
}

/// The mean time per page.
fn timed(pages: &[(String, Vec<u8>)], read: impl Fn(&str, &[u8])) -> Duration {
    let started = Instant::now();
    pages.iter().for_each(|(address, body)| read(address, body));
    started.elapsed() / u32::try_from(pages.len()).expect("a few")
}

/// The minimum: other processes on the machine only add time.
fn least(times: &[Duration]) -> Duration {
    times.iter().min().copied().unwrap_or_default()
}
