//! What a page costs: CPU-seconds of `trawl crawl --mode links` against the least that a
//! crawler has to do, against the server with its commit log, and against peers.
//!
//!     cargo bench -p trawl --bench crawl_cpu -- [PAGES]          ratios at one size (10,000)
//!     cargo bench -p trawl --bench crawl_cpu -- scale 5000 100000   cost and memory by size
//!     bench/peers/run [PAGES]                                       with spider and Scrapy
//!
//! Everybody crawls the same lab site (30 KB a page, 60 links), which a process of its own
//! serves, one after the other; every figure is user and system time of that one process,
//! the median of `ROUNDS` rounds, and the URLs that came out are held against the truth.

mod bare;
mod measured;
mod server;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use lab::{Catalogue, Extras, Lab};
use measured::{Cost, measure};
use mimalloc::MiMalloc;

/// The same as the binary's: the bare crawl must not lose by its allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

pub const CONNECTIONS: usize = 64;
const PAGES: usize = 10_000;
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--lab", pages] => serve(number(pages)),
        ["--bare", url, output] => bare::run(url, Path::new(output)),
        ["--fetch", url, pages] => bare::fetch_only(url, number(pages)),
        ["scale", sizes @ ..] => scale(&sizes.iter().map(|size| number(size)).collect::<Vec<_>>()),
        [] => compare(PAGES),
        [pages] => compare(number(pages)),
        _ => panic!("[PAGES], or scale SIZE…"),
    }
}

fn number(text: &str) -> usize {
    text.replace('_', "").parse().expect("a number of pages")
}

fn compare(pages: usize) {
    let site = Served::start(pages);
    println!("{pages} pages of 30 KB with 60 links, {CONNECTIONS} connections");
    let (mut fetch, mut scan, mut trawl, mut serve) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let own = || Command::new(std::env::current_exe().expect("a path"));
        fetch.push(measure(own().args(["--fetch", &site.url, &pages.to_string()])));
        scan.push(site.checked("bare", |out| measure(own().args(["--bare", &site.url]).arg(out))));
        trawl.push(site.checked("trawl", |out| measure(crawl(&site.url, out))));
        serve.push(site.checked("serve", |out| server::run(&site.url, out)));
    }
    let bare = line("fetch only", pages, fetch, None);
    let scan = line("bare: fetch, scan, dedupe", pages, scan, Some(("fetch only", bare)));
    let trawl = line("trawl crawl --mode links", pages, trawl, Some(("bare", scan)));
    line("the same through the server", pages, serve, Some(("trawl crawl", trawl)));
    for (name, variable) in [("spider", "TRAWL_BENCH_SPIDER"), ("Scrapy", "TRAWL_BENCH_SCRAPY")] {
        let Ok(command) = std::env::var(variable) else { continue };
        let mut words = command.split_whitespace();
        let program = words.next().expect("a program");
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let mut peer = Command::new(program);
        peer.args(words).arg(&site.url).arg(CONNECTIONS.to_string()).arg(&out);
        let cost = measure(&mut peer);
        let (found, wrong) = site.judge(&out);
        line(name, pages, vec![cost], Some(("trawl crawl", trawl)));
        println!("    {name} found {found} of {pages}, {wrong} that are none");
    }
}

/// Cost and memory of a page at several sizes, the first being what others are held against.
fn scale(sizes: &[usize]) {
    let mut first = None;
    for &pages in sizes {
        let site = Served::start(pages);
        let rounds = if pages > 20_000 { 1 } else { ROUNDS };
        let costs: Vec<_> = (0..rounds)
            .map(|_| site.checked("trawl", |out| measure(crawl(&site.url, out))))
            .collect();
        let peak = costs.iter().map(|cost| cost.peak_bytes).max().unwrap_or_default();
        let cost = line(&format!("{pages} pages"), pages, costs, first.map(|it| ("first", it)));
        first.get_or_insert(cost);
        // `http://127.0.0.1:PORT/page-N`
        let urls: usize = (0..pages).map(|page| 29 + page.to_string().len()).sum();
        let allowed = 100_000_000 + 150 * pages + urls;
        println!("    memory {:.0} MB of {:.0} MB", mb(peak), mb(allowed as u64));
    }
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Prints a line; gives the CPU-seconds of 1,000 pages.
fn line(name: &str, pages: usize, mut costs: Vec<Cost>, against: Option<(&str, f64)>) -> f64 {
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

fn crawl(url: &str, output: &Path) -> &'static mut Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trawl"));
    command
        .args(["crawl", url, "--mode", "links", "--delay", "0", "--quiet"])
        .args(["--concurrency", &CONNECTIONS.to_string(), "--output"])
        .arg(output);
    Box::leak(Box::new(command))
}

/// The site, in a process of its own.
struct Served {
    child: Child,
    url: String,
    pages: usize,
}

impl Served {
    fn start(pages: usize) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("a path"))
            .args(["--lab", &pages.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the lab starts");
        let mut url = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut url).expect("its address");
        Self { child, url: url.trim().to_owned(), pages }
    }

    /// What `run` cost, when it came out with exactly the true URLs.
    fn checked(&self, name: &str, run: impl FnOnce(&Path) -> Cost) -> Cost {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let cost = run(&out);
        let (found, wrong) = self.judge(&out);
        assert_eq!((found, wrong), (self.pages, 0), "{name}: not the true set of URLs");
        cost
    }

    /// How many of the true URLs stand in a file, and how many others.
    fn judge(&self, out: &Path) -> (usize, usize) {
        let text = std::fs::read_to_string(out).unwrap_or_default();
        let urls = text.lines().map(|line| match serde_json::from_str::<serde_json::Value>(line) {
            Ok(item) => item["url"].as_str().unwrap_or_default().to_owned(),
            Err(_) => line.to_owned(),
        });
        let urls: BTreeSet<String> = urls.collect();
        let truth: BTreeSet<String> =
            (0..self.pages).map(|page| format!("{}{}", self.url, path(page))).collect();
        (truth.intersection(&urls).count(), urls.difference(&truth).count())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn path(page: usize) -> String {
    if page == 0 { String::new() } else { format!("page-{page}") }
}

/// Serves the site until standard input is closed.
fn serve(pages: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let lab = runtime.block_on(Lab::start()).expect("a port");
    let site = Catalogue {
        pages,
        links_per_page: 60,
        page_bytes: 30 * 1024,
        seed: 1,
        extras: Extras::default(),
    };
    lab.record(false).serve("catalogue.test", site);
    println!("{}", lab.url("/"));
    let _ = std::io::stdin().read(&mut [0]);
}
