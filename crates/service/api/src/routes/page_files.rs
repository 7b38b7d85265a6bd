//! `GET /page-files/{ticket}`: HTML and pictures of pages.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use contract::ProblemCode;
use futures_util::StreamExt as _;
use futures_util::stream;
use store::{AccountState, PageFileRecord, PageFileState};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::routes::exports::{ExportPermits, acquire_permits_of};

/// Download a file of a page
///
/// The URL comes from the answer to `POST /v1/pages`, or from `files` of an item of a job with
/// `formats`. It is signed, works for 15 minutes and needs no credential.
#[utoipa::path(
    get, path = "/page-files/{ticket}", tag = "pages",
    params(
        ("ticket" = String, Path, description = "The last part of the URL of the answer."),
    ),
    responses(
        (status = 200, description = "The file.", content(
            (String = "text/html", example = json!("<!DOCTYPE html>\n<title>Harbour</title>…")),
            (String = "image/png", example = json!("PNG…")),
            (String = "application/octet-stream", example = json!("…")),
        )),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::Forbidden, ProblemCode::AccountSuspended, ProblemCode::Gone,
        ProblemCode::ValidationFailed, ProblemCode::RateLimited, ProblemCode::ServerError,
        ProblemCode::Unavailable,
    ]))),
    security(()),
)]
pub(crate) async fn page_file(
    State(state): State<ApiState>,
    Path(ticket): Path<String>,
) -> ApiResult<Response> {
    let file = match state.store.page_file(&ticket, state.now()).await? {
        PageFileState::Ready(file) => file,
        PageFileState::Expired => return Err(expired()),
        PageFileState::Invalid => {
            return Err(ApiError::new(
                ProblemCode::Forbidden,
                "the signature of this link is invalid: the link was altered or truncated",
            ));
        }
    };
    match state.store.account_state(&file.account).await? {
        AccountState::Active => {}
        AccountState::Suspended | AccountState::NotFound => return Err(ApiError::suspended()),
    }
    let permits = acquire_permits_of(&state, &file.account)?;
    // Before the headers, so that a file that was just deleted is an error.
    let first = state.store.page_file_part(&file, 0).await?;
    let first = match first {
        Some(part) => part,
        None if file.bytes == 0 => Vec::new(),
        None => return Err(expired()),
    };
    let headers = headers(&file);
    let mut response = Body::from_stream(parts(state, file, first, permits)).into_response();
    response.headers_mut().extend(headers);
    Ok(response)
}

fn expired() -> ApiError {
    let message =
        "the link has expired, or the file was deleted; read the page or the results again";
    ApiError::new(ProblemCode::Gone, message)
}

/// The parts of a file, each read when the one before was sent.
fn parts(
    state: ApiState,
    file: PageFileRecord,
    first: Vec<u8>,
    permits: ExportPermits,
) -> impl stream::Stream<Item = std::io::Result<Bytes>> {
    let rest = stream::unfold((state, file, 1, permits), async |(state, file, part, permits)| {
        if part >= file.parts() {
            return None;
        }
        let read = state.store.page_file_part(&file, part).await;
        let read = read.map_err(std::io::Error::other).and_then(|read| {
            read.map(Bytes::from).ok_or_else(|| std::io::Error::other("the file was deleted"))
        });
        // Nothing follows an error.
        let next = if read.is_ok() { part + 1 } else { u64::MAX };
        Some((read, (state, file, next, permits)))
    });
    stream::once(async move { Ok(Bytes::from(first)) }).chain(rest)
}

/// Content of other sites must not run scripts in the origin of this service.
fn headers(file: &PageFileRecord) -> HeaderMap {
    let is_picture = file.content_type.starts_with("image/");
    let is_html = file.content_type.to_ascii_lowercase().starts_with("text/html");
    let content_type = if is_picture || is_html { &file.content_type } else { "text/plain" };
    let fallback = HeaderValue::from_static("application/octet-stream");
    let disposition = if is_picture {
        "inline; filename=\"page.png\""
    } else {
        "attachment; filename=\"page.html\""
    };
    let mut headers: HeaderMap = [
        (header::CACHE_CONTROL, "private, no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_DISPOSITION, disposition),
    ]
    .map(|(name, value)| (name, HeaderValue::from_static(value)))
    .into_iter()
    .collect();
    let content_type = HeaderValue::from_str(content_type).unwrap_or(fallback);
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.bytes));
    headers
}
