//! Why a run delivered, skipped or never found a URL. Specification: `docs/filters-and-limits.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{FailureCause, JobId, SkipReason};

/// The body that asks for an explanation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainUrl {
    /// The URL to explain: absolute http or https, or a path of the site.
    #[schema(min_length = 1, max_length = 8192, example = "https://example.com/blog/post")]
    pub url: String,
}

string_enum! {
    /// What became of a URL in a run.
    pub enum UrlDisposition {
        /// It is one of the results.
        Delivered = "delivered",
        /// It was found and is not a result: `reason` says why.
        Skipped = "skipped",
        /// It was found and is not finished: the run goes on, waits or has stopped before it.
        Pending = "pending",
        /// No page, sitemap or redirect that the run read leads to it.
        NeverFound = "never_found",
        /// The stored data of the run is too large or too old to be searched.
        Unknown = "unknown",
    }
}

string_enum! {
    /// A rule that decides whether a run fetches a URL.
    pub enum UrlRule {
        /// The site, its subdomains and the path of the start URL (`scope`).
        Scope = "scope",
        /// `include_paths` and `exclude_paths`.
        Filter = "filter",
        /// The limit `max_depth`, in clicks.
        Depth = "depth",
        /// `max_pages_per_folder`.
        Folder = "folder",
        /// Protection against URLs without end: calendars, facets, growing paths.
        Trap = "trap",
        /// robots.txt of the site, as the run read it.
        Robots = "robots",
    }
}

/// A rule, applied to the URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RuleCheck {
    pub rule: UrlRule,
    /// Whether the rule permits the URL; null if it is not known, for example because the run has
    /// not read that robots.txt.
    #[schema(required = true)]
    pub passes: Option<bool>,
    /// What decided: the pattern of a filter, the line of robots.txt, the kind of a trap; null if
    /// nothing matched.
    #[schema(required = true)]
    pub matched: Option<String>,
}

/// Why a run delivered, skipped or never found a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UrlExplanation {
    pub job_id: JobId,
    /// The URL as the run identifies it: normalised, and without its query unless
    /// `include_query_strings` is set.
    pub url: String,
    pub disposition: UrlDisposition,
    /// One sentence for people.
    pub message: String,
    /// Why the run skipped the URL.
    #[schema(required = true)]
    pub reason: Option<SkipReason>,
    /// The page or sitemap where it was found first.
    #[schema(required = true)]
    pub found_on: Option<String>,
    /// Clicks from the start page; null without a known path.
    #[schema(required = true)]
    pub depth: Option<u32>,
    /// The response status of a skipped URL, if it was fetched.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// Why a skipped URL has no usable response.
    #[schema(required = true)]
    pub cause: Option<FailureCause>,
    /// Where it redirects to.
    #[schema(required = true)]
    pub redirects_to: Option<String>,
    /// The rules of the run, applied to the URL now, in the order in which a run applies them.
    pub checks: Vec<RuleCheck>,
}
