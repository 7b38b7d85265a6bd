//! Estimates of the cost of a run. Specification: `docs/spec/estimates.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::string_enum::string_enum;
use crate::{
    BodyFields, Credits, FailureCause, FieldError, JobOption, Mode, Options, RequestPolicy, Scope,
    Units,
};

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
    /// The scope of the planned run, as in `POST /v1/jobs`.
    #[serde(default)]
    #[schema(value_type = Option<Scope>)]
    pub scope: Scope,
    /// The options of the planned run, as in `POST /v1/jobs`.
    #[serde(default)]
    #[schema(value_type = Option<Options>)]
    pub options: Options,
}

impl CreateEstimate {
    /// Whether the run could be limited to the path of its start URL: the URL has a path, and the
    /// run follows links.
    #[must_use]
    pub fn has_path_choice(&self, path: &str) -> bool {
        path != "/" && !self.mode.visits_domains() && !self.scope.one_page
    }

    /// The units that limits of the request allow at most, at a rate per unit.
    #[must_use]
    pub fn max_units(&self, rate: Credits) -> Option<u64> {
        let Scope { one_page, include_images, include_files, .. } = self.scope;
        // Images and files are no pages, and are charged in mode links.
        let are_units_pages = self.mode != Mode::Links || !(include_images || include_files);
        let affordable = self.options.max_credits.filter(|_| rate > Credits::ZERO);
        let credits =
            |credits: u64| Credits(i64::try_from(credits).unwrap_or(i64::MAX)).covers(rate);
        let pages = self.options.max_pages.filter(|_| are_units_pages);
        [
            self.options.sample_size,
            affordable.map(|most| credits(most).0),
            pages,
            (one_page && are_units_pages).then_some(1),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Reads and validates a body; returns the request with its parsed URL.
    ///
    /// # Errors
    /// The errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, Option<P::Url>), Vec<FieldError>> {
        let mut fields = BodyFields::of(body).map_err(|error| vec![error])?;
        JobOption::suggest(&mut fields);
        let mode = fields.one_of("mode", Mode::ALL);
        fields.require("mode");
        let (url, parsed_url) = read_url(&mut fields, policy).unzip();
        let domain_count = fields.count("domain_count", None);
        let url_count = fields.count("url_count", None);
        let scope = fields.object("scope", Scope::read).unwrap_or_default();
        let options = fields.object("options", Options::read).unwrap_or_default();
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
                Ok((Self { url, mode, domain_count, url_count, scope, options }, parsed_url))
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
    /// The number of units (URLs, pages or products) that the run would deliver; null if it cannot
    /// be determined cheaply.
    #[schema(required = true)]
    pub estimated_pages: Option<u64>,
    /// `estimated_pages` times `credit_per_unit`; null when the page count is unknown, or when
    /// the run needs a protected tier and this service has none.
    #[schema(required = true)]
    pub estimated_credits: Option<Credits>,
    /// The least that the run would deliver. Equal to `estimated_pages_max` if the number is known.
    #[serde(default)]
    #[schema(required = true)]
    pub estimated_pages_min: Option<u64>,
    /// The most that the run would deliver; null if there is no bound.
    #[serde(default)]
    #[schema(required = true)]
    pub estimated_pages_max: Option<u64>,
    /// `estimated_pages_min` times `credit_per_unit`.
    #[serde(default)]
    #[schema(required = true)]
    pub estimated_credits_min: Option<Credits>,
    /// `estimated_pages_max` times `credit_per_unit`.
    #[serde(default)]
    #[schema(required = true)]
    pub estimated_credits_max: Option<Credits>,
    /// The price with `scope.specific_route`, if `url` has a path and the run follows links.
    #[serde(default)]
    #[schema(required = true)]
    pub under_path: Option<EstimatedPrice>,
    /// The price without `scope.specific_route`, if `url` has a path and the run follows links.
    #[serde(default)]
    #[schema(required = true)]
    pub whole_site: Option<EstimatedPrice>,
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
    /// What failed, if there was no response.
    #[serde(default)]
    #[schema(required = true)]
    pub cause: Option<FailureCause>,
}

/// The units and the price of a run, with their bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct EstimatedPrice {
    /// As `estimated_pages` of the estimate.
    #[schema(required = true)]
    pub estimated_pages: Option<u64>,
    #[schema(required = true)]
    pub estimated_pages_min: Option<u64>,
    #[schema(required = true)]
    pub estimated_pages_max: Option<u64>,
    #[schema(required = true)]
    pub estimated_credits: Option<Credits>,
    #[schema(required = true)]
    pub estimated_credits_min: Option<Credits>,
    #[schema(required = true)]
    pub estimated_credits_max: Option<Credits>,
}

impl EstimatedPrice {
    /// The price of a number of units with its bounds.
    #[must_use]
    pub fn of(units: &ExpectedUnits, rate: Credits) -> Self {
        let price = |units: u64| rate.times(Units(units));
        Self {
            estimated_pages: units.likely,
            estimated_pages_min: Some(units.min),
            estimated_pages_max: units.max,
            estimated_credits: units.likely.and_then(price),
            estimated_credits_min: price(units.min),
            estimated_credits_max: units.max.and_then(price),
        }
    }

    /// The same price without numbers of pages: its units are domains, or URLs of a list.
    #[must_use]
    pub fn without_pages(self) -> Self {
        Self { estimated_pages: None, estimated_pages_min: None, estimated_pages_max: None, ..self }
    }

    /// The same numbers of pages without a price.
    #[must_use]
    pub fn unpriced(self) -> Self {
        Self {
            estimated_credits: None,
            estimated_credits_min: None,
            estimated_credits_max: None,
            ..self
        }
    }
}

/// The units that a run is expected to deliver: bounds, and a number between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExpectedUnits {
    pub likely: Option<u64>,
    pub min: u64,
    pub max: Option<u64>,
}

impl ExpectedUnits {
    /// A known number of units.
    #[must_use]
    pub fn exactly(units: u64) -> Self {
        Self { likely: Some(units), min: units, max: Some(units) }
    }

    /// The units that limits of the run allow, and a likely number within the bounds.
    #[must_use]
    pub fn limited_to(self, most: Option<u64>) -> Self {
        let max = [self.max, most].into_iter().flatten().min();
        let min = max.map_or(self.min, |max| self.min.min(max));
        let likely = self.likely.or_else(|| max.filter(|max| *max == min));
        let likely = likely.map(|likely| likely.max(min).min(max.unwrap_or(u64::MAX)));
        Self { likely, min, max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(scope: Scope, options: Options) -> CreateEstimate {
        CreateEstimate {
            url: Some("https://a.example/".to_owned()),
            mode: Mode::Markdown,
            domain_count: None,
            url_count: None,
            scope,
            options,
        }
    }

    #[test]
    fn lowest_limit_of_a_request_applies() {
        let options = Options { sample_size: Some(9), max_credits: Some(15), ..Options::default() };
        let limited = request(Scope::default(), options.clone());
        assert_eq!(limited.max_units(Credits(2)), Some(7));
        assert_eq!(limited.max_units(Credits::ZERO), Some(9), "samples are free");
        let page = request(Scope { one_page: true, ..Scope::default() }, options);
        assert_eq!(page.max_units(Credits(2)), Some(1));
        assert_eq!(request(Scope::default(), Options::default()).max_units(Credits(2)), None);
    }

    #[test]
    fn likely_number_is_within_the_bounds() {
        let units = ExpectedUnits { likely: Some(60), min: 40, max: Some(90) };
        let sample = units.limited_to(Some(5));
        assert_eq!(sample, ExpectedUnits::exactly(5));
        let open = ExpectedUnits { likely: None, min: 40, max: None };
        assert_eq!(open.limited_to(None), open);
        assert_eq!(open.limited_to(Some(40)), ExpectedUnits::exactly(40));
        assert_eq!(units.limited_to(Some(50)).likely, Some(50));
    }
}
