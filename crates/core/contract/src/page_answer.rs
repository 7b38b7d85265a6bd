//! The answer to a page that is read at once, and why a page has no answer. Specification:
//! `docs/spec/pages.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Credits, ErrorCode, FailureCause, Item, Millis, Mode, PageFile, PageId, SkipReason};

/// A page that was read at once. `T` is [`Item`], or its JSON where items are not parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PageAnswer<T = Item> {
    /// The id of the charge in the ledger.
    pub page_id: PageId,
    /// The requested URL in its normalised form.
    pub url: String,
    pub mode: Mode,
    /// The item, as the results of a run contain it. Present with format `item`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<T>,
    /// Present with format `metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<PageMetadata>,
    /// The links that a visitor can follow, each URL once. Present with format `links`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<PageOutlink>>,
    /// The page after rendering, without scripts and with absolute URLs. Present with format `html`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<PageFile>,
    /// The response of the site as received, or the document as rendered. Present with format
    /// `raw_html`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<PageFile>,
    /// A picture of the page. Present with format `screenshot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<PageFile>,
    /// What was not possible, as messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether the page was taken from the cache.
    pub cached: bool,
    /// When the response of the site was received.
    pub fetched_at: Millis,
    /// The credits that this answer cost.
    pub credits_used: Credits,
    /// True when the page was read through the protected tier, at its rate.
    pub protected: bool,
}

/// The values that every page has, independent of the mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageMetadata {
    /// The URL after redirects.
    pub final_url: String,
    pub status_code: u16,
    #[schema(required = true)]
    pub content_type: Option<String>,
    #[schema(required = true)]
    pub title: Option<String>,
    #[schema(required = true)]
    pub description: Option<String>,
    /// The first heading of level 1.
    #[schema(required = true)]
    pub h1: Option<String>,
    /// The declared language, as the page writes it.
    #[schema(required = true)]
    pub language: Option<String>,
    #[schema(required = true)]
    pub canonical_url: Option<String>,
    /// A robots directive asks not to index the page.
    pub noindex: bool,
    /// A robots directive asks not to follow its links.
    pub nofollow: bool,
    /// Words of the visible text.
    pub word_count: u64,
    /// Bytes of the response body.
    pub size_bytes: u64,
    pub response_ms: u64,
    /// Whether a browser rendered the page.
    pub rendered: bool,
    #[schema(required = true)]
    pub last_modified: Option<Millis>,
}

/// A link of a page that was read at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageOutlink {
    /// The target in its normalised form.
    pub url: String,
    /// The text of the first link to it; empty when it has none.
    pub text: String,
    /// Whether all links to it have `nofollow`.
    pub nofollow: bool,
}

/// Why a page could not be delivered, as part of an error response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageProblem {
    /// The error that a run of this page would end with.
    pub cause: Option<ErrorCode>,
    /// What failed, if the page could not be read.
    pub failure_cause: Option<FailureCause>,
    /// The reason for which a run would skip the page.
    pub reason: Option<SkipReason>,
    /// The status of the site's response.
    pub status_code: Option<u16>,
    /// The rate that the page needs.
    pub credit_per_unit: Option<Credits>,
    /// The position of the action that failed, from 0.
    pub action: Option<u32>,
    /// The page as it was after the failed action.
    pub screenshot: Option<PageFile>,
}
