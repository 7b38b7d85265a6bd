//! Reads a page in each mode, as a run would.

use contacts::{ContactAggregator, ContactPage};
use markdown::{MarkdownPage, RepeatedBlocks};
use page::{Page, PageHead, PageLimits};
use products::{ProductOptions, ProductPage};
use urls::CanonicalUrl;

pub fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://example.com/docs/page").expect("a page")
}

pub fn links(body: &[u8]) -> Page {
    page::read_page(body, &PageHead::default(), &url(), &PageLimits::default())
}

/// The output must be in proportion to the input.
pub fn markdown(body: &[u8]) -> Page {
    let repeated = RepeatedBlocks::default();
    let limits = PageLimits::default();
    let (page, text) = MarkdownPage::read(body, &PageHead::default(), &url(), &limits, &repeated);
    let written = text.markdown.len();
    assert!(written <= 4_096 + body.len() * 64, "{written} of {}", body.len());
    page
}

pub fn product(body: &[u8]) -> ProductPage {
    let options = ProductOptions {
        suppress_contact: true,
        collect_hidden_prices: true,
        template_examples: true,
    };
    let limits = PageLimits::default();
    ProductPage::read(body, &PageHead::default(), &url(), &limits, options, None).1
}

pub fn contacts(body: &[u8]) -> contacts::Contacts {
    let limits = PageLimits::default();
    let (_, page) = ContactPage::read(body, &PageHead::default(), &url(), &limits);
    let mut aggregator = ContactAggregator::new("example.com");
    aggregator.add(url(), page);
    aggregator.finish()
}
