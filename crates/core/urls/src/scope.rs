//! The scope of a run: which URLs belong to it.
//!
//! A host with and without `www.`, over http and https, is one site; a non-default port is another one.
//! The switches of [`Scope`] widen or narrow that.

use std::borrow::Cow;

use contract::Scope;

use crate::{CanonicalUrl, PathFilter, shop_query};

/// Extensions of files: the route of a start URL with one of them is the folder of the file.
pub(crate) const FILE_EXTENSIONS: &[&str] = &[
    "asp", "aspx", "cfm", "cgi", "csv", "do", "htm", "html", "jsf", "json", "jsp", "jspx", "md",
    "mhtml", "pdf", "php", "php3", "php4", "php5", "phtml", "pl", "py", "rss", "shtm", "shtml",
    "txt", "xhtml", "xml",
];

/// How a URL relates to the scope of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Admission {
    Inside,
    /// Of the same site, but outside of the requested route or page.
    OutsideRoute,
    /// On a subdomain, which the run excludes.
    Subdomain,
    External,
}

/// Decides which URLs are in scope.
#[derive(Debug, Clone)]
pub struct ScopeRule {
    start: CanonicalUrl,
    scope: Scope,
    filter: PathFilter,
    /// Keep query parameters that identify products and lists.
    of_shop: bool,
}

impl ScopeRule {
    /// The rule of a run that starts at `start`.
    #[must_use]
    pub fn new(start: CanonicalUrl, scope: Scope) -> Self {
        Self { start, filter: PathFilter::new(&scope), scope, of_shop: false }
    }

    /// For a run in mode `products`: parameters that identify products and lists are kept, since often
    /// nothing else leads to them.
    #[must_use]
    pub fn for_products(self) -> Self {
        Self { of_shop: true, ..self }
    }

    #[must_use]
    pub fn start(&self) -> &CanonicalUrl {
        &self.start
    }

    /// The URL as the run identifies it: without its query, unless queries are included.
    #[must_use]
    pub fn normalise(&self, url: CanonicalUrl) -> CanonicalUrl {
        match self.normalised(&url) {
            Cow::Borrowed(_) => url,
            Cow::Owned(url) => url,
        }
    }

    /// Like [`Self::normalise`], without a copy if nothing changes.
    #[must_use]
    pub fn normalised<'u>(&self, url: &'u CanonicalUrl) -> Cow<'u, CanonicalUrl> {
        if self.scope.include_query_strings || url.query().is_none() {
            Cow::Borrowed(url)
        } else if self.of_shop {
            shop_query::without_irrelevant_parameters(url)
        } else {
            Cow::Owned(url.without_query())
        }
    }

    /// Whether a URL is in scope.
    #[must_use]
    pub fn admits(&self, url: &CanonicalUrl) -> Admission {
        if !self.is_of_site(url) {
            if self.is_below_host(url) { Admission::Subdomain } else { Admission::External }
        } else if self.is_of_route(url) {
            Admission::Inside
        } else {
            Admission::OutsideRoute
        }
    }

    /// Whether a URL of the site passes `include_paths` and `exclude_paths`, as the run identifies
    /// it. The caller exempts the start page, which is fetched for its links in any case.
    #[must_use]
    pub fn passes_filter(&self, url: &CanonicalUrl) -> bool {
        self.filter.is_empty() || self.filter.check(self.normalised(url).path_and_query()).is_ok()
    }

    #[must_use]
    pub fn filter(&self) -> &PathFilter {
        &self.filter
    }

    fn is_of_site(&self, url: &CanonicalUrl) -> bool {
        url.site_key() == self.start.site_key()
            || (self.scope.include_subdomains && self.is_below_host(url))
    }

    fn is_below_host(&self, url: &CanonicalUrl) -> bool {
        self.start.ip().is_none()
            && url.explicit_port() == self.start.explicit_port()
            && url
                .host()
                .strip_suffix(self.start.bare_host())
                .is_some_and(|rest| rest.ends_with('.'))
    }

    fn is_of_route(&self, url: &CanonicalUrl) -> bool {
        if self.scope.one_page && !self.is_start(url) {
            return false;
        }
        if !self.scope.specific_route {
            return true;
        }
        match url.path().strip_prefix(route(self.start.path())) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        }
    }

    fn is_start(&self, url: &CanonicalUrl) -> bool {
        url.site_key() == self.start.site_key()
            && url.path() == self.start.path()
            && (!self.scope.include_query_strings || url.query() == self.start.query())
    }
}

/// The path prefix of the route of a start URL, without a trailing slash; empty for a whole site.
#[must_use]
pub fn route(path: &str) -> &str {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_file = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && FILE_EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(ending))
    });
    if is_file || name.is_empty() { folder } else { path }
}

#[cfg(test)]
mod tests {
    use super::Admission::{External, Inside, OutsideRoute, Subdomain};
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    fn check(start: &str, scope: &Scope, cases: &[(&str, Admission)]) {
        let rule = ScopeRule::new(url(start), scope.clone());
        for (text, admission) in cases {
            assert_eq!(rule.admits(&url(text)), *admission, "{text} from {start}");
        }
    }

    #[test]
    fn scheme_and_www_do_not_change_the_site() {
        check(
            "https://www.example.com/a",
            &Scope::default(),
            &[
                ("https://www.example.com/b", Inside),
                ("http://example.com/", Inside),
                ("http://example.com:8080/", External),
                ("https://shop.example.com/", Subdomain),
                ("https://example.org/", External),
                ("https://notexample.com/", External),
            ],
        );
        check(
            "http://127.0.0.1:9000/",
            &Scope { include_subdomains: true, ..Scope::default() },
            &[
                ("http://127.0.0.1:9000/a", Inside),
                ("http://127.0.0.1:9001/a", External),
                ("http://127.0.0.1/a", External),
            ],
        );
    }

    #[test]
    fn subdomains_are_below_the_host_without_www() {
        let scope = Scope { include_subdomains: true, ..Scope::default() };
        check(
            "https://www.example.com/",
            &scope,
            &[
                ("https://shop.example.com/", Inside),
                ("http://www.de.example.com/", Inside),
                ("https://shop.example.com:8080/", External),
                ("https://notexample.com/", External),
            ],
        );
        check(
            "https://shop.example.com/",
            &scope,
            &[("https://example.com/", External), ("https://a.shop.example.com/", Inside)],
        );
        check(
            "http://example.com:8080/",
            &scope,
            &[("http://a.example.com:8080/", Inside), ("http://a.example.com/", External)],
        );
    }

    #[test]
    fn route_contains_its_path_and_everything_below() {
        let scope = Scope { specific_route: true, ..Scope::default() };
        for start in [
            "https://example.com/docs",
            "https://example.com/docs/",
            "https://example.com/docs/index.html",
        ] {
            check(
                start,
                &scope,
                &[
                    ("https://example.com/docs", Inside),
                    ("https://example.com/docs/a/b?c", Inside),
                    ("https://example.com/docs2", OutsideRoute),
                    ("https://example.com/", OutsideRoute),
                    ("https://example.org/docs", External),
                ],
            );
        }
        check(
            "https://example.com/v1.2",
            &scope,
            &[("https://example.com/v1.2/a", Inside), ("https://example.com/v1.3", OutsideRoute)],
        );
        for start in ["https://example.com/", "https://example.com/index.php"] {
            check(start, &scope, &[("https://example.com/any", Inside)]);
        }
    }

    #[test]
    fn one_page_scope_contains_only_the_start_page() {
        let scope = Scope { one_page: true, ..Scope::default() };
        check(
            "https://example.com/a?b=1",
            &scope,
            &[
                ("http://www.example.com/a?b=2", Inside),
                ("https://example.com/b", OutsideRoute),
                ("https://example.org/a", External),
            ],
        );
        check(
            "https://example.com/a?b=1",
            &Scope { include_query_strings: true, ..scope },
            &[("https://example.com/a?b=1", Inside), ("https://example.com/a?b=2", OutsideRoute)],
        );
    }

    #[test]
    fn queries_are_kept_only_if_included() {
        let page = url("https://example.com/a?b=1");
        let rule = ScopeRule::new(page.clone(), Scope::default());
        assert_eq!(rule.normalise(page.clone()).as_str(), "https://example.com/a");
        let scope = Scope { include_query_strings: true, ..Scope::default() };
        assert_eq!(ScopeRule::new(page.clone(), scope.clone()).normalise(page.clone()), page);
        let list = url("https://example.com/a?page=2&sort=price");
        let rule = ScopeRule::new(page, Scope::default()).for_products();
        assert_eq!(rule.normalise(list.clone()).as_str(), "https://example.com/a?page=2");
        let rule = ScopeRule::new(list.clone(), scope).for_products();
        assert_eq!(rule.normalise(list.clone()), list);
    }
}
