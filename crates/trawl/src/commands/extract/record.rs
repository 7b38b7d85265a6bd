//! The record of a saved page.

use contacts::{ContactAggregator, ContactPage};
use contract::{
    Alternate, ContactItem, ContactStatus, LinkType, MarkdownItem, ProductItem, RobotsDirective,
};
use crawl::RecordContext;
use markdown::{ContentSelectors, MarkdownPage, MarkdownStyle, RepeatedBlocks};
use page::{FetchContext, LinkKind, PageHead, PageLimits};
use products::{ProductOptions, ProductPage};
use serde::Serialize;
use urls::{CanonicalUrl, LanguageTag};

use super::ExtractKind;
use super::saved_page::SavedPage;

/// The output of `trawl extract` for one page.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ExtractRecord {
    Markdown(Box<MarkdownItem>),
    Links(Box<PageLinks>),
    Product(Box<ProductItem>),
    NoProduct(NoProduct),
    Contacts(Box<ContactItem>),
}

/// A page without a single product.
#[derive(Debug, Serialize)]
pub struct NoProduct {
    url: String,
    product: Option<()>,
}

/// A page with its links, with the field names of `links` items.
#[derive(Debug, Serialize)]
pub struct PageLinks {
    url: String,
    title: Option<String>,
    #[serde(rename = "type")]
    kind: LinkType,
    canonical_url: Option<String>,
    language: Option<String>,
    description: Option<String>,
    h1: Option<String>,
    word_count: u64,
    content_hash: String,
    robots: Vec<RobotsDirective>,
    alternates: Vec<Alternate>,
    links: Vec<PageLink>,
    /// The page has more links than the limit.
    links_truncated: bool,
}

#[derive(Debug, Serialize)]
struct PageLink {
    url: String,
    text: String,
    kind: &'static str,
    nofollow: bool,
}

impl ExtractRecord {
    /// Reads a page with the URL `url`, given as `given`, from `file`.
    pub fn of(
        kind: ExtractKind,
        given: &str,
        url: &CanonicalUrl,
        file: &str,
        saved: &SavedPage,
    ) -> Self {
        match kind {
            ExtractKind::Markdown(style) => {
                Self::Markdown(Box::new(text(given, url, file, saved, style)))
            }
            ExtractKind::Links => Self::Links(Box::new(links(given, url, saved))),
            ExtractKind::Contacts => Self::Contacts(Box::new(contacts(url, file, saved))),
            ExtractKind::Products(wishes) => match product(given, url, saved, wishes) {
                Some(product) => Self::Product(Box::new(product)),
                None => Self::NoProduct(NoProduct { url: given.to_owned(), product: None }),
            },
        }
    }

    /// Whether nothing was extracted.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Markdown(page) => page.markdown.trim().is_empty(),
            Self::Links(_) | Self::Product(_) => false,
            Self::NoProduct(_) => true,
            Self::Contacts(record) => record.status == ContactStatus::None,
        }
    }
}

fn text(
    given: &str,
    url: &CanonicalUrl,
    file: &str,
    saved: &SavedPage,
    style: MarkdownStyle,
) -> MarkdownItem {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let is_text = is_plain_text(file, url, &saved.body);
    let (page, text) = if is_text {
        markdown::read_plain_text(&saved.body, &head, url.path())
    } else {
        let (all, repeated) = (ContentSelectors::default(), RepeatedBlocks::default());
        MarkdownPage::read_as(style, &all, &saved.body, &head, url, &limits, &repeated)
    };
    let language = crawl::language_of_page(url, &page, || page::detect_language(&text.markdown));
    text.into_item(&page, fetch_context(given, language, saved))
}

fn fetch_context(given: &str, language: Option<LanguageTag>, saved: &SavedPage) -> FetchContext {
    FetchContext {
        url: given.to_owned(),
        final_url: None,
        depth: None,
        status_code: 200,
        language: language.map(|tag| tag.to_string()),
        rendered: false,
        fetched_at: saved.saved_at,
    }
}

/// The product of a page. Without a run, no translations are folded and no template is used.
fn product(
    given: &str,
    url: &CanonicalUrl,
    saved: &SavedPage,
    options: ProductOptions,
) -> Option<ProductItem> {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let (page, goods) = ProductPage::read(&saved.body, &head, url, &limits, options, None);
    let product = goods.product?;
    let language =
        crawl::language_of_page(url, &page, || page::detect_page_language(&saved.body, None));
    Some(product.into_item(&page, fetch_context(given, language, saved), Vec::new(), None))
}

/// The contact record of this page alone.
fn contacts(url: &CanonicalUrl, file: &str, saved: &SavedPage) -> ContactItem {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let unpacked = file.strip_suffix(".gz").unwrap_or(file);
    let by_name = [unpacked, url.path()].iter().any(|name| name.ends_with(".vcf"));
    let page = if by_name || contacts::is_vcard(None, &saved.body) {
        ContactPage::read_card(&saved.body, None, url)
    } else {
        ContactPage::read(&saved.body, &head, url, &limits).1
    };
    let mut aggregator = ContactAggregator::new(url.bare_host());
    aggregator.add(url.clone(), page);
    let context = RecordContext {
        domain: url.bare_host().to_owned(),
        input: Some(url.to_string()),
        redirected_to: None,
        pages_checked: 1,
        now: saved.saved_at,
    };
    contacts::contact_record(context, aggregator.finish())
}

/// Whether the file has a plain-text name and does not look like HTML.
fn is_plain_text(file: &str, url: &CanonicalUrl, body: &[u8]) -> bool {
    let unpacked = file.strip_suffix(".gz").unwrap_or(file);
    let named = markdown::names_plain_text(unpacked) || markdown::names_plain_text(url.path());
    named && page::classify(None, body, "/") != LinkType::Page
}

fn links(given: &str, url: &CanonicalUrl, saved: &SavedPage) -> PageLinks {
    let page = page::read_page(&saved.body, &PageHead::default(), url, &PageLimits::default());
    let said =
        [(page.noindex, RobotsDirective::Noindex), (page.nofollow, RobotsDirective::Nofollow)];
    let alternate = |(lang, url): (String, CanonicalUrl)| Alternate { lang, url: url.to_string() };
    let link = |link: &page::Outlink| PageLink {
        url: link.url.to_string(),
        text: page.anchor(link).to_owned(),
        kind: word(link.kind),
        nofollow: link.nofollow,
    };
    let links = page.links.iter().map(link).collect();
    PageLinks {
        url: given.to_owned(),
        title: page.title,
        kind: LinkType::Page,
        canonical_url: page.canonical.map(|url| url.to_string()),
        language: page.language,
        description: page.description,
        h1: page.h1,
        word_count: page.word_count,
        content_hash: page.content_hash,
        robots: said.into_iter().filter(|(said, _)| *said).map(|(_, wish)| wish).collect(),
        alternates: page.alternates.into_iter().map(alternate).collect(),
        links,
        links_truncated: page.links_truncated,
    }
}

fn word(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Anchor => "link",
        LinkKind::Area => "area",
        LinkKind::Frame => "frame",
        LinkKind::Pagination => "pagination",
        LinkKind::Refresh => "refresh",
        LinkKind::Canonical => "canonical",
        LinkKind::Alternate => "alternate",
        LinkKind::Feed => "feed",
        LinkKind::Form => "form",
        LinkKind::Image => "image",
        LinkKind::Media => "media",
    }
}
