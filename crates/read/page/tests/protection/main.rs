//! Walls are told from pages: every wall by its name, no page as a wall.

use page::{HeaderSigns, Page, PageHead, PageLimits, ProtectionMarker, Seen};
use urls::CanonicalUrl;

mod evidence;
mod names;
mod oddities;
mod ordinary;
mod walls;

/// An answer in short.
#[derive(Debug, Clone, Copy)]
struct Answer<'a> {
    status: u16,
    headers: &'a [(&'a str, &'a str)],
    body: &'a str,
}

impl Answer<'_> {
    fn url() -> CanonicalUrl {
        CanonicalUrl::parse("https://shop.lab.test/page").expect("an address")
    }

    /// What it is called when nobody has read the page.
    fn marker(&self) -> Option<String> {
        self.judged(None)
    }

    /// What it is called when its text has been counted, as in a run.
    fn marker_of_page(&self) -> Option<String> {
        let head = PageHead::default();
        let page = Page::read(self.body.as_bytes(), &head, &Self::url(), &PageLimits::default());
        self.judged(Some(page.text_chars))
    }

    fn judged(&self, text_chars: Option<u64>) -> Option<String> {
        let location = self.headers.iter().find(|(name, _)| *name == "location");
        let seen = Seen {
            status: self.status,
            url: &Self::url(),
            location: location.map(|(_, value)| *value),
            headers: HeaderSigns::of(self.headers.iter().copied()),
            body: self.body.as_bytes(),
            text_chars,
        };
        ProtectionMarker::of(&seen).map(|marker| marker.to_string())
    }
}

/// A page of the site with its own text, as long as a short article.
fn article(title: &str, head: &str, text: &str) -> String {
    let filler = "Plain words of the site itself, so that there is something to read. ".repeat(40);
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title>{head}</head>\
         <body><header><a href=/>Home</a></header><main><h1>{title}</h1><p>{text}</p>\
         <p>{filler}</p></main></body></html>"
    )
}
