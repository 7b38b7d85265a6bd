//! The benchmark site, served by another process, and the check of crawled URLs.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use lab::{Catalogue, Lab, Site};
use serde::Deserialize;

use crate::measured::{Cost, measure};
use crate::{CONNECTIONS, crawl, own_program};

/// Size and links of the pages.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub links: usize,
    pub bytes: usize,
}

impl Shape {
    /// A page of usual size: 30 KB.
    pub const USUAL: Self = Self { links: 60, bytes: 30 * 1024 };
    /// A small page, so that a million can be served in minutes.
    pub const SMALL: Self = Self { links: 20, bytes: 1_500 };
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kilobytes = self.bytes as f64 / 1024.0;
        write!(f, "{kilobytes:.1} KB with {} links", self.links)
    }
}

/// Minimum share of the pages that have a text.
const MIN_PERCENT_WITH_TEXT: usize = 95;

/// The site in a separate process.
pub struct Served {
    child: Child,
    pub url: String,
    pub pages: usize,
}

/// The checked output of a crawl.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Number of distinct pages of the site.
    pub found: usize,
    /// Number of duplicate pages.
    pub again: usize,
    /// Number of URLs that are not pages of the site.
    pub wrong: usize,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
}

impl Served {
    /// A generated site of the lab.
    pub fn generated(pages: usize, shape: Shape) -> Self {
        let numbers = [pages, shape.links, shape.bytes].map(|number| number.to_string());
        let site = Self::start(Command::new(own_program()).arg("--lab").args(numbers));
        println!("{pages} pages of {shape}, {CONNECTIONS} connections");
        site
    }

    /// The saved pages of a folder as one site.
    pub fn saved(folder: &Path) -> Self {
        let site = Self::start(Command::new(own_program()).arg("--saved").arg(folder));
        println!("{} saved pages of {}, {CONNECTIONS} connections", site.pages, folder.display());
        site
    }

    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the lab starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut line).expect("its address");
        let (url, pages) = line.trim().split_once(' ').expect("an address and a number");
        Self { child, url: url.to_owned(), pages: pages.parse().expect("a number of pages") }
    }

    /// The cost of `run`; panics unless it delivered exactly the URLs of the site.
    pub fn checked(&self, name: &str, run: impl FnOnce(&Path) -> Cost) -> Cost {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let cost = run(&out);
        let truth = Judged { found: self.pages, ..Judged::default() };
        assert_eq!(self.judge(&out), truth, "{name}: not the true set of URLs");
        cost
    }

    /// The cost of `trawl crawl`.
    pub fn crawled(&self, mode: &str) -> Cost {
        self.checked(mode, |out| measure(&mut crawl(mode, &self.url, out)))
    }

    /// The cost of `trawl crawl --mode markdown`, and the number of delivered pages: saved pages
    /// without text are not delivered.
    pub fn crawled_texts(&self) -> (Cost, usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("out");
        let cost = measure(&mut crawl("markdown", &self.url, &out));
        let Judged { found, again, wrong } = self.judge(&out);
        assert_eq!((again, wrong), (0, 0), "duplicates, and URLs that are no pages");
        assert!(found * 100 >= self.pages * MIN_PERCENT_WITH_TEXT, "{found} of {}", self.pages);
        (cost, found)
    }

    /// Checks a file with one URL or item per line. Pages are identified by number, so that a
    /// million of them need a million bytes.
    pub fn judge(&self, out: &Path) -> Judged {
        let mut seen = vec![false; self.pages];
        let mut judged = Judged::default();
        let Ok(file) = std::fs::File::open(out) else { return judged };
        let (mut lines, mut line) = (BufReader::new(file), String::new());
        while lines.read_line(&mut line).expect("text") > 0 {
            let text = line.trim();
            let url = serde_json::from_str::<Line<'_>>(text).map(|line| line.url);
            match self.number(&url.unwrap_or(Cow::Borrowed(text))) {
                Some(page) if !seen[page] => {
                    seen[page] = true;
                    judged.found += 1;
                }
                Some(_) => judged.again += 1,
                None => judged.wrong += 1,
            }
            line.clear();
        }
        judged
    }

    /// The number of the page with this URL.
    fn number(&self, url: &str) -> Option<usize> {
        let rest = url.strip_prefix(self.url.trim_end_matches('/'))?;
        number_of(rest.strip_prefix('/').unwrap_or(rest), self.pages)
    }

    /// Total bytes of all URLs.
    pub fn url_bytes(&self) -> usize {
        (0..self.pages).map(|page| self.url.len() + path(page).len()).sum()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The path of a page without the leading slash.
pub fn path(page: usize) -> String {
    if page == 0 { String::new() } else { format!("page-{page}") }
}

/// The number of the page with this path on a site with `pages` pages.
pub fn number_of(path_of_page: &str, pages: usize) -> Option<usize> {
    let number = path_of_page.strip_prefix("page-");
    let page = if path_of_page.is_empty() { 0 } else { number?.parse().ok()? };
    // One spelling per number: `007` is not page 7.
    (page < pages && path(page) == path_of_page).then_some(page)
}

/// The generated site with this number of pages.
pub fn catalogue(pages: usize, shape: Shape) -> Catalogue {
    Catalogue { links_per_page: shape.links, page_bytes: shape.bytes, ..Catalogue::plain(pages) }
}

/// Serves a site with `pages` pages until standard input is closed.
pub fn serve(site: impl Site, pages: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let lab = runtime.block_on(Lab::start()).expect("a port");
    lab.record_requests(false).serve("site.test", site);
    println!("{} {pages}", lab.url("/"));
    let _ = std::io::stdin().read(&mut [0]);
}
