//! What is read from a saved page, as it is written.

use contacts::{ContactPage, Dossier};
use contract::{
    Alternate, ContactItem, ContactStatus, LinkType, MarkdownItem, ProductItem, RobotsWish,
};
use crawl::RecordContext;
use markdown::{MarkdownPage, RepeatedBlocks};
use page::{FetchContext, LinkKind, Page, PageHead, PageLimits};
use products::{ProductPage, ProductWishes};
use serde::Serialize;
use urls::{CanonicalUrl, LanguageTag};

use super::Kind;
use super::saved::Saved;

/// A record.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Record {
    Markdown(Box<MarkdownItem>),
    Links(Box<PageLinks>),
    Product(Box<ProductItem>),
    NoProduct(NoProduct),
    Contacts(Box<ContactItem>),
}

/// A page that does not sell one product.
#[derive(Debug, Serialize)]
pub struct NoProduct {
    url: String,
    product: Option<()>,
}

/// A page with its links, in the words of the items of `links`.
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
    robots: Vec<RobotsWish>,
    alternates: Vec<Alternate>,
    links: Vec<PageLink>,
    /// There were more links than are kept.
    links_truncated: bool,
}

#[derive(Debug, Serialize)]
struct PageLink {
    url: String,
    text: String,
    /// What kind of link it is.
    kind: &'static str,
    nofollow: bool,
}

impl Record {
    /// Reads a page that was found at `url`, spelled as `given`, and saved as `file`.
    pub fn of(kind: Kind, given: &str, url: &CanonicalUrl, file: &str, saved: &Saved) -> Self {
        match kind {
            Kind::Markdown => Self::Markdown(Box::new(text(given, url, file, saved))),
            Kind::Links => Self::Links(Box::new(links(given, url, saved))),
            Kind::Contacts => Self::Contacts(Box::new(contacts(url, file, saved))),
            Kind::Products(wishes) => match product(given, url, saved, wishes) {
                Some(product) => Self::Product(Box::new(product)),
                None => Self::NoProduct(NoProduct { url: given.to_owned(), product: None }),
            },
        }
    }

    /// Whether there was nothing to read.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Markdown(page) => page.markdown.trim().is_empty(),
            Self::Links(_) | Self::Product(_) => false,
            Self::NoProduct(_) => true,
            Self::Contacts(record) => record.status == ContactStatus::None,
        }
    }
}

fn text(given: &str, url: &CanonicalUrl, file: &str, saved: &Saved) -> MarkdownItem {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let is_text = is_plain_text(file, url, &saved.body);
    let (page, text) = if is_text {
        markdown::read_plain_text(&saved.body, &head, url.path())
    } else {
        MarkdownPage::read(&saved.body, &head, url, &limits, &RepeatedBlocks::default())
    };
    let language = crawl::page_language(url, &page, &text);
    text.into_item(&page, fetch_context(given, language, saved))
}

fn fetch_context(given: &str, language: Option<LanguageTag>, saved: &Saved) -> FetchContext {
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

/// What a page sells. Without a run nothing is folded into it, and there is no template.
fn product(
    given: &str,
    url: &CanonicalUrl,
    saved: &Saved,
    wishes: ProductWishes,
) -> Option<ProductItem> {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let (page, goods) = ProductPage::read(&saved.body, &head, url, &limits, wishes, None);
    let product = goods.product?;
    let language =
        crawl::language_of_page(url, &page, || page::spoken_language_of_page(&saved.body, None));
    Some(product.into_item(&page, fetch_context(given, language, saved), Vec::new(), None))
}

/// The record that a page alone would make.
fn contacts(url: &CanonicalUrl, file: &str, saved: &Saved) -> ContactItem {
    let (head, limits) = (PageHead::default(), PageLimits::default());
    let unpacked = file.strip_suffix(".gz").unwrap_or(file);
    let by_name = [unpacked, url.path()].iter().any(|name| name.ends_with(".vcf"));
    let page = if by_name || crawl::is_vcard(None, &saved.body) {
        ContactPage::read_card(&saved.body, None, url)
    } else {
        ContactPage::read(&saved.body, &head, url, &limits).1
    };
    let mut dossier = Dossier::new(url.bare_host());
    dossier.add(url.clone(), page);
    let circumstances = RecordContext {
        domain: url.bare_host().to_owned(),
        input: Some(url.to_string()),
        redirected_to: None,
        pages_checked: 1,
        now: saved.saved_at,
    };
    crawl::contact_record(circumstances, dossier.close())
}

/// A file that is named as plain text, and does not begin as a page.
fn is_plain_text(file: &str, url: &CanonicalUrl, body: &[u8]) -> bool {
    let unpacked = file.strip_suffix(".gz").unwrap_or(file);
    let named = markdown::names_plain_text(unpacked) || markdown::names_plain_text(url.path());
    named && page::classify(None, body, "/") != LinkType::Page
}

fn links(given: &str, url: &CanonicalUrl, saved: &Saved) -> PageLinks {
    let page = Page::read(&saved.body, &PageHead::default(), url, &PageLimits::default());
    let said = [(page.noindex, RobotsWish::Noindex), (page.nofollow, RobotsWish::Nofollow)];
    let alternate = |(lang, url): (String, CanonicalUrl)| Alternate { lang, url: url.to_string() };
    let link = |link: &page::Link| PageLink {
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
