//! Estimates of the cost of a run. Specification: `docs/spec/estimates.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::string_enum::string_enum;
use crate::{BodyFields, Credits, FieldError, Mode, RequestPolicy};

string_enum! {
    /// Why the start page could not be read.
    pub enum Unreachable {
        /// robots.txt forbids it.
        Robots = "robots",
        /// The response was 401, 403, 407 or 451.
        Forbidden = "forbidden",
        /// The response was 404 or 410.
        NotFound = "not_found",
        /// The response was 429, too many requests.
        RateLimited = "rate_limited",
        /// The response was 500 or above.
        ServerError = "server_error",
        /// The response was another status of 400 or above.
        Http = "http",
        /// No connection: refused, reset, or no response of the name servers.
        Connect = "connect",
        /// The certificate or the handshake failed.
        Tls = "tls",
        /// No response before the timeout.
        Timeout = "timeout",
        /// Redirects loop, are too many, or lead to a URL that must not be crawled.
        Redirect = "redirect",
        /// It is behind bot protection, and this service has no protected tier.
        NoProtectedTier = "no_protected_tier",
    }
}

/// The body of an estimate request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateEstimate {
    /// The site to price; required unless `domain_count` or `url_count` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        max_length = 2048,
        format = "uri",
        example = "https://example.com/",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: Option<String>,
    pub mode: Mode,
    /// `contacts` only: the number of domains, when the size of the list is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub domain_count: Option<u64>,
    /// `links`, `markdown` and `products`: the number of URLs of a list, instead of `url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub url_count: Option<u64>,
}

impl CreateEstimate {
    /// Reads and validates a body; returns the request with its parsed URL.
    ///
    /// # Errors
    /// The errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, Option<P::Url>), Vec<FieldError>> {
        let mut fields = BodyFields::of(body).map_err(|error| vec![error])?;
        let mode = fields.one_of("mode", Mode::ALL);
        fields.require("mode");
        let (url, parsed_url) = read_url(&mut fields, policy).unzip();
        let domain_count = fields.count("domain_count", None);
        let url_count = fields.count("url_count", None);
        let is_list =
            mode.is_some_and(|mode| Mode::LISTS.contains(&mode)) && fields.given("url_count");
        if is_list && fields.given("url") {
            fields.wrong("url_count", "must not be given together with url");
        }
        match (mode, fields.given("url") || is_list, fields.given("domain_count")) {
            (Some(Mode::Contacts), false, false) => {
                fields.wrong("url", "is required unless domain_count is given");
            }
            (Some(Mode::Contacts) | None, ..) => {}
            // A number of domains has no effect in another mode, as options have none.
            (Some(_), is_given, _) => {
                if !is_given {
                    fields.require("url");
                }
            }
        }
        let errors = fields.finish();
        match mode {
            Some(mode) if errors.is_empty() => {
                Ok((Self { url, mode, domain_count, url_count }, parsed_url))
            }
            Some(_) | None => Err(errors),
        }
    }
}

/// An estimate. No job was started and nothing was spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Estimate {
    /// The site; empty when only `domain_count` or `url_count` was given.
    pub url: String,
    pub mode: Mode,
    /// Credits per URL, page, product or domain.
    pub credit_per_unit: Credits,
    pub credit_per_1000: Credits,
    /// True when the site is behind bot protection, which raises the rate.
    pub protected: bool,
    /// True when the run needs the protected tier.
    pub requires_protected_tier: bool,
    /// The marker that identified the protection.
    #[schema(required = true)]
    pub protected_marker: Option<String>,
    /// Number of pages by the sitemap, if the site has one; null if it cannot be determined
    /// cheaply.
    #[schema(required = true)]
    pub estimated_pages: Option<u64>,
    /// `estimated_pages` times `credit_per_unit`; null when the page count is unknown, or when
    /// the run needs a protected tier and this service has none.
    #[schema(required = true)]
    pub estimated_credits: Option<Credits>,
    /// The current balance of the account.
    pub credits_available: Credits,
    /// Whether the start page can be read; null without a URL.
    #[serde(default)]
    #[schema(required = true)]
    pub reachable: Option<bool>,
    /// Why the start page cannot be read.
    #[serde(default)]
    #[schema(required = true)]
    pub reason: Option<Unreachable>,
}
