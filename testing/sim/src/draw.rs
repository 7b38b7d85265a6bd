//! Draws the places of a web.

use journal::Cause;

use crate::abroad;
use crate::list::List;
use crate::page::{Page, TieKind};
use crate::place::{Fault, Kind, Passing, Place, Trouble};
use crate::rng::Rng;
use crate::web::{SHOP, SITE};
use crate::wish::{DUPLICATES, Wish};

mod sitemaps;

/// The text that several pages share.
const SHARED: usize = 99;

/// A web as it was drawn.
#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub places: Vec<Place>,
    /// The sitemaps that robots.txt names.
    pub named: Vec<String>,
}

/// Host and path.
type Address = (&'static str, String);

/// The addresses of a web, by what stands there.
#[derive(Debug, Default)]
struct Addresses {
    /// Pages and whatever may stand in their place; the first is the home.
    pages: Vec<Address>,
    /// Pages in German, below a folder that says so. They lead to each other alone: how
    /// many of them are read by a run that does not want them depends on when it finds
    /// that out.
    german: Vec<(Address, Option<&'static str>)>,
    images: Vec<Address>,
    /// Everything that is linked.
    linked: Vec<Address>,
    /// Pages that nothing links to.
    orphans: Vec<Address>,
}

/// Draws the web of a run with this wish.
pub(crate) fn draw(rng: &mut Rng, wish: &Wish) -> Drawing {
    let addresses = Addresses::draw(rng, wish);
    let mut drawing = Drawing::default();
    for (number, address) in addresses.pages.iter().enumerate().skip(1) {
        let kind = draw_kind(rng, number, &addresses);
        drawing.add(rng, address, kind);
    }
    draw_folder(rng, wish, &addresses, &mut drawing);
    for (number, (address, language)) in addresses.german.iter().enumerate() {
        let mut page = Page { text: 600 + number, language: *language, ..Page::default() };
        for _ in 0..rng.within(0, 3) {
            let (target, _) = &addresses.german[rng.place(addresses.german.len())];
            page.tie(TieKind::Anchor, spell(rng, target));
        }
        drawing.add(rng, address, Kind::Page(page));
    }
    for (number, address) in addresses.orphans.iter().enumerate() {
        let page = page(rng, 500 + number, &addresses);
        drawing.add(rng, address, Kind::Page(page));
    }
    let files = addresses.linked.iter().filter(|(_, path)| ending(path).is_some());
    for address in files {
        let kind = draw_file(rng, ending(&address.1).unwrap_or_default(), &addresses);
        drawing.add(rng, address, kind);
    }
    let home = draw_home(rng, wish, &addresses, &mut drawing);
    drawing.add(rng, &addresses.pages[0], home);
    sitemaps::draw(rng, wish, &addresses, &mut drawing);
    if wish.scope.include_external {
        drawing.places.extend(abroad::places());
    }
    drawing
}

impl Drawing {
    fn add(&mut self, rng: &mut Rng, address: &Address, kind: Kind) {
        let trouble = rng.percent(12).then(|| draw_fault(rng));
        self.places.push(Place { key: key(address), kind, trouble });
    }

    fn add_sound(&mut self, path: &str, kind: Kind) {
        self.places.push(Place { key: format!("{SITE}{path}"), kind, trouble: None });
    }
}

impl Addresses {
    fn draw(rng: &mut Rng, wish: &Wish) -> Self {
        let has_shop = rng.percent(35);
        let letters = ('a'..='z').take(usize::try_from(rng.within(2, 20)).unwrap_or(2));
        let mut pages = vec![(SITE, "/".to_owned())];
        // Names without numbers: pages whose names differ in their numbers alone are one
        // pattern, and may be one trap.
        pages.extend(letters.map(|letter| {
            let host = if has_shop && rng.percent(25) { SHOP } else { SITE };
            let folder = rng.pick(&["", "", "", "/dir", "/private", "/dir/deep"]);
            (host, format!("{folder}/leaf-{letter}"))
        }));
        let named = |names: &[&str], count: u64| -> Vec<Address> {
            let count = usize::try_from(count).unwrap_or(0);
            names.iter().take(count).map(|name| (SITE, (*name).to_owned())).collect()
        };
        let german = ["/de/", "/de/eins", "/de/zwei", "/de/dir/drei"];
        let german = named(&german, if rng.percent(35) { rng.within(1, 4) } else { 0 });
        let languages = [Some("de"), Some("de"), Some("de-AT"), None];
        let german: Vec<_> = german.into_iter().map(|at| (at, rng.pick(&languages))).collect();
        let images = named(&["/images/a.png", "/dir/b.jpg"], rng.within(0, 2));
        let files = named(&["/files/a.pdf", "/dir/b.zip"], rng.within(0, 2));
        let has_folder = wish.scope.specific_route || rng.percent(30);
        let folder = named(&["/dir/", "/dir/index.html"], if has_folder { 2 } else { 0 });
        let twin = named(&["/index.html"], u64::from(rng.percent(15)));
        let orphans = named(&["/orphan-a", "/dir/orphan-b", "/orphan-c"], rng.within(0, 3));
        let linked = [pages.clone(), folder, twin, images.clone(), files].concat();
        let linked = linked.into_iter().chain(german.iter().map(|(at, _)| at.clone())).collect();
        Self { pages, german, images, linked, orphans }
    }

    fn has(&self, path: &str) -> bool {
        self.linked.iter().any(|(_, known)| known == path)
    }
}

/// A folder and its index file, mostly one page under two names.
fn draw_folder(rng: &mut Rng, wish: &Wish, addresses: &Addresses, drawing: &mut Drawing) {
    if !addresses.has("/dir/") {
        return;
    }
    let mut folder = page(rng, 200, addresses);
    if wish.scope.specific_route {
        say_news(rng, &mut folder, addresses, drawing);
    }
    if rng.percent(25) {
        folder.ties.retain(|tie| tie.kind != TieKind::Canonical);
        folder.tie(TieKind::Canonical, format!("https://{SITE}/dir/index.html"));
    }
    let index = if rng.percent(80) { folder.clone() } else { page(rng, 201, addresses) };
    drawing.add(rng, &(SITE, "/dir/".to_owned()), Kind::Page(folder));
    drawing.add(rng, &(SITE, "/dir/index.html".to_owned()), Kind::Page(index));
}

/// The home: a page most of the time, and then the door to what is odd about the site.
fn draw_home(rng: &mut Rng, wish: &Wish, addresses: &Addresses, drawing: &mut Drawing) -> Kind {
    let mut home = page(rng, 0, addresses);
    if rng.percent(10) {
        chain(rng, drawing);
        home.tie(TieKind::Anchor, "/chain0");
    }
    if rng.percent(12) {
        trap(drawing);
        home.tie(TieKind::Anchor, "/find-1");
    }
    if rng.percent(10) {
        home.tie(TieKind::Anchor, "/x/x/x/x/x");
    }
    if !wish.scope.specific_route {
        say_news(rng, &mut home, addresses, drawing);
    }
    if addresses.has("/index.html") {
        let twin = if rng.percent(80) { home.clone() } else { page(rng, 202, addresses) };
        drawing.add(rng, &(SITE, "/index.html".to_owned()), Kind::Page(twin));
        return Kind::Page(home);
    }
    match rng.within(0, 99) {
        // Where sitemaps are read before the start is asked for, it stays where it is: they
        // are judged by the place that was given.
        0..6 if !wish.reads_sitemaps() => draw_kind(rng, 0, addresses),
        0..12 => {
            let pages = drawing.places.iter().filter(|place| {
                matches!(place.kind, Kind::Page(_)) && place.key.starts_with("site.test/leaf")
            });
            match pages.map(|place| place.key.clone()).next() {
                Some(key) => Kind::Redirect { status: 302, to: format!("https://{key}") },
                None => Kind::Page(home),
            }
        }
        _ => Kind::Page(home),
    }
}

/// A feed, named by a page and by some others.
fn say_news(rng: &mut Rng, page: &mut Page, addresses: &Addresses, drawing: &mut Drawing) {
    if !rng.percent(25) {
        return;
    }
    let feed = format!("https://{SITE}/feed");
    page.tie(TieKind::Feed, feed.as_str());
    for place in &mut drawing.places {
        if let Kind::Page(page) = &mut place.kind
            && !place.key.contains("/de/")
            && rng.percent(30)
        {
            page.tie(TieKind::Feed, feed.as_str());
        }
    }
    let pool = [addresses.linked.as_slice(), &addresses.orphans].concat();
    let mut news: Vec<_> = (0..rng.within(0, 4))
        .map(|_| {
            let target = &pool[rng.place(pool.len())];
            spell(rng, target)
        })
        .collect();
    if rng.percent(30) {
        news.push(rng.pick(abroad::LINKS).to_owned());
    }
    drawing.add(rng, &(SITE, "/feed".to_owned()), Kind::List(List::Feed(news)));
}

fn draw_kind(rng: &mut Rng, number: usize, addresses: &Addresses) -> Kind {
    match rng.within(0, 99) {
        0..64 => Kind::Page(page(rng, number, addresses)),
        64..68 => Kind::Queried(page(rng, number, addresses)),
        68..71 => Kind::File { content_type: "application/pdf", takes_head: true },
        71 => Kind::Broken(Trouble::Says { status: 304, retry_after: None }),
        72..84 => {
            let status = rng.pick(&[301, 302, 303, 307, 308]);
            let to = if rng.percent(10) {
                "https://elsewhere.test/".to_owned()
            } else {
                let target = &addresses.linked[rng.place(addresses.linked.len())];
                spell(rng, target)
            };
            Kind::Redirect { status, to }
        }
        84..86 => Kind::Broken(Trouble::Fails(rng.pick(&[
            Cause::Timeout,
            Cause::Tls,
            Cause::TooLarge,
            Cause::BadEncoding,
        ]))),
        _ => Kind::Broken(draw_refusal(rng)),
    }
}

fn draw_refusal(rng: &mut Rng) -> Trouble {
    let status = rng.pick(&[404, 404, 410, 401, 403, 429, 500, 503]);
    let retry_after = rng.percent(30).then(|| rng.within(1, 100));
    Trouble::Says { status, retry_after }
}

fn draw_file(rng: &mut Rng, ending: &str, addresses: &Addresses) -> Kind {
    let content_type = match ending {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "pdf" => "application/pdf",
        _ => "application/zip",
    };
    match rng.within(0, 9) {
        0 => Kind::Broken(draw_refusal(rng)),
        1 => {
            let target = &addresses.linked[rng.place(addresses.linked.len())];
            Kind::Redirect { status: 302, to: spell(rng, target) }
        }
        2..5 => Kind::File { content_type, takes_head: false },
        _ => Kind::File { content_type, takes_head: true },
    }
}

fn draw_fault(rng: &mut Rng) -> Fault {
    let says = |status, retry_after| Trouble::Says { status, retry_after };
    let (trouble, passing) = match rng.within(0, 6) {
        0 => (says(500, None), Passing::For(rng.within(1, 4_000))),
        1 => (says(503, Some(rng.within(1, 90))), Passing::After(rng.within(1, 2))),
        2 => (says(429, rng.percent(50).then(|| rng.within(1, 5))), Passing::For(10_000)),
        3 => (Trouble::Fails(Cause::Timeout), Passing::After(rng.within(1, 2))),
        4 => (Trouble::Fails(Cause::Connect), Passing::For(rng.within(1, 4_000))),
        5 => (Trouble::Fails(Cause::Connect), Passing::After(rng.within(1, 2))),
        _ => (Trouble::Lost, Passing::After(rng.within(1, 2))),
    };
    Fault { trouble, passing }
}

/// A chain of redirects, about as long as one may be; only its head is linked.
fn chain(rng: &mut Rng, drawing: &mut Drawing) {
    let length = rng.within(8, 12);
    for hop in 0..length {
        let to = format!("/chain{}", hop + 1);
        drawing.add_sound(&format!("/chain{hop}"), Kind::Redirect { status: 302, to });
    }
    let end = Page { text: 400, language: Some("en"), ..Page::default() };
    drawing.add_sound(&format!("/chain{length}"), Kind::Page(end));
}

/// Pages that say the same and lead on to the next one, for longer than anyone has patience.
fn trap(drawing: &mut Drawing) {
    for number in 1..=DUPLICATES + 3 {
        let mut page = Page { text: 300, language: Some("en"), ..Page::default() };
        page.tie(TieKind::Anchor, format!("/find-{}", number + 1));
        drawing.add_sound(&format!("/find-{number}"), Kind::Page(page));
    }
}

fn page(rng: &mut Rng, number: usize, addresses: &Addresses) -> Page {
    let is_leaf = (1..100).contains(&number);
    let text = if is_leaf && rng.percent(10) { SHARED } else { number };
    let language = match rng.within(0, 99) {
        0..80 => Some("en"),
        80..86 => Some("en-GB"),
        86..92 => Some("de"),
        _ => None,
    };
    let mut page = Page { text, language, noindex: rng.percent(8), ..Page::default() };
    if rng.percent(12) {
        let target = &addresses.pages[rng.place(addresses.pages.len())];
        page.tie(TieKind::Canonical, spell(rng, target));
    }
    if !addresses.german.is_empty() && rng.percent(20) {
        let (target, language) = &addresses.german[rng.place(addresses.german.len())];
        page.tie(TieKind::Version(language.unwrap_or("de")), spell(rng, target));
    }
    let links = if number == 0 { rng.within(1, 12) } else { rng.within(0, 6) };
    for _ in 0..links {
        let target = &addresses.linked[rng.place(addresses.linked.len())];
        page.tie(TieKind::Anchor, spell(rng, target));
    }
    if !addresses.images.is_empty() && rng.percent(25) {
        let target = &addresses.images[rng.place(addresses.images.len())];
        page.tie(TieKind::Image, spell(rng, target));
    }
    if rng.percent(25) {
        for _ in 0..rng.within(1, 2) {
            page.tie(TieKind::Anchor, rng.pick(abroad::LINKS));
        }
    }
    page
}

/// An address in one of its spellings.
fn spell(rng: &mut Rng, (host, path): &Address) -> String {
    // A folder with a query would be a third name of the page that its index file is: of
    // three that say the same, only the first is remembered.
    let has_query = rng.percent(10) && !path.ends_with('/') && !path.ends_with(".html");
    let query = if has_query { "?view=2" } else { "" };
    let scheme = rng.pick(&["http", "https"]);
    let www = if *host == SITE && rng.percent(30) { "www." } else { "" };
    format!("{scheme}://{www}{host}{path}{query}#part")
}

fn key((host, path): &Address) -> String {
    format!("{host}{path}")
}

/// The ending of what is no page.
fn ending(path: &str) -> Option<&str> {
    let (_, ending) = path.rsplit_once('.')?;
    (ending != "html").then_some(ending)
}
