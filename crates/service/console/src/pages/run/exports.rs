//! Exports of a run: each button creates a link for one download.

use axum::extract::Path;
use axum::response::Response;
use contract::{Export, ExportFormat, Mode};
use maud::html;
use serde_json::json;

use super::RunPage;
use super::tab::RunTab;
use crate::number_format::count;
use crate::{PageError, PageResult, PostedForm, see_other};

pub(super) async fn show(run: RunPage) -> Response {
    let results = run.job.counts.results;
    let content = html! {
        p {
            @if run.job.status.is_final() { "A file has all " } @else { "The run continues: a file has the " }
            (count(results, "result", "results")) @if !run.job.status.is_final() { " so far" } "."
        }
        div.cards {
            @for format in ExportFormat::ALL {
                form.card method="post" action=(run.path("/exports")) {
                    (run.user.form_token())
                    input type="hidden" name="format" value=(format);
                    h2 { (format.as_str().to_uppercase()) }
                    p { (about(*format, run.job.mode)) }
                    button type="submit" { "Download " (format) }
                }
            }
        }
    };
    run.tab(RunTab::Exports, &content)
}

fn about(format: ExportFormat, mode: Mode) -> &'static str {
    match (format, mode) {
        (ExportFormat::Xlsx, Mode::Contacts) => "A workbook: companies and people.",
        (ExportFormat::Xlsx, Mode::Products) => "A workbook: products and variants.",
        (ExportFormat::Xlsx, _) => "A workbook with a row for each result.",
        (ExportFormat::Csv, _) => "A table for most programs.",
        (ExportFormat::Json, _) => "The results as the API returns them.",
        (ExportFormat::Md, Mode::Markdown) => "One document of all pages.",
        (ExportFormat::Md, _) => "A table in Markdown.",
        (ExportFormat::Xml, Mode::Links | Mode::Sitemap) => "A sitemap for search engines.",
        (ExportFormat::Xml, _) => "An element for each result.",
    }
}

/// Redirects to the download.
pub(super) async fn take(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    let body = json!({"format": fields.raw("format")});
    let export: Export = run.api().post(&run.api_path("/export"), &body).await?;
    // Only the path: the host depends on how the server is reached.
    let path = export.url.find("/downloads/").and_then(|start| export.url.get(start..));
    Ok(see_other(
        path.ok_or_else(|| PageError::internal("the export response has no download path"))?,
    ))
}
