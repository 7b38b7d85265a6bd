//! How a page was met: what its item needs besides what stands on it.

use contract::{Alternate, MarkdownItem, Millis, ProductItem};
use site::{CanonicalUrl, Fingerprint};

use crate::{MarkdownPage, Page, Product};

/// Where, when and how a page was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The address that it is known by.
    pub url: String,
    /// Where it led, when that differs.
    pub final_url: Option<String>,
    /// Clicks from the start.
    pub depth: Option<u32>,
    pub status_code: u16,
    /// The language that it was judged to be in.
    pub language: Option<String>,
    /// It was read as a browser shows it.
    pub rendered: bool,
    pub fetched_at: Millis,
}

impl Sighting {
    /// The item of a page.
    #[must_use]
    pub fn item(self, page: &Page, text: MarkdownPage) -> MarkdownItem {
        MarkdownItem {
            url: self.url,
            title: text.title,
            markdown: text.markdown,
            final_url: self.final_url,
            canonical_url: page.canonical.as_ref().map(CanonicalUrl::to_string),
            description: page.description.clone(),
            language: self.language,
            author: text.author,
            published_at: text.published_at,
            modified_at: text.modified_at,
            depth: self.depth,
            status_code: self.status_code,
            word_count: text.word_count,
            token_estimate: text.token_estimate,
            headings: text.headings,
            links: text.links,
            images: text.images,
            content_hash: text.content_hash,
            extraction: text.extraction,
            rendered: self.rendered,
            fetched_at: self.fetched_at,
        }
    }

    /// The item of a page that sells a product, with its translations and the template that
    /// had a say.
    #[must_use]
    pub fn product(
        self,
        page: &Page,
        product: Product,
        alternates: Vec<Alternate>,
        template_id: Option<String>,
    ) -> ProductItem {
        let canonical_url = page.canonical.as_ref().map(CanonicalUrl::to_string);
        let address = || site::page_key(canonical_url.as_deref().unwrap_or(&self.url));
        let product_id = product
            .product_id
            .unwrap_or_else(|| format!("{:016x}", Fingerprint::of_page_key(address()).0));
        ProductItem {
            url: self.url,
            name: product.name,
            product_id,
            canonical_url,
            brand: product.brand,
            category: product.category,
            description: product.description,
            breadcrumbs: product.breadcrumbs,
            features: product.features,
            attributes: product.attributes,
            sku: product.sku,
            mpn: product.mpn,
            gtin: product.gtin,
            price: product.price,
            regular_price: product.regular_price,
            currency: product.currency,
            price_raw: product.price_raw,
            price_type: product.price_type,
            tax_included: product.tax_included,
            availability: product.availability,
            availability_raw: product.availability_raw,
            condition: product.condition,
            seller: product.seller,
            images: product.images,
            rating: product.rating,
            variants: product.variants,
            language: self.language,
            alternates,
            provenance: product.provenance,
            template_id,
            confidence: product.confidence,
            fetched_at: self.fetched_at,
            content_hash: product.content_hash,
        }
    }
}
