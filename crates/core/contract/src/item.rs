//! The items of a run, by mode.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::job::words;

mod contact;
mod markdown;
mod product;

pub use contact::{
    ContactAddress, ContactCompany, ContactEmail, ContactItem, ContactMethod, ContactPerson,
    ContactPhone, ContactSocial, ContactSource, ContactStatus, ContactsKnown, MailboxType,
    PersonProfile, PhoneType, Seniority,
};
pub use markdown::{
    Extraction, ExtractionMethod, ExtractionWarning, Heading, MarkdownItem, TextImage, TextLink,
};
pub use product::{
    Availability, Breadcrumb, Condition, Gtin, GtinType, PriceType, ProductAttribute, ProductImage,
    ProductItem, ProductSource, ProductVariant, Rating, Seller,
};

words! {
    /// What a URL leads to.
    pub enum LinkType {
        /// An HTML page.
        Page = "page",
        /// An image.
        Image = "image",
        /// A document or another download.
        File = "file",
        /// RSS or Atom.
        Feed = "feed",
        /// A sitemap file.
        Sitemap = "sitemap",
        /// Anything else.
        Other = "other",
    }
}

words! {
    /// Why a URL gave no usable answer.
    pub enum FetchFault {
        /// Its name could not be resolved, or an address behind it is refused.
        Dns = "dns",
        /// No connection, or one that broke.
        Connect = "connect",
        /// The certificate or the handshake was not acceptable.
        Tls = "tls",
        /// It took too long.
        Timeout = "timeout",
        /// The body outgrew the limit.
        TooLarge = "too_large",
        /// The body could not be decoded.
        BadEncoding = "bad_encoding",
        /// Redirects that lead nowhere.
        RedirectLoop = "redirect_loop",
        /// robots.txt forbids it; it was not asked for.
        Robots = "robots",
        /// Bot protection answered instead of the page.
        Blocked = "blocked",
        /// The answer was not HTTP that could be understood.
        Http = "http",
        /// Reading it exceeded the CPU or memory budget of a page.
        TooComplex = "too_complex",
    }
}

words! {
    /// How a URL became known.
    pub enum DiscoveredBy {
        /// It is the start URL.
        Start = "start",
        /// A page links to it.
        Link = "link",
        /// A sitemap lists it.
        Sitemap = "sitemap",
        /// A translation names it.
        Hreflang = "hreflang",
        /// A page calls it its canonical address.
        Canonical = "canonical",
        /// Another URL redirects to it.
        Redirect = "redirect",
    }
}

words! {
    /// Why a search engine would not index a page.
    pub enum IndexReason {
        /// The page says so.
        Noindex = "noindex",
        /// Its canonical address is another.
        Canonical = "canonical",
        /// robots.txt forbids it.
        Robots = "robots",
        /// It did not answer 200.
        Status = "status",
    }
}

words! {
    /// What a page asks of crawlers, by meta element or header.
    pub enum RobotsDirective {
        /// Not to be indexed.
        Noindex = "noindex",
        /// That its links not be followed.
        Nofollow = "nofollow",
    }
}

/// One step of a redirect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RedirectHop {
    pub url: String,
    pub status: u16,
}

/// A URL of a `links` run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkItem {
    /// As it was found, normalised.
    pub url: String,
    #[schema(required = true)]
    pub title: Option<String>,
    #[serde(rename = "type")]
    pub kind: LinkType,
    /// Null when it was not asked for or did not answer.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// Where it led, when it differs from `url`.
    #[schema(required = true)]
    pub final_url: Option<String>,
    /// The steps that led to the answer.
    pub redirects: Vec<RedirectHop>,
    #[schema(required = true)]
    pub content_type: Option<String>,
    #[schema(required = true)]
    pub size_bytes: Option<u64>,
    #[schema(required = true)]
    pub response_ms: Option<u64>,
    #[schema(required = true)]
    pub error: Option<FetchFault>,
    /// Clicks from the start URL.
    #[schema(required = true)]
    pub depth: Option<u32>,
    /// Pages of the run that link to it.
    pub inlinks: u64,
    /// First page that linked to it.
    #[schema(required = true)]
    pub found_on: Option<String>,
    /// The text of that link.
    #[schema(required = true)]
    pub anchor: Option<String>,
    pub discovered_by: Vec<DiscoveredBy>,
    pub external: bool,
    pub broken: bool,
    /// No page of the run links to it.
    pub orphan: bool,
    /// Null when the run read no sitemap that lists a URL.
    #[schema(required = true)]
    pub in_sitemap: Option<bool>,
    #[schema(required = true)]
    pub indexable: Option<bool>,
    #[schema(required = true)]
    pub index_reason: Option<IndexReason>,
    #[schema(required = true)]
    pub canonical_url: Option<String>,
    /// The URL that was delivered with the same content before.
    #[schema(required = true)]
    pub duplicate_of: Option<String>,
    #[schema(required = true)]
    pub language: Option<String>,
    #[schema(required = true)]
    pub description: Option<String>,
    #[schema(required = true)]
    pub h1: Option<String>,
    #[schema(required = true)]
    pub word_count: Option<u64>,
    #[schema(required = true)]
    pub content_hash: Option<String>,
    #[schema(required = true)]
    pub fetched_at: Option<Millis>,
    /// Every link to it on the page that it was first found on says `nofollow`.
    pub nofollow: bool,
    /// What the page asks of crawlers.
    pub robots: Vec<RobotsDirective>,
}

/// The same page in another language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Alternate {
    /// A language tag, or `x-default`.
    pub lang: String,
    pub url: String,
}

/// A URL of a `sitemap` run: as in `links`, and what the site's sitemaps say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitemapItem {
    #[serde(flatten)]
    pub link: LinkItem,
    /// When it last changed, as a W3C date or date and time: by the sitemap, else by the
    /// answer's own header.
    #[schema(required = true)]
    pub lastmod: Option<String>,
    /// How often it changes: one of the words of sitemaps.org.
    #[schema(required = true)]
    pub changefreq: Option<String>,
    /// How much it matters within its site, from `0.0` to `1.0`, as it is written there.
    #[schema(required = true)]
    pub priority: Option<String>,
    /// Its images: those that the sitemap names, else those of the page.
    pub images: Vec<String>,
    /// The same page in other languages: by the sitemap, else by the page.
    pub alternates: Vec<Alternate>,
    /// The sitemap that lists it first.
    #[schema(required = true)]
    pub sitemap_url: Option<String>,
}

/// An item of any mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Item {
    /// Of a `sitemap` run. Before `Link`, whose members it has all.
    Sitemap(Box<SitemapItem>),
    /// Of a `links` run.
    Link(Box<LinkItem>),
    /// Of a `markdown` run. It has no `type`, which tells it from those before it.
    Markdown(Box<MarkdownItem>),
    /// Of a `products` run. Nothing else has a `product_id`.
    Product(Box<ProductItem>),
    /// Of a `contacts` run. It has no `url`, which tells it from all before it.
    Contact(Box<ContactItem>),
}

impl Item {
    /// The address that it is known by; the domain where that is asked for.
    #[must_use]
    pub fn url(&self) -> &str {
        match self {
            Self::Link(link) => &link.url,
            Self::Sitemap(item) => &item.link.url,
            Self::Markdown(page) => &page.url,
            Self::Product(product) => &product.url,
            Self::Contact(company) => &company.domain,
        }
    }

    /// What the items of `links` and `sitemap` have in common.
    #[must_use]
    pub fn link(&self) -> Option<&LinkItem> {
        match self {
            Self::Link(link) => Some(link),
            Self::Sitemap(item) => Some(&item.link),
            Self::Markdown(_) | Self::Product(_) | Self::Contact(_) => None,
        }
    }

    /// The same, to be changed.
    pub fn link_mut(&mut self) -> Option<&mut LinkItem> {
        match self {
            Self::Link(link) => Some(link),
            Self::Sitemap(item) => Some(&mut item.link),
            Self::Markdown(_) | Self::Product(_) | Self::Contact(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page() -> MarkdownItem {
        MarkdownItem {
            url: "https://site.test/".to_owned(),
            title: None,
            markdown: "Text".to_owned(),
            final_url: None,
            canonical_url: None,
            description: None,
            language: None,
            author: None,
            published_at: None,
            modified_at: None,
            depth: Some(0),
            status_code: 200,
            word_count: 1,
            token_estimate: 1,
            headings: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            content_hash: "00".to_owned(),
            extraction: Extraction {
                method: ExtractionMethod::Visible,
                kept_ratio: 0.5,
                warnings: vec![ExtractionWarning::LittleText],
            },
            rendered: false,
            fetched_at: Millis(0),
        }
    }

    fn product() -> ProductItem {
        ProductItem {
            url: "https://site.test/".to_owned(),
            name: "Lamp".to_owned(),
            product_id: "L-1".to_owned(),
            canonical_url: None,
            brand: None,
            category: None,
            description: None,
            breadcrumbs: Vec::new(),
            features: Vec::new(),
            attributes: Vec::new(),
            sku: None,
            mpn: None,
            gtin: Vec::new(),
            price: Some("9.90".to_owned()),
            regular_price: None,
            currency: None,
            price_raw: None,
            price_type: PriceType::Exact,
            tax_included: None,
            availability: Availability::Unknown,
            availability_raw: None,
            condition: None,
            seller: None,
            images: Vec::new(),
            rating: None,
            variants: Vec::new(),
            language: None,
            alternates: Vec::new(),
            provenance: [("price".to_owned(), ProductSource::Dom)].into(),
            template_id: None,
            confidence: 0.5,
            fetched_at: Millis(0),
            content_hash: "00".to_owned(),
        }
    }

    /// Results are kept as JSON without a word on their mode: each must come back as itself.
    #[test]
    fn an_item_is_known_by_its_members() {
        for item in [Item::Markdown(Box::new(page())), Item::Product(Box::new(product()))] {
            let text = serde_json::to_string(&item).expect("JSON");
            assert_eq!(serde_json::from_str::<Item>(&text).expect("an item"), item);
            assert_eq!((item.url(), item.link()), ("https://site.test/", None));
        }
    }
}
