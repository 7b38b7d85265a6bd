//! Adversarial pages: each kind of token repeated, each container nested, references to each other,
//! scripts with amplified output. At twice the size, every mode takes about twice the time and
//! bounded memory.
//!
//! A new reader with its own grammar adds its tokens to `tokens.rs`, and what can be amplified to
//! `amplifiers.rs`. To test with larger pages: `TRAWL_ADVERSARIAL_BYTES=1000000 cargo test -p
//! reader --release --test adversarial`.

use contacts::{ContactAggregator, ContactPage};
use markdown::{MarkdownPage, RepeatedBlocks};
use page::{HeaderSigns, PageHead, PageLimits, ProtectionEvidence, SitemapLimits};
use products::{ProductOptions, ProductPage};
use urls::CanonicalUrl;

mod amplifiers;
mod measure;
mod pages;
mod tokens;

use measure::{CountingAllocator, excess};
use pages::Recipe;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Bytes of the smaller page of each pair.
const BYTES: usize = 12 * 1024;

fn bytes() -> usize {
    std::env::var("TRAWL_ADVERSARIAL_BYTES")
        .ok()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(BYTES)
}

fn url() -> CanonicalUrl {
    CanonicalUrl::parse("https://firma.test/team/widget").expect("a page")
}

/// Reads every page of a group at both sizes and lists those that cost too much.
fn check(recipes: &[Recipe], mode: &str, read: impl Fn(&[u8])) {
    let size = bytes();
    let wanted = std::env::var("TRAWL_ADVERSARIAL_PAGE").unwrap_or_default();
    let found: Vec<String> = recipes
        .iter()
        .filter(|recipe| recipe.name.contains(&wanted))
        .filter_map(|recipe| {
            let excess = excess(size, |bytes| recipe.page(bytes), &read)?;
            Some(format!("{mode}: {}: {excess}", recipe.name))
        })
        .collect();
    assert!(found.is_empty(), "{} pages:\n{}", found.len(), found.join("\n"));
}

fn read_links(body: &[u8]) {
    let limits = PageLimits::default();
    std::hint::black_box(page::read_page(body, &PageHead::default(), &url(), &limits));
}

fn read_markdown(body: &[u8]) {
    let limits = PageLimits::default();
    let repeated = RepeatedBlocks::default();
    let (_, text) = MarkdownPage::read(body, &PageHead::default(), &url(), &limits, &repeated);
    assert!(text.markdown.len() <= 4_096 + 64 * body.len());
}

fn read_products(body: &[u8]) {
    let limits = PageLimits::default();
    let options = ProductOptions {
        suppress_contact: true,
        collect_hidden_prices: true,
        template_examples: true,
    };
    let head = PageHead::default();
    std::hint::black_box(ProductPage::read(body, &head, &url(), &limits, options, None));
}

fn read_contacts(body: &[u8]) {
    let limits = PageLimits::default();
    let (_, page) = ContactPage::read(body, &PageHead::default(), &url(), &limits);
    let mut aggregator = ContactAggregator::new("firma.test");
    aggregator.add(url(), page);
    std::hint::black_box(aggregator.finish());
}

fn read_sitemap(body: &[u8]) {
    let limits = SitemapLimits::default();
    let _ = std::hint::black_box(page::read_sitemap(body, None, &url(), &limits));
}

fn read_card(body: &[u8]) {
    std::hint::black_box(ContactPage::read_card(body, Some("text/vcard"), &url()));
}

fn check_protection(body: &[u8]) {
    for status in [200, 403] {
        let headers = HeaderSigns::default();
        let url = url();
        let evidence = ProtectionEvidence {
            status,
            url: &url,
            location: None,
            headers,
            body,
            text_chars: None,
        };
        std::hint::black_box(page::detect_protection(&evidence));
    }
}

fn read_plain_text(body: &[u8]) {
    std::hint::black_box(markdown::read_plain_text(body, &PageHead::default(), "/a.md"));
}

/// One test for each mode and group of pages, so that they run in parallel.
macro_rules! take_linear_time_and_bounded_memory {
    ($($mode:ident: $read:ident,)*) => {
        mod take_linear_time_and_bounded_memory {$(
            mod $mode {
                use crate::{amplifiers, check, pages, $read};

                #[test]
                fn for_markup() {
                    check(&pages::markup(), stringify!($mode), $read);
                }

                #[test]
                fn for_data() {
                    check(&pages::data(), stringify!($mode), $read);
                }

                #[test]
                fn for_scripts() {
                    check(&pages::scripts(), stringify!($mode), $read);
                }

                #[test]
                fn for_texts() {
                    check(&pages::texts(), stringify!($mode), $read);
                }

                #[test]
                fn for_amplifiers() {
                    check(&amplifiers::all(), stringify!($mode), $read);
                }
            }
        )*}
    };
}

take_linear_time_and_bounded_memory! {
    links: read_links,
    markdown: read_markdown,
    products: read_products,
    contacts: read_contacts,
    sitemap: read_sitemap,
    card: read_card,
    plain_text: read_plain_text,
    protection: check_protection,
}

#[test]
fn suite_has_at_least_400_distinct_pages() {
    let recipes = pages::all();
    let mut names = std::collections::HashMap::new();
    let twice: Vec<_> = recipes
        .iter()
        .filter_map(|recipe| Some((&recipe.name, names.insert(recipe.page(4_096), &recipe.name)?)))
        .collect();
    assert!(twice.is_empty(), "pages under two names: {twice:?}");
    assert!(recipes.len() >= 400, "{}", recipes.len());
}

/// A person keeps six phone numbers. A reader that collects every number of a table of people
/// before it keeps six holds them all for each person: 430 bytes per byte of this page.
#[test]
fn table_of_people_with_phone_numbers_takes_bounded_memory() {
    const UNIT: &str = "<tr><td>Karl Otto<td>CEO<td>+49 221 123\u{1}";
    let page = pages::repeated("<body><h1>Team</h1>", UNIT, "", 96 * 1024);
    let peak = measure::peak(|| read_contacts(page.as_bytes()));
    assert!(peak <= 200 * page.len(), "{peak} bytes for a page of {}", page.len());
}

/// The measurement itself must detect growth: a reader that compares all pairs of bytes fails. Each
/// reader repeats its work until the smaller page exceeds the noise floor, also on a fast machine.
#[test]
fn quadratic_reader_exceeds_the_limit() {
    const BYTES: usize = 256;
    let page = |bytes| "a".repeat(bytes);
    let count = |body: &[u8], byte: u8| {
        std::hint::black_box(body.iter().filter(|other| **other == byte).count());
    };
    let smaller = page(BYTES);

    let compare_all_pairs = |body: &[u8]| body.iter().for_each(|byte| count(body, *byte));
    let calls = measure::calls_above_noise_floor(|| compare_all_pairs(smaller.as_bytes()));
    let quadratic = |body: &[u8]| (0..calls).for_each(|_| compare_all_pairs(body));
    assert!(excess(BYTES, page, quadratic).is_some());

    let calls = measure::calls_above_noise_floor(|| count(smaller.as_bytes(), b'a'));
    let linear = |body: &[u8]| (0..calls).for_each(|_| count(body, b'a'));
    assert_eq!(excess(BYTES, page, linear), None);
}
