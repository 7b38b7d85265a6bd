//! Bot protection detection: every challenge by its marker, and no ordinary page as one.

use page::{HeaderSigns, PageHead, PageLimits, ProtectionEvidence};
use urls::CanonicalUrl;

mod challenges;
mod evidence;
mod markers;
mod ordinary;
mod robustness;

/// A response in short form.
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

    /// The marker if the page has not been read.
    fn marker(&self) -> Option<String> {
        self.judged(None)
    }

    /// The marker if the text has been counted, as in a run.
    fn marker_of_page(&self) -> Option<String> {
        let head = PageHead::default();
        let page =
            page::read_page(self.body.as_bytes(), &head, &Self::url(), &PageLimits::default());
        self.judged(Some(page.text_chars))
    }

    fn judged(&self, text_chars: Option<u64>) -> Option<String> {
        let location = self.headers.iter().find(|(name, _)| *name == "location");
        let seen = ProtectionEvidence {
            status: self.status,
            url: &Self::url(),
            location: location.map(|(_, value)| *value),
            headers: HeaderSigns::of(self.headers.iter().copied()),
            body: self.body.as_bytes(),
            text_chars,
        };
        page::detect_protection(&seen).map(|marker| marker.to_string())
    }
}

/// A page of the site with the text of a short article.
fn article(title: &str, head: &str, text: &str) -> String {
    let filler = "Plain words of the site itself, so that there is something to read. ".repeat(40);
    format!(
        "<!doctype html><html lang=en><head><title>{title}</title>{head}</head>\
         <body><header><a href=/>Home</a></header><main><h1>{title}</h1><p>{text}</p>\
         <p>{filler}</p></main></body></html>"
    )
}
