//! An answer that another process is to read: everything that [`Reading::of`] depends on, in a
//! form that can be sent.

use std::sync::Arc;

use markdown::RepeatedBlocks;
use page::{SitemapFile, SitemapLimits};
use products::{ExtractionTemplate, ProductOptions};
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use crate::{AnswerHead, Means, ProductStudy, Purpose, Reading, Study, Task, Want};

/// What is wanted of an answer, and what came with it besides its body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadRequest {
    url: String,
    /// None for a robots.txt.
    want: Option<Want>,
    means: Means,
    /// Blocks that the pages of the site share, with their shares in 255ths.
    text: Option<Vec<(u64, u8)>>,
    product: Option<(ProductOptions, Option<Vec<u8>>)>,
    language: bool,
    contacts: bool,
    head: AnswerHead,
}

impl ReadRequest {
    /// The request to read an answer to `task`.
    #[must_use]
    pub fn of(task: &Task, head: &AnswerHead) -> Self {
        let Study { text, product, language, contacts } = &task.study;
        Self {
            url: task.url.to_string(),
            want: match task.purpose {
                Purpose::Url { want, .. } => Some(want),
                Purpose::Robots { .. } => None,
            },
            means: task.means,
            text: text.as_ref().map(|blocks| blocks.shares().collect()),
            product: product.as_ref().map(|study| {
                (study.options, study.template.as_ref().map(|template| template.encode()))
            }),
            language: *language,
            contacts: *contacts,
            head: head.clone(),
        }
    }

    /// The most bytes that the body unpacks to: sitemaps come compressed.
    #[must_use]
    pub fn page_bytes(&self, body: &[u8]) -> usize {
        self.want.map_or(body.len(), |want| page_bytes(want, body))
    }

    /// Reads the answer as the process that sent the request would. None when the request
    /// names no URL.
    #[must_use]
    pub fn read(self, body: &[u8]) -> Option<Reading> {
        let task = Task {
            url: CanonicalUrl::kept(&self.url)?,
            // What is read of an answer depends on neither the ordinal nor the origin.
            purpose: match self.want {
                Some(want) => Purpose::Url { ordinal: 0, want },
                None => Purpose::Robots { origin: String::new(), hops: 0 },
            },
            visit: None,
            gap: None,
            means: self.means,
            study: Study {
                text: self.text.map(|shares| Arc::new(RepeatedBlocks::new(shares))),
                product: self.product.map(|(options, template)| ProductStudy {
                    options,
                    template: template
                        .and_then(|bytes| ExtractionTemplate::decode(&bytes))
                        .map(Arc::new),
                }),
                language: self.language,
                contacts: self.contacts,
            },
        };
        Some(Reading::of(&task, self.head, body))
    }
}

/// The most bytes that a body unpacks to: sitemaps come compressed.
#[must_use]
pub fn page_bytes(want: Want, body: &[u8]) -> usize {
    match want {
        Want::Sitemap => SitemapFile::unpacked_bytes(body, &SitemapLimits::default()),
        Want::Page { .. } | Want::Head | Want::FirstBytes => body.len(),
    }
}
