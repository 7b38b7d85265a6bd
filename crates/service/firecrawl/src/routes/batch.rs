//! `batch/scrape`: a job over a list of URLs.

use axum::Json;
use client::ApiCallError;
use contract::{BodyFields, JobAccepted, Problem};
use serde_json::{Map, Value, json};

use super::scrape::renamed;
use crate::crawl_request::{external, reject_if};
use crate::firecrawl_error::{FirecrawlError, FirecrawlResult};
use crate::firecrawl_session::FirecrawlSession;
use crate::job_origin::JobKind;
use crate::request_body::{FirecrawlBody, mapped_members};
use crate::request_field::{BATCH, COMMON, JOB_SCRAPE};
use crate::scrape_options::ScrapeOptions;
use crate::webhook::read_webhook;

/// Maximum URLs of a job.
const MAX_URLS: usize = 10_000;

/// Maximum requests at a time of a job.
const MAX_CONCURRENCY: u64 = 100;

pub(crate) async fn start_batch(
    session: FirecrawlSession,
    FirecrawlBody(body): FirecrawlBody,
) -> FirecrawlResult<Json<Value>> {
    let mut errors = Vec::new();
    let tables = [&BATCH, &JOB_SCRAPE, &COMMON];
    let members = Value::Object(mapped_members(body, &tables, "", &mut errors));
    let mut fields =
        BodyFields::of(&members).map_err(|error| FirecrawlError::fields(vec![error]))?;
    let urls = fields.texts("urls", MAX_URLS).unwrap_or_default();
    let mut urls: Vec<_> = urls.into_iter().map(|(_, url)| url.trim().to_owned()).collect();
    fields.require("urls");
    let skips_invalid = fields.flag("ignoreInvalidURLs").unwrap_or_default();
    let concurrency = fields.count("maxConcurrency", None);
    let mut options = ScrapeOptions::read(&mut fields);
    let webhook = read_webhook(&mut fields);
    errors.extend(fields.finish());
    reject_if(errors)?;
    let mut job_options = Map::new();
    if let Some(most) = concurrency {
        job_options.insert("concurrency".to_owned(), most.min(MAX_CONCURRENCY).into());
    }
    options.set_options(&mut job_options);
    let mut job = Map::new();
    job.insert("mode".to_owned(), "markdown".into());
    job.insert("options".to_owned(), job_options.into());
    job.insert("external".to_owned(), external(JobKind::Batch.name(), &options));
    options.set_files(&mut job);
    options.set_access(&mut job);
    options.set_protection(&mut job, session.state.settings.protected_rate);
    let secret = webhook.map(|webhook| webhook.add_to(&mut job, &session));
    let mut invalid = Vec::new();
    loop {
        job.insert("urls".to_owned(), json!(urls));
        let answer = session.post("/v1/jobs", &Value::Object(job.clone())).await?;
        match answer.json::<JobAccepted>() {
            Ok(accepted) => {
                let id = accepted.job_id;
                let url = session.url(&format!("/batch/scrape/{id}"));
                let mut body =
                    json!({"success": true, "id": id, "url": url, "invalidURLs": invalid});
                if let Some(secret) = secret {
                    body["webhookSecret"] = secret.into();
                }
                if let Some(warning) = options.warning() {
                    body["warning"] = warning.into();
                }
                return Ok(Json(body));
            }
            Err(ApiCallError::Problem { problem, .. }) if skips_invalid && invalid.is_empty() => {
                invalid = take_invalid(&problem, &mut urls);
                if invalid.is_empty() || urls.is_empty() {
                    let error = ApiCallError::Problem { status: answer.status, problem };
                    return Err(
                        FirecrawlError::of_call(error, renamed).with_headers(&answer.headers)
                    );
                }
            }
            Err(error) => {
                return Err(FirecrawlError::of_call(error, renamed).with_headers(&answer.headers));
            }
        }
    }
}

/// Removes the URLs that the error names, if it names nothing else.
fn take_invalid(problem: &Problem, urls: &mut Vec<String>) -> Vec<String> {
    let errors = problem.errors.as_deref().unwrap_or_default();
    let indexes: Option<Vec<usize>> = errors
        .iter()
        .map(|error| error.field.strip_prefix("urls[")?.strip_suffix(']')?.parse().ok())
        .collect();
    let Some(mut indexes) = indexes else { return Vec::new() };
    indexes.sort_unstable();
    indexes.dedup();
    indexes.retain(|index| *index < urls.len());
    let mut invalid = Vec::with_capacity(indexes.len());
    for index in indexes.into_iter().rev() {
        invalid.push(urls.remove(index));
    }
    invalid.reverse();
    invalid
}
