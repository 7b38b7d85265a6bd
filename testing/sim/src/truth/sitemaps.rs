//! The expected results of reading sitemaps.

use contract::SkipReason;
use urls::CanonicalUrl;

use super::walk::{ReferenceWalk, WalkEnd, WalkRole, simple};
use crate::resource::ResourceKind;
use crate::url_list::{UrlList, UrlListEntry};

/// Well-known locations of sitemaps.
const WELL_KNOWN: &[&str] = &[
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/wp-sitemap.xml",
    "/sitemap.txt",
    "/sitemap.xml.gz",
];

impl ReferenceWalk<'_> {
    /// Searches the sitemaps of the site, at the first of its pages that robots.txt allows.
    pub(super) fn seek_sitemaps(&mut self, url: &CanonicalUrl) {
        let host = self.site.bare_host().to_owned();
        let is_time = url.bare_host() == host && self.web.requested.reads_sitemaps();
        if !is_time || !self.sought.insert(host.clone()) {
            return;
        }
        let named = self.web.named_sitemaps(&host);
        let places: Vec<_> = named.iter().filter_map(|at| self.site.join(at).ok()).collect();
        for place in places {
            self.enter(place, WalkRole::Map);
        }
        if named.is_empty() {
            self.guess();
        }
        self.read_sitemaps();
    }

    /// Reads the known sitemaps; if none has an entry, tries the next location.
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
            self.enter(next, WalkRole::Guess);
        }
    }

    fn read_sitemap(&mut self, key: &str) -> WalkEnd {
        let (url, role) = {
            let node = self.node(key);
            (node.url.clone(), node.role)
        };
        if self.is_foreign(&url) {
            return WalkEnd::Skipped(SkipReason::ForeignSitemap);
        }
        if !self.web.allows(&url) {
            return WalkEnd::Forbidden;
        }
        match self.web.shows(&url) {
            Some(ResourceKind::UrlList(UrlList::Urls(entries))) => {
                entries.iter().for_each(|entry| self.list(key, entry));
            }
            Some(ResourceKind::UrlList(UrlList::Lines(urls))) => {
                let entries =
                    urls.iter().map(|url| UrlListEntry { url: url.clone(), version: None });
                entries.for_each(|entry| self.list(key, &entry));
            }
            Some(ResourceKind::UrlList(UrlList::Index(files))) => {
                for file in files.iter().filter_map(|file| url.join(file).ok()) {
                    if self.nodes.contains_key(file.page_key()) {
                        continue;
                    }
                    if self.is_foreign(&file) {
                        self.refuse(&file, SkipReason::ForeignSitemap);
                    } else {
                        self.enter(file, WalkRole::Map);
                    }
                }
            }
            Some(ResourceKind::Redirect { to, .. }) => {
                if let Some(target) = url.join(to).ok().filter(|target| !self.is_foreign(target)) {
                    self.enter(target, role);
                }
                return WalkEnd::Redirected;
            }
            _ => {}
        }
        simple(self.web.shows(&url))
            .unwrap_or(WalkEnd::Answered(200, super::scope::ContentKind::Page))
    }

    fn is_foreign(&self, url: &CanonicalUrl) -> bool {
        matches!(self.outside(url), Some(SkipReason::External | SkipReason::Subdomain))
    }

    fn list(&mut self, map: &str, UrlListEntry { url, version }: &UrlListEntry) {
        let Some(url) = self.normalised_entry(url) else { return };
        let scope = &self.web.requested.scope;
        let role = match self.outside(&url) {
            Some(SkipReason::External | SkipReason::Subdomain) if scope.include_external => {
                let key = self.enter(url, WalkRole::External);
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
        let role = match suits {
            true => self.check_filter(&url).map(|()| WalkRole::Page),
            false => Err(SkipReason::Language),
        };
        let Some(target) = self.meet(url, role) else { return };
        self.node(map).leads.push((target, 0));
    }
}
