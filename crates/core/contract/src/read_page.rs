//! Reading one page at once: request and answer of `POST /v1/pages`. Specification:
//! `docs/spec/pages.md`.
//!
//! [`ReadPage::from_json`] reads the body with the checks of a job request and collects all errors.
//! A field is part of the contract only if it has an effect; every other member is an error.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::string_enum::string_enum;
use crate::{
    BodyFields, Credits, Item, Millis, Mode, OnProtected, PageId, RequestPolicy, SkipReason,
};
use crate::{ErrorCode, InvalidJobRequest};

/// Shortest and longest time that an answer may take, in milliseconds.
const TIMEOUT_MS: std::ops::RangeInclusive<u64> = 1_000..=60_000;

/// The time of an answer if the request names none, in milliseconds.
const DEFAULT_TIMEOUT_MS: u64 = 30_000;

string_enum! {
    /// A part of the answer to a page that is read at once.
    pub enum PageFormat {
        /// The item, as a run delivers it.
        Item = "item",
        /// Status, title, language and the other values that every page has.
        Metadata = "metadata",
        /// The links that a visitor of the page can follow.
        Links = "links",
    }
}

/// The body of a request for one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadPage {
    /// The page: absolute http or https URL.
    #[schema(
        max_length = 2048,
        format = "uri",
        example = "https://example.com/",
        pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@\\/?#]{1,253}([/?#]|$)"
    )]
    pub url: String,
    /// What the item contains. `sitemap` has no items of single pages.
    #[serde(default = "default_mode")]
    #[schema(value_type = Option<Mode>, default = "markdown")]
    pub mode: Mode,
    /// The parts of the answer. The charge is the same for any of them.
    #[serde(default = "default_formats")]
    #[schema(value_type = Option<Vec<PageFormat>>, min_items = 1, max_items = 10,
        default = json!(["item"]))]
    pub formats: Vec<PageFormat>,
    /// What to do when the site is behind bot protection: `auto` continues if the rate is at most
    /// `max_credit_per_unit`; otherwise the answer is an error that names the rate. Omitted: `auto`
    /// when `max_credit_per_unit` is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_protected: Option<OnProtected>,
    /// Maximum rate that `auto` accepts; required with `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_credit_per_unit: Option<Credits>,
    /// Mode `contacts` only, and mandatory there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_basis_accepted: Option<bool>,
    /// Maximum time of the answer in milliseconds, waiting for other requests to the same host
    /// included.
    #[serde(default = "default_timeout")]
    #[schema(value_type = Option<u64>, minimum = 1000, maximum = 60000, default = 30000)]
    pub timeout_ms: u64,
}

fn default_mode() -> Mode {
    Mode::PAGE_DEFAULT
}

fn default_formats() -> Vec<PageFormat> {
    vec![PageFormat::Item]
}

fn default_timeout() -> u64 {
    DEFAULT_TIMEOUT_MS
}

impl ReadPage {
    /// A request for this page with the defaults.
    #[must_use]
    pub fn new(url: impl Into<String>, mode: Mode) -> Self {
        Self {
            url: url.into(),
            mode,
            formats: default_formats(),
            on_protected: None,
            max_credit_per_unit: None,
            legal_basis_accepted: None,
            timeout_ms: DEFAULT_TIMEOUT_MS,
        }
    }

    /// Whether the answer has this part.
    #[must_use]
    pub fn has(&self, format: PageFormat) -> bool {
        self.formats.contains(&format)
    }

    /// The highest rate that is paid without asking; `None` if a higher rate is refused.
    #[must_use]
    pub fn accepted_rate(&self) -> Option<Credits> {
        let is_auto = self.on_protected.is_none_or(|choice| choice == OnProtected::Auto);
        self.max_credit_per_unit.filter(|_| is_auto)
    }

    /// Reads and validates a body; returns the request with its parsed URL.
    ///
    /// # Errors
    /// [`InvalidJobRequest`] with the errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, P::Url), InvalidJobRequest> {
        let mut fields = BodyFields::of(body)
            .map_err(|error| InvalidJobRequest { errors: vec![error], lacks_legal_basis: false })?;
        let (url, parsed_url) = read_url(&mut fields, policy).unzip();
        fields.require("url");
        let is_mode_given = fields.given("mode");
        let mode = match fields.one_of("mode", Mode::PAGES) {
            None if !is_mode_given => Some(Mode::PAGE_DEFAULT),
            mode => mode,
        };
        let formats = read_formats(&mut fields);
        let on_protected = fields.one_of("on_protected", OnProtected::ALL);
        let max_credit_per_unit = fields.integer("max_credit_per_unit", 1).map(Credits);
        if on_protected == Some(OnProtected::Auto) && !fields.given("max_credit_per_unit") {
            fields.wrong("max_credit_per_unit", "is required when on_protected is auto");
        }
        let legal_basis_accepted = fields.flag("legal_basis_accepted");
        let is_absent = !fields.given("legal_basis_accepted");
        let lacks_legal_basis = mode.is_some_and(Mode::requires_legal_basis)
            && (legal_basis_accepted == Some(false) || is_absent);
        if lacks_legal_basis {
            let message = "must be true in mode contacts: confirm a lawful basis for processing";
            fields.wrong("legal_basis_accepted", message);
        } else if let Some(Err(message)) = mode.map(|mode| policy.check_mode(mode)) {
            fields.wrong("mode", message);
        }
        let timeout_ms = read_timeout(&mut fields);
        let errors = fields.finish();
        let (Some(url), Some(parsed_url), Some(mode), true) =
            (url, parsed_url, mode, errors.is_empty())
        else {
            return Err(InvalidJobRequest { errors, lacks_legal_basis });
        };
        let request = Self {
            url,
            mode,
            formats,
            on_protected,
            max_credit_per_unit,
            legal_basis_accepted,
            timeout_ms,
        };
        Ok((request, parsed_url))
    }
}

/// Reads `formats`, each once.
fn read_formats(fields: &mut BodyFields<'_>) -> Vec<PageFormat> {
    let Some(texts) = fields.texts("formats", 10) else { return default_formats() };
    let mut formats = Vec::with_capacity(texts.len());
    for (index, text) in texts {
        match text.parse::<PageFormat>() {
            Ok(format) if formats.contains(&format) => {}
            Ok(format) => formats.push(format),
            Err(_) => {
                let all = crate::comma_list(PageFormat::ALL);
                fields.wrong(&format!("formats[{index}]"), format!("must be one of {all}"));
            }
        }
    }
    formats
}

fn read_timeout(fields: &mut BodyFields<'_>) -> u64 {
    let least = i64::try_from(*TIMEOUT_MS.start()).unwrap_or(0);
    let timeout = fields.integer("timeout_ms", least).and_then(|ms| u64::try_from(ms).ok());
    match timeout {
        Some(ms) if ms > *TIMEOUT_MS.end() => {
            fields.wrong("timeout_ms", format!("must be at most {}", TIMEOUT_MS.end()));
            DEFAULT_TIMEOUT_MS
        }
        Some(ms) => ms,
        None => DEFAULT_TIMEOUT_MS,
    }
}

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
    /// Whether the answer is an earlier one from the cache.
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
    /// The reason for which a run would skip the page.
    pub reason: Option<SkipReason>,
    /// The status of the site's response.
    pub status_code: Option<u16>,
    /// The rate that the page needs.
    pub credit_per_unit: Option<Credits>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Accepts every URL with a dot, and every mode.
    struct DottedUrls;

    impl RequestPolicy for DottedUrls {
        type Url = String;
        type Domain = String;

        fn max_domains(&self) -> usize {
            0
        }

        fn check_mode(&self, _: Mode) -> Result<(), String> {
            Ok(())
        }

        fn parse_url(&self, text: &str) -> Result<String, String> {
            self.parse_domain(text)
        }

        fn parse_domain(&self, text: &str) -> Result<String, String> {
            if text.contains('.') { Ok(text.to_owned()) } else { Err("has no dot".to_owned()) }
        }

        fn check_domains(&self, _: &[String]) -> Result<(), String> {
            Ok(())
        }
    }

    fn wrong_fields(body: &Value) -> Vec<String> {
        match ReadPage::from_json(body, &DottedUrls) {
            Ok(_) => Vec::new(),
            Err(invalid) => invalid.errors.into_iter().map(|error| error.field).collect(),
        }
    }

    #[test]
    fn reader_and_serde_agree_on_defaults() {
        let body = json!({"url": "https://a.example/"});
        let (read, url) = ReadPage::from_json(&body, &DottedUrls).expect("a valid request");
        assert_eq!(url, "https://a.example/");
        assert_eq!(read, ReadPage::new("https://a.example/", Mode::Markdown));
        assert_eq!(serde_json::from_value::<ReadPage>(body).expect("serde"), read);
    }

    #[test]
    fn all_errors_of_a_request_are_reported_at_once() {
        let body = json!({"url": "nodot", "mode": "sitemap", "formats": ["item", "pdf"],
            "on_protected": "auto", "timeout_ms": 60_001, "rendered": true});
        assert_eq!(
            wrong_fields(&body),
            ["url", "mode", "formats[1]", "max_credit_per_unit", "timeout_ms", "rendered"]
        );
        assert_eq!(wrong_fields(&json!({})), ["url"]);
        assert_eq!(wrong_fields(&json!({"url": "a.b", "timeout_ms": 999})), ["timeout_ms"]);
        assert_eq!(wrong_fields(&json!({"url": "a.b", "formats": []})), ["formats"]);
        let contacts = json!({"url": "a.b", "mode": "contacts"});
        assert_eq!(wrong_fields(&contacts), ["legal_basis_accepted"]);
    }

    #[test]
    fn higher_rate_is_accepted_only_with_a_ceiling_and_auto() {
        let page = |choice, ceiling: Option<i64>| {
            let page = ReadPage::new("a.b", Mode::Links);
            ReadPage { on_protected: choice, max_credit_per_unit: ceiling.map(Credits), ..page }
        };
        assert_eq!(page(None, Some(5)).accepted_rate(), Some(Credits(5)));
        assert_eq!(page(Some(OnProtected::Auto), Some(5)).accepted_rate(), Some(Credits(5)));
        for choice in [None, Some(OnProtected::Pause), Some(OnProtected::Fail)] {
            assert_eq!(page(choice, None).accepted_rate(), None);
        }
        assert_eq!(page(Some(OnProtected::Fail), Some(5)).accepted_rate(), None);
    }
}
