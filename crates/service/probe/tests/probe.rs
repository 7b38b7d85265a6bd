//! Probes over real connections.

use std::time::Duration;

use contract::{FailureCause, Scope, Unreachable};
use lab::{Catalogue, Lab, Reply, Site, SiteTruth};
use net::{HttpFetch, HttpSettings, NameTable, ResolverSettings};
use privacy::{BlockedDomains, Denylist};
use probe::{Probe, ProbeError};
use reader::{ReadExecutor, ReadSettings};
use urls::CanonicalUrl;

const TIME_LIMIT: Duration = Duration::from_secs(20);

/// A site whose sitemap index has a cycle, a foreign file, a missing file and a duplicate page.
#[derive(Debug)]
struct SitemapIndexSite;

fn urls(locations: &[&str]) -> Reply {
    let entries: String =
        locations.iter().map(|loc| format!("<url><loc>http://site.lab{loc}</loc></url>")).collect();
    Reply::typed(200, "application/xml", format!("<urlset>{entries}</urlset>"))
}

impl Site for SitemapIndexSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("Sitemap: http://site.lab/index.xml\n"),
            "/index.xml" => Reply::typed(
                200,
                "application/xml",
                "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap>\
                 <sitemap><loc>/index.xml</loc></sitemap>\
                 <sitemap><loc>http://other.lab/b.xml</loc></sitemap>\
                 <sitemap><loc>/missing.xml</loc></sitemap>\
                 <sitemap><loc>/moved.xml</loc></sitemap></sitemapindex>",
            ),
            "/a.xml" => urls(&["/", "/one", "/two?utm_source=x", "/two"]),
            "/moved.xml" => Reply::redirect(301, "/c.xml".to_owned()),
            "/c.xml" => urls(&["/three"]),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// A site that responds too slowly.
#[derive(Debug)]
struct SlowSite;

impl Site for SlowSite {
    fn answer(&self, path: &str) -> Reply {
        let number: u64 =
            path.trim_start_matches("/sitemap").trim_end_matches(".xml").parse().unwrap_or(0);
        let next = format!(
            "<sitemapindex><sitemap><loc>/sitemap{}.xml</loc></sitemap></sitemapindex>",
            number + 1
        );
        Reply::typed(200, "application/xml", next)
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

fn fetch(lab: &Lab) -> HttpFetch {
    let names = NameTable::parse(&lab.name_table()).expect("names");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() }).expect("a way out")
}

async fn probe(
    fetch: &HttpFetch,
    url: &CanonicalUrl,
    within: Duration,
    denylist: &Denylist,
) -> Result<Probe, ProbeError> {
    let scope = Scope::default();
    probe::probe(fetch, &ReadExecutor::default(), url, &scope, within, denylist).await
}

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect("a URL")
}

#[tokio::test]
async fn pages_are_counted_from_own_sitemaps_only() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SitemapIndexSite).serve("other.lab", Catalogue::plain(3));
    let seen =
        probe(&fetch(&lab), &url("http://site.lab/deep/page"), TIME_LIMIT, &Denylist::default())
            .await;
    let seen = seen.expect("a site");
    assert_eq!((seen.estimated_pages, seen.pages_under_path), (Some(4), Some(0)));
    assert!(!lab.requests().iter().any(|seen| seen.host == "other.lab"), "a foreign sitemap");
    let asked = lab.requests().iter().filter(|seen| seen.path == "/index.xml").count();
    assert_eq!(asked, 1, "a loop is seen");
}

#[tokio::test]
async fn site_without_sitemap_has_unknown_page_count() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("plain.lab", Catalogue::plain(5)).serve("endless.lab", SlowSite);
    for host in ["plain.lab", "endless.lab"] {
        let seen =
            probe(&fetch(&lab), &url(&format!("http://{host}/")), TIME_LIMIT, &Denylist::default())
                .await;
        assert_eq!(seen.expect("a site").estimated_pages, None, "{host}");
    }
    assert!(lab.request_count() < 100, "bounded: {}", lab.request_count());
}

#[tokio::test]
async fn timeout_leaves_page_count_unknown() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SitemapIndexSite).with_latency("site.lab", Duration::from_secs(5));
    let seen = probe(
        &fetch(&lab),
        &url("http://site.lab/"),
        Duration::from_millis(50),
        &Denylist::default(),
    )
    .await;
    assert_eq!(seen.expect("a site").estimated_pages, None);
}

#[tokio::test]
async fn refused_address_is_an_error() {
    let lab = Lab::start().await.expect("a port");
    let refused =
        probe(&fetch(&lab), &url("http://127.0.0.1:8080/"), TIME_LIMIT, &Denylist::default()).await;
    assert_eq!(refused, Err(ProbeError::AddressRefused));
    assert_eq!(lab.request_count(), 0);
}

#[tokio::test]
async fn pages_of_a_path_and_a_filter_are_counted() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SitemapIndexSite);
    let (fetch, readers, denylist) = (fetch(&lab), ReadExecutor::default(), Denylist::default());
    let count = async |path: &str, scope: Scope| {
        let url = url(&format!("http://site.lab{path}"));
        let seen = probe::probe(&fetch, &readers, &url, &scope, TIME_LIMIT, &denylist).await;
        let seen = seen.expect("a site");
        (seen.estimated_pages, seen.pages_under_path)
    };
    assert_eq!(count("/two", Scope::default()).await, (Some(4), Some(1)));
    assert_eq!(count("/", Scope::default()).await, (Some(4), Some(4)));
    let only = Scope { include_paths: vec!["/t*".to_owned()], ..Scope::default() };
    assert_eq!(count("/", only).await, (Some(2), Some(2)));
}

#[tokio::test]
async fn unreachable_site_has_a_cause() {
    let lab = Lab::start().await.expect("a port");
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = closed.local_addr().expect("an address").port();
    drop(closed);
    let names = NameTable::parse(&format!("gone.lab=127.0.0.1:{port}")).expect("names");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let fetch = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() }).expect("HTTP");
    let seen = probe(&fetch, &url("http://gone.lab/"), TIME_LIMIT, &Denylist::default()).await;
    let seen = seen.expect("a name");
    assert_eq!(seen.unreachable, Some(Unreachable::Connect));
    assert_eq!(seen.cause, Some(FailureCause::ConnectionRefused));
    assert_eq!(lab.request_count(), 0);
}

/// A site that redirects every request to another host.
#[derive(Debug)]
struct RedirectingSite;

impl Site for RedirectingSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text("Sitemap: http://other.lab/sitemap.xml\n"),
            path => Reply::redirect(302, format!("http://www.other.lab{path}")),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test]
async fn denylisted_host_is_not_requested_after_redirects() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("leading.lab", RedirectingSite)
        .serve("other.lab", SitemapIndexSite)
        .serve("www.other.lab", SitemapIndexSite);
    let (fetch, start) = (fetch(&lab), url("http://leading.lab/"));
    let asked = || lab.requests().iter().filter(|seen| seen.host != "leading.lab").count();
    let denylist =
        Denylist { blocked_domains: BlockedDomains::new(["other.lab"]), ..Denylist::default() };
    probe(&fetch, &start, TIME_LIMIT, &denylist).await.expect("a site");
    assert_eq!(asked(), 0);
    let refused = probe(&fetch, &url("http://other.lab/"), TIME_LIMIT, &denylist).await;
    assert_eq!((refused, asked()), (Err(ProbeError::NotCrawled), 0));
    probe(&fetch, &start, TIME_LIMIT, &Denylist::default()).await.expect("a site");
    assert!(asked() > 1, "it does lead there");
}

/// A site with a small sitemap and one of many entries.
#[derive(Debug)]
struct ComplexSitemapSite;

impl Site for ComplexSitemapSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::text(
                "Sitemap: http://site.lab/small.xml\nSitemap: http://site.lab/complex.xml\n",
            ),
            "/small.xml" => urls(&["/one", "/two"]),
            "/complex.xml" => urls(&["/x"; 20_000]),
            _ => Reply::html("<p>start</p>"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test]
async fn sitemap_over_the_cpu_budget_counts_as_unreadable() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", ComplexSitemapSite);
    // Without CPU time a document stops at its first checkpoint; the small one has none.
    let readers = ReadExecutor::new(ReadSettings { cpu: Duration::ZERO, ..Default::default() });
    let (fetch, start) = (fetch(&lab), url("http://site.lab/"));
    let denylist = Denylist::default();
    let seen =
        probe::probe(&fetch, &readers, &start, &Scope::default(), TIME_LIMIT, &denylist).await;
    let seen = seen.expect("a site");
    assert_eq!((seen.estimated_pages, seen.unreachable), (Some(2), None));
    assert!(lab.requests().iter().any(|seen| seen.path == "/complex.xml"));
}

#[tokio::test]
async fn probe_ends_in_time_while_no_reader_is_free() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SitemapIndexSite);
    let readers = ReadExecutor::new(ReadSettings {
        at_a_time: 1,
        cpu: Duration::from_secs(600),
        ..Default::default()
    });
    let (begin, begun) = tokio::sync::oneshot::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let busy = readers.clone();
    let busy = tokio::spawn(async move {
        let read = move || {
            begin.send(()).expect("the test waits");
            released.recv().is_ok()
        };
        busy.run(1, read).await
    });
    begun.await.expect("it begins");
    let (fetch, start) = (fetch(&lab), url("http://site.lab/"));
    let within = Duration::from_millis(500);
    let denylist = Denylist::default();
    let seen = probe::probe(&fetch, &readers, &start, &Scope::default(), within, &denylist).await;
    let timed_out = Probe {
        unreachable: Some(Unreachable::Timeout),
        cause: Some(FailureCause::TimedOut),
        ..Probe::default()
    };
    assert_eq!(seen, Ok(timed_out));
    release.send(()).expect("the thread waits");
    assert_eq!(busy.await.expect("no panic"), Ok(true));
}

/// A site that answers robots.txt with a status and has pages.
#[derive(Debug)]
struct RobotsStatusSite(u16);

impl Site for RobotsStatusSite {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/robots.txt" => Reply::status(self.0),
            "/sitemap.xml" => urls(&["/", "/one"]),
            _ => Reply::html("<a href=/one>One</a>"),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test]
async fn unavailable_robots_txt_forbids_all_other_requests() {
    for (status, reason) in [
        (429, Unreachable::RateLimited),
        (500, Unreachable::ServerError),
        (503, Unreachable::ServerError),
    ] {
        let lab = Lab::start().await.expect("a port");
        lab.serve("site.lab", RobotsStatusSite(status));
        let (fetch, start) = (fetch(&lab), url("http://site.lab/"));
        let seen = probe(&fetch, &start, TIME_LIMIT, &Denylist::default()).await;
        let unavailable = Probe { unreachable: Some(reason), ..Probe::default() };
        assert_eq!(seen, Ok(unavailable), "{status}");
        let paths: Vec<_> = lab.requests().into_iter().map(|seen| seen.path).collect();
        assert_eq!(paths, ["/robots.txt"], "{status}");
    }
}

#[tokio::test]
async fn missing_robots_txt_allows_everything() {
    for status in [401, 404] {
        let lab = Lab::start().await.expect("a port");
        lab.serve("site.lab", RobotsStatusSite(status));
        let (fetch, start) = (fetch(&lab), url("http://site.lab/"));
        let seen = probe(&fetch, &start, TIME_LIMIT, &Denylist::default()).await;
        let seen = seen.expect("a site");
        assert_eq!((seen.estimated_pages, seen.unreachable), (Some(2), None), "{status}");
    }
}

/// A site whose pages `/0`, `/1` and so on redirect to the next one, up to `/last`.
#[derive(Debug)]
struct RedirectChainSite {
    last: u8,
}

impl Site for RedirectChainSite {
    fn answer(&self, path: &str) -> Reply {
        match path.trim_start_matches('/').parse::<u8>() {
            Ok(number) if number < self.last => Reply::redirect(302, format!("/{}", number + 1)),
            Ok(_) => Reply::html("<p>start</p>"),
            Err(_) => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test]
async fn five_redirects_are_followed_and_six_are_too_many() {
    for (last, unreachable) in [(5, None), (6, Some(Unreachable::Redirect))] {
        let lab = Lab::start().await.expect("a port");
        lab.serve("site.lab", RedirectChainSite { last });
        let (fetch, start) = (fetch(&lab), url("http://site.lab/0"));
        let seen = probe(&fetch, &start, TIME_LIMIT, &Denylist::default()).await;
        assert_eq!(seen.expect("a site").unreachable, unreachable, "{last} redirects");
    }
}
