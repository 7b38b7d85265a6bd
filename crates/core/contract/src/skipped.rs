//! The URLs that a run met and did not deliver, each with its reason: nobody has to guess
//! why one is missing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{FetchFault, JobId};

words! {
    /// Why a URL that a run met is not among its results.
    pub enum SkipReason {
        /// robots.txt forbids it.
        Robots = "robots",
        /// It answered 400 or above, or could not be fetched; `include_broken` delivers it.
        Broken = "broken",
        /// It leads on to another URL, which is judged in its place.
        Redirect = "redirect",
        /// It is the same page as one that is delivered, under another name.
        SamePage = "same_page",
        /// It belongs to another site; `include_external` delivers it.
        External = "external",
        /// It belongs to a host below the start host; `include_subdomains` admits it.
        Subdomain = "subdomain",
        /// It lies outside the path of the start URL, which `specific_route` keeps to.
        OutsideRoute = "outside_route",
        /// It is an image; `include_images` delivers it.
        Image = "image",
        /// It is a file, a feed or something else that is no page; `include_files` delivers it.
        File = "file",
        /// Links are not followed in this run (`sitemap_first`, `discovery`, `one_page`).
        NotFollowed = "not_followed",
        /// It is in another language than the one that is wanted, or a translation of a page that
        /// is kept.
        Language = "language",
        /// A search engine would not index it, so that it has no place in a sitemap.
        NotIndexable = "not_indexable",
        /// A sitemap on somebody else's host.
        ForeignSitemap = "foreign_sitemap",
        /// One sitemap file more than is read, or one nested too deep.
        SitemapLimit = "sitemap_limit",
        /// More folders than a person would make.
        PathTooDeep = "path_too_deep",
        /// The same folders again and again: a relative link that nests.
        RepeatingSegments = "repeating_segments",
        /// Longer than is kept.
        UrlTooLong = "url_too_long",
        /// A session id stands in its path.
        SessionId = "session_id",
        /// A page of a calendar outside of its time, or one too many.
        Calendar = "calendar",
        /// One more combination of filters that are known already.
        Facets = "facets",
        /// What looks like it was always a duplicate.
        PatternExhausted = "pattern_exhausted",
        /// It is a page that is delivered once already: by its canonical address, or because
        /// it says the same.
        Duplicate = "duplicate",
        /// There is nothing to read on it.
        NoText = "no_text",
        /// It does not sell one product: a list, a cart, a story. Its links were followed.
        NoProduct = "no_product",
        /// Reading it exceeded the CPU or memory budget of a page.
        TooComplex = "too_complex",
        /// The run knows as many URLs as a run may know.
        FrontierLimit = "frontier_limit",
        /// The site refused it (401, 403, 429, 451) or bot protection answered in its place;
        /// `include_broken` delivers it.
        Blocked = "blocked",
    }
}

/// A URL that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedUrl {
    pub url: String,
    pub reason: SkipReason,
    /// The page or sitemap that it was first found on.
    #[schema(required = true)]
    pub found_on: Option<String>,
    /// The status that it answered with; null when it was not fetched or did not answer.
    #[serde(default)]
    #[schema(required = true)]
    pub status_code: Option<u16>,
    /// Why there is no usable answer: `http` for a status of 400 or above, `blocked` for bot
    /// protection; null when the answer is usable or it was not fetched.
    #[serde(default)]
    #[schema(required = true)]
    pub cause: Option<FetchFault>,
    /// Where it redirects to.
    #[serde(default)]
    #[schema(required = true)]
    pub redirects_to: Option<String>,
}

impl SkippedUrl {
    /// A URL that was left out without being fetched.
    #[must_use]
    pub fn unfetched(url: String, reason: SkipReason, found_on: Option<String>) -> Self {
        Self { url, reason, found_on, status_code: None, cause: None, redirects_to: None }
    }
}

/// A page of the URLs that a run left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkippedPage {
    pub job_id: JobId,
    pub items: Vec<SkippedUrl>,
    /// All that were left out so far; for one reason, where only that was asked for.
    pub total: u64,
    /// How many for each reason, whatever was asked for; reasons that did not occur are
    /// missing.
    pub reasons: BTreeMap<SkipReason, u64>,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
