//! The places of the fake web: pages, redirects, files, and what is broken about them.

use std::fmt::Write as _;

use journal::Cause;

use crate::rng::Rng;
use crate::web::{SHOP, SITE};

/// What stands at an address.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Host and path.
    pub key: String,
    pub kind: Kind,
    pub trouble: Option<Fault>,
}

/// What it is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Page(String),
    File,
    Redirect {
        status: u16,
        to: String,
    },
    /// A page that insists on a query.
    Queried(String),
    Broken(Trouble),
}

/// What a request gets instead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trouble {
    /// This status, and perhaps the wish to wait so many seconds.
    Says { status: u16, retry_after: Option<u64> },
    /// No answer, by this cause.
    Fails(Cause),
    /// No answer and no word of it: the driver's own patience ends.
    Lost,
}

/// A trouble that passes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub trouble: Trouble,
    pub passing: Passing,
}

/// When it passes. An attempt is repeated twice, after one and four seconds, or after
/// what the site asks for; 429 is waited out for a minute.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Passing {
    /// After it was met so often.
    After(u64),
    /// This many milliseconds after the first request.
    For(u64),
}

/// Names that stand only where no reader of the page would see a link.
pub(crate) const GHOST: &str = "/ghost";

/// Draws all places of a web; the first is its home.
pub(crate) fn draw(rng: &mut Rng, has_shop: bool) -> Vec<Place> {
    let count = rng.within(2, 26);
    let mut addresses: Vec<(&str, String)> = (0..count)
        .map(|number| {
            let host = if has_shop && number > 0 && rng.percent(25) { SHOP } else { SITE };
            let folder = rng.pick(&["", "", "", "/dir", "/private", "/dir/deep"]);
            (host, format!("{folder}/p{number}"))
        })
        .collect();
    addresses[0] = (SITE, "/".to_owned());
    let mut places = Vec::new();
    for (number, (host, path)) in addresses.iter().enumerate() {
        let kind = if number == 0 && !rng.percent(6) {
            page(rng, number, &addresses)
        } else {
            draw_kind(rng, number, &addresses)
        };
        let trouble = rng.percent(15).then(|| draw_fault(rng));
        places.push(Place { key: format!("{host}{path}"), kind, trouble });
    }
    if rng.percent(10) {
        chain(rng, &mut places);
    }
    places
}

fn draw_kind(rng: &mut Rng, number: usize, addresses: &[(&str, String)]) -> Kind {
    match rng.within(0, 99) {
        0..64 => page(rng, number, addresses),
        64..68 => match page(rng, number, addresses) {
            Kind::Page(html) => Kind::Queried(html),
            other => other,
        },
        68..71 => Kind::File,
        71 => Kind::Broken(Trouble::Says { status: 304, retry_after: None }),
        72..84 => {
            let status = rng.pick(&[301, 302, 303, 307, 308]);
            let to = if rng.percent(10) {
                "https://elsewhere.test/".to_owned()
            } else {
                let target = &addresses[rng.place(addresses.len())];
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
        _ => {
            let status = rng.pick(&[404, 404, 410, 401, 403, 429, 500, 503]);
            let retry_after = rng.percent(30).then(|| rng.within(1, 100));
            Kind::Broken(Trouble::Says { status, retry_after })
        }
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
        5 => (Trouble::Fails(Cause::Protocol), Passing::After(rng.within(1, 2))),
        _ => (Trouble::Lost, Passing::After(rng.within(1, 2))),
    };
    Fault { trouble, passing }
}

/// A chain of redirects, about as long as one may be; only its head is linked.
fn chain(rng: &mut Rng, places: &mut Vec<Place>) {
    let length = rng.within(8, 12);
    for hop in 0..length {
        let key = format!("{SITE}/chain{hop}");
        let to = format!("/chain{}", hop + 1);
        places.push(Place { key, kind: Kind::Redirect { status: 302, to }, trouble: None });
    }
    let kind = Kind::Page("<title>The end of the chain</title><p>at last".to_owned());
    places.push(Place { key: format!("{SITE}/chain{length}"), kind, trouble: None });
    if let Some(Place { kind: Kind::Page(html), .. }) = places.first_mut() {
        html.push_str("<a href='/chain0'>chain</a>");
    }
}

fn page(rng: &mut Rng, number: usize, addresses: &[(&str, String)]) -> Kind {
    let mut html = format!("<!doctype html><html lang=en><head><title>Page {number}</title>");
    if rng.percent(8) {
        html.push_str("<meta name=robots content=noindex>");
    }
    if rng.percent(12) {
        let target = &addresses[rng.place(addresses.len())];
        let _ = write!(html, "<link rel=canonical href='{}'>", spell(rng, target));
    }
    // Some pages share their text.
    let text = if rng.percent(10) { 0 } else { number };
    let _ = write!(html, "</head><body><h1>No. {text}</h1><p>words of page {text}</p><nav>");
    let links = if number == 0 { rng.within(1, 12) } else { rng.within(0, 6) };
    for _ in 0..links {
        let target = &addresses[rng.place(addresses.len())];
        let _ = write!(html, "<a href='{}'></a> ", spell(rng, target));
    }
    let _ = write!(
        html,
        "</nav><!-- <a href={GHOST}1> --><script>'<a href={GHOST}2>'</script>\
         <template><a href={GHOST}3>x</a></template><a href=https://elsewhere.test/x></a></body>"
    );
    Kind::Page(html)
}

/// An address in one of its spellings.
fn spell(rng: &mut Rng, (host, path): &(&str, String)) -> String {
    let query = if rng.percent(10) { "?view=2" } else { "" };
    let scheme = rng.pick(&["http", "https"]);
    let www = if *host == SITE && rng.percent(30) { "www." } else { "" };
    format!("{scheme}://{www}{host}{path}{query}#part")
}
