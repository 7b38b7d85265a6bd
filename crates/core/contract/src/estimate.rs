//! What a run would cost, before it is started. Specification: `docs/spec/estimates.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{Credits, Mode};

words! {
    /// Why the start page could not be read.
    pub enum Unreachable {
        /// robots.txt forbids it.
        Robots = "robots",
        /// It answered 401, 403, 407 or 451.
        Forbidden = "forbidden",
        /// It answered 404 or 410.
        NotFound = "not_found",
        /// It answered 429.
        RateLimited = "rate_limited",
        /// It answered 500 or above.
        ServerError = "server_error",
        /// It answered with another status of 400 or above.
        Http = "http",
        /// No connection: refused, reset, or no answer of the name servers.
        Connect = "connect",
        /// The certificate or the handshake failed.
        Tls = "tls",
        /// No answer in time.
        Timeout = "timeout",
        /// Its redirects lead in a circle, too far, or where this service does not go.
        Redirect = "redirect",
        /// It is behind bot protection, and this service has no protected tier.
        NoProtectedTier = "no_protected_tier",
    }
}

/// The body that asks for an estimate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEstimate {
    /// The site to price; required in every mode but `contacts`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048, example = "https://example.com/")]
    pub url: Option<String>,
    pub mode: Mode,
    /// `contacts` only: the number of domains, when the size of the list is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub domain_count: Option<u64>,
}

/// An estimate. Nothing was started and nothing was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Estimate {
    /// The site; empty when only `domain_count` was given.
    pub url: String,
    pub mode: Mode,
    /// Credits a URL, page, product or domain.
    pub credit_per_unit: Credits,
    pub credit_per_1000: Credits,
    /// True when the site is behind bot protection, which makes the rate jump.
    pub protected: bool,
    /// True when the run needs the protected tier.
    pub requires_protected_tier: bool,
    /// What flagged the protection.
    #[schema(required = true)]
    pub protected_marker: Option<String>,
    /// Read from the sitemap when the site publishes one; null when it cannot be
    /// established cheaply.
    #[schema(required = true)]
    pub estimated_pages: Option<u64>,
    /// `estimated_pages` times `credit_per_unit`; null when the page count is unknown, or when
    /// the run needs a protected tier and this service has none.
    #[schema(required = true)]
    pub estimated_credits: Option<Credits>,
    /// The key owner's current balance.
    pub credits_available: Credits,
    /// Whether the start page can be read; null when there was none to look at.
    #[serde(default)]
    #[schema(required = true)]
    pub reachable: Option<bool>,
    /// Why it cannot.
    #[serde(default)]
    #[schema(required = true)]
    pub reason: Option<Unreachable>,
}
