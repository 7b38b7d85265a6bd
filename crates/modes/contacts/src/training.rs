//! People as the model sees them, for the training program.

use html::charset;
use html::dom::Dom;
use urls::CanonicalUrl;

use crate::page_view::PageView;
use crate::people::{self, FEATURE_NAMES};

/// The names of the features, in their order.
#[must_use]
pub fn feature_names() -> &'static [&'static str] {
    FEATURE_NAMES
}

/// Someone who may be a person of the company.
#[derive(Debug)]
pub struct PersonSample {
    pub name: String,
    pub title: Option<String>,
    pub features: Vec<f32>,
    pub probability: f64,
}

/// Everyone on a page who may be a person of the company.
#[must_use]
pub fn people_of(body: &[u8], url: &CanonicalUrl) -> Vec<PersonSample> {
    let html = charset::decode(body, None);
    let dom = Dom::parse(&html);
    let host = url.bare_host();
    let view = PageView::read(&dom, host);
    let found = people::found(&view, host, url.path());
    let sample = |person: people::FoundPerson| PersonSample {
        name: person.name.name,
        title: person.title.map(|(_, title)| title),
        features: person.evidence.values().to_vec(),
        probability: person.confidence,
    };
    found.into_iter().map(sample).collect()
}
