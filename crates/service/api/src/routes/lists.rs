//! Uploaded lists of URLs.
//!
//! The body is read line by line into a temporary file, so that memory is bounded by the number of
//! URLs (64 MiB for a million). Nothing is stored before the last line is valid.

mod line_reader;

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use contract::{
    FieldError, ListFormat, ListId, MAX_LISTED_URLS, ProblemCode, UploadedList, parse_target,
};
use http_body_util::BodyExt;
use line_reader::BodyLineReader;
use runtime::off_runtime;
use store::{ListSpool, Store};
use tokio::time::{Instant, timeout, timeout_at};

use crate::api_error::{ApiError, ApiResult};
use crate::body::has_content_type;
use crate::caller::{Granted, JobsRead, JobsWrite};
use crate::path::PathId;
use crate::request_policy::MIXED_SITES;
use crate::{ApiSettings, ApiState};

/// Maximum bytes of a list.
const MAX_BYTES: usize = 256 << 20;

/// The whole body may take this multiple of the timeout of other bodies, and each part of it that
/// timeout.
const SLOWER: u32 = 20;

/// `Retry-After` when too many lists are being uploaded, in seconds.
const RETRY_AFTER: u64 = 10;

/// Upload a list of URLs
///
/// For jobs over more URLs than fit into `urls`: up to 1,000,000 lines and 256 MiB. Each line is a
/// JSON string or an object with the member `url` (`application/x-ndjson`), or a URL (`text/plain`,
/// where a line that begins with `#` is a comment). Empty lines are skipped, and equal URLs count
/// once. The rules are those of `urls` of a job; an invalid line is an error with its number, and
/// nothing is kept. A list can be used for several jobs, for 7 days. An account may have 20 lists
/// that no job uses.
#[utoipa::path(
    post, path = "/v1/lists", tag = "jobs",
    request_body(
        description = "The URLs, one per line.",
        content(
            (String = "application/x-ndjson", 
                example = json!("\"https://example.com/\"\n{\"url\": \"https://example.org/\"}\n")),
            (String = "text/plain", 
                example = json!("https://example.com/\nhttps://example.org/\n")),
        ),
    ),
    responses((status = 201, description = "The list.", body = UploadedList)),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn create_list(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    request: Request,
) -> ApiResult<(StatusCode, Json<UploadedList>)> {
    let format = format_of(&request)?;
    let busy = || {
        let message = "service limit: too many lists are being uploaded; try again later";
        ApiError::rate_limited(message, RETRY_AFTER)
    };
    let _own = state.account_uploads.take(caller.account.as_str()).ok_or_else(|| {
        let message = "account limit: a list is being uploaded; wait for its end";
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let _permit = state.uploads.try_acquire().map_err(|_| busy())?;
    let too_many = || {
        let limit = Store::max_unused_lists();
        ApiError::account_limit(limit, "lists that no job uses", "delete one, or use one")
    };
    if !state.store.may_add_list(&caller.account, state.now()).await? {
        return Err(too_many());
    }
    let spool = receive(request.into_body(), format, &state).await?;
    let list = state.store.store_list(&caller.account, spool, state.now()).await?;
    list.map(|list| (StatusCode::CREATED, Json(list))).ok_or_else(too_many)
}

/// Get a list of URLs
///
/// The number of its URLs, and until when jobs can be started over it.
#[utoipa::path(
    get, path = "/v1/lists/{id}", tag = "jobs",
    params(("id" = ListId, Path, description = "The list.")),
    responses((status = 200, description = "The list.", body = UploadedList)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_list(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<ListId>,
) -> ApiResult<Json<UploadedList>> {
    let found = state.store.list_of(&caller.account, &id, state.now()).await?;
    found.map(|found| Json(found.list)).ok_or_else(ApiError::not_found)
}

/// Delete a list of URLs
///
/// No job can be started over it any more. Jobs over it keep their URLs until they are deleted.
#[utoipa::path(
    delete, path = "/v1/lists/{id}", tag = "jobs",
    params(("id" = ListId, Path, description = "The list.")),
    responses((status = 200, description = "The list is deleted; the body is empty.")),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn remove_list(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<ListId>,
) -> ApiResult<StatusCode> {
    let removed = caller.store(&state).remove_list(&caller.account, &id).await?;
    removed.then_some(StatusCode::OK).ok_or_else(ApiError::not_found)
}

fn format_of(request: &Request) -> ApiResult<ListFormat> {
    let headers = request.headers();
    let is_plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    let unsupported = |message| Err(ApiError::new(ProblemCode::UnsupportedMediaType, message));
    if !headers.get_all(header::CONTENT_ENCODING).iter().all(is_plain) {
        return unsupported("send the list without Content-Encoding");
    }
    if has_content_type(headers, "application/x-ndjson") {
        Ok(ListFormat::Ndjson)
    } else if has_content_type(headers, "text/plain") {
        Ok(ListFormat::Text)
    } else {
        unsupported(
            "send the list as application/x-ndjson or text/plain and say so in Content-Type",
        )
    }
}

/// Reads a body into a spool.
async fn receive(mut body: Body, format: ListFormat, state: &ApiState) -> ApiResult<ListSpool> {
    let part: Duration = state.settings.inbound.body_timeout;
    let end = Instant::now() + part * SLOWER;
    let slow = |_| {
        ApiError::new(ProblemCode::RequestTimeout, "the body took too long to arrive")
            .header(header::CONNECTION, HeaderValue::from_static("close"))
    };
    let mut lines = UploadedLines {
        reader: BodyLineReader::default(),
        spool: ListSpool::new()?,
        format,
        settings: &state.settings,
        urls: 0,
    };
    let mut length = 0_usize;
    loop {
        let frame =
            timeout(part, timeout_at(end, body.frame())).await.map_err(slow)?.map_err(slow)?;
        let Some(frame) = frame else { break };
        let frame =
            frame.map_err(|_| ApiError::new(ProblemCode::InvalidJson, "the body was cut off"))?;
        let Ok(data) = frame.into_data() else { continue };
        length = length.saturating_add(data.len());
        if length > MAX_BYTES {
            let message =
                format!("the body is larger than {MAX_BYTES} bytes; upload several lists");
            return Err(ApiError::new(ProblemCode::PayloadTooLarge, message));
        }
        off_runtime(|| lines.push(&data))?;
    }
    off_runtime(|| lines.finish())
}

/// The lines of an upload on their way into a spool.
struct UploadedLines<'s> {
    reader: BodyLineReader,
    spool: ListSpool,
    format: ListFormat,
    settings: &'s ApiSettings,
    /// Lines with a URL so far, also with one that was listed before.
    urls: u32,
}

impl UploadedLines<'_> {
    fn push(&mut self, data: &[u8]) -> ApiResult<()> {
        let Self { reader, spool, format, settings, urls } = self;
        reader.push(data, |number, line| add(spool, *format, settings, urls, number, line))
    }

    fn finish(mut self) -> ApiResult<ListSpool> {
        let Self { reader, spool, format, settings, urls } = &mut self;
        reader.finish(|number, line| add(spool, *format, settings, urls, number, line))?;
        if self.spool.is_mixed() {
            return Err(FieldError::new("body", MIXED_SITES).into());
        }
        if self.spool.url_count() == 0 {
            return Err(FieldError::new("body", "contains no URL; send one per line").into());
        }
        Ok(self.spool)
    }
}

/// Adds a line; none if it is too long to be read.
fn add(
    spool: &mut ListSpool,
    format: ListFormat,
    settings: &ApiSettings,
    urls: &mut u32,
    number: u64,
    line: Option<&[u8]>,
) -> ApiResult<()> {
    let wrong = |message: String| FieldError::new(format!("line {number}"), message);
    let line = line.ok_or_else(|| {
        wrong(format!("must not be longer than {} bytes", line_reader::MAX_LINE_BYTES))
    })?;
    let Some(url) = format.url(line).map_err(wrong)? else { return Ok(()) };
    *urls += 1;
    if *urls > MAX_LISTED_URLS {
        let message = format!("a list has at most {MAX_LISTED_URLS} URLs; upload several lists");
        return Err(wrong(message).into());
    }
    spool.push(&parse_target(&url, settings).map_err(wrong)?)?;
    Ok(())
}
