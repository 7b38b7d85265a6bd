//! Pages as the classifier sees them, for training.

use urls::CanonicalUrl;

use crate::classifier;
use crate::extraction::PageSources;
use html::dom::Builder;
use html::{budget, charset};
use page::{PageHead, PageLimits};

/// The names of the features, in the order of their values.
#[must_use]
pub fn feature_names() -> Vec<&'static str> {
    classifier::feature_names()
}

/// The features of a page, and whether the stored model takes it for a product page.
#[must_use]
pub fn page_features(body: &[u8], url: &CanonicalUrl) -> (Vec<f32>, bool) {
    budget::ensure(body.len(), || {
        let html = charset::decode(body, None);
        let mut builder = Builder::new(&html);
        let head = PageHead::default();
        let page = page::read_page_text(&html, &head, url, &PageLimits::default(), &mut builder);
        let dom = builder.finish();
        let sources = PageSources::read(&dom, &page, url);
        let evidence = sources.evidence();
        (classifier::feature_values(&evidence), classifier::is_product(&evidence))
    })
}
