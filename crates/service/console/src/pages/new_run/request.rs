//! Conversion between the form and a job request.

use contract::{IfBusy, JobOption, JobRequest, Mode, OnProtected, OptionKind, Options, Scope};
use job::Job;
use serde_json::{Map, Value, json};
use store::{Store, StoreError};

use super::single_run;
use crate::FormFields;
use crate::pages::access::{self, AccessOf};

/// Marks a submitted form: an unchecked box is off, not missing.
pub(crate) const SEEN: &str = "seen";

/// The selected mode; `links` by default.
pub(crate) fn mode(fields: &FormFields) -> Mode {
    fields.text("mode").and_then(|name| name.parse::<Mode>().ok()).unwrap_or(Mode::PRESELECTED)
}

/// Whether a switch is on in this form.
pub(super) fn is_on(fields: &FormFields, switch: &JobOption) -> bool {
    let is_default = matches!(switch.kind, OptionKind::Switch { default: true });
    fields.is_on(switch.path) || (is_default && !fields.is_on(SEEN))
}

/// Whether the run waits while another one is on its site; on by default.
pub(super) fn waits_for_site(fields: &FormFields) -> bool {
    !fields.is_on(SEEN) || fields.is_on("if_busy")
}

/// The switch for the path of the start URL, which has its own control.
pub(super) const ROUTE_SWITCH: &str = "scope.specific_route";

/// The value of the field `route` that crawls the whole site.
pub(super) const WHOLE_SITE: &str = "site";

/// Whether a run of this form stays under the path of its start URL; on by default. Without a path
/// it makes no difference.
pub(super) fn stays_under_path(fields: &FormFields) -> bool {
    fields.text("route") != Some(WHOLE_SITE)
}

/// Whether a URL has a path other than `/`.
fn has_path(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    !path.split(['?', '#']).next().unwrap_or_default().trim_matches('/').is_empty()
}

/// The start URL; adds the scheme if it is missing.
pub(crate) fn address(fields: &FormFields) -> Option<String> {
    fields.text("url").map(|url| match url.contains(':') {
        true => url.to_owned(),
        false => format!("https://{url}"),
    })
}

/// The domains, separated by white space or commas.
pub(super) fn domains(fields: &FormFields) -> Vec<&str> {
    let apart = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
    fields.raw("domains").split(apart).filter(|domain| !domain.is_empty()).collect()
}

/// Maximum entries of `urls`; more are uploaded.
const MAX_URLS: usize = 10_000;

/// Maximum bytes of the entries, which leaves room for the rest of a request of 1 MiB.
const MAX_URL_BYTES: usize = 900 * 1024;

/// The place of the id of a list that is uploaded when the run starts.
const UPLOADED: &str = "(uploaded when the run starts)";

/// The URLs of a list that is too long for a request, one per line. It is uploaded, and its id is the
/// `list_id` of the request.
pub(super) fn long_list(fields: &FormFields) -> Option<String> {
    let urls = urls(fields);
    // A quotation mark or two and a comma for each.
    let bytes: usize = urls.iter().map(|url| url.len() + 3).sum();
    let is_long = urls.len() > MAX_URLS || bytes > MAX_URL_BYTES;
    (is_long && Mode::LISTS.contains(&mode(fields))).then(|| urls.join("\n"))
}

/// The URLs of a list, one per line.
pub(super) fn urls(fields: &FormFields) -> Vec<&str> {
    let lines = fields.raw("urls").lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

/// The action for protected sites; `pause` by default.
pub(super) fn on_protected(fields: &FormFields) -> OnProtected {
    fields
        .text("on_protected")
        .and_then(|name| name.parse::<OnProtected>().ok())
        .unwrap_or(OnProtected::Pause)
}

/// The body of `POST /v1/jobs` with the values that differ from the defaults. Invalid values are
/// sent too, so that the API reports them.
pub(crate) fn body(fields: &FormFields) -> Value {
    let mode = mode(fields);
    let mut body = Map::new();
    body.insert("mode".to_owned(), json!(mode));
    if mode.visits_domains() {
        body.insert("domains".to_owned(), json!(domains(fields)));
        if mode.requires_legal_basis() && fields.is_on("legal_basis_accepted") {
            body.insert("legal_basis_accepted".to_owned(), json!(true));
        }
    } else if Mode::LISTS.contains(&mode) && !urls(fields).is_empty() {
        match long_list(fields) {
            Some(_) => body.insert("list_id".to_owned(), json!(UPLOADED)),
            None => body.insert("urls".to_owned(), json!(urls(fields))),
        };
        // Both together are refused, so that no entry is ignored.
        if let Some(url) = address(fields) {
            body.insert("url".to_owned(), json!(url));
        }
    } else if let Some(url) = address(fields) {
        body.insert("url".to_owned(), json!(url));
        if waits_for_site(fields) {
            body.insert("if_busy".to_owned(), json!(IfBusy::Queue));
        }
    }
    let is_narrowed = stays_under_path(fields)
        && body.get("url").and_then(Value::as_str).is_some_and(has_path)
        && !fields.is_on("scope.one_page")
        && !mode.visits_domains();
    for option in JobOption::all().filter(|option| option.modes.contains(&mode)) {
        let value = match option.path == ROUTE_SWITCH {
            true => is_narrowed.then(|| json!(true)),
            false => option_value(option, fields),
        };
        if let Some(value) = value {
            put(&mut body, option.path, value);
        }
    }
    access::insert(AccessOf::Run, &mut body, fields);
    single_run::insert(&mut body, mode, fields);
    let on_protected = on_protected(fields);
    body.insert("on_protected".to_owned(), json!(on_protected));
    if on_protected == OnProtected::Auto
        && let Some(ceiling) = fields.text("max_credit_per_unit")
    {
        body.insert("max_credit_per_unit".to_owned(), whole(ceiling));
    }
    Value::Object(body)
}

/// The request of a schedule, which takes no uploaded list: the API says how long one may be.
pub(crate) fn body_of_schedule(fields: &FormFields) -> Value {
    let mut body = body(fields);
    if let Some(members) = body.as_object_mut()
        && long_list(fields).is_some()
    {
        members.remove("list_id");
        members.insert("urls".to_owned(), json!(urls(fields)));
    }
    body
}

/// The value of an option, if it differs from the default.
pub(crate) fn option_value(option: &JobOption, fields: &FormFields) -> Option<Value> {
    match option.kind {
        OptionKind::Switch { default } => {
            let on = is_on(fields, option);
            (on != default).then(|| json!(on))
        }
        OptionKind::Choice { default, .. } => {
            fields.text(option.path).filter(|word| *word != default).map(|word| json!(word))
        }
        OptionKind::Count { .. } => fields.text(option.path).map(whole),
        OptionKind::Text { .. } => fields.text(option.path).map(|text| json!(text)),
        OptionKind::List { .. } => {
            let lines = fields.raw(option.path).lines().map(str::trim);
            let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            (!lines.is_empty()).then(|| json!(lines))
        }
    }
}

/// A whole number, or the text as typed so that the API rejects it.
pub(crate) fn whole(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| json!(text), |number| json!(number))
}

/// Sets a nested value such as `scope.one_page`.
pub(crate) fn put(body: &mut Map<String, Value>, path: &str, value: Value) {
    if let Some((part, name)) = path.split_once('.') {
        let part = body.entry(part).or_insert_with(|| json!({}));
        if let Some(members) = part.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
    }
}

/// The form that starts a stored run again, with its domains or URLs.
pub(crate) async fn of_stored(store: &Store, job: Job) -> Result<FormFields, StoreError> {
    let job = store.with_domains(job).await?;
    let mut fields = of_job(&job);
    fields.set("if_busy", "on");
    if job.is_list() {
        fields.set("urls", store.urls_of_job(&job.id).await?.join("\n"));
    }
    Ok(fields)
}

/// The form that starts this run again, without a list of URLs.
pub(super) fn of_job(job: &Job) -> FormFields {
    let domains = match &job.url {
        Some(url) if job.mode.visits_domains() => url.clone(),
        Some(_) | None => job.domains.join("\n"),
    };
    let mut fields = filled(job.mode, job.url.as_deref(), domains, &job.scope, &job.options);
    access::fill(&mut fields, &job.access);
    fields.set("on_protected", job.on_protected.as_str());
    if let Some(ceiling) = job.ceiling {
        fields.set("max_credit_per_unit", ceiling.to_string());
    }
    fields
}

/// The form of the request of a schedule.
pub(crate) fn of_request(request: &JobRequest) -> FormFields {
    let domains = request.domains.clone().unwrap_or_default().join("\n");
    let url = request.url.as_deref();
    let mut fields = filled(request.mode, url, domains, &request.scope, &request.options);
    fields.set("urls", request.urls.clone().unwrap_or_default().join("\n"));
    access::fill(&mut fields, &request.access());
    let unless_given = match request.max_credit_per_unit {
        Some(_) => OnProtected::Auto,
        None => OnProtected::Pause,
    };
    fields.set("on_protected", request.on_protected.unwrap_or(unless_given).as_str());
    if let Some(ceiling) = request.max_credit_per_unit {
        fields.set("max_credit_per_unit", ceiling.to_string());
    }
    if request.legal_basis_accepted == Some(true) {
        fields.set("legal_basis_accepted", "on");
    }
    fields
}

/// Target, scope and options of a form.
fn filled(
    mode: Mode,
    url: Option<&str>,
    domains: String,
    scope: &Scope,
    options: &Options,
) -> FormFields {
    let mut fields = FormFields::default();
    fields.set(SEEN, "1");
    fields.set("mode", mode.as_str());
    fields.set("url", url.unwrap_or_default());
    fields.set("domains", domains);
    if !scope.specific_route {
        fields.set("route", WHOLE_SITE);
    }
    let whole = json!({"scope": scope, "options": options});
    for option in JobOption::all() {
        let found = option.path.split('.').try_fold(&whole, |value, name| value.get(name));
        match found {
            Some(Value::Bool(true)) => fields.set(option.path, "on"),
            Some(Value::Number(number)) => fields.set(option.path, number.to_string()),
            Some(Value::String(text)) => fields.set(option.path, text.clone()),
            Some(Value::Array(entries)) => {
                let lines: Vec<&str> = entries.iter().filter_map(Value::as_str).collect();
                fields.set(option.path, lines.join("\n"));
            }
            Some(Value::Null | Value::Bool(false) | Value::Object(_)) | None => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_contains_only_values_that_differ_from_defaults() {
        let fields = FormFields::parse(
            b"seen=1&mode=links&url=example.com&scope.one_page=on&options.discovery=on\
              &options.collect_hidden_prices=on&options.sample_size=ten&max_credit_per_unit=5",
        );
        // Switches of other modes are omitted, an invalid number is sent to be rejected, and a
        // maximum is sent only with `auto`.
        assert_eq!(
            body(&fields),
            json!({
                "mode": "links",
                "url": "https://example.com",
                "scope": {"one_page": true},
                "options": {"sample_size": "ten"},
                "on_protected": "pause",
            })
        );
        let fields = FormFields::parse(
            b"seen=1&mode=markdown&options.discovery=on&options.main_content=on&options.links=none",
        );
        assert_eq!(body(&fields)["options"], json!({"links": "none"}));
        let untouched = FormFields::parse(b"mode=products&url=http://a.test/");
        let expected = json!({"mode": "products", "url": "http://a.test/", "if_busy": "queue",
                "on_protected": "pause"});
        assert_eq!(body(&untouched), expected);
    }

    #[test]
    fn request_of_a_schedule_stays_the_same_in_the_form() {
        let body = json!({
            "mode": "markdown",
            "url": "https://example.com/docs/",
            "scope": {"specific_route": true},
            "options": {"sample_size": 5},
            "on_protected": "auto",
            "max_credit_per_unit": 7,
        });
        let request: JobRequest = serde_json::from_value(body.clone()).expect("a request");
        assert_eq!(super::body(&of_request(&request)), body);
    }

    #[test]
    fn unchecked_box_is_off() {
        let fields = FormFields::parse(b"seen=1&mode=markdown&url=http://a.test/");
        assert_eq!(body(&fields)["options"], json!({"discovery": false, "main_content": false}));
    }

    #[test]
    fn url_with_a_path_stays_under_it_unless_the_whole_site_is_chosen() {
        let scope =
            |fields: &str| body(&FormFields::parse(fields.as_bytes())).get("scope").cloned();
        let under = Some(json!({"specific_route": true}));
        assert_eq!(scope("mode=links&url=a.test/docs/"), under);
        assert_eq!(scope("mode=links&url=http://a.test/docs&route=path&seen=1"), under);
        assert_eq!(scope("mode=links&url=http://a.test/docs&route=site"), None);
        for url in ["a.test", "http://a.test/", "http://a.test/?q=/b"] {
            assert_eq!(scope(&format!("mode=links&url={url}")), None, "{url}");
        }
        let page = scope("mode=links&url=a.test/docs/&scope.one_page=on&seen=1");
        assert_eq!(page, Some(json!({"one_page": true})));
    }

    #[test]
    fn lists_have_one_entry_per_line() {
        let fields = FormFields::parse(
            b"mode=links&url=http://a.test/&scope.include_paths=+/a/**%0D%0A%0D%0Are:b+c%0D%0A",
        );
        assert_eq!(body(&fields)["scope"], json!({"include_paths": ["/a/**", "re:b c"]}));
    }

    #[test]
    fn list_of_urls_takes_the_place_of_the_start_url() {
        let fields =
            FormFields::parse(b"mode=markdown&url=&urls=http://a.test/1%0D%0A%0D%0Ahttp://b.test/");
        let expected = json!(["http://a.test/1", "http://b.test/"]);
        assert_eq!((&body(&fields)["urls"], body(&fields).get("url")), (&expected, None));
        let sitemap = FormFields::parse(b"mode=sitemap&url=http://a.test/&urls=http://b.test/");
        assert_eq!(body(&sitemap).get("urls"), None, "the field of other modes is hidden");
    }

    #[test]
    fn long_list_is_uploaded() {
        let fields = |count: usize, padding: usize| {
            let mut fields = FormFields::parse(b"mode=markdown&url=");
            let line = |number| format!("https://a.test/{number}/{}\r\n", "x".repeat(padding));
            fields.set("urls", (0..count).map(line).collect::<String>());
            fields
        };
        let short = fields(MAX_URLS, 0);
        assert_eq!(long_list(&short), None);
        assert_eq!(body(&short)["urls"].as_array().map(Vec::len), Some(MAX_URLS));
        for (count, padding) in [(MAX_URLS + 1, 0), (1_000, 1_000)] {
            let mut long = fields(count, padding);
            assert_eq!(long_list(&long).expect("a list").lines().count(), count);
            assert_eq!(body(&long).get("urls"), None);
            assert_eq!(body(&long)["list_id"], UPLOADED);
            long.set("mode", "sitemap");
            assert_eq!(long_list(&long), None, "the field of other modes is hidden");
        }
    }

    #[test]
    fn domains_are_split_at_any_separator() {
        let fields = FormFields::parse(
            b"mode=contacts&domains=a.test%0D%0Ab.test,+c.test%3B&legal_basis_accepted=on\
              &on_protected=auto&max_credit_per_unit=50",
        );
        assert_eq!(
            body(&fields),
            json!({
                "mode": "contacts",
                "domains": ["a.test", "b.test", "c.test"],
                "legal_basis_accepted": true,
                "on_protected": "auto",
                "max_credit_per_unit": 50,
            })
        );
    }
}
