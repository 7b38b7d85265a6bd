//! Generates the resources of a web from a seed.

use journal::Cause;

use crate::external_hosts;
use crate::hosts::{SHOP, SITE};
use crate::requested_run::{DUPLICATES, RequestedRun};
use crate::resource::{Recovery, Resource, ResourceKind, SimFailure, TransientFault};
use crate::rng::Rng;
use crate::sim_page::{SimLinkKind, SimPage};
use crate::url_list::UrlList;

mod sitemaps;

/// The text that several pages share.
const SHARED: usize = 99;

#[derive(Debug, Default)]
pub(crate) struct GeneratedWeb {
    pub resources: Vec<Resource>,
    /// The sitemaps that robots.txt names.
    pub named: Vec<String>,
}

/// The host and the path of a URL.
type SiteAddress = (&'static str, String);

/// The addresses of a web, by what is there.
#[derive(Debug, Default)]
struct SiteAddresses {
    /// Pages, or other resources instead of them; the first is the home page.
    pages: Vec<SiteAddress>,
    /// Pages in German, below a folder that names the language. They link only to each other: how
    /// many of them a run reads that does not accept German depends on when it learns that.
    german: Vec<(SiteAddress, Option<&'static str>)>,
    images: Vec<SiteAddress>,
    /// Everything that is linked.
    linked: Vec<SiteAddress>,
    /// Pages without links to them.
    orphans: Vec<SiteAddress>,
}

/// Generates the web of a run.
pub(crate) fn draw(rng: &mut Rng, requested: &RequestedRun) -> GeneratedWeb {
    let addresses = SiteAddresses::draw(rng, requested);
    let mut generated = GeneratedWeb::default();
    for (number, address) in addresses.pages.iter().enumerate().skip(1) {
        let kind = draw_kind(rng, number, &addresses);
        generated.add(rng, address, kind);
    }
    draw_folder(rng, requested, &addresses, &mut generated);
    for (number, (address, language)) in addresses.german.iter().enumerate() {
        let mut page = SimPage { text: 600 + number, language: *language, ..SimPage::default() };
        for _ in 0..rng.within(0, 3) {
            let (target, _) = &addresses.german[rng.index(addresses.german.len())];
            page.add_link(SimLinkKind::Anchor, spell(rng, target));
        }
        generated.add(rng, address, ResourceKind::Page(page));
    }
    for (number, address) in addresses.orphans.iter().enumerate() {
        let page = page(rng, 500 + number, &addresses);
        generated.add(rng, address, ResourceKind::Page(page));
    }
    let files = addresses.linked.iter().filter(|(_, path)| ending(path).is_some());
    for address in files {
        let kind = draw_file(rng, ending(&address.1).unwrap_or_default(), &addresses);
        generated.add(rng, address, kind);
    }
    let home = draw_home(rng, requested, &addresses, &mut generated);
    generated.add(rng, &addresses.pages[0], home);
    sitemaps::draw(rng, requested, &addresses, &mut generated);
    if requested.scope.include_external {
        generated.resources.extend(external_hosts::resources());
    }
    generated
}

impl GeneratedWeb {
    fn add(&mut self, rng: &mut Rng, address: &SiteAddress, kind: ResourceKind) {
        let failure = rng.percent(12).then(|| draw_fault(rng));
        self.resources.push(Resource { key: key(address), kind, failure });
    }

    fn add_sound(&mut self, path: &str, kind: ResourceKind) {
        self.resources.push(Resource { key: format!("{SITE}{path}"), kind, failure: None });
    }
}

impl SiteAddresses {
    fn draw(rng: &mut Rng, requested: &RequestedRun) -> Self {
        let has_shop = rng.percent(35);
        let letters = ('a'..='z').take(usize::try_from(rng.within(2, 20)).unwrap_or(2));
        let mut pages = vec![(SITE, "/".to_owned())];
        // Names without numbers: pages whose names differ only in numbers are one pattern, which
        // may be a trap.
        pages.extend(letters.map(|letter| {
            let host = if has_shop && rng.percent(25) { SHOP } else { SITE };
            let folder = rng.pick(&["", "", "", "/dir", "/private", "/dir/deep"]);
            (host, format!("{folder}/leaf-{letter}"))
        }));
        let named = |names: &[&str], count: u64| -> Vec<SiteAddress> {
            let count = usize::try_from(count).unwrap_or(0);
            names.iter().take(count).map(|name| (SITE, (*name).to_owned())).collect()
        };
        let german = ["/de/", "/de/eins", "/de/zwei", "/de/dir/drei"];
        let german = named(&german, if rng.percent(35) { rng.within(1, 4) } else { 0 });
        let languages = [Some("de"), Some("de"), Some("de-AT"), None];
        let german: Vec<_> = german.into_iter().map(|at| (at, rng.pick(&languages))).collect();
        let images = named(&["/images/a.png", "/dir/b.jpg"], rng.within(0, 2));
        let files = named(&["/files/a.pdf", "/dir/b.zip"], rng.within(0, 2));
        let has_folder = requested.scope.specific_route || rng.percent(30);
        let folder = named(&["/dir/", "/dir/index.html"], if has_folder { 2 } else { 0 });
        let index_file = named(&["/index.html"], u64::from(rng.percent(15)));
        let orphans = named(&["/orphan-a", "/dir/orphan-b", "/orphan-c"], rng.within(0, 3));
        let linked = [pages.clone(), folder, index_file, images.clone(), files].concat();
        let linked = linked.into_iter().chain(german.iter().map(|(at, _)| at.clone())).collect();
        Self { pages, german, images, linked, orphans }
    }

    fn has(&self, path: &str) -> bool {
        self.linked.iter().any(|(_, known)| known == path)
    }
}

/// Generates a folder and its index file, mostly with the same page.
fn draw_folder(
    rng: &mut Rng,
    requested: &RequestedRun,
    addresses: &SiteAddresses,
    generated: &mut GeneratedWeb,
) {
    if !addresses.has("/dir/") {
        return;
    }
    let mut folder = page(rng, 200, addresses);
    if requested.scope.specific_route {
        say_news(rng, &mut folder, addresses, generated);
    }
    if rng.percent(25) {
        folder.links.retain(|add_link| add_link.kind != SimLinkKind::Canonical);
        folder.add_link(SimLinkKind::Canonical, format!("https://{SITE}/dir/index.html"));
    }
    let index = if rng.percent(80) { folder.clone() } else { page(rng, 201, addresses) };
    generated.add(rng, &(SITE, "/dir/".to_owned()), ResourceKind::Page(folder));
    generated.add(rng, &(SITE, "/dir/index.html".to_owned()), ResourceKind::Page(index));
}

/// Generates the home page, which links to the unusual parts of the site.
fn draw_home(
    rng: &mut Rng,
    requested: &RequestedRun,
    addresses: &SiteAddresses,
    generated: &mut GeneratedWeb,
) -> ResourceKind {
    let mut home = page(rng, 0, addresses);
    if rng.percent(10) {
        chain(rng, generated);
        home.add_link(SimLinkKind::Anchor, "/chain0");
    }
    if rng.percent(12) {
        trap(generated);
        home.add_link(SimLinkKind::Anchor, "/find-1");
    }
    if rng.percent(10) {
        home.add_link(SimLinkKind::Anchor, "/x/x/x/x/x");
    }
    if !requested.scope.specific_route {
        say_news(rng, &mut home, addresses, generated);
    }
    if addresses.has("/index.html") {
        let index_file = if rng.percent(80) { home.clone() } else { page(rng, 202, addresses) };
        generated.add(rng, &(SITE, "/index.html".to_owned()), ResourceKind::Page(index_file));
        return ResourceKind::Page(home);
    }
    match rng.within(0, 99) {
        // If sitemaps are read before the start page, the start must not move: their URLs are
        // checked against the requested site.
        0..6 if !requested.reads_sitemaps() => draw_kind(rng, 0, addresses),
        0..12 => {
            let pages = generated.resources.iter().filter(|resource| {
                matches!(resource.kind, ResourceKind::Page(_))
                    && resource.key.starts_with("site.test/leaf")
            });
            match pages.map(|resource| resource.key.clone()).next() {
                Some(key) => ResourceKind::Redirect { status: 302, to: format!("https://{key}") },
                None => ResourceKind::Page(home),
            }
        }
        _ => ResourceKind::Page(home),
    }
}

/// Generates a feed that a page links to, and some others.
fn say_news(
    rng: &mut Rng,
    page: &mut SimPage,
    addresses: &SiteAddresses,
    generated: &mut GeneratedWeb,
) {
    if !rng.percent(25) {
        return;
    }
    let feed = format!("https://{SITE}/feed");
    page.add_link(SimLinkKind::Feed, feed.as_str());
    for resource in &mut generated.resources {
        if let ResourceKind::Page(page) = &mut resource.kind
            && !resource.key.contains("/de/")
            && rng.percent(30)
        {
            page.add_link(SimLinkKind::Feed, feed.as_str());
        }
    }
    let pool = [addresses.linked.as_slice(), &addresses.orphans].concat();
    let mut news: Vec<_> = (0..rng.within(0, 4))
        .map(|_| {
            let target = &pool[rng.index(pool.len())];
            spell(rng, target)
        })
        .collect();
    if rng.percent(30) {
        news.push(rng.pick(external_hosts::LINKS).to_owned());
    }
    generated.add(rng, &(SITE, "/feed".to_owned()), ResourceKind::UrlList(UrlList::Feed(news)));
}

fn draw_kind(rng: &mut Rng, number: usize, addresses: &SiteAddresses) -> ResourceKind {
    match rng.within(0, 99) {
        0..64 => ResourceKind::Page(page(rng, number, addresses)),
        64..68 => ResourceKind::Queried(page(rng, number, addresses)),
        68..71 => ResourceKind::File { content_type: "application/pdf", takes_head: true },
        71 => ResourceKind::Broken(SimFailure::Status { status: 304, retry_after: None }),
        72..84 => {
            let status = rng.pick(&[301, 302, 303, 307, 308]);
            let to = if rng.percent(10) {
                "https://elsewhere.test/".to_owned()
            } else {
                let target = &addresses.linked[rng.index(addresses.linked.len())];
                spell(rng, target)
            };
            ResourceKind::Redirect { status, to }
        }
        84..86 => ResourceKind::Broken(SimFailure::Cause(rng.pick(&[
            Cause::Timeout,
            Cause::Tls,
            Cause::TooLarge,
            Cause::BadEncoding,
        ]))),
        _ => ResourceKind::Broken(draw_refusal(rng)),
    }
}

fn draw_refusal(rng: &mut Rng) -> SimFailure {
    let status = rng.pick(&[404, 404, 410, 401, 403, 429, 500, 503]);
    let retry_after = rng.percent(30).then(|| rng.within(1, 100));
    SimFailure::Status { status, retry_after }
}

fn draw_file(rng: &mut Rng, ending: &str, addresses: &SiteAddresses) -> ResourceKind {
    let content_type = match ending {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "pdf" => "application/pdf",
        _ => "application/zip",
    };
    match rng.within(0, 9) {
        0 => ResourceKind::Broken(draw_refusal(rng)),
        1 => {
            let target = &addresses.linked[rng.index(addresses.linked.len())];
            ResourceKind::Redirect { status: 302, to: spell(rng, target) }
        }
        2..5 => ResourceKind::File { content_type, takes_head: false },
        _ => ResourceKind::File { content_type, takes_head: true },
    }
}

fn draw_fault(rng: &mut Rng) -> TransientFault {
    let says = |status, retry_after| SimFailure::Status { status, retry_after };
    let (failure, recovery) = match rng.within(0, 6) {
        0 => (says(500, None), Recovery::For(rng.within(1, 4_000))),
        1 => (says(503, Some(rng.within(1, 90))), Recovery::After(rng.within(1, 2))),
        2 => (says(429, rng.percent(50).then(|| rng.within(1, 5))), Recovery::For(10_000)),
        3 => (SimFailure::Cause(Cause::Timeout), Recovery::After(rng.within(1, 2))),
        4 => (SimFailure::Cause(Cause::Connect), Recovery::For(rng.within(1, 4_000))),
        5 => (SimFailure::Cause(Cause::Connect), Recovery::After(rng.within(1, 2))),
        _ => (SimFailure::NoResponse, Recovery::After(rng.within(1, 2))),
    };
    TransientFault { failure, recovery }
}

/// Generates a chain of redirects of about the maximum length; only its first URL is linked.
fn chain(rng: &mut Rng, generated: &mut GeneratedWeb) {
    let length = rng.within(8, 12);
    for hop in 0..length {
        let to = format!("/chain{}", hop + 1);
        generated.add_sound(&format!("/chain{hop}"), ResourceKind::Redirect { status: 302, to });
    }
    let end = SimPage { text: 400, language: Some("en"), ..SimPage::default() };
    generated.add_sound(&format!("/chain{length}"), ResourceKind::Page(end));
}

/// Generates pages with the same text, each linking to the next, beyond the trap limit.
fn trap(generated: &mut GeneratedWeb) {
    for number in 1..=DUPLICATES + 3 {
        let mut page = SimPage { text: 300, language: Some("en"), ..SimPage::default() };
        page.add_link(SimLinkKind::Anchor, format!("/find-{}", number + 1));
        generated.add_sound(&format!("/find-{number}"), ResourceKind::Page(page));
    }
}

fn page(rng: &mut Rng, number: usize, addresses: &SiteAddresses) -> SimPage {
    let is_leaf = (1..100).contains(&number);
    let text = if is_leaf && rng.percent(10) { SHARED } else { number };
    let language = match rng.within(0, 99) {
        0..80 => Some("en"),
        80..86 => Some("en-GB"),
        86..92 => Some("de"),
        _ => None,
    };
    let mut page = SimPage { text, language, noindex: rng.percent(8), ..SimPage::default() };
    if rng.percent(12) {
        let target = &addresses.pages[rng.index(addresses.pages.len())];
        page.add_link(SimLinkKind::Canonical, spell(rng, target));
    }
    if !addresses.german.is_empty() && rng.percent(20) {
        let (target, language) = &addresses.german[rng.index(addresses.german.len())];
        page.add_link(SimLinkKind::Version(language.unwrap_or("de")), spell(rng, target));
    }
    let links = if number == 0 { rng.within(1, 12) } else { rng.within(0, 6) };
    for _ in 0..links {
        let target = &addresses.linked[rng.index(addresses.linked.len())];
        page.add_link(SimLinkKind::Anchor, spell(rng, target));
    }
    if !addresses.images.is_empty() && rng.percent(25) {
        let target = &addresses.images[rng.index(addresses.images.len())];
        page.add_link(SimLinkKind::Image, spell(rng, target));
    }
    if rng.percent(25) {
        for _ in 0..rng.within(1, 2) {
            page.add_link(SimLinkKind::Anchor, rng.pick(external_hosts::LINKS));
        }
    }
    page
}

/// An address in one of its spellings.
fn spell(rng: &mut Rng, (host, path): &SiteAddress) -> String {
    // A folder with a query would be a third URL of the same page, and only the first of three is
    // remembered.
    let has_query = rng.percent(10) && !path.ends_with('/') && !path.ends_with(".html");
    let query = if has_query { "?view=2" } else { "" };
    let scheme = rng.pick(&["http", "https"]);
    let www = if *host == SITE && rng.percent(30) { "www." } else { "" };
    format!("{scheme}://{www}{host}{path}{query}#part")
}

fn key((host, path): &SiteAddress) -> String {
    format!("{host}{path}")
}

/// The file extension of a path that is not a page.
fn ending(path: &str) -> Option<&str> {
    let (_, ending) = path.rsplit_once('.')?;
    (ending != "html").then_some(ending)
}
