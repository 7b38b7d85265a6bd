//! A site behind a wall.
//!
//! Its pages are a tree that is numbered in the order of discovery. Unlike other sites
//! it looks at who asks, and remembers: that is what walls do.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::filler::passage;
use crate::{Reply, Request, Site, SiteTruth, Wall, Withheld};

/// Pages that a page links to.
const CHILDREN: usize = 10;

/// What the script of a wall that opens does: a browser is let in by its next request,
/// whoever runs no scripts is not.
const KEY: &str = "<script>document.cookie=\"wall=open; path=/\";location.reload()</script>\n";

/// A site behind a wall. robots.txt and sitemap.xml can be read unless it is said otherwise.
#[derive(Debug)]
pub struct Walled {
    wall: &'static Wall,
    pages: usize,
    opening: Opening,
    extent: Extent,
    hides_robots: bool,
    /// Pages answered before the wall went up.
    answered: AtomicUsize,
    /// How often each client stood before the wall.
    tries: Mutex<HashMap<(IpAddr, String), u32>>,
}

/// Whom the wall lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Nobody,
    Tier,
    AfterTries(u32),
}

/// What it stands before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Everything,
    /// Everything, once so many pages were answered.
    Late(usize),
    OneIn(usize),
}

impl Walled {
    /// A site of 60 pages, each behind the wall, which opens to nobody.
    #[must_use]
    pub fn new(wall: &'static Wall) -> Self {
        Self {
            wall,
            pages: 60,
            opening: Opening::Nobody,
            extent: Extent::Everything,
            hides_robots: false,
            answered: AtomicUsize::new(0),
            tries: Mutex::default(),
        }
    }

    /// So many pages, the start page among them.
    #[must_use]
    pub fn with_pages(self, pages: usize) -> Self {
        Self { pages: pages.max(1), ..self }
    }

    /// Opens to a request that comes in the way of the protected tier
    /// ([`Request::is_via_tier`]), and to a browser that runs the script of the wall.
    #[must_use]
    pub fn opening_to_tier(self) -> Self {
        Self { opening: Opening::Tier, ..self }
    }

    /// Opens to a client (address and user agent) who stood before it so often.
    #[must_use]
    pub fn opening_after(self, tries: u32) -> Self {
        Self { opening: Opening::AfterTries(tries), ..self }
    }

    /// The wall goes up when so many pages were answered.
    #[must_use]
    pub fn starting_after(self, pages: usize) -> Self {
        Self { extent: Extent::Late(pages), ..self }
    }

    /// Only one page of so many is behind the wall, never the start page. They are evenly
    /// spaced in the order of discovery.
    #[must_use]
    pub fn one_in(self, pages: usize) -> Self {
        Self { extent: Extent::OneIn(pages.max(2)), ..self }
    }

    /// The wall stands before robots.txt and sitemap.xml as well.
    #[must_use]
    pub fn hiding_robots(self) -> Self {
        Self { hides_robots: true, ..self }
    }

    /// What a run must find that the wall lets in.
    #[must_use]
    pub fn truth_behind(&self) -> SiteTruth {
        SiteTruth {
            delivered: (0..self.pages).map(|page| (path(page), 200)).collect(),
            ..SiteTruth::default()
        }
    }

    fn children(&self, page: usize) -> impl Iterator<Item = usize> + use<> {
        let first = page.saturating_mul(CHILDREN).saturating_add(1);
        let pages = self.pages;
        (first..first.saturating_add(CHILDREN)).take_while(move |child| *child < pages)
    }

    fn page(&self, number: usize) -> Reply {
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><title>Behind the wall, {number}</title></head>\
             <body><h1>Behind the wall, {number}</h1><p>{}.</p><ul>\n",
            passage(number as u64 * 977, 2_000)
        );
        for child in self.children(number) {
            // Writing to a String cannot fail.
            let _ = writeln!(html, "<li><a href=\"{}\">Number {child}</a></li>", path(child));
        }
        html.push_str("</ul></body></html>\n");
        Reply::html(html)
    }

    fn number(&self, path_and_query: &str) -> Option<usize> {
        let path_only = path_and_query.split('?').next().unwrap_or_default();
        if path_only == "/" {
            return Some(0);
        }
        let text = path_only.strip_prefix("/page-")?;
        let number: usize = text.parse().ok()?;
        // One spelling a number.
        (number > 0 && number < self.pages && number.to_string() == text).then_some(number)
    }

    fn behind(&self, path_and_query: &str) -> Reply {
        self.number(path_and_query).map_or_else(|| Reply::status(404), |number| self.page(number))
    }

    fn in_front(&self) -> Reply {
        let mut reply = self.wall.reply();
        if self.opening == Opening::Tier
            && let Reply::Whole(whole) = &mut reply
            && self.wall.is_html()
        {
            whole.body = Bytes::from(format!("{KEY}{}", self.wall.body));
        }
        reply
    }

    /// Whether the wall stands before a page of this number, for whom it does not open.
    fn covers(&self, number: Option<usize>) -> bool {
        match (self.extent, number) {
            (Extent::Everything, _) => true,
            (Extent::Late(pages), Some(_)) => {
                let one_more = |answered| (answered < pages).then_some(answered + 1);
                let order = Ordering::Relaxed;
                self.answered.fetch_update(order, order, one_more).is_err()
            }
            (Extent::Late(pages), None) => self.answered.load(Ordering::Relaxed) >= pages,
            (Extent::OneIn(pages), Some(number)) => number % pages == pages - 1,
            (Extent::OneIn(_), None) => false,
        }
    }

    /// Whether it opens; a wall that counts counts this try.
    fn opens(&self, request: &Request<'_>) -> bool {
        match self.opening {
            Opening::Nobody => false,
            Opening::Tier => request.is_via_tier() || request.cookie("wall") == Some("open"),
            Opening::AfterTries(limit) => {
                let agent = request.header("user-agent").unwrap_or_default().to_owned();
                let mut tries = self.tries.lock().unwrap_or_else(PoisonError::into_inner);
                let so_far = tries.entry((request.client(), agent)).or_default();
                *so_far = so_far.saturating_add(1);
                *so_far > limit
            }
        }
    }

    fn robots(request: &Request<'_>) -> Reply {
        let host = request.header("host").unwrap_or("walled.lab.test");
        Reply::text(format!("User-agent: *\nDisallow:\nSitemap: http://{host}/sitemap.xml\n"))
    }

    fn sitemap(&self, request: &Request<'_>) -> Reply {
        let host = request.header("host").unwrap_or("walled.lab.test");
        let mut xml = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        for page in 0..self.pages {
            let _ = writeln!(xml, "<url><loc>http://{host}{}</loc></url>", path(page));
        }
        xml.push_str("</urlset>\n");
        Reply::typed(200, "application/xml", xml)
    }
}

impl Site for Walled {
    fn answer(&self, path_and_query: &str) -> Reply {
        self.respond(&Request::plain(path_and_query))
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        match request.path() {
            "/robots.txt" if !self.hides_robots => return Self::robots(request),
            "/sitemap.xml" if !self.hides_robots => return self.sitemap(request),
            _ => {}
        }
        if !self.covers(self.number(request.path())) || self.opens(request) {
            match request.path() {
                "/robots.txt" => Self::robots(request),
                "/sitemap.xml" => self.sitemap(request),
                path => self.behind(path),
            }
        } else {
            self.in_front()
        }
    }

    /// What a run must find that has no protected tier. Where the wall goes up late, it
    /// asks in the order of discovery, one page at a time; where the wall opens by
    /// itself, it tries again.
    fn truth(&self) -> SiteTruth {
        if matches!(self.opening, Opening::AfterTries(_)) {
            return self.truth_behind();
        }
        let (mut delivered, mut withheld) = (BTreeMap::new(), BTreeMap::new());
        let mut queue = VecDeque::from([0]);
        while let Some(number) = queue.pop_front() {
            let walled = match self.extent {
                Extent::Everything => true,
                Extent::Late(pages) => delivered.len() >= pages,
                Extent::OneIn(pages) => number % pages == pages - 1,
            };
            if walled {
                withheld.insert(path(number), Withheld::Protected(self.wall.marker));
            } else {
                delivered.insert(path(number), 200);
                queue.extend(self.children(number));
            }
        }
        SiteTruth { delivered, withheld, never: Vec::new() }
    }
}

fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}") }
}

#[cfg(test)]
mod tests;
