//! Converts a product to the item of its page.

use contract::{Alternate, ProductItem};
use page::{FetchContext, Page};
use urls::{CanonicalUrl, Fingerprint};

use crate::Product;

impl Product {
    /// The item of a fetched page, with its translations and the id of the template that contributed
    /// to it.
    #[must_use]
    pub fn into_item(
        self,
        page: &Page,
        fetched: FetchContext,
        alternates: Vec<Alternate>,
        template_id: Option<String>,
    ) -> ProductItem {
        let canonical_url = page.canonical.as_ref().map(CanonicalUrl::to_string);
        let page_key = || urls::page_key(canonical_url.as_deref().unwrap_or(&fetched.url));
        let product_id = self
            .product_id
            .unwrap_or_else(|| format!("{:016x}", Fingerprint::of_page_key(page_key()).0));
        ProductItem {
            url: fetched.url,
            name: self.name,
            product_id,
            canonical_url,
            brand: self.brand,
            category: self.category,
            description: self.description,
            breadcrumbs: self.breadcrumbs,
            features: self.features,
            attributes: self.attributes,
            sku: self.sku,
            mpn: self.mpn,
            gtin: self.gtin,
            price: self.price,
            regular_price: self.regular_price,
            currency: self.currency,
            price_raw: self.price_raw,
            price_type: self.price_type,
            tax_included: self.tax_included,
            availability: self.availability,
            availability_raw: self.availability_raw,
            condition: self.condition,
            seller: self.seller,
            images: self.images,
            rating: self.rating,
            variants: self.variants,
            language: fetched.language,
            alternates,
            provenance: self.provenance,
            template_id,
            confidence: self.confidence,
            fetched_at: fetched.fetched_at,
            content_hash: self.content_hash,
            files: None,
        }
    }
}
