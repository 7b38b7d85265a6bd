//! Pages that strangers could write to keep us busy: each kind of token repeated, each container
//! nested, references that refer to each other, scripts that make much of little. At twice the
//! size, every mode of reading takes about twice the time and bounded memory.
//!
//! A new reader with a grammar of its own gets its tokens into `tokens.rs`, and what it can be
//! made to multiply into `amplifiers.rs`. To hunt with larger pages than the suite has:
//! `TRAWL_ADVERSARIAL_BYTES=1000000 cargo test -p extract --release --test adversarial`.

use extract::{
    ContactPage, Dossier, MarkdownPage, Page, PageHead, PageLimits, ProductPage, ProductWishes,
    RepeatedBlocks, SitemapFile, SitemapLimits,
};
use site::CanonicalUrl;

mod amplifiers;
mod measure;
mod pages;
mod tokens;

use measure::{CountingAllocator, excess};
use pages::Recipe;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Bytes of the smaller page of each pair.
const BYTES: usize = 24 * 1024;

fn bytes() -> usize {
    std::env::var("TRAWL_ADVERSARIAL_BYTES")
        .ok()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(BYTES)
}

fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://firma.test/team/widget").expect("a page")
}

/// Reads every page at both sizes and tells of all that cost too much.
fn check(recipes: &[Recipe], mode: &str, read: impl Fn(&[u8])) {
    let size = bytes();
    let wanted = std::env::var("TRAWL_ADVERSARIAL_PAGE").unwrap_or_default();
    let found: Vec<String> = recipes
        .iter()
        .filter(|recipe| recipe.name.contains(&wanted))
        .filter_map(|recipe| {
            let (half, whole) = (recipe.page(size), recipe.page(2 * size));
            let excess = excess(half.as_bytes(), whole.as_bytes(), &read)?;
            Some(format!("{mode}: {}: {excess}", recipe.name))
        })
        .collect();
    assert!(found.is_empty(), "{} pages:\n{}", found.len(), found.join("\n"));
}

#[test]
fn there_are_at_least_400_pages_each_of_its_own() {
    let pages: std::collections::HashSet<String> =
        pages::all().iter().map(|recipe| recipe.page(4_096)).collect();
    assert!(pages.len() >= 400, "{}", pages.len());
    assert_eq!(pages.len(), pages::all().len(), "a page stands there twice");
}

#[test]
fn links_take_linear_time_and_bounded_memory() {
    check(&pages::all(), "links", |body| {
        std::hint::black_box(Page::read(
            body,
            &PageHead::default(),
            &url(),
            &PageLimits::default(),
        ));
    });
}

#[test]
fn markdown_takes_linear_time_and_bounded_memory() {
    let repeated = RepeatedBlocks::default();
    check(&pages::all(), "markdown", |body| {
        let limits = PageLimits::default();
        let (_, text) = MarkdownPage::read(body, &PageHead::default(), &url(), &limits, &repeated);
        assert!(text.markdown.len() <= 4_096 + 64 * body.len());
    });
}

#[test]
fn products_take_linear_time_and_bounded_memory() {
    let wishes =
        ProductWishes { suppress_contact: true, collect_hidden_prices: true, lessons: true };
    check(&pages::all(), "products", |body| {
        let limits = PageLimits::default();
        let head = PageHead::default();
        std::hint::black_box(ProductPage::read(body, &head, &url(), &limits, wishes, None));
    });
}

#[test]
fn contacts_take_linear_time_and_bounded_memory() {
    check(&pages::all(), "contacts", |body| {
        let limits = PageLimits::default();
        let (_, page) = ContactPage::read(body, &PageHead::default(), &url(), &limits);
        let mut dossier = Dossier::new("firma.test");
        dossier.add(url(), page);
        std::hint::black_box(dossier.close());
    });
}

#[test]
fn sitemaps_cards_and_plain_texts_take_linear_time_and_bounded_memory() {
    check(&pages::all(), "sitemap", |body| {
        let limits = SitemapLimits::default();
        let _ = std::hint::black_box(SitemapFile::read(body, None, &url(), &limits));
    });
    check(&pages::all(), "vcard", |body| {
        std::hint::black_box(ContactPage::read_card(body, Some("text/vcard"), &url()));
    });
    check(&pages::all(), "plain text", |body| {
        std::hint::black_box(extract::read_plain_text(body, &PageHead::default(), "/a.md"));
    });
}
