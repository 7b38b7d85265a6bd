//! URLs that a run found and did not deliver, each with its reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{FailedAction, FailureCause, JobId, failure_cause};

string_enum! {
    /// Why a URL was found and not delivered. Commits store the variants up to `Blocked` by their
    /// position; the later ones occur in rows of skipped URLs only, which name them.
    pub enum SkipReason {
        /// robots.txt forbids it.
        Robots = "robots",
        /// The response was 400 or above, or the fetch failed; `include_broken` delivers it.
        Broken = "broken",
        /// It redirects to another URL, which is processed instead.
        Redirect = "redirect",
        /// It is another URL of a page that is delivered.
        SamePage = "same_page",
        /// It belongs to another site; `include_external` delivers it.
        External = "external",
        /// It belongs to a subdomain of the start host; `include_subdomains` includes it.
        Subdomain = "subdomain",
        /// It is outside of the path of the start URL (`specific_route`).
        OutsideRoute = "outside_route",
        /// It is an image; `include_images` delivers it.
        Image = "image",
        /// It is a file, a feed or another document that is not a page; `include_files` delivers it.
        File = "file",
        /// Links are not followed in this run (`sitemap_first`, `discovery`, `one_page`).
        NotFollowed = "not_followed",
        /// It is not in the requested language, or is a translation of a delivered page.
        Language = "language",
        /// It is not indexable and therefore not part of a sitemap.
        NotIndexable = "not_indexable",
        /// A sitemap on another host.
        ForeignSitemap = "foreign_sitemap",
        /// The limit of sitemap files or of their nesting was reached.
        SitemapLimit = "sitemap_limit",
        /// The path has too many segments.
        PathTooDeep = "path_too_deep",
        /// The path repeats its segments, as nested relative links do.
        RepeatingSegments = "repeating_segments",
        /// The URL is longer than the limit.
        UrlTooLong = "url_too_long",
        /// The path contains a session id.
        SessionId = "session_id",
        /// A calendar page outside of the time range, or beyond the limit.
        Calendar = "calendar",
        /// Another combination of known filters.
        Facets = "facets",
        /// URLs of the same pattern were always duplicates.
        PatternExhausted = "pattern_exhausted",
        /// The page is delivered already: same canonical URL or same content.
        Duplicate = "duplicate",
        /// The page has no readable text.
        NoText = "no_text",
        /// It is not a product page, but a list, a cart or an article. Its links were followed.
        NoProduct = "no_product",
        /// Parsing exceeded the CPU or memory budget of a page.
        TooComplex = "too_complex",
        /// The limit of URLs of a run was reached.
        FrontierLimit = "frontier_limit",
        /// The site rejected it (401, 403, 429, 451), or bot protection responded instead of the
        /// page; `include_broken` delivers it.
        Blocked = "blocked",
        /// It is left out by `include_paths` or `exclude_paths`.
        Excluded = "excluded",
        /// It is more than `max_depth` clicks from the start page.
        DepthLimit = "depth_limit",
        /// Its folder has `max_pages_per_folder` pages already.
        FolderLimit = "folder_limit",
    }
}

/// A URL that was not delivered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedUrl {
    pub url: String,
    pub reason: SkipReason,
    /// The page or sitemap where it was found first.
    #[schema(required = true)]
    pub found_on: Option<String>,
    /// The response status; null if it was not fetched or there was no response.
    #[serde(default)]
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// Why there is no usable response: `http_status` for a status of 400 or above, `blocked` for
    /// bot protection; null if the response is usable or it was not fetched.
    #[serde(default, deserialize_with = "failure_cause::stored")]
    #[schema(required = true)]
    pub cause: Option<FailureCause>,
    /// Where it redirects to.
    #[serde(default)]
    #[schema(required = true)]
    pub redirects_to: Option<String>,
    /// With cause `action_failed`: the action, why it failed, and a picture of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_action: Option<FailedAction>,
}

impl SkippedUrl {
    /// A URL that was skipped without a request.
    #[must_use]
    pub fn unfetched(url: String, reason: SkipReason, found_on: Option<String>) -> Self {
        Self {
            url,
            reason,
            found_on,
            status_code: None,
            cause: None,
            redirects_to: None,
            failed_action: None,
        }
    }
}

/// A page of skipped URLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedPage {
    pub job_id: JobId,
    pub items: Vec<SkippedUrl>,
    /// Number of skipped URLs so far, of the requested reason or of all.
    pub total: u64,
    /// Numbers by reason, independent of the requested one; only reasons that occurred.
    pub reasons: BTreeMap<SkipReason, u64>,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
