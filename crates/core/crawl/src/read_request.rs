//! A response that another process parses: the input of [`ParsedResponse::of`] in a form that can
//! be sent.

use journal::UrlId;
use std::sync::Arc;

use markdown::RepeatedBlocks;
use page::{SitemapFile, SitemapLimits};
use products::{ExtractionTemplate, ProductOptions};
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use crate::{
    BodyNeed, ExtractRequest, FetchTask, FetchVia, ParsedResponse, ProductRequest, Purpose,
    ResponseHead,
};

/// What is needed of a response, and its headers. The body is sent separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadRequest {
    url: String,
    /// `None` for a robots.txt.
    need: Option<BodyNeed>,
    fetch_via: FetchVia,
    /// Repeated blocks of the site, with their shares in 255ths.
    text: Option<Vec<(u64, u8)>>,
    product: Option<(ProductOptions, Option<Vec<u8>>)>,
    language: bool,
    contacts: bool,
    head: ResponseHead,
}

impl ReadRequest {
    /// The request to parse a response to `task`.
    #[must_use]
    pub fn of(task: &FetchTask, head: &ResponseHead) -> Self {
        let ExtractRequest { text, product, language, contacts } = &task.extract;
        Self {
            url: task.url.to_string(),
            need: match task.purpose {
                Purpose::Url { need, .. } => Some(need),
                Purpose::Robots { .. } => None,
            },
            fetch_via: task.fetch_via,
            text: text.as_ref().map(|blocks| blocks.shares().collect()),
            product: product.as_ref().map(|extract| {
                (extract.options, extract.template.as_ref().map(|template| template.encode()))
            }),
            language: *language,
            contacts: *contacts,
            head: head.clone(),
        }
    }

    /// Maximum number of bytes of the decompressed body; sitemaps may be compressed.
    #[must_use]
    pub fn page_bytes(&self, body: &[u8]) -> usize {
        self.need.map_or(body.len(), |need| page_bytes(need, body))
    }

    /// Parses the response as the sending process would. `None` if the URL is invalid.
    #[must_use]
    pub fn read(self, body: &[u8]) -> Option<ParsedResponse> {
        let task = FetchTask {
            url: CanonicalUrl::kept(&self.url)?,
            // Parsing depends on neither the id nor the origin.
            purpose: match self.need {
                Some(need) => Purpose::Url { id: UrlId::START, need },
                None => Purpose::Robots { origin: String::new(), hops: 0 },
            },
            visit: None,
            gap: None,
            fetch_via: self.fetch_via,
            extract: ExtractRequest {
                text: self.text.map(|shares| Arc::new(RepeatedBlocks::new(shares))),
                product: self.product.map(|(options, template)| ProductRequest {
                    options,
                    template: template
                        .and_then(|bytes| ExtractionTemplate::decode(&bytes))
                        .map(Arc::new),
                }),
                language: self.language,
                contacts: self.contacts,
            },
        };
        Some(ParsedResponse::of(&task, self.head, body))
    }
}

/// Maximum number of bytes of a decompressed body; sitemaps may be compressed.
#[must_use]
pub fn page_bytes(need: BodyNeed, body: &[u8]) -> usize {
    match need {
        BodyNeed::Sitemap => SitemapFile::unpacked_bytes(body, &SitemapLimits::default()),
        BodyNeed::Page { .. } | BodyNeed::Head | BodyNeed::FirstBytes => body.len(),
    }
}
