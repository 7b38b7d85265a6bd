//! The items (results) of a run, by mode.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{FetchFault, ItemFiles, Millis};

mod contact;
mod markdown;
mod memory;
mod product;

pub use contact::{
    ContactAddress, ContactCompany, ContactEmail, ContactItem, ContactMethod, ContactPerson,
    ContactPhone, ContactSocial, ContactSource, ContactStatus, ContactsKnown, MailboxType,
    PersonContextKind, PersonProfile, PersonSource, PhoneType, Seniority,
};
pub use markdown::{
    Extraction, ExtractionMethod, ExtractionWarning, Heading, MarkdownItem, MarkdownLinks,
    TextImage, TextLink,
};
pub use product::{
    Availability, Breadcrumb, Condition, Gtin, GtinType, PriceType, ProductAttribute, ProductImage,
    ProductItem, ProductSource, ProductVariant, Rating, Seller,
};

string_enum! {
    /// The kind of document at a URL.
    pub enum LinkType {
        /// An HTML or XHTML page.
        Page = "page",
        /// An image of any format.
        Image = "image",
        /// A document or another download.
        File = "file",
        /// A feed in RSS or Atom.
        Feed = "feed",
        /// A sitemap or sitemap index.
        Sitemap = "sitemap",
        /// Another kind of document.
        Other = "other",
    }
}

string_enum! {
    /// How a URL was discovered.
    pub enum DiscoveredBy {
        /// It is the start URL of the run.
        Start = "start",
        /// A page of the run links to it.
        Link = "link",
        /// A sitemap of the site lists it.
        Sitemap = "sitemap",
        /// An `hreflang` link points to it.
        Hreflang = "hreflang",
        /// A page declares it as its canonical URL.
        Canonical = "canonical",
        /// Another URL redirects to it.
        Redirect = "redirect",
    }
}

string_enum! {
    /// Why a page is not indexable.
    pub enum IndexReason {
        /// The page has a `noindex` directive.
        Noindex = "noindex",
        /// Its canonical URL is another.
        Canonical = "canonical",
        /// robots.txt forbids it.
        Robots = "robots",
        /// The status was not 200.
        Status = "status",
    }
}

string_enum! {
    /// A robots directive of a page, by meta element or header.
    pub enum RobotsDirective {
        /// The page must not be indexed.
        Noindex = "noindex",
        /// Its links must not be followed.
        Nofollow = "nofollow",
    }
}

/// One hop of a redirect chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RedirectHop {
    pub url: String,
    pub status: u16,
}

/// An item of a `links` run: one URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LinkItem {
    /// The URL in its normalised form.
    pub url: String,
    #[schema(required = true)]
    pub title: Option<String>,
    #[serde(rename = "type")]
    pub kind: LinkType,
    /// Null when it was not requested or there was no response.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// The URL after redirects, if it differs from `url`.
    #[schema(required = true)]
    pub final_url: Option<String>,
    /// The redirect chain from `url` to `final_url`.
    pub redirects: Vec<RedirectHop>,
    #[schema(required = true)]
    pub content_type: Option<String>,
    #[schema(required = true)]
    pub size_bytes: Option<u64>,
    #[schema(required = true)]
    pub response_ms: Option<u64>,
    #[schema(required = true)]
    pub error: Option<FetchFault>,
    /// Number of links from the start URL.
    #[schema(required = true)]
    pub depth: Option<u32>,
    /// Number of pages of the run that link to it.
    pub inlinks: u64,
    /// The first page that linked to it.
    #[schema(required = true)]
    pub found_on: Option<String>,
    /// The text of that first link.
    #[schema(required = true)]
    pub anchor: Option<String>,
    pub discovered_by: Vec<DiscoveredBy>,
    pub external: bool,
    pub broken: bool,
    /// No page of the run links to it.
    pub orphan: bool,
    /// Whether a sitemap lists it; null when the run read no sitemap with URLs.
    #[schema(required = true)]
    pub in_sitemap: Option<bool>,
    #[schema(required = true)]
    pub indexable: Option<bool>,
    #[schema(required = true)]
    pub index_reason: Option<IndexReason>,
    #[schema(required = true)]
    pub canonical_url: Option<String>,
    /// The URL of an earlier item with the same content.
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
    /// Whether all links to it on the page where it was found first have `nofollow`.
    pub nofollow: bool,
    /// The robots directives of the page.
    pub robots: Vec<RobotsDirective>,
    /// The files that are kept of the page; only in results of a job with `formats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Box<ItemFiles>>,
}

/// A language variant of a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Alternate {
    /// A language tag, or `x-default`.
    pub lang: String,
    pub url: String,
}

/// An item of a `sitemap` run: as in `links`, with the data of the sitemaps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitemapItem {
    #[serde(flatten)]
    pub link: LinkItem,
    /// The last change, as a W3C date or date-time: from the sitemap, otherwise from the response
    /// header.
    #[schema(required = true)]
    pub lastmod: Option<String>,
    /// The change frequency: a value of sitemaps.org.
    #[schema(required = true)]
    pub changefreq: Option<String>,
    /// The priority within the site, from `0.0` to `1.0`, as in the sitemap.
    #[schema(required = true)]
    pub priority: Option<String>,
    /// The images by the sitemap, otherwise those of the page.
    pub images: Vec<String>,
    /// The language variants by the sitemap, otherwise by the page.
    pub alternates: Vec<Alternate>,
    /// The first sitemap that lists it.
    #[schema(required = true)]
    pub sitemap_url: Option<String>,
}

/// An item (result) of any mode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Item {
    /// Item of a `sitemap` run. Before `Link`, because it has all members of it.
    Sitemap(Box<SitemapItem>),
    /// Item of a `links` run.
    Link(Box<LinkItem>),
    /// Item of a `markdown` run. It has no `type`, unlike the variants before it.
    Markdown(Box<MarkdownItem>),
    /// Item of a `products` run. Only it has a `product_id`.
    Product(Box<ProductItem>),
    /// Item of a `contacts` run. It has no `url`, unlike the variants before it.
    Contact(Box<ContactItem>),
}

impl Item {
    /// The URL of the item; the domain in `contacts`.
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

    /// Sets when the page was fetched, if it was read from a cache.
    pub fn set_fetched_at(&mut self, at: Millis) {
        match self {
            Self::Link(link) => link.fetched_at = Some(at),
            Self::Sitemap(item) => item.link.fetched_at = Some(at),
            Self::Markdown(page) => page.fetched_at = at,
            Self::Product(product) => product.fetched_at = at,
            Self::Contact(company) => company.fetched_at = at,
        }
    }

    /// The members that items of `links` and `sitemap` share.
    #[must_use]
    pub fn link(&self) -> Option<&LinkItem> {
        match self {
            Self::Link(link) => Some(link),
            Self::Sitemap(item) => Some(&item.link),
            Self::Markdown(_) | Self::Product(_) | Self::Contact(_) => None,
        }
    }

    /// The members that items of `links` and `sitemap` share, mutable.
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
            files: None,
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
            files: None,
        }
    }

    /// Results are stored as JSON without their mode: each must be parsed as the same variant.
    #[test]
    fn stored_item_is_parsed_as_its_own_variant() {
        for item in [Item::Markdown(Box::new(page())), Item::Product(Box::new(product()))] {
            let text = serde_json::to_string(&item).expect("JSON");
            assert_eq!(serde_json::from_str::<Item>(&text).expect("an item"), item);
            assert_eq!((item.url(), item.link()), ("https://site.test/", None));
        }
    }
}
