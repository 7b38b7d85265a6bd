//! Draws the sitemaps of a web: where they stand, and what they list.

use super::{Address, Addresses, Drawing, spell};
use crate::abroad;
use crate::list::{Entry, List};
use crate::page::{Page, TieKind};
use crate::place::Kind;
use crate::rng::Rng;
use crate::web::{SHOP, SITE};
use crate::wish::Wish;

/// Draws the sitemaps, if the site has any.
pub(super) fn draw(rng: &mut Rng, wish: &Wish, addresses: &Addresses, drawing: &mut Drawing) {
    let at = |path: &str| -> Address { (SITE, path.to_owned()) };
    if rng.percent(10) {
        // Something stands where a sitemap may be, and is none.
        let kind = match rng.percent(50) {
            true => Kind::Page(Page { text: 700, ..Page::default() }),
            false => Kind::Redirect { status: 301, to: "/sitemap_index.xml".to_owned() },
        };
        drawing.add(rng, &at("/sitemap.xml"), kind);
    } else if rng.percent(40) {
        let first = rng.pick(&["/sitemap.xml", "/sitemap.xml", "/sitemap_index.xml"]);
        let list = if rng.percent(50) { urls(rng, addresses) } else { index(rng, first) };
        drawing.add(rng, &at(first), Kind::List(list));
    } else if rng.percent(20) {
        let lines = (0..3).map(|_| listed(rng, addresses)).collect();
        drawing.add(rng, &at("/sitemap.txt"), Kind::List(List::Lines(lines)));
    }
    for path in ["/maps/one.xml", "/maps/two.xml"] {
        let list = urls(rng, addresses);
        drawing.add(rng, &at(path), Kind::List(list));
    }
    let list = urls(rng, addresses);
    drawing.add(rng, &(SHOP, "/map.xml".to_owned()), Kind::List(list));
    if rng.percent(35) {
        for _ in 0..rng.within(1, 3) {
            drawing.named.push(rng.pick(PLACES).to_owned());
        }
    }
    // One that a page links to is found in the middle of a run. Where a sitemap replaces the
    // links, what was followed until then would depend on when that is.
    if rng.percent(15) && !wish.options.sitemap_first {
        let list = urls(rng, addresses);
        let late = "/maps/late-sitemap.xml";
        drawing.add(rng, &at(late), Kind::List(list));
        let pages = drawing.places.iter_mut().filter(|place| !place.key.contains("/de/"));
        let pages = pages.filter_map(|place| match &mut place.kind {
            Kind::Page(page) if page.text < 100 => Some(page),
            _ => None,
        });
        if let Some(page) = pages.last() {
            page.tie(TieKind::Anchor, format!("https://{SITE}{late}"));
        }
    }
}

/// What robots.txt may name.
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

/// An index: of files, of itself, of what is not there or of somebody else.
fn index(rng: &mut Rng, own: &str) -> List {
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
    List::Index(files)
}

fn urls(rng: &mut Rng, addresses: &Addresses) -> List {
    let mut entries: Vec<_> = (0..rng.within(0, 5))
        .map(|_| {
            let url = listed(rng, addresses);
            let version = match addresses.german.is_empty() || !rng.percent(20) {
                true => None,
                false => {
                    let (target, language) = &addresses.german[rng.place(addresses.german.len())];
                    Some((language.unwrap_or("de"), spell(rng, target)))
                }
            };
            Entry { url, version }
        })
        .collect();
    if rng.percent(30) {
        entries.push(Entry { url: rng.pick(abroad::LINKS).to_owned(), version: None });
    }
    List::Urls(entries)
}

/// Something that is worth listing: orphans more often than others.
fn listed(rng: &mut Rng, addresses: &Addresses) -> String {
    let of = match addresses.orphans.is_empty() || !rng.percent(40) {
        true => &addresses.linked,
        false => &addresses.orphans,
    };
    let target = &of[rng.place(of.len())];
    spell(rng, target)
}
