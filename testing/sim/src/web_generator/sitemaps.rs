//! Generates the sitemaps of a web.

use super::{GeneratedWeb, SiteAddress, SiteAddresses, spell};
use crate::external_hosts;
use crate::hosts::{SHOP, SITE};
use crate::requested_run::RequestedRun;
use crate::resource::ResourceKind;
use crate::rng::Rng;
use crate::sim_page::{SimLinkKind, SimPage};
use crate::url_list::{UrlList, UrlListEntry};

/// Generates the sitemaps, if the site has any.
pub(super) fn draw(
    rng: &mut Rng,
    requested: &RequestedRun,
    addresses: &SiteAddresses,
    generated: &mut GeneratedWeb,
) {
    let at = |path: &str| -> SiteAddress { (SITE, path.to_owned()) };
    if rng.percent(10) {
        // Another resource at the location of a sitemap.
        let kind = match rng.percent(50) {
            true => ResourceKind::Page(SimPage { text: 700, ..SimPage::default() }),
            false => ResourceKind::Redirect { status: 301, to: "/sitemap_index.xml".to_owned() },
        };
        generated.add(rng, &at("/sitemap.xml"), kind);
    } else if rng.percent(40) {
        let first = rng.pick(&["/sitemap.xml", "/sitemap.xml", "/sitemap_index.xml"]);
        let list = if rng.percent(50) { urls(rng, addresses) } else { index(rng, first) };
        generated.add(rng, &at(first), ResourceKind::UrlList(list));
    } else if rng.percent(20) {
        let lines = (0..3).map(|_| listed(rng, addresses)).collect();
        generated.add(rng, &at("/sitemap.txt"), ResourceKind::UrlList(UrlList::Lines(lines)));
    }
    for path in ["/maps/one.xml", "/maps/two.xml"] {
        let list = urls(rng, addresses);
        generated.add(rng, &at(path), ResourceKind::UrlList(list));
    }
    let list = urls(rng, addresses);
    generated.add(rng, &(SHOP, "/map.xml".to_owned()), ResourceKind::UrlList(list));
    if rng.percent(35) {
        for _ in 0..rng.within(1, 3) {
            generated.named.push(rng.pick(PLACES).to_owned());
        }
    }
    // A sitemap that a page links to is found in the middle of a run. If a sitemap replaces the
    // links, the expected results would depend on when that happens.
    if rng.percent(15) && !requested.options.sitemap_first {
        let list = urls(rng, addresses);
        let late = "/maps/late-sitemap.xml";
        generated.add(rng, &at(late), ResourceKind::UrlList(list));
        let pages =
            generated.resources.iter_mut().filter(|resource| !resource.key.contains("/de/"));
        let pages = pages.filter_map(|resource| match &mut resource.kind {
            ResourceKind::Page(page) if page.text < 100 => Some(page),
            _ => None,
        });
        if let Some(page) = pages.last() {
            page.add_link(SimLinkKind::Anchor, format!("https://{SITE}{late}"));
        }
    }
}

/// Sitemaps that robots.txt may name.
const PLACES: &[&str] = &[
    "https://site.test/maps/one.xml",
    "https://site.test/maps/one.xml",
    "http://www.site.test/maps/two.xml",
    "/sitemap_index.xml",
    "https://shop.site.test/map.xml",
    "https://cdn.test/map.xml",
    "/private/map.xml",
    "/maps/missing.xml",
];

/// An index of files, of itself, of a missing file or of an external one.
fn index(rng: &mut Rng, own: &str) -> UrlList {
    let mut files = vec!["https://site.test/maps/one.xml".to_owned()];
    if rng.percent(60) {
        files.push("https://site.test/maps/two.xml".to_owned());
    }
    if rng.percent(50) {
        files.push(format!("https://site.test{own}"));
    }
    if rng.percent(30) {
        files.push("https://site.test/maps/missing.xml".to_owned());
    }
    if rng.percent(30) {
        files.push("https://cdn.test/map.xml".to_owned());
    }
    UrlList::Index(files)
}

fn urls(rng: &mut Rng, addresses: &SiteAddresses) -> UrlList {
    let mut entries: Vec<_> = (0..rng.within(0, 5))
        .map(|_| {
            let url = listed(rng, addresses);
            let version = match addresses.german.is_empty() || !rng.percent(20) {
                true => None,
                false => {
                    let (target, language) = &addresses.german[rng.index(addresses.german.len())];
                    Some((language.unwrap_or("de"), spell(rng, target)))
                }
            };
            UrlListEntry { url, version }
        })
        .collect();
    if rng.percent(30) {
        entries
            .push(UrlListEntry { url: rng.pick(external_hosts::LINKS).to_owned(), version: None });
    }
    UrlList::Urls(entries)
}

/// A URL to list; orphans are more likely.
fn listed(rng: &mut Rng, addresses: &SiteAddresses) -> String {
    let of = match addresses.orphans.is_empty() || !rng.percent(40) {
        true => &addresses.linked,
        false => &addresses.orphans,
    };
    let target = &of[rng.index(of.len())];
    spell(rng, target)
}
