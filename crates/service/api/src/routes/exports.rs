//! Exports: signed download links and their files.

use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use contract::{
    AccountId, AuditActorKind, BodyFields, CreateExport, Export, ExportFormat, FieldError,
    ItemFilter, JobId, Millis, ProblemCode, comma_list,
};
use export::{ArchiveFormat, ExportFailure, ExportSubject, FileKind, FileStream};
use futures_util::StreamExt as _;
use futures_util::stream;
use job::Job;
use store::{AccountState, ExportPart, ExportTicketState, StoreError};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, mpsc, oneshot};

use crate::ApiState;
use crate::address::ClientOrigin;
use crate::api_error::{ApiError, ApiResult};
use crate::archived_pages::{archive_subject, archived_pages};
use crate::body::JsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::file_lengths::MeasuredFile;
use crate::keyed_limit::KeyedPermit;
use crate::path::PathId;
use crate::stored_filter::StoredFilter;

/// Export results as a file
///
/// The returned URL is signed, short-lived and works for one download. It contains no API key, so
/// that it can be passed on. The file has the results at the time of the download, also while the
/// job runs. A `csv` or `parquet` file has one table: `table` selects it in modes with two. `filter`
/// and `q` select items, as for the results. `warc`, `wacz` and `cdxj` have the raw pages of the items,
/// which the run has kept if its request has `formats: ["raw_html"]`.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/export", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = CreateExport, description = "The format of the file."),
    responses((status = 200, description = "The download URL.", body = Export)),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn export_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<Export>> {
    let mut fields = BodyFields::of(&body)?;
    let format = fields.one_of("format", ExportFormat::ALL);
    fields.require("format");
    let table = fields.text("table");
    let has_one_table = |format| matches!(format, ExportFormat::Csv | ExportFormat::Parquet);
    if table.is_some() && format.is_some_and(|format| !has_one_table(format)) {
        let message = "belongs to the formats csv and parquet; an xlsx file holds every table";
        fields.wrong("table", message);
    }
    let selection = StoredFilter::read(&mut fields);
    let mut errors = fields.finish();
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let tables = registry::item_schema(job.mode).tables;
    let tables: Vec<_> = tables.iter().map(|table| table.name).collect();
    if table.is_some_and(|table| !tables.contains(&table)) && errors.is_empty() {
        let message = format!("must be one of {} in mode {}", comma_list(&tables), job.mode);
        errors.push(FieldError::new("table", message));
    }
    if format.is_some_and(|format| !format.suits(job.mode)) {
        errors.push(FieldError::new("format", format!("is not available in mode {}", job.mode)));
    }
    if format.is_some_and(ExportFormat::needs_raw_pages)
        && let Some(message) = state.store.raw_pages(&job).await?.refusal()
    {
        errors.push(FieldError::new("format", message));
    }
    if let (Some(selection), true) = (&selection, errors.is_empty()) {
        errors.extend(selection.filter(job.mode).err().unwrap_or_default());
    }
    let (Some(format), true) = (format, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let filter = selection.map(|selection| selection.to_text());
    let now = state.now();
    let valid = Duration::from_secs(state.settings.limits.export_url_seconds.into());
    let expires_at = now.plus(valid);
    let store = caller.store(&state);
    let part = ExportPart { table, filter: filter.as_deref() };
    let ticket = store.create_export(&job.id, format, part, now, expires_at).await?;
    let ticket = ticket.ok_or_else(ApiError::not_found)?;
    let url = format!("{}/downloads/{}", state.settings.public_url, ticket.reveal());
    Ok(Json(Export { url, format, expires_at }))
}

/// `Retry-After` of a download over the limit, in seconds.
const RETRY_AFTER: u64 = 5;

/// Download a file
///
/// The URL comes from the export operation. It works for one download; `HEAD` does not use it up.
#[utoipa::path(
    get, path = "/downloads/{ticket}", tag = "jobs",
    params(
        ("ticket" = String, Path,
            description = "The last part of the URL that the export operation returned."),
    ),
    responses(
        (status = 200, description = "The file.", content(
            (Vec<serde_json::Value> = "application/json",
                example = json!([{"url": "https://example.com/"}])),
            (String = "text/csv", example = json!("url,title,type,status_code")),
            (String = "text/markdown", example = json!("| url | title |")),
            (String = "text/plain", example = json!("# example.com")),
            (String = "application/xml", example = json!("<urlset>…</urlset>")),
            (String = "application/x-ndjson", example = json!("{\"url\": \"https://example.com/\"}\n")),
            (String = "application/vnd.apache.parquet", example = json!("PAR1…")),
            (String = "application/zip", example = json!("PK…")),
            (String = "application/warc", example = json!("…")),
            (String = "application/wacz", example = json!("PK…")),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                example = json!("PK…")),
        )),
    ),
    extensions(("x-problems" = json!([
        ProblemCode::Forbidden, ProblemCode::AccountSuspended, ProblemCode::Gone,
        ProblemCode::ValidationFailed, ProblemCode::RateLimited, ProblemCode::ServerError,
        ProblemCode::Unavailable,
    ]))),
    security(()),
)]
pub(crate) async fn download(
    State(state): State<ApiState>,
    Path(ticket): Path<String>,
    request: Parts,
) -> Response {
    match send_file(&state, &ticket, &request).await {
        Ok(response) => response,
        Err(error) => error_response(error, &request.headers),
    }
}

/// Get the headers of a file
///
/// The headers that `GET` would return. The file can still be downloaded.
#[utoipa::path(
    head, path = "/downloads/{ticket}", tag = "jobs",
    params(
        ("ticket" = String, Path,
            description = "The last part of the URL that the export operation returned."),
    ),
    responses((status = 200, description = "The file can be downloaded.")),
    extensions(("x-problems" = json!([
        ProblemCode::Forbidden, ProblemCode::AccountSuspended, ProblemCode::Gone,
        ProblemCode::ValidationFailed, ProblemCode::RateLimited, ProblemCode::ServerError,
        ProblemCode::Unavailable,
    ]))),
    security(()),
)]
pub(crate) async fn look_at_download(
    State(state): State<ApiState>,
    Path(ticket): Path<String>,
) -> ApiResult<Response> {
    let (ticket, job) = find_export(&state, &ticket).await?;
    let known = state.file_lengths.get(&ticket.id, job.counts.results, state.now());
    let measured = match known {
        Some(measured) => measured,
        None => measure(&state, &ticket, &job).await?,
    };
    let mut response = file(measured.kind, &job, &ticket, state.now(), Body::empty());
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(measured.bytes));
    Ok(response)
}

/// Writes the file to determine its length. Takes the same permits as a download.
async fn measure(state: &ApiState, ticket: &DownloadTicket, job: &Job) -> ApiResult<MeasuredFile> {
    let permits = acquire_permits(state, job)?;
    let mut stream = ticket.write(state, job);
    let kind = file_kind(stream.kind.await)?;
    let mut bytes = 0_u64;
    while let Some(chunk) = stream.chunks.recv().await {
        let chunk = chunk.map_err(|error| ApiError::internal(error.to_string()))?;
        bytes = bytes.saturating_add(chunk.len() as u64);
    }
    drop(permits);
    let measured = MeasuredFile { kind, bytes, results: job.counts.results, at: state.now() };
    state.file_lengths.keep(ticket.id.clone(), measured);
    Ok(measured)
}

/// The export that a download URL belongs to.
struct DownloadTicket {
    id: contract::ExportId,
    format: ExportFormat,
    table: Option<String>,
    filter: ItemFilter,
}

impl DownloadTicket {
    /// Starts to write the file.
    fn write(&self, state: &ApiState, job: &Job) -> FileStream<StoreError> {
        let (store, runtime) = (state.store.clone(), Handle::current());
        if let Some(format) = ArchiveFormat::of(self.format) {
            return self.write_archive(state, job, format);
        }
        let (job_id, total, format) = (job.id.clone(), job.counts.results, self.format);
        let (table, filter) = (self.table.clone(), self.filter.clone());
        let schema = registry::item_schema(job.mode);
        let subject = ExportSubject { schema, url: job.url.clone(), table };
        tracing::error_span!("export", job.id = %job.id).in_scope(|| {
            FileStream::start(move |sink| {
                let items = store.results_blocking(&runtime, &job_id, total);
                let items = items.filter(|item| match item {
                    Ok(item) => filter.matches(item),
                    Err(_) => true,
                });
                export::write_items(items, format, &subject, sink)
            })
        })
    }
}

impl DownloadTicket {
    /// Starts to write the raw pages of the selected items.
    fn write_archive(
        &self,
        state: &ApiState,
        job: &Job,
        format: ArchiveFormat,
    ) -> FileStream<StoreError> {
        let (store, runtime) = (state.store.clone(), Handle::current());
        let (total, filter) = (job.counts.results, self.filter.clone());
        let subject = archive_subject(job);
        tracing::error_span!("export", job.id = %job.id).in_scope(|| {
            FileStream::start(move |sink| {
                let items = (0..).zip(store.results_blocking(&runtime, &subject.job, total));
                let items = items.filter_map(|(number, item)| match item {
                    Ok(item) => filter.matches(&item).then_some(Ok((number, item))),
                    Err(error) => Some(Err(error)),
                });
                let pages =
                    archived_pages(store.clone(), runtime.clone(), subject.job.clone(), items);
                export::write_archive(pages, format, &subject, sink)
            })
        })
    }
}

/// The kind of the file, or why the export failed before its first byte.
fn file_kind(
    kind: Result<Result<FileKind, ExportFailure<StoreError>>, oneshot::error::RecvError>,
) -> ApiResult<FileKind> {
    match kind {
        Ok(Ok(kind)) => Ok(kind),
        Ok(Err(ExportFailure::Read(error))) => Err(ApiError::from(error)),
        Ok(Err(ExportFailure::Write(error))) => Err(ApiError::internal(error.to_string())),
        Err(_) => Err(ApiError::internal("the export thread ended without a result")),
    }
}

async fn send_file(state: &ApiState, ticket: &str, request: &Parts) -> ApiResult<Response> {
    let (ticket, job) = find_export(state, ticket).await?;
    let permits = acquire_permits(state, &job)?;
    let origin = ClientOrigin::of(request, &state.settings);
    let store = origin.acting(state, AuditActorKind::Anonymous, None);
    if !store.claim_export(&ticket.id, state.now()).await? {
        return Err(already_used());
    }
    let stream = ticket.write(state, &job);
    match file_kind(stream.kind.await) {
        Ok(kind) => {
            let body = Body::from_stream(as_stream(stream.chunks, permits));
            Ok(file(kind, &job, &ticket, state.now(), body))
        }
        Err(failure) => {
            // No byte was sent: the ticket becomes usable again.
            state.store.release_export(&ticket.id).await?;
            Err(failure)
        }
    }
}

/// The export and job of a ticket, if it is usable and the account is active.
async fn find_export(state: &ApiState, ticket: &str) -> ApiResult<(DownloadTicket, Job)> {
    let (id, job, format, table, filter) = match state.store.export(ticket, state.now()).await? {
        ExportTicketState::Ready { id, job, format, table, filter } => {
            (id, job, format, table, filter)
        }
        ExportTicketState::Used => return Err(already_used()),
        ExportTicketState::Expired => return Err(expired()),
        ExportTicketState::Invalid => {
            return Err(ApiError::new(
                ProblemCode::Forbidden,
                "the signature of this download link is invalid: the link was altered or truncated",
            ));
        }
    };
    let job = state.store.job(&job).await?.ok_or_else(expired)?;
    let filter = match filter {
        Some(text) => StoredFilter::parse(&text, job.mode)
            .ok_or_else(|| ApiError::internal("the filter of the export cannot be read"))?,
        None => ItemFilter::default(),
    };
    let ticket = DownloadTicket { id, format, table, filter };
    match state.store.account_state(&job.account).await? {
        AccountState::Active => Ok((ticket, job)),
        AccountState::Suspended | AccountState::NotFound => Err(ApiError::suspended()),
    }
}

/// The permits of a download: one of the service and one of the account.
pub(crate) type ExportPermits = (OwnedSemaphorePermit, KeyedPermit);

pub(crate) fn acquire_permits(state: &ApiState, job: &Job) -> ApiResult<ExportPermits> {
    acquire_permits_of(state, &job.account)
}

/// The permits of a download by the links of an account.
pub(crate) fn acquire_permits_of(
    state: &ApiState,
    account: &AccountId,
) -> ApiResult<ExportPermits> {
    let account_permit = state.account_exports.take(account.as_str()).ok_or_else(|| {
        let limit = state.account_exports.limit();
        let message = format!(
            "account limit: {limit} files or result streams of the account are being downloaded; \
             wait for one"
        );
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let permit = state.export_permit().ok_or_else(|| {
        let message = "service limit: the maximum number of files is being written; try again in \
            a moment";
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    Ok((permit, account_permit))
}

fn already_used() -> ApiError {
    let message = "the download link was already used, and works for one download only; \
        create a new export";
    ApiError::new(ProblemCode::Gone, message)
}

fn expired() -> ApiError {
    ApiError::new(ProblemCode::Gone, "the download link has expired; create a new export")
}

fn as_stream(
    chunks: mpsc::Receiver<std::io::Result<bytes::Bytes>>,
    permits: ExportPermits,
) -> impl stream::Stream<Item = std::io::Result<bytes::Bytes>> {
    let chunks = stream::unfold((chunks, permits), async |(mut chunks, permits)| {
        let chunk = chunks.recv().await?;
        Some((chunk, (chunks, permits)))
    });
    // Layers around the body poll it again after its end.
    chunks.fuse()
}

fn file(kind: FileKind, job: &Job, ticket: &DownloadTicket, now: Millis, body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind.content_type()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Content of crawled sites must not run scripts in the origin of this service.
    let sandbox = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    let disposition = format!("attachment; filename=\"{}\"", name(kind, job, ticket, now));
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// As `links-example.com-2026-11-15.csv` or `contacts-people-2026-11-15.csv`; `llms.txt` has a fixed
/// name.
fn name(kind: FileKind, job: &Job, ticket: &DownloadTicket, now: Millis) -> String {
    match kind {
        FileKind::LlmsTxt => return "llms.txt".to_owned(),
        FileKind::LlmsFullTxt => return "llms-full.txt".to_owned(),
        // Its index has this name.
        FileKind::Warc => return archive_subject(job).warc_name(),
        _ => {}
    }
    let host = job.url.as_deref().and_then(|url| url.split('/').nth(2)).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let host: String = host.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let day = now.day();
    let table = ticket.table.as_deref().filter(|table| *table != job.mode.as_str());
    let parts = [job.mode.as_str(), table.unwrap_or_default(), &host, &day];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.{}", parts.join("-"), kind.extension())
}

/// The error as a page for browsers and as a problem for other clients.
fn error_response(error: ApiError, headers: &HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accept.is_some_and(|accept| accept.contains("text/html")) {
        return error.into_response();
    }
    let (status, title) = match error.code() {
        ProblemCode::Gone => (StatusCode::GONE, "This file is no longer available"),
        ProblemCode::Forbidden => (StatusCode::FORBIDDEN, "This download link is not valid"),
        _ => return error.into_response(),
    };
    let page = include_str!("download.html")
        .replace("{title}", title)
        .replace("{message}", error.message());
    (status, Html(page)).into_response()
}
