//! A response that another process parses: the input of [`parse_response`] in a form that can be
//! sent.

use std::sync::Arc;

use contract::Mode;
use crawl::{
    BodyNeed, ExtractRequest, FetchTask, FetchVia, PageExtractor, ParsedResponse, Purpose,
    ResponseHead,
};
use document::SitemapLimits;
use journal::UrlId;
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use crate::response::parse_response;
use crate::sitemap::unpacked_sitemap_bytes;

/// What is needed of a response, and its headers. The body is sent separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadRequest {
    url: String,
    /// `None` for a robots.txt.
    need: Option<BodyNeed>,
    fetch_via: FetchVia,
    /// The extractor, encoded, and the mode that decodes it.
    extractor: Option<(Mode, Vec<u8>)>,
    language: bool,
    head: ResponseHead,
}

impl ReadRequest {
    /// The request to parse a response to `task`.
    #[must_use]
    pub fn of(task: &FetchTask, head: &ResponseHead) -> Self {
        let ExtractRequest { extractor, language } = &task.extract;
        Self {
            url: task.url.to_string(),
            need: match task.purpose {
                Purpose::Url { need, .. } => Some(need),
                Purpose::Robots { .. } => None,
            },
            fetch_via: task.fetch_via,
            extractor: extractor.as_ref().map(|extractor| (extractor.mode(), extractor.encode())),
            language: *language,
            head: head.clone(),
        }
    }

    /// Maximum number of bytes of the decompressed body; sitemaps may be compressed.
    #[must_use]
    pub fn page_bytes(&self, body: &[u8]) -> usize {
        self.need.map_or(body.len(), |need| page_bytes(need, body))
    }

    /// Parses the response as the sending process would; `decode` restores the extractor of a mode.
    /// `None` if the URL is invalid.
    #[must_use]
    pub fn read(
        self,
        body: &[u8],
        decode: impl FnOnce(Mode, &[u8]) -> Option<Arc<dyn PageExtractor>>,
    ) -> Option<ParsedResponse> {
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
                extractor: self.extractor.and_then(|(mode, bytes)| decode(mode, &bytes)),
                language: self.language,
            },
        };
        Some(parse_response(&task, self.head, body))
    }
}

/// Maximum number of bytes of a decompressed body; sitemaps may be compressed.
#[must_use]
pub fn page_bytes(need: BodyNeed, body: &[u8]) -> usize {
    match need {
        BodyNeed::Sitemap => unpacked_sitemap_bytes(body, &SitemapLimits::default()),
        BodyNeed::Page { .. } | BodyNeed::Head | BodyNeed::FirstBytes => body.len(),
    }
}
