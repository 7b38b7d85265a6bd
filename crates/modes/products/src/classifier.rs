//! Decides whether a page sells one product, by its structure and data and not by its URL.
//!
//! A logistic regression over the features of `features` decides. `training/products` learns its
//! weights, which are in `data/product_page_model.tsv`.

use std::sync::LazyLock;

use text::logistic::LogisticModel;

use crate::dom_index::DomIndex;
use crate::meta_tags::MetaTags;
use crate::page_subject::SubjectMatch;
use crate::schema_org::SchemaOrgKinds;
use crate::visible_dom::VisibleProduct;

mod features;
mod text_measures;

use features::{FEATURES, FeatureInput};

const WEIGHTS: &str = term_file!("product_page_model.tsv");

static MODEL: LazyLock<LogisticModel> =
    LazyLock::new(|| LogisticModel::of(WEIGHTS, &feature_names()));

/// What the structured data of a page says about a product.
#[derive(Debug, Default)]
pub(super) struct ProductEvidence {
    /// Schema.org data describes a product that matches the page.
    pub described: bool,
    /// How well that product matches the page, at best.
    pub matched: Option<SubjectMatch>,
    /// That product has a price, a SKU or a GTIN.
    pub offered: bool,
    /// The state of scripts has a product with a price or a SKU.
    pub in_state: bool,
    /// The meta tags state a price.
    pub priced_in_meta: bool,
}

/// What is known of a page when it is classified.
#[derive(Debug)]
pub(super) struct PageEvidence<'p, 'd, 'a> {
    pub data: &'p ProductEvidence,
    pub visible: &'p VisibleProduct,
    pub index: &'p DomIndex<'d, 'a>,
    pub tags: &'p MetaTags,
    pub kinds: SchemaOrgKinds,
}

pub(super) fn is_product(page: &PageEvidence<'_, '_, '_>) -> bool {
    // Without a heading or product data there is no name for the product.
    let has_name = page.index.heading.is_some() || page.data.described || page.tags.is_product();
    has_name && MODEL.accepts(MODEL.probability(&feature_values(page)))
}

/// The values of all features, in the order of the table.
pub(super) fn feature_values(page: &PageEvidence<'_, '_, '_>) -> Vec<f32> {
    let input = FeatureInput::of(page);
    FEATURES.iter().map(|(_, compute)| compute(&input)).collect()
}

/// The names of all features, in the order of the table.
pub(super) fn feature_names() -> Vec<&'static str> {
    FEATURES.iter().map(|(name, _)| *name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn model_file_names_exactly_the_features_of_the_code() {
        let problems = LogisticModel::problems(WEIGHTS, &feature_names());
        assert!(problems.is_empty(), "{problems:?}: run training/products/run");
    }
}
