//! `GET /v1/jobs/{id}/results`: the items of a job, as pages of JSON or as a stream of lines.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{JobId, ResultsPage};
use job::Job;
use runtime::ServerShutdown;
use serde_json::Value;
use store::PageRequest;

use super::exports::acquire_permits;
use super::watch_job::subscribe;
use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::caller::{ApiCaller, Granted, JobsRead};
use crate::guarded_body::UNBUFFERED;
use crate::openapi::{PageParams, example_results};
use crate::path::PathId;
use crate::query::Params;
use crate::result_query::{ResultCursor, ResultQuery, prefers_lines};
use crate::result_stream::{FollowedRun, lines_of};

/// The content type of a stream of items.
const LINES: HeaderValue = HeaderValue::from_static("application/x-ndjson");

/// Read results
///
/// Results in a stable order, also while the job runs. The shape of an item depends on the mode.
/// Request successive pages until `has_more` is false. A page ends after `page_size` items or at
/// 16 MiB, whichever comes first; the next page continues there, so that successive pages of one
/// `page_size` contain every item exactly once.
///
/// `cursor` continues where an earlier answer ended, also while the job runs: pass `next_cursor`
/// until it is null. A filtered page may end early, even empty, after the service has examined
/// enough items; `has_more` is then true.
///
/// Items of a job with `formats` have `files`: signed links to the files of their pages, which work for
/// 15 minutes; read the results again for new links.
///
/// With `Accept: application/x-ndjson` the answer is a stream of all items, one per line. With
/// `follow=true` the stream continues until the job has ended; empty lines keep the connection
/// open, and a transfer that is cut off was ended before the job.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/results", tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        PageParams,
        ("offset" = Option<u64>, Query, minimum = 0, maximum = 9007199254740991_i64,
            description = "Instead of `page`: skip this many items. `offset` plus the \
                number of items of a response is the `offset` of the next."),
        ("cursor" = Option<String>, Query,
            description = "Instead of `page`: `next_cursor` of an earlier answer for the same job \
                and the same filters, unchanged."),
        ("fields" = Option<String>, Query, example = "url,title,status_code",
            description = "Only these top-level members of each item, separated by commas. An item \
                then lacks the other members that its schema requires."),
        ("filter" = Option<BTreeMap<String, String>>, Query, style = DeepObject, explode,
            example = json!({}),
            description = "Only items that meet conditions: `filter[status_code]=404`, \
                `filter[price][gte]=10`. Operators are `eq`, `ne`, `gt`, `gte`, `lt`, `lte` and \
                `exists`; a parameter that is given several times lists alternatives. The columns \
                of each mode are in the documentation of results. Continue with `cursor`."),
        ("q" = Option<String>, Query, min_length = 1, max_length = 200,
            description = "Only items that contain this text in one of their text columns, in \
                upper or lower case. Continue with `cursor`."),
        ("follow" = Option<bool>, Query,
            description = "With `Accept: application/x-ndjson`: whether the stream continues with \
                further items until the job has ended."),
    ),
    responses(
        (status = 200, description = "A page of results, or a stream of items.", content(
            (ResultsPage = "application/json",
                examples(
                    ("links" = (summary = "URLs", value = json!(example_results("links")))),
                    ("products" = (summary = "Products",
                        value = json!(example_results("products")))),
                    ("contacts" = (summary = "Companies",
                        value = json!(example_results("contacts")))),
                )),
            (String = "application/x-ndjson", example = json!("{\"url\": \"https://example.com/\"}\n")),
        )),
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_results(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    shutdown: Option<Extension<ServerShutdown>>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
    mut params: Params,
) -> ApiResult<Response> {
    let is_stream = prefers_lines(&headers);
    let page = params.page(&state.settings.limits);
    let offset = params.offset();
    let follow = params.flag("follow");
    if is_stream {
        for name in ["page", "page_size"] {
            if params.is_given(name) {
                let message = "belongs to pages; a stream has all items from offset or cursor on";
                params.contradicts(name, message);
            }
        }
    } else if follow {
        params.contradicts("follow", "needs the header Accept: application/x-ndjson");
    }
    // The columns depend on the mode: of a job that is not found, nothing else is reported.
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let query = ResultQuery::read(&mut params, &job, &state);
    params.finish()?;
    if is_stream {
        let from = query.from.or(offset).unwrap_or(0);
        if follow && !job.status.is_final() {
            return follow_job(&state, &caller, &job, query, from, shutdown, (peer, &headers));
        }
        let permits = acquire_permits(&state, &job)?;
        let body = Body::from_stream(lines_of(&state.store, &job, query, from, permits));
        return Ok(([(header::CONTENT_TYPE, LINES)], body).into_response());
    }
    Ok(Json(results_page(&state, job, &query, page, offset).await?).into_response())
}

/// A stream of the items of a job that has not ended.
fn follow_job(
    state: &ApiState,
    caller: &ApiCaller,
    job: &Job,
    query: ResultQuery,
    from: u64,
    shutdown: Option<Extension<ServerShutdown>>,
    (peer, headers): (Option<Extension<ConnectInfo<SocketAddr>>>, &HeaderMap),
) -> ApiResult<Response> {
    let subscription = subscribe(state, caller, &job.id, peer, headers)?;
    let shutdown = shutdown.map(|Extension(ServerShutdown(token))| token);
    let run = FollowedRun::new(&state.store, job, query, from, subscription, shutdown);
    let body = Body::from_stream(run.lines());
    Ok(([(header::CONTENT_TYPE, LINES), UNBUFFERED], body).into_response())
}

async fn results_page(
    state: &ApiState,
    job: Job,
    query: &ResultQuery,
    page: PageRequest,
    offset: Option<u64>,
) -> ApiResult<ResultsPage<Value>> {
    let store = &state.store;
    // Never beyond the total of the response: a commit may be written in between.
    let total = job.counts.results;
    let start = query.from.or(offset);
    let (items, numbers) = if query.filter.is_empty() {
        let numbers = match start {
            Some(start) => store.results_from(&job.id, total, start, page.size).await?,
            None => store.results_on_page(&job.id, total, page).await?,
        };
        let items = match numbers.end.saturating_sub(numbers.start) {
            0 => Vec::new(),
            wanted => store.results(&job.id, numbers.start, wanted).await?.items,
        };
        let mut files = query.files_of(numbers.clone()).await?;
        let items = (numbers.start..).zip(items);
        let items = items.map(|(number, item)| query.select(item, files.remove(&number)));
        (items.collect(), numbers)
    } else {
        let start = start.unwrap_or(0).min(total);
        let (items, next) = query.scan(store, &job.id, start..total, page.size).await?;
        (items, start..next)
    };
    let has_more = numbers.end < total;
    let is_over = job.status.is_final() && !has_more;
    let next_cursor =
        (!is_over).then(|| ResultCursor { next: numbers.end }.encode(&job.id, &query.filter));
    Ok(ResultsPage {
        job_id: job.id,
        mode: job.mode,
        items,
        total,
        page: page.number,
        page_size: page.size,
        has_more,
        next_cursor,
        offset: numbers.start,
    })
}
