//! `POST /v1/jobs/{id}/export`: creates a signed download link for the results.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use contract::{BodyFields, CreateExport, Export, ExportFormat, FieldError, JobId, comma_list};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, NotFound, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Export results as a file
///
/// The returned URL is signed, short-lived and works for one download. It contains no API key, so
/// that it can be passed on. The file has the results at the time of the download, also while the
/// job runs. A `csv` file has one table: `table` selects it in modes with two.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/export",
    operation_id = "export_job",
    tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = CreateExport, description = "The format of the file.",
        example = json!({"format": "csv"})),
    responses(
        (status = 200, description = "The download URL.", body = Export,
            example = json!(example::export())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn export_job(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
    JsonBody(body): JsonBody,
) -> Result<Json<Export>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let format = fields.one_of("format", ExportFormat::ALL);
    fields.require("format");
    let table = fields.text("table");
    if table.is_some() && format.is_some_and(|format| format != ExportFormat::Csv) {
        fields.wrong("table", "belongs to format csv alone; an xlsx file holds every table");
    }
    let mut errors = fields.finish();
    let job = state.store().job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let tables: Vec<_> = export::tables(job.mode).iter().map(|table| table.name).collect();
    if table.is_some_and(|table| !tables.contains(&table)) && errors.is_empty() {
        let message = format!("must be one of {} in mode {}", comma_list(&tables), job.mode);
        errors.push(FieldError::new("table", message));
    }
    let (Some(format), true) = (format, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let now = state.now();
    let valid = Duration::from_secs(state.settings().limits.export_url_seconds.into());
    let expires_at = now.plus(valid);
    let store = caller.store(&state);
    let ticket = store.create_export(&job.id, format, table, now, expires_at).await?;
    let ticket = ticket.ok_or_else(ApiError::not_found)?;
    let url = format!("{}/downloads/{}", state.settings().public_url, ticket.reveal());
    Ok(Json(Export { url, format, expires_at }))
}
