//! Cost of a page: CPU-seconds of `trawl crawl` compared with a minimal crawler, with the server
//! and its commit log, and with other crawlers; and the effect of many pages and hosts.
//!
//!     cargo bench -p trawl --bench crawl_cpu -- [PAGES]             ratios at one size (10,000)
//!     cargo bench -p trawl --bench crawl_cpu -- markdown [PAGES]    the same with the texts
//!     cargo bench -p trawl --bench crawl_cpu -- [markdown] FOLDER   the same with saved pages
//!     cargo bench -p trawl --bench crawl_cpu -- scale 5000 100000   cost and memory by size
//!     cargo bench -p trawl --bench crawl_cpu -- scale --small 5000 1000000
//!     cargo bench -p trawl --bench crawl_cpu -- scale --small --server 5000 1000000
//!     cargo bench -p trawl --bench crawl_cpu -- hosts 200 [PAGES]   requests/s at many hosts
//!     bench/peers/run [markdown] [PAGES or FOLDER]                  with spider and Scrapy
//!
//! All crawl the same site, served by another process: generated pages (30 KB each; 1.5 KB with
//! `--small`), or the real pages of a folder with `.html.gz` files, linked with each other. They
//! crawl it one after the other, `ROUNDS` times; every figure is user and system time of that process in
//! the median round, every ratio the median of ratios within a round, and the crawled URLs are
//! compared with the site.

mod bare;
#[path = "../harness/bare_links.rs"]
mod bare_links;
mod hosts;
mod job;
#[path = "../harness/measured.rs"]
mod measured;
mod peers;
mod saved_pages;
mod scale;
mod series;
#[path = "../harness/server.rs"]
mod server;
mod site;

use std::path::{Path, PathBuf};
use std::process::Command;

use measured::measure;
use mimalloc::MiMalloc;
use peers::Peer;
use saved_pages::SavedPages;
use series::Series;
use site::{Served, Shape};

/// The allocator of the binary, for a fair comparison.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub const CONNECTIONS: usize = 64;
pub const ROUNDS: usize = 5;
const PAGES: usize = 10_000;
const PAGES_OF_A_HOST: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--lab", pages, links, bytes] => {
            let shape = Shape { links: number(links), bytes: number(bytes) };
            site::serve(site::catalogue(number(pages), shape), number(pages));
        }
        ["--saved", folder] => {
            let pages = SavedPages::load(Path::new(folder));
            let count = pages.count();
            site::serve(pages, count);
        }
        ["--lab-of-hosts", hosts, pages] => hosts::serve(number(hosts), number(pages)),
        ["--bare", url, output] => bare::run(url, Path::new(output)),
        ["--fetch", url, pages] => bare::fetch_only(url, number(pages)),
        ["scale", sizes @ ..] => {
            let (flags, sizes): (Vec<&str>, Vec<&str>) =
                sizes.iter().partition(|word| word.starts_with("--"));
            let shape = if flags.contains(&"--small") { Shape::SMALL } else { Shape::USUAL };
            let sizes: Vec<usize> = sizes.into_iter().map(number).collect();
            scale::run(&sizes, shape, flags.contains(&"--server"));
        }
        ["hosts", hosts] => hosts::run(number(hosts), PAGES_OF_A_HOST),
        ["hosts", hosts, pages] => hosts::run(number(hosts), number(pages)),
        ["markdown", pages @ ..] if pages.len() <= 1 => compare_texts(&site(pages)),
        pages if pages.len() <= 1 => compare(&site(pages)),
        _ => panic!(
            "[PAGES or FOLDER], or markdown [PAGES or FOLDER], or scale [--small] [--server] SIZE…, or hosts NUMBER [PAGES]"
        ),
    }
}

fn number(text: &str) -> usize {
    text.replace('_', "").parse().expect("a number")
}

/// The site of the arguments: a number of generated pages, or a folder of saved ones.
fn site(arguments: &[&str]) -> Served {
    match arguments {
        [folder] if Path::new(folder).is_dir() => Served::saved(Path::new(folder)),
        [pages] => Served::generated(number(pages), Shape::USUAL),
        _ => Served::generated(PAGES, Shape::USUAL),
    }
}

/// This program, which also serves the sites.
pub fn own_program() -> PathBuf {
    std::env::current_exe().expect("a path")
}

fn compare(site: &Served) {
    let pages = site.pages;
    let [mut fetch, mut scan, mut trawl, mut serve] = [
        "fetch only",
        "bare: fetch, scan, dedupe",
        "trawl crawl --mode links",
        "the same through the server",
    ]
    .map(Series::new);
    let mut peers = Peer::all();
    for _ in 0..ROUNDS {
        let own = || Command::new(own_program());
        let bare = |out: &Path| measure(own().args(["--bare", &site.url]).arg(out));
        fetch.add(pages, measure(own().args(["--fetch", &site.url, &pages.to_string()])));
        scan.add(pages, site.checked("bare", bare));
        trawl.add(pages, site.crawled("links"));
        serve.add(pages, site.checked("serve", |out| job::run(&site.url, out)));
        peers.iter_mut().for_each(|peer| peer.run(site));
    }
    fetch.print(None);
    scan.print(Some(("fetch only", scan.against(&fetch))));
    trawl.print(Some(("bare", trawl.against(&scan))));
    serve.print(Some(("trawl crawl", serve.against(&trawl))));
    peers.iter().for_each(|peer| peer.print(&trawl, site));
}

/// The cost of Markdown extraction on top of link extraction.
fn compare_texts(site: &Served) {
    let pages = site.pages;
    let [mut links, mut texts] =
        ["trawl crawl --mode links", "trawl crawl --mode markdown"].map(Series::new);
    let mut peers = Peer::all();
    let mut with_text = 0;
    for _ in 0..ROUNDS {
        links.add(pages, site.crawled("links"));
        let (cost, delivered) = site.crawled_texts();
        texts.add(pages, cost);
        with_text = delivered;
        peers.iter_mut().for_each(|peer| peer.run(site));
    }
    links.print(None);
    texts.print(Some(("links", texts.against(&links))));
    let speed = 1_000.0 / texts.per_thousand_pages();
    println!("{:<28} {speed:.0} pages per CPU-second, {with_text} with text", "");
    peers.iter().for_each(|peer| peer.print(&texts, site));
}

pub fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// The command that crawls a site without delays.
pub fn crawl(mode: &str, url: &str, output: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trawl"));
    command
        .args(["crawl", url, "--mode", mode, "--delay", "0", "--quiet"])
        .args(["--concurrency", &CONNECTIONS.to_string(), "--output"])
        .arg(output);
    command
}
