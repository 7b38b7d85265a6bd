//! A page of results. Specification: `docs/spec/results.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Item, JobId, Mode};

/// A page of results. `T` is [`Item`], or its stored JSON where items are not parsed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ResultsPage<T = Item> {
    pub job_id: JobId,
    pub mode: Mode,
    pub items: Vec<T>,
    /// Number of all items of the run so far.
    pub total: u64,
    pub page: u64,
    /// Maximum items of a page, which may end earlier at 16 MiB.
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
    /// Where to continue: pass it as `cursor`. Null when the job has ended and this was the last
    /// page; while the job runs, further results may follow a page with `has_more: false`.
    #[serde(default)]
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// Number of items before this page.
    #[serde(default)]
    #[schema(required = true)]
    pub offset: u64,
}
