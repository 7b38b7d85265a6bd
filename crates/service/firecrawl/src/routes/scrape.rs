//! `scrape`: one page at once.

use axum::Json;
use axum::http::StatusCode;
use client::ApiCallError;
use contract::{BodyFields, MarkdownItem, PageAnswer, ProblemCode};
use runtime::off_runtime;
use serde_json::{Map, Value, json};

use super::page_content::content;
use crate::crawl_request::reject_if;
use crate::document::FirecrawlDocument;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::request_body::{FirecrawlBody, mapped_members};
use crate::request_field::{COMMON, SCRAPE};
use crate::scrape_format::ScrapeFormat;
use crate::scrape_options::{ScrapeOptions, renamed_by};

/// Longest and shortest time of an answer, in milliseconds.
const MAX_TIMEOUT_MS: i64 = 60_000;
const MIN_TIMEOUT_MS: i64 = 1_000;

/// The fields of a page call and the fields that they are made from.
const RENAMED: &[(&str, &str)] = &[
    ("timeout_ms", "timeout"),
    ("wait_for", "waitFor"),
    ("max_age", "maxAge"),
    ("external", "webhook.metadata"),
    ("device", "mobile"),
    ("options.main_content", "onlyMainContent"),
    ("options.include_selectors", "includeTags"),
    ("options.exclude_selectors", "excludeTags"),
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
        document.warn([format!("timeout was reduced to {MAX_TIMEOUT_MS} ms")]);
    }
    document.warn(request.options.warnings);
    // HTML has up to some megabytes.
    Ok(Json(off_runtime(|| json!({"success": true, "data": document}))))
}

fn read(fields: &mut BodyFields<'_>) -> ScrapeCall {
    let url = fields.text("url").unwrap_or_default().trim().to_owned();
    fields.require("url");
    let mut call = Map::new();
    call.insert("url".to_owned(), url.clone().into());
    let mut options = ScrapeOptions::read(fields);
    options.set_access(&mut call);
    let mut parts = vec!["item", "metadata"];
    // With selectors the links are those of the selected text, which the item has.
    if options.has(ScrapeFormat::Links) && !options.has_selectors() {
        parts.push("links");
    }
    parts.extend(options.files());
    call.insert("formats".to_owned(), parts.into());
    let timeout = fields.integer("timeout", MIN_TIMEOUT_MS);
    if let Some(ms) = timeout {
        call.insert("timeout_ms".to_owned(), ms.min(MAX_TIMEOUT_MS).into());
    }
    let mut page_options = Map::new();
    options.set_options(&mut page_options);
    call.insert("options".to_owned(), page_options.into());
    ScrapeCall { url, call, options, timeout }
}

/// The field of a scrape that a field of its call was made from.
pub(super) fn renamed(field: &str) -> String {
    renamed_by(RENAMED, field)
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
