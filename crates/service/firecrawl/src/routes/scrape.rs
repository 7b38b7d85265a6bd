//! `scrape`: one page at once.

use axum::Json;
use axum::http::StatusCode;
use client::{ApiCall, ApiCallError};
use contract::{BodyFields, MarkdownItem, PageAnswer, PageFile, ProblemCode};
use runtime::off_runtime;
use serde_json::{Map, Value, json};
use url::Url;

use crate::crawl_request::reject_if;
use crate::document::FirecrawlDocument;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::request_body::{FirecrawlBody, mapped_members};
use crate::request_field::{COMMON, SCRAPE};
use crate::scrape_format::{FormatUse, ScrapeFormat};
use crate::scrape_options::ScrapeOptions;

/// Longest and shortest time of an answer, in milliseconds.
const MAX_TIMEOUT_MS: i64 = 60_000;
const MIN_TIMEOUT_MS: i64 = 1_000;

/// Highest age of a cached page, in seconds.
const MAX_AGE: i64 = 7 * 24 * 60 * 60;

/// The fields of a page call and the fields that they are made from.
const RENAMED: &[(&str, &str)] = &[
    ("timeout_ms", "timeout"),
    ("wait_for", "waitFor"),
    ("max_age", "maxAge"),
    ("external", "webhook.metadata"),
    ("options.main_content", "onlyMainContent"),
];

/// A page call, with what its answer becomes.
struct ScrapeCall {
    url: String,
    call: Map<String, Value>,
    options: ScrapeOptions,
    timeout: Option<i64>,
}

pub(crate) async fn scrape(
    session: FirecrawlSession,
    FirecrawlBody(body): FirecrawlBody,
) -> FirecrawlResult<Json<Value>> {
    let mut errors = Vec::new();
    let members = Value::Object(mapped_members(body, &[&SCRAPE, &COMMON], "", &mut errors));
    let mut fields =
        BodyFields::of(&members).map_err(|error| FirecrawlError::fields(vec![error]))?;
    let mut request = read(&mut fields);
    errors.extend(fields.finish());
    reject_if(errors)?;
    let rate = session.state.settings.protected_rate;
    request.options.set_protection(&mut request.call, rate);
    let answer = session.post("/v1/pages", &Value::Object(request.call)).await?;
    let mut document = match answer.json::<PageAnswer<MarkdownItem>>() {
        Ok(mut page) => {
            let html = content(&session, page.html.take()).await?;
            let raw_html = content(&session, page.raw_html.take()).await?;
            let document = FirecrawlDocument::of_page(page, request.url, &request.options.formats);
            let document = document.ok_or_else(|| {
                let message = "the page has no item";
                FirecrawlError::new(StatusCode::INTERNAL_SERVER_ERROR, "ERROR", message)
            })?;
            FirecrawlDocument { html, raw_html, ..document }
        }
        Err(error) => match error_page(&error) {
            Some((status, message)) => FirecrawlDocument::of_error(request.url, status, message),
            None => {
                return Err(FirecrawlError::of_call(error, renamed).with_headers(&answer.headers));
            }
        },
    };
    if request.timeout.is_some_and(|ms| ms > MAX_TIMEOUT_MS) {
        let note = format!("timeout was reduced to {MAX_TIMEOUT_MS} ms");
        let earlier = document.warning.take().map(|text| format!("{text}; "));
        document.warning = Some(earlier.unwrap_or_default() + &note);
    }
    // HTML has up to some megabytes.
    Ok(Json(off_runtime(|| json!({"success": true, "data": document}))))
}

fn read(fields: &mut BodyFields<'_>) -> ScrapeCall {
    let url = fields.text("url").unwrap_or_default().trim().to_owned();
    fields.require("url");
    let mut call = Map::new();
    call.insert("url".to_owned(), url.clone().into());
    let mut options = ScrapeOptions::read(fields, FormatUse::Page);
    options.set_access(&mut call);
    let mut parts = vec!["item", "metadata"];
    for (format, part) in [
        (ScrapeFormat::Links, "links"),
        (ScrapeFormat::Html, "html"),
        (ScrapeFormat::RawHtml, "raw_html"),
        (ScrapeFormat::Screenshot, "screenshot"),
    ] {
        if options.has(format) {
            parts.push(part);
        }
    }
    let is_full_page = options.has(ScrapeFormat::FullPageScreenshot);
    if is_full_page && !options.has(ScrapeFormat::Screenshot) {
        parts.push("screenshot");
    }
    if parts.contains(&"screenshot") {
        let area = if is_full_page { "full_page" } else { "viewport" };
        call.insert("screenshot_area".to_owned(), area.into());
    }
    call.insert("formats".to_owned(), parts.into());
    let timeout = fields.integer("timeout", MIN_TIMEOUT_MS);
    if let Some(ms) = timeout {
        call.insert("timeout_ms".to_owned(), ms.min(MAX_TIMEOUT_MS).into());
    }
    if let Some(main_content) = fields.flag("onlyMainContent") {
        call.insert("options".to_owned(), json!({"main_content": main_content}));
    }
    if let Some(ms) = fields.integer("maxAge", 0) {
        call.insert("max_age".to_owned(), (ms / 1000).min(MAX_AGE).into());
    }
    ScrapeCall { url, call, options, timeout }
}

/// The field of a scrape that a field of its call was made from.
pub(super) fn renamed(field: &str) -> String {
    let known = RENAMED.iter().find(|(ours, _)| *ours == field);
    known.map_or(field, |(_, theirs)| theirs).to_owned()
}

/// The text of a file of a page, which this service serves itself.
async fn content(
    session: &FirecrawlSession,
    file: Option<PageFile>,
) -> FirecrawlResult<Option<String>> {
    let Some(file) = file else { return Ok(None) };
    let Ok(url) = Url::parse(&file.url) else { return Ok(None) };
    let public = Url::parse(&session.state.settings.public_url).ok();
    // The public URL may have a path, which the routes of this process do not have.
    let prefix = public.as_ref().map_or("", |url| url.path().trim_end_matches('/'));
    let path = url.path().strip_prefix(prefix).unwrap_or(url.path());
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let answer = session.send(ApiCall::get(&format!("{path}{query}"))).await?;
    answer.check()?;
    Ok(Some(off_runtime(|| String::from_utf8_lossy(&answer.body).into_owned())))
}

/// The status of the site if it answered with an error. For Firecrawl such a page is a document with
/// this status.
fn error_page(error: &ApiCallError) -> Option<(u16, String)> {
    match error {
        ApiCallError::Problem { problem, .. } if problem.code == ProblemCode::PageFailed => {
            let status = problem.status_code.filter(|status| *status >= 400)?;
            Some((status, problem.message.clone()))
        }
        ApiCallError::Problem { .. } | ApiCallError::Unexpected(_) => None,
    }
}
