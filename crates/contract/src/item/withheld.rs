//! An item whose site objects: its place stays, so that numbers and counts hold, and what it
//! said is gone.

use super::{Item, LinkItem, MarkdownItem, ProductItem};

impl Item {
    /// Leaves of an item its address and how it answered.
    pub fn withhold(&mut self) {
        match self {
            Self::Link(link) => withhold_link(link),
            Self::Sitemap(item) => {
                withhold_link(&mut item.link);
                item.images.clear();
                item.alternates.clear();
            }
            Self::Markdown(page) => withhold_page(page),
            Self::Product(product) => withhold_product(product),
            // Only what belongs to a page: the record of a domain has rules of its own.
            Self::Contact(_) => {}
        }
    }
}

fn withhold_link(link: &mut LinkItem) {
    for text in [
        &mut link.title,
        &mut link.anchor,
        &mut link.language,
        &mut link.description,
        &mut link.h1,
        &mut link.content_hash,
    ] {
        *text = None;
    }
    link.word_count = None;
}

fn withhold_page(page: &mut MarkdownItem) {
    for text in [
        &mut page.title,
        &mut page.description,
        &mut page.language,
        &mut page.author,
        &mut page.published_at,
        &mut page.modified_at,
    ] {
        *text = None;
    }
    page.markdown.clear();
    page.content_hash.clear();
    page.headings.clear();
    page.links.clear();
    page.images.clear();
    (page.word_count, page.token_estimate) = (0, 0);
}

fn withhold_product(product: &mut ProductItem) {
    for text in [
        &mut product.brand,
        &mut product.category,
        &mut product.description,
        &mut product.sku,
        &mut product.mpn,
        &mut product.price,
        &mut product.regular_price,
        &mut product.currency,
        &mut product.price_raw,
        &mut product.availability_raw,
        &mut product.language,
    ] {
        *text = None;
    }
    product.name.clear();
    product.content_hash.clear();
    product.breadcrumbs.clear();
    product.features.clear();
    product.attributes.clear();
    product.gtin.clear();
    product.images.clear();
    product.variants.clear();
    product.provenance.clear();
    (product.seller, product.rating) = (None, None);
}
