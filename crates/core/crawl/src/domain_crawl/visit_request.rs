//! A request of a visit, from its creation to its response.

use contract::Millis;
use urls::CanonicalUrl;

use crate::fetch_policy::Attempts;
use crate::{BodyNeed, FetchVia, ParsedResponse};

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VisitPurpose {
    Home,
    /// A page that the mode expects to have data.
    Lead,
    /// A sitemap, and whether it is a child of an index.
    Sitemap {
        is_child: bool,
    },
}

impl VisitPurpose {
    pub fn need(self) -> BodyNeed {
        match self {
            Self::Home | Self::Lead => BodyNeed::Page { images: false },
            Self::Sitemap { .. } => BodyNeed::Sitemap,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestStage {
    /// To be dispatched at this time.
    Due(Millis),
    WaitingForRobots,
    InFlight,
}

#[derive(Debug)]
pub(super) struct VisitRequest {
    pub url: CanonicalUrl,
    pub purpose: VisitPurpose,
    pub stage: RequestStage,
    pub fetch_via: FetchVia,
    /// Number of redirects so far.
    pub hops: usize,
    pub attempts: Attempts,
    /// The plain response, while a browser renders the page.
    pub plain: Option<Box<ParsedResponse>>,
}

impl VisitRequest {
    pub fn new(url: CanonicalUrl, purpose: VisitPurpose, fetch_via: FetchVia, now: Millis) -> Self {
        let stage = RequestStage::Due(now);
        Self { url, purpose, stage, fetch_via, hops: 0, attempts: Attempts::default(), plain: None }
    }

    pub fn due(&self) -> Option<Millis> {
        match self.stage {
            RequestStage::Due(at) => Some(at),
            RequestStage::WaitingForRobots | RequestStage::InFlight => None,
        }
    }
}
