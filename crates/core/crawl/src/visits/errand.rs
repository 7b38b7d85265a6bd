//! One thing that a visit asks for, from the wish to the answer.

use contacts::LeadTopic;
use contract::Millis;
use urls::CanonicalUrl;

use crate::{Means, Reading, Want};

/// What an errand is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// The home page.
    Home,
    /// A page that a link to it promises something of.
    Lead(LeadTopic),
    /// A sitemap, and whether an index may lead to others.
    Sitemap { is_child: bool },
}

impl Aim {
    pub fn want(self) -> Want {
        match self {
            Self::Home | Self::Lead(_) => Want::Page { images: false },
            Self::Sitemap { .. } => Want::Sitemap,
        }
    }
}

/// Where an errand stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// To be asked for at this instant.
    Due(Millis),
    /// It waits for the rules of its origin.
    Rules,
    UnderWay,
}

/// An errand.
#[derive(Debug)]
pub(super) struct Errand {
    pub url: CanonicalUrl,
    pub aim: Aim,
    pub stage: Stage,
    pub means: Means,
    /// Redirects so far.
    pub hops: u8,
    /// Answers so far that were none.
    pub failures: u8,
    /// What plain HTTP gave, while a browser looks at it.
    pub plain: Option<Box<Reading>>,
}

impl Errand {
    pub fn new(url: CanonicalUrl, aim: Aim, means: Means, now: Millis) -> Self {
        let stage = Stage::Due(now);
        Self { url, aim, stage, means, hops: 0, failures: 0, plain: None }
    }

    pub fn due(&self) -> Option<Millis> {
        match self.stage {
            Stage::Due(at) => Some(at),
            Stage::Rules | Stage::UnderWay => None,
        }
    }
}
