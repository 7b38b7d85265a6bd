//! `scrape`: one page at once.

use axum::Json;
use axum::http::StatusCode;
use client::ApiCallError;
use contract::{BodyFields, MarkdownItem, PageAnswer, ProblemCode};
use serde_json::{Map, Value, json};

use crate::crawl_request::reject_if;
use crate::document::FirecrawlDocument;
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::request_body::{FirecrawlBody, mapped_members};
use crate::request_field::{COMMON, SCRAPE};
use crate::scrape_format::ScrapeFormat;
use crate::scrape_options::ScrapeOptions;

/// Longest and shortest time of an answer, in milliseconds.
const MAX_TIMEOUT_MS: i64 = 60_000;
const MIN_TIMEOUT_MS: i64 = 1_000;

pub(crate) async fn scrape(
    session: FirecrawlSession,
    FirecrawlBody(body): FirecrawlBody,
) -> FirecrawlResult<Json<Value>> {
    let mut errors = Vec::new();
    let members = Value::Object(mapped_members(body, &[&SCRAPE, &COMMON], "", &mut errors));
    let mut fields =
        BodyFields::of(&members).map_err(|error| FirecrawlError::fields(vec![error]))?;
    let url = fields.text("url").unwrap_or_default().trim().to_owned();
    fields.require("url");
    let options = ScrapeOptions::read(&mut fields);
    let timeout = fields.integer("timeout", MIN_TIMEOUT_MS);
    errors.extend(fields.finish());
    reject_if(errors)?;
    let mut call = Map::new();
    call.insert("url".to_owned(), url.clone().into());
    let mut parts = vec!["item", "metadata"];
    if options.has(ScrapeFormat::Links) {
        parts.push("links");
    }
    call.insert("formats".to_owned(), parts.into());
    if let Some(ms) = timeout {
        call.insert("timeout_ms".to_owned(), ms.min(MAX_TIMEOUT_MS).into());
    }
    options.set_protection(&mut call, session.state.settings.protected_rate);
    let answer = session.post("/v1/pages", &call.into()).await?;
    let mut document = match answer.json::<PageAnswer<MarkdownItem>>() {
        Ok(page) => FirecrawlDocument::of_page(page, url, &options.formats).ok_or_else(|| {
            let message = "the page has no item";
            FirecrawlError::new(StatusCode::INTERNAL_SERVER_ERROR, "ERROR", message)
        })?,
        Err(error) => match error_page(&error) {
            Some((status, message)) => FirecrawlDocument::of_error(url, status, message),
            None => {
                let rename = |field: &str| field.replace("timeout_ms", "timeout");
                return Err(FirecrawlError::of_call(error, rename).with_headers(&answer.headers));
            }
        },
    };
    if timeout.is_some_and(|ms| ms > MAX_TIMEOUT_MS) {
        let note = format!("timeout was reduced to {MAX_TIMEOUT_MS} ms");
        let earlier = document.warning.take().map(|text| format!("{text}; "));
        document.warning = Some(earlier.unwrap_or_default() + &note);
    }
    Ok(Json(json!({"success": true, "data": document})))
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
