//! What a page costs: CPU-seconds of `trawl crawl` against the least that a crawler has to do, against the server with its commit log, and against peers; and what
//! many pages and many hosts do to it.
//!
//!     cargo bench -p trawl --bench crawl_cpu -- [PAGES]             ratios at one size (10,000)
//!     cargo bench -p trawl --bench crawl_cpu -- markdown [PAGES]    the same with the texts
//!     cargo bench -p trawl --bench crawl_cpu -- scale 5000 100000   cost and memory by size
//!     cargo bench -p trawl --bench crawl_cpu -- scale --small 5000 1000000
//!     cargo bench -p trawl --bench crawl_cpu -- scale --small --server 5000 1000000
//!     cargo bench -p trawl --bench crawl_cpu -- hosts 200 [PAGES]   requests/s at many hosts
//!     bench/peers/run [markdown] [PAGES]                            with spider and Scrapy
//!
//! Everybody crawls the same lab site (30 KB a page; 1.5 KB with `--small`), which a process
//! of its own serves, one after the other; every figure is user and system time of that one
//! process, the median of `ROUNDS` rounds, and the URLs that came out are held against the
//! truth.

mod bare;
#[path = "../harness/bare_links.rs"]
mod bare_links;
mod hosts;
mod job;
#[path = "../harness/measured.rs"]
mod measured;
mod scale;
#[path = "../harness/server.rs"]
mod server;
mod site;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use measured::{Cost, measure};
use mimalloc::MiMalloc;
use site::{Served, Shape};

/// The same as the binary's: the bare crawl must not lose by its allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub const CONNECTIONS: usize = 64;
pub const ROUNDS: usize = 3;
const PAGES: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(20);
const PAGES_OF_A_HOST: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--lab", pages, links, bytes] => {
            site::serve(number(pages), Shape { links: number(links), bytes: number(bytes) });
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
        ["markdown"] => compare_texts(PAGES),
        ["markdown", pages] => compare_texts(number(pages)),
        [] => compare(PAGES),
        [pages] => compare(number(pages)),
        _ => panic!(
            "[PAGES], or markdown [PAGES], or scale [--small] [--server] SIZE…, or hosts NUMBER [PAGES]"
        ),
    }
}

fn number(text: &str) -> usize {
    text.replace('_', "").parse().expect("a number")
}

fn compare(pages: usize) {
    let site = Served::start(pages, Shape::USUAL);
    println!("{pages} pages of {}, {CONNECTIONS} connections", Shape::USUAL);
    let (mut fetch, mut scan, mut trawl, mut serve) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let own = || Command::new(std::env::current_exe().expect("a path"));
        fetch.push(measure(own().args(["--fetch", &site.url, &pages.to_string()])));
        scan.push(site.checked("bare", |out| measure(own().args(["--bare", &site.url]).arg(out))));
        trawl.push(site.checked("trawl", |out| measure(&mut crawl("links", &site.url, out))));
        serve.push(site.checked("serve", |out| job::run(&site.url, out)));
    }
    let bare = line("fetch only", pages, fetch, None);
    let scan = line("bare: fetch, scan, dedupe", pages, scan, Some(("fetch only", bare)));
    let trawl = line("trawl crawl --mode links", pages, trawl, Some(("bare", scan)));
    line("the same through the server", pages, serve, Some(("trawl crawl", trawl)));
    peers(&site, trawl);
}

/// The texts of the pages: what reading them costs beside finding them.
fn compare_texts(pages: usize) {
    let site = Served::start(pages, Shape::USUAL);
    println!("{pages} pages of {}, {CONNECTIONS} connections", Shape::USUAL);
    let (mut links, mut texts) = (vec![], vec![]);
    for _ in 0..ROUNDS {
        let run = |mode: &'static str| {
            let url = &site.url;
            move |out: &Path| measure(&mut crawl(mode, url, out))
        };
        links.push(site.checked("links", run("links")));
        texts.push(site.checked("markdown", run("markdown")));
    }
    let links = line("trawl crawl --mode links", pages, links, None);
    let texts = line("trawl crawl --mode markdown", pages, texts, Some(("links", links)));
    println!("{:<28} {:.0} pages per CPU-second", "", 1_000.0 / texts);
    peers(&site, texts);
}

/// The peers that the environment names, against Trawl over the same site.
fn peers(site: &Served, trawl: f64) {
    let peers = std::env::var("TRAWL_BENCH_PEERS").unwrap_or_default();
    for (name, command) in peers.lines().filter_map(|line| line.split_once(" = ")) {
        peer(name, command, site, trawl);
    }
}

/// A peer over the same site. What it did not find it is not credited with.
fn peer(name: &str, command: &str, site: &Served, trawl: f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut costs: Vec<Cost> = Vec::new();
    // Once is enough of whoever takes its time.
    while costs.len() < ROUNDS && costs.iter().all(|cost| cost.wall < PATIENCE) {
        let mut words = command.split_whitespace();
        let mut peer = Command::new(words.next().expect("a program"));
        peer.args(words).arg(&site.url).arg(CONNECTIONS.to_string()).arg(&out);
        costs.push(measure(&mut peer));
    }
    let rounds = costs.len();
    let judged = site.judge(&out);
    line(name, judged.found.max(1), costs, Some(("trawl crawl", trawl)));
    println!(
        "    found {} of {}, {} again, {} that are none; rounds: {rounds}",
        judged.found, site.pages, judged.again, judged.wrong
    );
}

pub fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Prints a line; gives the CPU-seconds of 1,000 pages.
pub fn line(name: &str, pages: usize, mut costs: Vec<Cost>, against: Option<(&str, f64)>) -> f64 {
    costs.sort_by(|a, b| a.cpu.total_cmp(&b.cpu));
    let cost = &costs[costs.len() / 2];
    let a_thousand = cost.cpu * 1_000.0 / pages as f64;
    print!(
        "{name:<28} {a_thousand:.4} CPU-s per 1,000 pages (user {:.2} system {:.2} s, {:.1} s, {:.0} MB)",
        cost.user,
        cost.cpu - cost.user,
        cost.wall.as_secs_f64(),
        mb(cost.peak_bytes)
    );
    match against {
        Some((other, cpu)) => println!("  {:.2} × {other}", a_thousand / cpu),
        None => println!(),
    }
    a_thousand
}

/// The command that crawls a site as fast as it goes.
pub fn crawl(mode: &str, url: &str, output: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trawl"));
    command
        .args(["crawl", url, "--mode", mode, "--delay", "0", "--quiet"])
        .args(["--concurrency", &CONNECTIONS.to_string(), "--output"])
        .arg(output);
    command
}
