//! Helpers for tests of content selection.

use super::*;
use html::dom::{NodeId, NodeKind};

mod completed;
mod hostile;
mod page_types;
mod repeated;
mod selected;

/// A selection with its text, one line for each run of selected text nodes.
struct SelectedText {
    content: ContentSelection,
    text: String,
}

fn select_at(url: &str, html: &str, repeated: &RepeatedBlocks) -> SelectedText {
    let dom = Dom::parse(html);
    let head = HeadFeatures::read(&dom, url);
    let content = select(&dom, &head, repeated);
    let kept = dom
        .descendants(NodeId::ROOT)
        .filter(|id| content.selection.contains(*id) && matches!(dom.kind(*id), NodeKind::Text));
    let text = kept.map(|id| dom.text(id).into_owned()).collect::<Vec<_>>().join("\n");
    SelectedText { content, text }
}

fn select_page(url: &str, html: &str) -> SelectedText {
    select_at(url, html, &RepeatedBlocks::default())
}

impl SelectedText {
    /// Checks that the text contains all of these.
    #[track_caller]
    fn has(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(self.text.contains(text), "{text:?} is missing in {:?}", self.text);
        }
        self
    }

    /// Checks that the text contains none of these.
    #[track_caller]
    fn has_none(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(!self.text.contains(text), "{text:?} is in {:?}", self.text);
        }
        self
    }
}

/// A page of a site: header with navigation, the given content, footer.
fn site(title: &str, content: &str) -> String {
    format!(
        "<!doctype html><html lang=en><head><title>{title} | Northwind</title>\
         <meta name=description content=\"{title}\"></head><body>\
         <a class=skip-link href='#content'>Skip to content</a>\
         <header class=site-header><a class=logo href=/>Northwind</a><nav class=main-nav><ul>\
         <li><a href=/products>Products</a></li><li><a href=/pricing>Pricing</a></li>\
         <li><a href=/docs>Documentation</a></li><li><a href=/company>About the company</a></li>\
         </ul></nav></header>\
         {content}\
         <footer class=site-footer><ul><li><a href=/terms>Terms of use</a></li>\
         <li><a href=/privacy>Privacy policy</a></li><li><a href=/jobs>Jobs at Northwind</a></li></ul>\
         <p class=copyright>© 2025 Northwind Ltd. All rights reserved.</p></footer>\
         <div id=cookie-banner class=cookie-consent role=dialog><p>We use cookies to improve your \
         experience on our website.</p><button>Accept all cookies</button></div>\
         </body></html>"
    )
}

/// Boilerplate of every page of that site.
const AROUND: [&str; 6] = [
    "Skip to content",
    "About the company",
    "Terms of use",
    "Jobs at Northwind",
    "All rights reserved",
    "Accept all cookies",
];

/// A paragraph of prose about a subject.
fn prose(subject: &str) -> String {
    format!(
        "<p>The {subject} was built by people who had seen many of them fail, and it shows in \
         every part that they made. They began with the foundations, took their time, and asked \
         those who would live with it what they needed most of all.</p>\
         <p>When the work was done, the {subject} stood for thirty years without a repair. Visitors \
         still come to see how it was made, and most of them leave with the feeling that care \
         costs less than haste.</p>"
    )
}
