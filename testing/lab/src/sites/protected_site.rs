//! A site behind bot protection.
//!
//! Its pages are a tree that is numbered in the order of discovery. Unlike other sites it responds
//! by client and counts attempts, as bot protections do.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

use super::filler::passage;
use super::page_path::{numbered_page, page_path};
use crate::{ExpectedSkip, ProtectionPage, Reply, Request, Site, SiteTruth};

/// Pages that a page links to.
const CHILDREN: usize = 10;

/// The script of a challenge that a browser passes: it sets a cookie and loads the page again.
const PASS_SCRIPT: &str =
    "<script>document.cookie=\"wall=open; path=/\";location.reload()</script>\n";

/// A site behind bot protection. robots.txt and sitemap.xml are not protected.
#[derive(Debug)]
pub struct ProtectedSite {
    protection: &'static ProtectionPage,
    pages: usize,
    pass_rule: PassRule,
    coverage: Coverage,
    /// Number of pages served before the protection starts.
    answered: AtomicUsize,
    /// Number of challenges per client address and user agent.
    attempts: Mutex<HashMap<(IpAddr, String), u32>>,
}

/// Which clients pass the protection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassRule {
    Never,
    Tier,
    AfterAttempts(u32),
}

/// Which pages are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    Everything,
    /// All pages after this number of served pages.
    After(usize),
    OneIn(usize),
}

impl ProtectedSite {
    /// A site of 60 pages, all protected; no client passes.
    #[must_use]
    pub fn new(protection: &'static ProtectionPage) -> Self {
        Self {
            protection,
            pages: 60,
            pass_rule: PassRule::Never,
            coverage: Coverage::Everything,
            answered: AtomicUsize::new(0),
            attempts: Mutex::default(),
        }
    }

    /// Sets the number of pages, including the start page.
    #[must_use]
    pub fn with_pages(self, pages: usize) -> Self {
        Self { pages: pages.max(1), ..self }
    }

    /// Requests through the protected tier ([`Request::is_via_tier`]) pass, and browsers that run the
    /// script of the challenge.
    #[must_use]
    pub fn passing_tier(self) -> Self {
        Self { pass_rule: PassRule::Tier, ..self }
    }

    /// A client (address and user agent) passes after this number of challenges.
    #[must_use]
    pub fn passing_after(self, attempts: u32) -> Self {
        Self { pass_rule: PassRule::AfterAttempts(attempts), ..self }
    }

    /// The protection starts after this number of served pages.
    #[must_use]
    pub fn starting_after(self, pages: usize) -> Self {
        Self { coverage: Coverage::After(pages), ..self }
    }

    /// Only one in `pages` pages is protected, never the start page. They are evenly spaced in the
    /// order of discovery.
    #[must_use]
    pub fn one_in(self, pages: usize) -> Self {
        Self { coverage: Coverage::OneIn(pages.max(2)), ..self }
    }

    /// The truth for a run that passes the protection.
    #[must_use]
    pub fn truth_after_passing(&self) -> SiteTruth {
        SiteTruth::of_pages((0..self.pages).map(page_path))
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
            let _ = writeln!(html, "<li><a href=\"{}\">Number {child}</a></li>", page_path(child));
        }
        html.push_str("</ul></body></html>\n");
        Reply::html(html)
    }

    fn number(&self, path_and_query: &str) -> Option<usize> {
        let path = path_and_query.split('?').next().unwrap_or_default();
        numbered_page(path, self.pages)
    }

    fn page_at(&self, path_and_query: &str) -> Reply {
        self.number(path_and_query).map_or_else(|| Reply::status(404), |number| self.page(number))
    }

    fn challenge(&self) -> Reply {
        let mut reply = self.protection.reply();
        if self.pass_rule == PassRule::Tier
            && let Reply::Full(whole) = &mut reply
            && self.protection.is_html()
        {
            whole.body = Bytes::from(format!("{PASS_SCRIPT}{}", self.protection.body));
        }
        reply
    }

    /// Whether the page of this number is protected.
    fn is_protected(&self, number: Option<usize>) -> bool {
        match (self.coverage, number) {
            (Coverage::Everything, _) => true,
            (Coverage::After(pages), Some(_)) => {
                let one_more = |answered| (answered < pages).then_some(answered + 1);
                let order = Ordering::Relaxed;
                self.answered.fetch_update(order, order, one_more).is_err()
            }
            (Coverage::After(pages), None) => self.answered.load(Ordering::Relaxed) >= pages,
            (Coverage::OneIn(pages), Some(number)) => number % pages == pages - 1,
            (Coverage::OneIn(_), None) => false,
        }
    }

    /// Whether the client of the request passes. Counts the attempt.
    fn passes(&self, request: &Request<'_>) -> bool {
        match self.pass_rule {
            PassRule::Never => false,
            PassRule::Tier => request.is_via_tier() || request.cookie("wall") == Some("open"),
            PassRule::AfterAttempts(limit) => {
                let agent = request.header("user-agent").unwrap_or_default().to_owned();
                let mut attempts = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
                let attempts_so_far = attempts.entry((request.client(), agent)).or_default();
                *attempts_so_far = attempts_so_far.saturating_add(1);
                *attempts_so_far > limit
            }
        }
    }

    fn robots(request: &Request<'_>) -> Reply {
        let host = request.header("host").unwrap_or("walled.lab.test");
        Reply::text(format!("User-agent: *\nDisallow:\nSitemap: http://{host}/sitemap.xml\n"))
    }

    fn sitemap(&self, request: &Request<'_>) -> Reply {
        let host = request.header("host").unwrap_or("walled.lab.test");
        Reply::sitemap(host, (0..self.pages).map(page_path))
    }
}

impl Site for ProtectedSite {
    fn answer(&self, path_and_query: &str) -> Reply {
        self.respond(&Request::plain(path_and_query))
    }

    fn respond(&self, request: &Request<'_>) -> Reply {
        match request.path() {
            "/robots.txt" => Self::robots(request),
            "/sitemap.xml" => self.sitemap(request),
            path if !self.is_protected(self.number(path)) || self.passes(request) => {
                self.page_at(path)
            }
            _ => self.challenge(),
        }
    }

    /// The truth for a run without protected tier. If the protection starts late, the run must request
    /// in the order of discovery, one page at a time; if clients pass after some attempts, it must
    /// retry.
    fn truth(&self) -> SiteTruth {
        if matches!(self.pass_rule, PassRule::AfterAttempts(_)) {
            return self.truth_after_passing();
        }
        let (mut delivered, mut skipped) = (BTreeMap::new(), BTreeMap::new());
        let mut queue = VecDeque::from([0]);
        while let Some(number) = queue.pop_front() {
            let protected = match self.coverage {
                Coverage::Everything => true,
                Coverage::After(pages) => delivered.len() >= pages,
                Coverage::OneIn(pages) => number % pages == pages - 1,
            };
            if protected {
                skipped.insert(page_path(number), ExpectedSkip::Protected(self.protection.marker));
            } else {
                delivered.insert(page_path(number), 200);
                queue.extend(self.children(number));
            }
        }
        SiteTruth { delivered, skipped, never: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
