//! Sites with crawler traps: the number of their URLs is unlimited.
//!
//! Each has a few real pages, which are its truth, and a link into the trap. A run must deliver the
//! real pages and end; it may deliver a limited number of pages of the trap.

use std::fmt::Write as _;

use super::filler::mix;
use crate::{Reply, Site, SiteTruth};

/// A site with one kind of trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trapping {
    /// `/calendar/2024/05` links to the month before and the month after.
    Calendar,
    /// Every page gives its links a new session id, in path and query.
    Sessions,
    /// A relative link that nests: `/deeper/` leads to `/deeper/deeper/`.
    Growing,
    /// Filters that can be combined: `/shop?brand=1&colour=2&size=3`.
    Facets,
    /// Unknown paths return the same page with status 200 and further links.
    SoftNotFound,
    /// The same pages again below `/mirror-1/`, `/mirror-2/` and so on.
    Mirrors,
}

/// The real pages besides the start page.
const REAL: [&str; 3] = ["/about", "/contact", "/terms"];

/// The filters of the shop with their number of values.
const FILTERS: [(&str, u64); 4] = [("brand", 9), ("colour", 9), ("size", 7), ("sort", 4)];

impl Trapping {
    pub const ALL: [Self; 6] = [
        Self::Calendar,
        Self::Sessions,
        Self::Growing,
        Self::Facets,
        Self::SoftNotFound,
        Self::Mirrors,
    ];

    /// The start of all paths of the trap.
    #[must_use]
    pub fn trap_prefix(self) -> &'static str {
        match self {
            Self::Calendar => "/calendar/",
            Self::Sessions => "/catalogue",
            Self::Growing => "/deeper/",
            Self::Facets => "/shop",
            Self::SoftNotFound => "/missing-",
            Self::Mirrors => "/mirror-",
        }
    }

    /// Maximum pages of the trap that a run may deliver.
    #[must_use]
    pub fn max_trap_pages(self) -> usize {
        match self {
            Self::Calendar => 400,
            Self::Sessions => 1,
            Self::Growing => 4,
            Self::Facets => 100,
            Self::SoftNotFound | Self::Mirrors => 250,
        }
    }

    /// The path by which the start page links into the trap.
    fn trap_entry(self) -> &'static str {
        match self {
            Self::Calendar => "/calendar/2024/05",
            Self::Sessions => "/catalogue;jsessionid=0a1b2c3d4e5f60718293a4b5c6d7e8f9",
            Self::Growing => "/deeper/",
            Self::Facets => "/shop",
            Self::SoftNotFound => "/missing-1",
            Self::Mirrors => "/mirror-1/",
        }
    }

    fn trap_page(self, path: &str) -> Option<Reply> {
        match self {
            Self::Calendar => month(path.strip_prefix("/calendar/")?),
            Self::Sessions => path.starts_with("/catalogue").then(|| session(path)),
            Self::Growing => (path.starts_with("/deeper/") && path.ends_with('/'))
                .then(|| page("Deeper", &["deeper/".to_owned(), "/".to_owned()])),
            Self::Facets => filtered(path.strip_prefix("/shop")?),
            // Only the links depend on the path.
            Self::SoftNotFound => {
                let number = seed(path);
                let links =
                    [0, 1].map(|n| format!("/missing-{}", number.wrapping_add(n) % 100_000));
                Some(page("Sorry, nothing is here", &links))
            }
            Self::Mirrors => {
                let (number, rest) = path.strip_prefix("/mirror-")?.split_once('/')?;
                let number: u32 = number.parse().ok()?;
                let next = format!("/mirror-{}/", number.saturating_add(1));
                let mut links: Vec<_> =
                    REAL.iter().map(|path| format!("/mirror-{number}{path}")).collect();
                links.push(next);
                let known = REAL.iter().find(|path| path.strip_prefix('/') == Some(rest));
                match known {
                    Some(path) => Some(real(path)),
                    None => rest.is_empty().then(|| page("Welcome", &links)),
                }
            }
        }
    }
}

fn page(title: &str, links: &[String]) -> Reply {
    let mut html = format!("<!doctype html><title>{title}</title><h1>{title}</h1>\n");
    for link in links {
        // Writing to a String cannot fail. The text is the same on every page.
        let _ = writeln!(html, "<a href=\"{}\">on</a>", link.replace('&', "&amp;"));
    }
    Reply::html(html)
}

fn real(path: &str) -> Reply {
    page(&format!("Our {}", path.trim_start_matches('/')), &["/".to_owned()])
}

fn month(text: &str) -> Option<Reply> {
    let (year, month) = text.split_once('/')?;
    let (year, month): (u32, u32) = (year.parse().ok()?, month.parse().ok()?);
    if !(1..=12).contains(&month) || !(1..=9999).contains(&year) {
        return None;
    }
    let number = year * 12 + month - 1;
    let links = [number - 1, number + 1]
        .map(|number| format!("/calendar/{:04}/{:02}", number / 12, number % 12 + 1));
    Some(page(&format!("{year:04}, month {month:02}"), &links))
}

/// A number computed from a path.
fn seed(path: &str) -> u64 {
    path.bytes().fold(7, |seed, byte| mix(seed ^ u64::from(byte)))
}

fn session(path: &str) -> Reply {
    let seed = seed(path);
    let token = |salt| format!("{:016x}{:016x}a1", mix(seed ^ salt), mix(seed ^ salt ^ 99));
    let links = [
        format!("/catalogue;jsessionid={}", token(1)),
        format!("/catalogue?PHPSESSID={}", token(2)),
        format!("/catalogue?sid={}", token(3)),
    ];
    page("Catalogue", &links)
}

/// The shop with some filters, and links that add each other filter.
fn filtered(rest: &str) -> Option<Reply> {
    let query = match rest.strip_prefix('?') {
        Some(query) => query,
        None if rest.is_empty() => "",
        None => return None,
    };
    let mut links = Vec::new();
    for (name, values) in FILTERS {
        let set = query.split('&').any(|member| member.split('=').next() == Some(name));
        for value in (0..values).filter(|_| !set) {
            let joint = if query.is_empty() { "" } else { "&" };
            links.push(format!("/shop?{query}{joint}{name}={value}"));
        }
    }
    Some(page(&format!("Goods {query}").replace('&', " "), &links))
}

impl Site for Trapping {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/robots.txt" => Reply::text("User-agent: *\nDisallow:\n"),
            "/" => {
                let mut links: Vec<_> = REAL.iter().map(|path| (*path).to_owned()).collect();
                links.push(self.trap_entry().to_owned());
                page("Welcome", &links)
            }
            path if REAL.contains(&path) => real(path),
            path => self.trap_page(path).unwrap_or_else(|| Reply::status(404)),
        }
    }

    /// The real pages. Up to [`Trapping::max_trap_pages`] pages below [`Trapping::trap_prefix`] may be
    /// delivered too.
    fn truth(&self) -> SiteTruth {
        SiteTruth::of_pages(std::iter::once("/").chain(REAL))
    }
}
