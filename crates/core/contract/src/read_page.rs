//! Reading one page at once: the request of `POST /v1/pages`. Specification:
//! `docs/spec/pages.md`.
//!
//! [`ReadPage::from_json`] reads the body with the checks of a job request and collects all errors.
//! A field is part of the contract only if it has an effect; every other member is an error.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::site_access::{is_zero, read_formats, with_site_members};
use crate::string_enum::string_enum;
use crate::{
    BasicAuth, BodyFields, Credits, InvalidJobRequest, Mode, OnProtected, PageAction, PageDevice,
    PageFileFormat, PageOptions, PageWait, RenderChoice, RequestPolicy, ScreenshotArea, SecretText,
    SiteAccess,
};

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
        /// The page after rendering, without scripts and with absolute URLs.
        Html = "html",
        /// The response of the site as received, or the document as rendered.
        RawHtml = "raw_html",
        /// A picture of the page.
        Screenshot = "screenshot",
    }
}

with_site_members! {
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
        #[serde(default)]
        #[schema(value_type = Option<PageOptions>)]
        pub options: PageOptions,
        /// What to do when the site is behind bot protection: `auto` continues if the rate is at
        /// most `max_credit_per_unit`; otherwise the answer is an error that names the rate. Omitted:
        /// `auto` when `max_credit_per_unit` is given.
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

impl PageFormat {
    /// The file that is a part of the answer, if it is one.
    fn file(self) -> Option<PageFileFormat> {
        match self {
            Self::Html => Some(PageFileFormat::Html),
            Self::RawHtml => Some(PageFileFormat::RawHtml),
            Self::Screenshot => Some(PageFileFormat::Screenshot),
            Self::Item | Self::Metadata | Self::Links => None,
        }
    }
}

/// The files among the parts of an answer.
fn files(formats: &[PageFormat]) -> Vec<PageFileFormat> {
    formats.iter().filter_map(|format| format.file()).collect()
}

impl ReadPage {
    /// A request for this page with the defaults.
    #[must_use]
    pub fn new(url: impl Into<String>, mode: Mode) -> Self {
        with_site_members!(SiteAccess::default() => Self {
            url: url.into(),
            mode,
            formats: default_formats(),
            options: PageOptions::default(),
            on_protected: None,
            max_credit_per_unit: None,
            legal_basis_accepted: None,
            timeout_ms: DEFAULT_TIMEOUT_MS,
        })
    }

    /// Whether the answer has this part.
    #[must_use]
    pub fn has(&self, format: PageFormat) -> bool {
        self.formats.contains(&format)
    }

    /// How the page is requested, and the files of the answer.
    #[must_use]
    pub fn access(&self) -> SiteAccess {
        SiteAccess { formats: files(&self.formats), ..self.site_members() }
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
        let formats = read_formats(&mut fields, PageFormat::ALL).unwrap_or_else(default_formats);
        let options = fields.object("options", PageOptions::of_page).unwrap_or_default();
        let access = SiteAccess::of_page(&mut fields, files(&formats), policy);
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
        let request = with_site_members!(access => Self {
            url,
            mode,
            formats,
            options,
            on_protected,
            max_credit_per_unit,
            legal_basis_accepted,
            timeout_ms,
        });
        Ok((request, parsed_url))
    }
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
            "on_protected": "auto", "timeout_ms": 60_001, "rendered": true, "max_age": -1,
            "actions": [{"type": "scroll"}, 7, {"type": "click", "x": 1}], "wait_for": true,
            "screenshot_area": "viewport"});
        assert_eq!(
            wrong_fields(&body),
            [
                "url",
                "mode",
                "formats[1]",
                "wait_for",
                "actions[1]",
                "actions[2].selector",
                "actions[2].x",
                "max_age",
                "screenshot_area",
                "max_credit_per_unit",
                "timeout_ms",
                "rendered",
            ]
        );
        assert_eq!(wrong_fields(&json!({})), ["url"]);
        assert_eq!(wrong_fields(&json!({"url": "a.b", "timeout_ms": 999})), ["timeout_ms"]);
        assert_eq!(wrong_fields(&json!({"url": "a.b", "formats": []})), ["formats"]);
        let options = json!({"max_pages": 7, "main_content": 1, "maincontent": true});
        assert_eq!(
            wrong_fields(&json!({"url": "a.b", "options": options})),
            ["options.max_pages", "options.main_content", "options.maincontent"]
        );
        let options = json!({"include_selectors": ["p", "a:hover"], "exclude_selectors": "nav"});
        assert_eq!(
            wrong_fields(&json!({"url": "a.b", "options": options})),
            ["options.include_selectors[1]", "options.exclude_selectors"]
        );
        let contacts = json!({"url": "a.b", "mode": "contacts"});
        assert_eq!(wrong_fields(&contacts), ["legal_basis_accepted"]);
    }

    #[test]
    fn what_needs_a_browser_excludes_render_never() {
        let body = json!({"url": "a.b", "render": "never", "formats": ["screenshot"]});
        assert_eq!(wrong_fields(&body), ["render"]);
        let body = json!({"url": "a.b", "render": "never", "device": "mobile"});
        assert_eq!(wrong_fields(&body), ["render"]);
        let body = json!({"url": "a.b", "device": "mobile"});
        let (page, _) = ReadPage::from_json(&body, &DottedUrls).expect("a valid request");
        assert!(page.access().always_renders() && page.access().is_scripted());
        assert_eq!(serde_json::to_value(&page).expect("JSON")["device"], "mobile");
        assert_eq!(wrong_fields(&json!({"url": "a.b", "device": "tablet"})), ["device"]);
        let body = json!({"url": "a.b", "wait_for": 500, "formats": ["html"]});
        let (page, _) = ReadPage::from_json(&body, &DottedUrls).expect("a valid request");
        assert!(page.access().always_renders());
        assert_eq!(page.wait_for, Some(PageWait::Milliseconds(500)));
        assert_eq!(serde_json::from_value::<ReadPage>(body).expect("serde"), page);
        assert!(!ReadPage::new("a.b", Mode::Links).access().always_renders());
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
