//! What the sitemaps of a site bring.

use contract::SkipReason;
use urls::CanonicalUrl;

use super::walk::{End, Role, Walk, simple};
use crate::list::{Entry, List};
use crate::place::Kind;

/// Where a sitemap may be that nobody names.
const WELL_KNOWN: &[&str] = &[
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.txt",
    "/sitemap.xml.gz",
];

impl Walk<'_> {
    /// Looks for the sitemaps of the site, at the first of its pages that may be asked for.
    pub(super) fn seek_sitemaps(&mut self, url: &CanonicalUrl) {
        let host = self.site.bare_host().to_owned();
        let is_time = url.bare_host() == host && self.web.wish.reads_sitemaps();
        if !is_time || !self.sought.insert(host.clone()) {
            return;
        }
        let named = self.web.named_sitemaps(&host);
        let places: Vec<_> = named.iter().filter_map(|at| self.site.join(at).ok()).collect();
        for place in places {
            self.enter(place, Role::Map);
        }
        if named.is_empty() {
            self.guess();
        }
        self.read_sitemaps();
    }

    /// Reads the sitemaps that are known; when nothing is listed, looks at the next place.
    pub(super) fn read_sitemaps(&mut self) {
        while let Some(key) = self.maps.pop_front() {
            let end = self.read_sitemap(&key);
            self.node(&key).end = Some(end);
            if self.maps.is_empty() && self.listed == 0 {
                self.guess();
            }
        }
    }

    fn guess(&mut self) {
        let places = WELL_KNOWN.iter().filter_map(|place| self.site.join(place).ok());
        let next = places.into_iter().find(|place| !self.nodes.contains_key(place.page_key()));
        if let Some(next) = next {
            self.enter(next, Role::Guess);
        }
    }

    fn read_sitemap(&mut self, key: &str) -> End {
        let (url, role) = {
            let node = self.node(key);
            (node.url.clone(), node.role)
        };
        if self.is_foreign(&url) {
            return End::Skipped(SkipReason::ForeignSitemap);
        }
        if !self.web.permits(&url) {
            return End::Forbidden;
        }
        match self.web.shows(&url) {
            Some(Kind::List(List::Urls(entries))) => {
                entries.iter().for_each(|entry| self.list(key, entry));
            }
            Some(Kind::List(List::Lines(urls))) => {
                let entries = urls.iter().map(|url| Entry { url: url.clone(), version: None });
                entries.for_each(|entry| self.list(key, &entry));
            }
            Some(Kind::List(List::Index(files))) => {
                for file in files.iter().filter_map(|file| url.join(file).ok()) {
                    if self.nodes.contains_key(file.page_key()) {
                        continue;
                    }
                    if self.is_foreign(&file) {
                        self.refuse(&file, SkipReason::ForeignSitemap);
                    } else {
                        self.enter(file, Role::Map);
                    }
                }
            }
            Some(Kind::Redirect { to, .. }) => {
                if let Some(target) = url.join(to).ok().filter(|target| !self.is_foreign(target)) {
                    self.enter(target, role);
                }
                return End::Redirected;
            }
            _ => {}
        }
        simple(self.web.shows(&url)).unwrap_or(End::Answered(200, super::scope::Nature::Page))
    }

    fn is_foreign(&self, url: &CanonicalUrl) -> bool {
        matches!(self.outside(url), Some(SkipReason::External | SkipReason::Subdomain))
    }

    fn list(&mut self, map: &str, Entry { url, version }: &Entry) {
        let Some(url) = self.as_counted(url) else { return };
        let scope = &self.web.wish.scope;
        let role = match self.outside(&url) {
            Some(SkipReason::External | SkipReason::Subdomain) if scope.include_external => {
                let key = self.enter(url, Role::External);
                self.node(&key).listed = true;
                return;
            }
            Some(reason) => return self.refuse(&url, reason),
            None => self.listed_role(&url),
        };
        let Some(key) = self.meet(url, role) else { return };
        self.node(&key).listed = true;
        self.listed += 1;
        let Some((language, href)) = version else { return };
        let Ok(url) = self.site.join(href).map(|url| self.normal(url)) else { return };
        if self.outside(&url).is_some() {
            return;
        }
        let suits = self.may_suit(language);
        let role = if suits { Ok(Role::Page) } else { Err(SkipReason::Language) };
        let Some(target) = self.meet(url, role) else { return };
        self.node(map).leads.push((target, 0));
    }
}
