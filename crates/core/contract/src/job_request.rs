//! The request for a job: wire type, OpenAPI schema, defaults and validation in one place.
//! Specification: `docs/spec/jobs.md`.
//!
//! `POST /v1/jobs` and schedules read their bodies by [`JobRequest::from_json`]. Checks that depend
//! on the settings of a service (networks, denylist, offered modes) come from its [`RequestPolicy`],
//! which also parses the target. The members of `scope` and `options` are in `job_options.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::job_target::{check_target, read_domains, read_list_id, read_url, read_urls};
use crate::job_webhook::read_webhook;
use crate::site_access::{is_zero, with_site_members};
use crate::string_enum::string_enum;
use crate::{
    BasicAuth, BodyFields, Credits, FieldError, JobOption, JobWebhook, ListId, Mode, Options,
    PageAction, PageDevice, PageFileFormat, PageWait, ParsedTarget, RenderChoice, RequestPolicy,
    Scope, ScreenshotArea, SecretText, SiteAccess, SiteLogin, TargetOf,
};

/// Maximum size of `external` as JSON.
const EXTERNAL_BYTES: usize = 4 * 1024;

string_enum! {
    /// What to do when the site turns out to be bot-protected.
    pub enum OnProtected {
        /// Continue if the rate is at most `max_credit_per_unit`.
        Auto = "auto",
        /// Wait for a confirmation.
        Pause = "pause",
        /// End the run with an error.
        Fail = "fail",
    }
}

string_enum! {
    /// What to do when the account has another run on the same site.
    pub enum IfBusy {
        /// The request is refused with 409.
        Reject = "reject",
        /// The job waits until the site is free, in the order of the requests.
        Queue = "queue",
    }
}

with_site_members! {
    /// The body that creates a job.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
    #[serde(deny_unknown_fields)]
    #[schema(as = CreateJob)]
    pub struct JobRequest {
        pub mode: Mode,
        /// Start URL: absolute http or https. Required unless `urls`, `list_id` or `domains` is
        /// given.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(
            max_length = 2048,
            format = "uri",
            example = "https://example.com/",
            pattern = r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s@\\/?#]{1,253}([/?#]|$)"
        )]
        pub url: Option<String>,
        /// `contacts` only: the domains to process, instead of `url`. Each of at most 2,048 bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_items = 1, max_items = 10000)]
        pub domains: Option<Vec<String>>,
        /// `links`, `markdown` and `products`: the URLs to request, instead of `url`. Each is
        /// requested once, nothing else is, and each ends as a result or as a skipped URL.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(min_items = 1, max_items = 10000)]
        pub urls: Option<Vec<String>>,
        /// `links`, `markdown` and `products`: an uploaded list (`POST /v1/lists`), instead of
        /// `urls`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub list_id: Option<ListId>,
        #[serde(default)]
        #[schema(value_type = Option<Scope>)]
        pub scope: Scope,
        #[serde(default)]
        #[schema(value_type = Option<Options>)]
        pub options: Options,
        /// Omitted: `auto` when `max_credit_per_unit` is given, otherwise `pause`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub on_protected: Option<OnProtected>,
        /// Maximum rate that `auto` accepts without a confirmation; required with `auto`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub max_credit_per_unit: Option<Credits>,
        /// What happens if the account has another run on this site. Omitted: `reject`. A run that
        /// is paused for lack of credits does not count; one that waits for a confirmation does.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub if_busy: Option<IfBusy>,
        /// `contacts` only, and mandatory there.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub legal_basis_accepted: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub external: Option<External>,
        /// Where the events of this job are sent, besides the endpoints of the account. Not in
        /// schedules.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub webhook: Option<JobWebhook>,
        /// A login before the first page, whose cookies are sent with the requests of the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub login: Option<SiteLogin>,
        /// The files that are kept of the page of each result, as long as the results. Not in mode
        /// `contacts`. The charge is the same.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(value_type = Option<Vec<PageFileFormat>>, min_items = 1, max_items = 10)]
        pub formats: Vec<PageFileFormat>,
    }
}

/// The members of [`JobRequest`].
const MEMBERS: [&str; 25] = [
    "mode",
    "url",
    "domains",
    "urls",
    "list_id",
    "scope",
    "options",
    "on_protected",
    "max_credit_per_unit",
    "if_busy",
    "legal_basis_accepted",
    "external",
    "webhook",
    "login",
    "formats",
    "headers",
    "cookies",
    "basic_auth",
    "bearer",
    "render",
    "device",
    "wait_for",
    "actions",
    "screenshot_area",
    "max_age",
];

/// Free-form data of the calling channel, up to 4 KiB.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct External {
    /// The channel's identifier of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The channel's identifier of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// All other members, unchanged.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// All errors of a job request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidJobRequest {
    pub errors: Vec<FieldError>,
    /// The mode requires the acceptance of a legal basis, which is absent or false.
    pub lacks_legal_basis: bool,
}

impl JobRequest {
    /// Deserializes a stored request. Members that this release does not know are ignored, because
    /// a node of a newer release may have stored them; in a body they are errors.
    ///
    /// # Errors
    /// Those of serde.
    pub fn from_stored<'de, D: Deserializer<'de>>(stored: D) -> Result<Self, D::Error> {
        let mut members = Map::<String, Value>::deserialize(stored)?;
        members.retain(|name, _| MEMBERS.contains(&name.as_str()));
        if let Some(Value::Object(scope)) = members.get_mut("scope") {
            Scope::retain_known(scope);
        }
        if let Some(Value::Object(options)) = members.get_mut("options") {
            Options::retain_known(options);
        }
        Self::deserialize(Value::Object(members)).map_err(serde::de::Error::custom)
    }

    /// Reads and validates a body; returns the request with its parsed target.
    ///
    /// # Errors
    /// [`InvalidJobRequest`] with the errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, TargetOf<P>), InvalidJobRequest> {
        let mut fields = match BodyFields::of(body) {
            Ok(fields) => fields,
            Err(error) => {
                return Err(InvalidJobRequest { errors: vec![error], lacks_legal_basis: false });
            }
        };
        JobOption::suggest(&mut fields);
        let mode = fields.one_of("mode", Mode::ALL);
        fields.require("mode");
        let (url, parsed_url) = read_url(&mut fields, policy).unzip();
        let (domains, parsed_domains) = read_domains(&mut fields, policy).unzip();
        let (urls, parsed_urls) = read_urls(&mut fields, policy).unzip();
        let list_id = read_list_id(&mut fields);
        check_target(&mut fields, mode);
        let scope = fields.object("scope", Scope::read).unwrap_or_default();
        let options = fields.object("options", Options::read).unwrap_or_default();
        let on_protected = fields.one_of("on_protected", OnProtected::ALL);
        let max_credit_per_unit = fields.integer("max_credit_per_unit", 1).map(Credits);
        let if_busy = fields.one_of("if_busy", IfBusy::ALL);
        let legal_basis_accepted = fields.flag("legal_basis_accepted");
        let is_absent = !fields.given("legal_basis_accepted");
        let lacks_legal_basis =
            mode == Some(Mode::Contacts) && (legal_basis_accepted == Some(false) || is_absent);
        if lacks_legal_basis {
            let message = "must be true in mode contacts: confirm a lawful basis for processing";
            fields.wrong("legal_basis_accepted", message);
        } else if let Some(Err(message)) = mode.map(|mode| policy.check_mode(mode)) {
            fields.wrong("mode", message);
        }
        let starts = parsed_url
            .as_ref()
            .map_or(parsed_urls.as_deref().unwrap_or_default(), |url| std::slice::from_ref(url));
        let access = SiteAccess::of_run(&mut fields, starts, policy);
        if mode == Some(Mode::Contacts) && fields.given("formats") && !fields.given("domains") {
            let message = "has no effect in mode contacts, whose records are made of several pages";
            fields.wrong("formats", message);
        }
        let external = read_external(&mut fields);
        let webhook = read_webhook(&mut fields, policy);
        let takes_results = webhook.as_ref().is_some_and(|webhook| webhook.results);
        if takes_results && mode.is_some_and(|mode| mode != Mode::Markdown) {
            fields.wrong("webhook.results", "needs the mode markdown");
        }
        let errors = fields.finish();
        let Some(mode) = mode.filter(|_| errors.is_empty()) else {
            return Err(InvalidJobRequest { errors, lacks_legal_basis });
        };
        let (login, formats) = (access.login.clone(), access.formats.clone());
        let request = with_site_members!(access => Self {
            mode,
            url,
            domains,
            urls,
            list_id,
            scope,
            options,
            on_protected,
            max_credit_per_unit,
            if_busy,
            legal_basis_accepted,
            external,
            webhook,
            login,
            formats,
        });
        let domains = parsed_domains.unwrap_or_default();
        let urls = parsed_urls.unwrap_or_default();
        Ok((request, ParsedTarget { url: parsed_url, domains, urls }))
    }
}

impl JobRequest {
    /// How the pages of the run are requested, and what is kept of them.
    #[must_use]
    pub fn access(&self) -> SiteAccess {
        let (login, formats) = (self.login.clone(), self.formats.clone());
        SiteAccess { login, formats, ..self.site_members() }
    }
}

fn read_external(fields: &mut BodyFields<'_>) -> Option<External> {
    let external = fields.free_object("external", |inside, members| {
        let external = External {
            user_id: inside.text("user_id").map(str::to_owned),
            run_id: inside.text("run_id").map(str::to_owned),
            other: members
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "user_id" | "run_id"))
                .map(|(name, member)| (name.clone(), member.clone()))
                .collect(),
        };
        let size = serde_json::to_string(members).map_or(usize::MAX, |text| text.len());
        (external, size)
    });
    let (external, size) = external?;
    if size > EXTERNAL_BYTES {
        fields.wrong("external", format!("must not take more than {EXTERNAL_BYTES} bytes as JSON"));
    }
    Some(external)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const LIST: &str = "lst_019a8671c5f87a3b9c1d2e3f40516273";

    /// Accepts everything but the mode `sitemap` and names without a dot.
    struct TestPolicy;

    impl RequestPolicy for TestPolicy {
        type Url = String;
        type Domain = String;

        fn max_domains(&self) -> usize {
            4
        }

        fn check_mode(&self, mode: Mode) -> Result<(), String> {
            if mode == Mode::Sitemap { Err("is not offered".to_owned()) } else { Ok(()) }
        }

        fn parse_url(&self, text: &str) -> Result<String, String> {
            self.parse_domain(text)
        }

        fn parse_domain(&self, text: &str) -> Result<String, String> {
            if text.contains('.') { Ok(text.to_lowercase()) } else { Err("has no dot".to_owned()) }
        }

        fn check_domains(&self, _: &[String]) -> Result<(), String> {
            Ok(())
        }
    }

    fn read(body: &Value) -> Result<JobRequest, Vec<String>> {
        JobRequest::from_json(body, &TestPolicy)
            .map(|(request, _)| request)
            .map_err(|invalid| invalid.errors.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn options_beside_the_others_are_suggested_with_their_path() {
        let body = json!({"mode": "links", "url": "https://a.example/", "limit": 5, "maxPages": 9});
        let invalid = JobRequest::from_json(&body, &TestPolicy).expect_err("unknown members");
        let messages: Vec<_> = invalid
            .errors
            .iter()
            .map(|error| (error.field.as_str(), error.message.as_str()))
            .collect();
        let expected = [
            ("limit", "is not known; did you mean options.sample_size?"),
            ("maxPages", "is not known; did you mean options.max_pages?"),
        ];
        assert_eq!(messages, expected);
    }

    #[test]
    fn target_is_returned_as_the_policy_parsed_it() {
        let body = json!({"mode": "contacts", "domains": ["A.example", "b.example"],
            "legal_basis_accepted": true});
        let (request, target) = JobRequest::from_json(&body, &TestPolicy).expect("a request");
        assert_eq!(request.domains, Some(vec!["A.example".to_owned(), "b.example".to_owned()]));
        assert_eq!((target.url, target.domains.concat()), (None, "a.exampleb.example".to_owned()));
    }

    #[test]
    fn options_of_other_modes_are_accepted_without_effect() {
        for mode in ["links", "products", "markdown"] {
            let body = json!({"mode": mode, "url": "https://a.example/",
                "options": {"main_content": false, "links": "none", "collect_hidden_prices": true}});
            assert_eq!(read(&body).map(|_| ()), Ok(()), "{mode}");
        }
    }

    /// The reader and serde must agree on names and defaults: schedules store requests as JSON.
    #[test]
    fn reader_and_serde_give_the_same_request() {
        for body in [
            json!({"mode": "links", "url": "https://a.example/"}),
            json!({"mode": "products", "url": "https://a.example/", "scope": {"one_page": true},
                "options": {"discovery": false, "sample_size": 7, "preferred_language": "pt-BR"},
                "on_protected": "auto", "max_credit_per_unit": 5, "if_busy": "queue", "external": {"run_id": "1", "x": 2}}),
            json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true}),
            json!({"mode": "markdown", "urls": ["https://a.example/", "https://b.example/"]}),
            json!({"mode": "links", "list_id": LIST,
                "webhook": {"url": "https://h.example/", "events": ["job.failed"]}}),
            json!({"mode": "markdown", "url": "https://a.example/",
                "webhook": {"url": "https://h.example/", "format": "firecrawl", "results": true,
                    "headers": {"X-Run": "7"}, "secret": "s".repeat(32)}}),
        ] {
            let request = read(&body).expect("a valid request");
            assert_eq!(serde_json::from_value::<JobRequest>(body).expect("serde"), request);
            let stored = serde_json::to_value(&request).expect("JSON");
            assert_eq!(read(&stored), Ok(request));
        }
    }

    #[test]
    fn stored_request_with_members_of_a_newer_release_is_readable() {
        let request = JobRequest {
            mode: Mode::Links,
            url: Some("https://a.example/".to_owned()),
            domains: Some(vec!["a.example".to_owned()]),
            urls: Some(vec!["https://b.example/".to_owned()]),
            list_id: LIST.parse().ok(),
            scope: Scope { one_page: true, ..Scope::default() },
            options: Options { max_pages: Some(7), ..Options::default() },
            on_protected: Some(OnProtected::Auto),
            max_credit_per_unit: Some(Credits(5)),
            if_busy: Some(IfBusy::Queue),
            legal_basis_accepted: Some(true),
            headers: [("A".to_owned(), SecretText::new("b"))].into(),
            cookies: [("a".to_owned(), SecretText::new("b"))].into(),
            basic_auth: Some(BasicAuth {
                username: "a".to_owned(),
                password: SecretText::default(),
            }),
            bearer: Some(SecretText::new("a")),
            login: Some(SiteLogin { url: "a.b".to_owned(), actions: Vec::new(), wait_for: None }),
            render: RenderChoice::Always,
            device: PageDevice::Mobile,
            wait_for: Some(PageWait::Milliseconds(1)),
            actions: vec![serde_json::from_value(json!({"type": "scroll"})).expect("an action")],
            formats: vec![PageFileFormat::Screenshot],
            screenshot_area: ScreenshotArea::Viewport,
            max_age: 60,
            external: Some(External::default()),
            webhook: serde_json::from_value(json!({"url": "https://h.example/"})).ok(),
        };
        let mut newer = serde_json::to_value(&request).expect("JSON");
        assert_eq!(newer.as_object().expect("an object").keys().collect::<Vec<_>>(), MEMBERS);
        newer["later"] = json!(1);
        newer["scope"]["later"] = json!(1);
        newer["options"]["later"] = json!(1);
        assert_eq!(JobRequest::from_stored(&newer).expect("it is readable"), request);
        assert_eq!(Options::from_stored(&newer["options"]).expect("readable"), request.options);
        assert!(serde_json::from_value::<JobRequest>(newer).is_err(), "bodies are strict");
    }

    #[test]
    fn all_invalid_members_are_reported_in_order() {
        let body = json!({"mode": "link", "url": 7, "domains": ["a.example", 1, "b.example"], "zebra": 1,
            "scope": {"one_page": "yes", "zebra": 1}, "options": {"sample_size": 0}});
        let expected = [
            "mode",
            "url",
            "domains[1]",
            "scope.one_page",
            "scope.zebra",
            "options.sample_size",
            "zebra",
        ];
        assert_eq!(read(&body), Err(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn list_of_urls_takes_the_place_of_the_url() {
        let body = json!({"mode": "links", "urls": ["B.example", "a.example"]});
        let (request, target) = JobRequest::from_json(&body, &TestPolicy).expect("a request");
        assert_eq!((request.url, target.url), (None, None));
        assert_eq!(target.urls, ["b.example", "a.example"]);
        for (body, field) in [
            (json!({"mode": "links", "urls": ["a.b", "no dot", "c.d"]}), "urls[1]"),
            (json!({"mode": "links", "urls": ["a.b"], "url": "a.b"}), "urls"),
            (json!({"mode": "links", "urls": []}), "urls"),
            (json!({"mode": "sitemap", "urls": ["a.b"], "url": "a.b"}), "urls"),
            (json!({"mode": "links"}), "url"),
            (json!({"mode": "links", "list_id": "list"}), "list_id"),
            (json!({"mode": "links", "list_id": LIST, "urls": ["a.b"]}), "list_id"),
            (json!({"mode": "links", "list_id": LIST, "url": "a.b"}), "list_id"),
            (json!({"mode": "sitemap", "list_id": LIST, "url": "a.b"}), "list_id"),
        ] {
            let errors = read(&body).expect_err("refused");
            assert!(errors.contains(&field.to_owned()), "{body}: {errors:?}");
        }
    }

    #[test]
    fn contacts_require_a_legal_basis() {
        for basis in [json!(null), json!(false)] {
            let body = json!({"mode": "contacts", "domains": ["a.example"],
                "legal_basis_accepted": basis});
            let invalid = JobRequest::from_json(&body, &TestPolicy).expect_err("no legal basis");
            assert!(invalid.lacks_legal_basis && invalid.errors.len() == 1, "{invalid:?}");
        }
        let body = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": 1});
        let invalid = JobRequest::from_json(&body, &TestPolicy).expect_err("not a boolean");
        assert!(!invalid.lacks_legal_basis);
    }
}
