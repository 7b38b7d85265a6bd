//! `GET /downloads/{ticket}`: the file that an export is for.

use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use contract::{AuditActorKind, ExportFormat, Millis, ProblemCode};
use export::{FileKind, ExportSubject};
use futures_util::StreamExt as _;
use futures_util::stream;
use job::Job;
use store::{AccountState, AuditOrigin, ExportTicketState};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use crate::ApiState;
use crate::address::caller_address;
use crate::exporting::{self, Chunks, format_of};
use crate::fault::Fault;
use crate::file_lengths::Measured;
use crate::openapi::problems;
use crate::shares::Share;

problems!(Refusals: Forbidden, AccountSuspended, Gone, ValidationFailed, RateLimited, ServerError,
    Unavailable);

/// Seconds after which one of the files under way may be done.
const TRY_AGAIN: u64 = 5;

/// Take a file
///
/// The address comes from the export operation. It is good for one download; `HEAD` uses
/// nothing up.
#[utoipa::path(
    get,
    path = "/downloads/{ticket}",
    operation_id = "download",
    tag = "jobs",
    params(("ticket" = String, Path, description = "As the export operation gave it.")),
    responses(
        (status = 200, description = "The file.", content(
            (Vec<serde_json::Value> = "application/json",
                example = json!([{"url": "https://example.com/"}])),
            (String = "text/csv", example = json!("url,title,type,status_code")),
            (String = "text/markdown", example = json!("| url | title |")),
            (String = "application/xml", example = json!("<urlset>…</urlset>")),
            (String = "application/zip", example = json!("PK…")),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                example = json!("PK…")),
        )),
        Refusals,
    ),
    security(()),
)]
pub(crate) async fn download(
    State(state): State<ApiState>,
    Path(ticket): Path<String>,
    request: Parts,
) -> Response {
    match take(&state, &ticket, &request).await {
        Ok(response) => response,
        Err(fault) => shown(fault, &request.headers),
    }
}

/// Look at a file
///
/// The headers that `GET` would answer with. The file can still be taken.
#[utoipa::path(
    head,
    path = "/downloads/{ticket}",
    operation_id = "look_at_download",
    tag = "jobs",
    params(("ticket" = String, Path, description = "As the export operation gave it.")),
    responses((status = 200, description = "It can be taken."), Refusals),
    security(()),
)]
pub(crate) async fn look_at_download(
    State(state): State<ApiState>,
    Path(ticket): Path<String>,
) -> Result<Response, Fault> {
    let (ticket, job) = found(&state, &ticket).await?;
    let known = state.file_lengths().get(&ticket.id, job.counts.results, state.now());
    let measured = match known {
        Some(measured) => measured,
        None => measure(&state, &ticket, &job).await?,
    };
    let mut response = file(measured.kind, &job, &ticket, state.now(), Body::empty());
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(measured.bytes));
    Ok(response)
}

/// Writes the file to find out how long it is; the same bytes come with `GET`. It takes what a
/// download takes.
async fn measure(state: &ApiState, ticket: &Ticket, job: &Job) -> Result<Measured, Fault> {
    let turn = begin(state, job)?;
    let mut writing = ticket.write(state, job);
    let kind = announced(writing.kind.await)?;
    let mut bytes = 0_u64;
    while let Some(chunk) = writing.chunks.recv().await {
        let chunk = chunk.map_err(|error| Fault::ours(error.to_string()))?;
        bytes = bytes.saturating_add(chunk.len() as u64);
    }
    drop(turn);
    let measured = Measured { kind, bytes, results: job.counts.results, at: state.now() };
    state.file_lengths().keep(ticket.id.clone(), measured);
    Ok(measured)
}

/// What an address was given out for.
struct Ticket {
    id: contract::ExportId,
    format: ExportFormat,
    table: Option<String>,
}

impl Ticket {
    /// Begins to write the file.
    fn write(&self, state: &ApiState, job: &Job) -> exporting::Writing {
        let (store, total) = (state.store().clone(), job.counts.results);
        let table = self.table.clone();
        let subject = ExportSubject { mode: job.mode, url: job.url.clone(), table };
        exporting::begin(store, job.id.clone(), total, format_of(self.format), subject)
    }
}

/// What the writer says that the file is.
fn announced(
    kind: Result<Result<FileKind, exporting::ExportFailure>, oneshot::error::RecvError>,
) -> Result<FileKind, Fault> {
    match kind {
        Ok(Ok(kind)) => Ok(kind),
        Ok(Err(exporting::ExportFailure::Store(error))) => Err(Fault::from(error)),
        Ok(Err(error @ exporting::ExportFailure::Export(_))) => Err(Fault::ours(error.to_string())),
        Err(_) => Err(Fault::ours("an export ended without a word")),
    }
}

async fn take(state: &ApiState, ticket: &str, request: &Parts) -> Result<Response, Fault> {
    let (ticket, job) = found(state, ticket).await?;
    let turn = begin(state, &job)?;
    let store = state.store().acting(AuditOrigin {
        address: caller_address(&request.headers, &request.extensions, state.settings()),
        request: request.extensions.get().cloned(),
        ..AuditOrigin::of(AuditActorKind::Anonymous, None)
    });
    if !store.claim_export(&ticket.id, state.now()).await? {
        return Err(used());
    }
    let writing = ticket.write(state, &job);
    match announced(writing.kind.await) {
        Ok(kind) => {
            let body = Body::from_stream(as_stream(writing.chunks, turn));
            Ok(file(kind, &job, &ticket, state.now(), body))
        }
        Err(failure) => {
            // Not a byte was sent: the next try may have more luck.
            state.store().release_export(&ticket.id).await?;
            Err(failure)
        }
    }
}

/// What a ticket names, if it can be had and its account is active.
async fn found(state: &ApiState, ticket: &str) -> Result<(Ticket, Job), Fault> {
    let (ticket, job) = match state.store().export(ticket, state.now()).await? {
        ExportTicketState::Ready { id, job, format, table } => (Ticket { id, format, table }, job),
        ExportTicketState::Used => return Err(used()),
        ExportTicketState::Expired => return Err(expired()),
        ExportTicketState::Invalid => {
            return Err(Fault::new(
                ProblemCode::Forbidden,
                "this address was not given out by us: it was altered or cut off on its way",
            ));
        }
    };
    let job = state.store().job(&job).await?.ok_or_else(expired)?;
    match state.store().account_state(&job.account).await? {
        AccountState::Active => Ok((ticket, job)),
        AccountState::Suspended | AccountState::NotFound => Err(Fault::suspended()),
    }
}

/// The right to write one more file: a place of the service, and the account's share.
type Turn = (OwnedSemaphorePermit, Share);

fn begin(state: &ApiState, job: &Job) -> Result<Turn, Fault> {
    let share = state.account_exports().take(job.account.as_str()).ok_or_else(|| {
        let most = state.account_exports().most();
        let message = format!(
            "account limit: {most} files of the account are being downloaded; wait for one"
        );
        Fault::rate_limited(message, TRY_AGAIN)
    })?;
    let permit = state.exports().ok_or_else(|| {
        let message = "service limit: as many files are being written as this service writes at \
            a time; try again in a moment";
        Fault::rate_limited(message, TRY_AGAIN)
    })?;
    Ok((permit, share))
}

fn used() -> Fault {
    let message = "this file was taken already, and the address is good for one download; ask \
        for a new export";
    Fault::new(ProblemCode::Gone, message)
}

fn expired() -> Fault {
    Fault::new(ProblemCode::Gone, "the time of this address is over; ask for a new export")
}

fn as_stream(
    chunks: Chunks,
    turn: Turn,
) -> impl stream::Stream<Item = std::io::Result<bytes::Bytes>> {
    let chunks = stream::unfold((chunks, turn), async |(mut chunks, turn)| {
        let chunk = chunks.recv().await?;
        Some((chunk, (chunks, turn)))
    });
    // Layers around the body ask once more after its end.
    chunks.fuse()
}

fn file(kind: FileKind, job: &Job, ticket: &Ticket, now: Millis, body: Body) -> Response {
    let mut response = body.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind.content_type()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // A page of somebody else's site, opened as ours, must do nothing.
    let sandbox = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    let disposition = format!("attachment; filename=\"{}\"", name(kind, job, ticket, now));
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}

/// `links-example.com-2026-11-15.csv`, `contacts-people-2026-11-15.csv`
fn name(kind: FileKind, job: &Job, ticket: &Ticket, now: Millis) -> String {
    let host = job.url.as_deref().and_then(|url| url.split('/').nth(2)).unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let host: String = host.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let day = now.day();
    let table = ticket.table.as_deref().filter(|table| *table != job.mode.as_str());
    let parts = [job.mode.as_str(), table.unwrap_or_default(), &host, &day];
    let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}.{}", parts.join("-"), kind.extension())
}

/// A refusal as whoever follows the address can read it: people with a browser as a page.
fn shown(fault: Fault, headers: &HeaderMap) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if !accept.is_some_and(|accept| accept.contains("text/html")) {
        return fault.into_response();
    }
    let (status, title) = match fault.code() {
        ProblemCode::Gone => (StatusCode::GONE, "This file is gone"),
        ProblemCode::Forbidden => (StatusCode::FORBIDDEN, "This address is not right"),
        _ => return fault.into_response(),
    };
    let page = include_str!("download.html")
        .replace("{title}", title)
        .replace("{message}", fault.message());
    (status, Html(page)).into_response()
}
