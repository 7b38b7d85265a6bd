//! The body of `crawl` as a job request.

use contract::{BodyFields, Credits, FieldError};
use serde_json::{Map, Value, json};
use url::Url;

use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::request_body::mapped_members;
use crate::request_field::{COMMON, CRAWL, JOB_SCRAPE};
use crate::scrape_format::read_formats;
use crate::scrape_options::{ScrapeOptions, renamed_by};
use crate::webhook::{WebhookRequest, read_webhook};

/// Documents of a crawl without `limit`.
const DEFAULT_LIMIT: u64 = 10_000;

/// Maximum requests at a time of a job.
const MAX_CONCURRENCY: u64 = 100;

/// Maximum patterns of a list, and the number of `excludePaths` if `maxDepth` needs one.
const MAX_PATTERNS: usize = 100;

/// The fields of a job request and the fields that they are made from.
const RENAMED: &[(&str, &str)] = &[
    ("scope.include_paths", "includePaths"),
    ("scope.exclude_paths", "excludePaths"),
    ("options.sample_size", "limit"),
    ("options.max_depth", "maxDiscoveryDepth"),
    ("options.delay_ms", "delay"),
    ("options.concurrency", "maxConcurrency"),
    ("options.main_content", "scrapeOptions.onlyMainContent"),
    ("options.include_selectors", "scrapeOptions.includeTags"),
    ("options.exclude_selectors", "scrapeOptions.excludeTags"),
    ("formats", "scrapeOptions.formats"),
    ("max_age", "scrapeOptions.maxAge"),
    ("device", "scrapeOptions.mobile"),
    ("wait_for", "scrapeOptions.waitFor"),
    ("headers", "scrapeOptions.headers"),
    ("actions", "scrapeOptions.actions"),
    ("external", "webhook.metadata"),
];

/// The field of the body that a field of the job request was made from.
pub(crate) fn renamed(field: &str) -> String {
    renamed_by(RENAMED, field)
}

/// What a job stores about the request, in `external`.
pub(crate) fn external(kind: &str, options: &ScrapeOptions) -> Value {
    let formats: Vec<_> = options.formats.iter().map(|format| format.name()).collect();
    let mut stored = json!({"kind": kind, "formats": formats});
    if !options.warnings.is_empty() {
        stored["warnings"] = json!(options.warnings);
    }
    json!({"firecrawl": stored})
}

/// A crawl as a job request without its webhook, and the webhook.
#[derive(Debug)]
pub(crate) struct CrawlRequest {
    pub job: Map<String, Value>,
    /// What the client should know about its request.
    pub warning: Option<String>,
    pub webhook: Option<WebhookRequest>,
}

/// The job request of a crawl.
///
/// # Errors
/// All fields that are invalid or not supported.
pub(crate) fn job_request(
    body: Map<String, Value>,
    rate: Credits,
) -> FirecrawlResult<CrawlRequest> {
    let mut errors = Vec::new();
    let mut members = mapped_members(body, &[&CRAWL], "", &mut errors);
    if let Some(Value::Object(options)) = members.get_mut("scrapeOptions") {
        let given = std::mem::take(options);
        *options = mapped_members(given, &[&COMMON, &JOB_SCRAPE], "scrapeOptions.", &mut errors);
    }
    let members = Value::Object(members);
    let mut fields =
        BodyFields::of(&members).map_err(|error| FirecrawlError::fields(vec![error]))?;
    let (job, warning) = read(&mut fields, rate);
    let webhook = read_webhook(&mut fields);
    errors.extend(fields.finish());
    reject_if(errors)?;
    Ok(CrawlRequest { job, warning, webhook })
}

fn read(fields: &mut BodyFields<'_>, rate: Credits) -> (Map<String, Value>, Option<String>) {
    let mut scope = Map::new();
    let mut options = Map::new();
    let url = fields.text("url").map(str::trim);
    fields.require("url");
    let limit = fields.count("limit", None).unwrap_or(DEFAULT_LIMIT);
    options.insert("sample_size".to_owned(), limit.into());
    if let Some(depth) = fields.integer("maxDiscoveryDepth", 0) {
        match depth {
            // Links are not followed; the start page and the sitemap are read.
            0 => options.insert("discovery".to_owned(), false.into()),
            _ => options.insert("max_depth".to_owned(), depth.into()),
        };
    }
    read_paths(fields, url, &mut scope);
    let whole = [fields.flag("crawlEntireDomain"), fields.flag("allowBackwardLinks")];
    scope.insert("specific_route".to_owned(), (!whole.contains(&Some(true))).into());
    if let Some(flag) = fields.flag("allowSubdomains") {
        scope.insert("include_subdomains".to_owned(), flag.into());
    }
    let is_without_query = fields.flag("ignoreQueryParameters").unwrap_or_default();
    scope.insert("include_query_strings".to_owned(), (!is_without_query).into());
    let ignores = fields.flag("ignoreSitemap").unwrap_or_default();
    match fields.one_of("sitemap", &["include", "only", "skip"]) {
        Some("only") => {
            options.insert("sitemap_first".to_owned(), true.into());
            options.insert("discovery".to_owned(), false.into());
        }
        Some("skip") => {}
        None if ignores => {}
        Some(_) | None => {
            scope.insert("include_sitemap".to_owned(), true.into());
        }
    }
    if let Some(delay) = read_delay(fields) {
        options.insert("delay_ms".to_owned(), delay.into());
    }
    if let Some(most) = fields.count("maxConcurrency", None) {
        options.insert("concurrency".to_owned(), most.min(MAX_CONCURRENCY).into());
    }
    let mut scrape = fields.object("scrapeOptions", ScrapeOptions::read).unwrap_or_default();
    if fields.given("formats") {
        scrape.formats = read_formats(fields);
    }
    scrape.set_options(&mut options);
    let mut job = Map::new();
    job.insert("mode".to_owned(), "markdown".into());
    job.insert("url".to_owned(), url.into());
    job.insert("scope".to_owned(), scope.into());
    job.insert("options".to_owned(), options.into());
    job.insert("external".to_owned(), external("crawl", &scrape));
    // A second crawl of a site starts when the first one has ended.
    job.insert("if_busy".to_owned(), "queue".into());
    scrape.set_files(&mut job);
    scrape.set_access(&mut job);
    scrape.set_protection(&mut job, rate);
    (job, scrape.warning())
}

/// Reads the filters by path.
fn read_paths(fields: &mut BodyFields<'_>, url: Option<&str>, scope: &mut Map<String, Value>) {
    let mut excluded = Vec::new();
    for (theirs, ours) in [("includePaths", "include_paths"), ("excludePaths", "exclude_paths")] {
        let Some(given) = fields.texts(theirs, MAX_PATTERNS) else { continue };
        // n8n sends an empty pattern for each field that its user left empty.
        let patterns =
            given.into_iter().map(|(_, text)| text.trim()).filter(|text| !text.is_empty());
        let patterns: Vec<Value> = patterns.map(|text| format!("re:{text}").into()).collect();
        match ours {
            "exclude_paths" => excluded = patterns,
            _ => {
                scope.insert(ours.to_owned(), patterns.into());
            }
        }
    }
    if let Some(depth) = fields.integer("maxDepth", 0) {
        let url = url.and_then(|url| Url::parse(url).ok());
        let segments = url.as_ref().and_then(Url::path_segments).into_iter().flatten();
        let base = segments.filter(|segment| !segment.is_empty()).count();
        let most = usize::try_from(depth).unwrap_or(usize::MAX).saturating_add(base);
        if most > MAX_PATTERNS {
            fields.wrong(
                "maxDepth",
                format!("must be at most {}", MAX_PATTERNS.saturating_sub(base)),
            );
        } else {
            excluded.push(format!("re:^(?:/[^/?]+){{{}}}", most + 1).into());
        }
    }
    if !excluded.is_empty() {
        scope.insert("exclude_paths".to_owned(), excluded.into());
    }
}

/// Reads `delay`, in seconds; the result is in milliseconds.
fn read_delay(fields: &mut BodyFields<'_>) -> Option<u64> {
    let seconds = fields.value("delay")?;
    match seconds.as_f64() {
        Some(seconds) if (0.0..=60.0).contains(&seconds) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 60,000"
            )]
            let ms = (seconds * 1000.0).round() as u64;
            (ms > 0).then_some(ms)
        }
        Some(_) | None => {
            fields.wrong("delay", "must be a number of seconds from 0 to 60");
            None
        }
    }
}

/// The errors of fields that a body lacks or that are invalid.
pub(crate) fn reject_if(errors: Vec<FieldError>) -> FirecrawlResult<()> {
    if errors.is_empty() { Ok(()) } else { Err(FirecrawlError::fields(errors)) }
}

#[cfg(test)]
mod tests;
