//! Exports of a run: each button creates a link for one download.

use axum::extract::Path;
use axum::response::Response;
use contract::{Export, ExportFormat, PageFileFormat};
use maud::html;
use serde_json::json;

use super::RunPage;
use super::result_view::ResultsView;
use super::tab::RunTab;
use crate::number_format::count;
use crate::{ListQuery, PageError, PageResult, PostedForm, see_other};

pub(super) async fn show(run: RunPage) -> Response {
    let results = run.job.counts.results;
    let content = html! {
        p {
            @if run.job.status.is_final() {
                "Download " @if results != 1 { "all " } (count(results, "result", "results")) "."
            } @else {
                "The run continues. Download the " (count(results, "result", "results")) " so far."
            }
        }
        div.cards {
            @for format in formats(&run) {
                form.card method="post" action=(run.path("/exports")) {
                    (run.user.form_token())
                    input type="hidden" name="format" value=(format);
                    h2 { (format.as_str().to_uppercase()) }
                    p { (format.summary(run.job.mode)) }
                    button type="submit" { "Download " (format) }
                }
            }
        }
    };
    run.tab(RunTab::Exports, &content)
}

/// The formats of the run. Web archives have the pages that it has kept.
pub(super) fn formats(run: &RunPage) -> impl Iterator<Item = ExportFormat> {
    ExportFormat::offered(run.job.mode, run.job.access.keeps(PageFileFormat::RawHtml))
}

/// Redirects to the download.
pub(super) async fn take(
    Path(id): Path<String>,
    PostedForm { user, fields }: PostedForm,
) -> PageResult {
    let run = RunPage::find(user, &id).await?;
    let mut body = json!({"format": fields.raw("format")});
    let query = fields.raw("selection").trim_start_matches('?');
    let query = ListQuery::parse(query);
    let view = ResultsView::of(run.job.mode, &query);
    if let Some(text) = view.text() {
        body["q"] = json!(text);
    }
    if !view.conditions().is_empty() {
        body["filter"] =
            view.conditions().into_iter().map(|(name, value)| (name, json!(value))).collect();
    }
    let export: Export = run.api().post(&run.api_path("/export"), &body).await?;
    // Only the path: the host depends on how the server is reached.
    let path = export.url.find("/downloads/").and_then(|start| export.url.get(start..));
    Ok(see_other(
        path.ok_or_else(|| PageError::internal("the export response has no download path"))?,
    ))
}
