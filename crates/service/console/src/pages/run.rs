//! `/runs/{id}`: a running or finished run. Each tab is a path below it.

mod actions;
mod changes;
mod chart_tab;
mod confirm_prompt;
mod contacts;
mod events;
mod exports;
mod item_files;
mod labels;
mod live;
mod log;
mod markdown_pages;
mod overview;
mod products;
mod result_cell;
mod result_detail;
mod result_items;
mod result_sample;
mod result_table;
mod result_view;
mod results;
mod skipped;
mod summary;
mod tab;
mod throughput;
mod tree;
mod url_row;
mod use_from;

use axum::Router;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::{get, post};
use contract::{JobId, JobLabels, ResultsPage};
use job::Job;
use maud::{Markup, html};
use serde::de::DeserializeOwned;
use store::RunProgress;

use super::runs::{site, status};
use crate::assets::{COPY_JS, RUN_JS};
use crate::link::link_as;
use crate::{
    ConsolePage, ConsoleState, ConsoleUser, FormErrors, PageError, PageResult, Section, UserApi,
    see_other,
};
use tab::RunTab;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/runs/{id}", get(results::show))
        .route("/runs/{id}/progress", get(overview::show))
        .route("/runs/{id}/live", get(live::stream))
        .route("/runs/{id}/results", get(results::show))
        .route("/runs/{id}/results/{number}", get(result_detail::by_number))
        .route("/runs/{id}/result", get(result_detail::by_key))
        .route("/runs/{id}/use", get(use_from::show))
        .route("/runs/{id}/tree", get(tree::show))
        .route("/runs/{id}/charts", get(chart_tab::show))
        .route("/runs/{id}/skipped", get(skipped::show))
        .route("/runs/{id}/log", get(log::show))
        .route("/runs/{id}/changes", get(changes::show))
        .route("/runs/{id}/exports", get(exports::show).post(exports::take))
        .route("/runs/{id}/events", get(events::show))
        // A page with an error has the address of its form: loading it again shows the run.
        .route("/runs/{id}/confirm", post(actions::confirm).get(back))
        .route("/runs/{id}/abort", post(actions::abort).get(back))
        .route("/runs/{id}/delete", post(actions::delete).get(back))
        .route("/runs/{id}/labels", post(labels::change).get(back))
}

async fn back(run: RunPage) -> Response {
    see_other(&run.path(""))
}

/// The run of a path, if it belongs to the user.
#[derive(Debug)]
pub(crate) struct RunPage {
    pub user: ConsoleUser,
    pub job: Job,
    /// Number of finished URLs, delivered or skipped.
    pub fetched: u64,
    /// Some of the URLs in flight at the last commit.
    pub fetching: Vec<String>,
    pub labels: JobLabels,
}

impl RunPage {
    /// Loads the run with this id.
    pub async fn find(user: ConsoleUser, id: &str) -> PageResult<Self> {
        let id: JobId = id.parse().map_err(|_| PageError::NotFound)?;
        let found = user.state.store.progress(&id).await?;
        let found = found.filter(|found| found.job.account == user.account);
        let RunProgress { job, fetched, fetching, .. } = found.ok_or(PageError::NotFound)?;
        let mut labels = user.state.store.job_labels(&user.account, &[&job.id]).await?;
        let labels = labels.remove(&job.id).unwrap_or_default();
        Ok(Self { user, job, fetched, fetching, labels })
    }

    /// The API with the session of the user.
    pub fn api(&self) -> UserApi<'_> {
        self.user.api()
    }

    /// A console path below this run.
    pub fn path(&self, below: &str) -> String {
        format!("/runs/{}{below}", self.job.id)
    }

    /// An API path below this run.
    pub fn api_path(&self, below: &str) -> String {
        format!("/v1/jobs/{}{below}", self.job.id)
    }

    /// A page of the results of this run.
    pub async fn results<T: DeserializeOwned>(
        &self,
        page: u64,
        size: u64,
    ) -> PageResult<ResultsPage<T>> {
        let path = self.api_path(&format!("/results?page={page}&page_size={size}"));
        Ok(self.api().get(&path).await?)
    }

    /// A page of this run for a tab.
    pub fn page(&self, tab: RunTab) -> ConsolePage<'_> {
        let title = format!("{} · {}", site(self.job.url.as_deref(), self.job.mode), tab.name());
        ConsolePage::of(&self.user, title).at(Section::Runs).script(RUN_JS).script(COPY_JS)
    }

    /// The head of the run, its confirm prompt, and the content of the tab.
    pub fn layout(&self, tab: RunTab, form_errors: &FormErrors, content: &Markup) -> Markup {
        let job = &self.job;
        html! {
            div.head {
                h1 {
                    @match job.url.as_deref() {
                        Some(url) => (link_as(url, &site(Some(url), job.mode))),
                        None => (site(None, job.mode)),
                    }
                }
                span.chip { (job.mode) }
                (status(job.status))
                div.actions {
                    a.button href={ "/runs/new?from=" (job.id) } { "Repeat" }
                    a.button href={ "/schedules/new?from=" (job.id) } { "Schedule" }
                    @if job.status.is_final() {
                        (actions::delete_form(self))
                    } @else {
                        (actions::abort_form(self))
                    }
                }
            }
            (labels::show(self, form_errors))
            (form_errors.shown(&["max_credit_per_unit", "max_credits", "name", "tags"]))
            @if let Some(error) = &job.error { (summary::failure(error, job.status)) }
            (summary::show(self))
            (confirm_prompt::show(self, form_errors))
            (tab::list(self, tab))
            (content)
        }
    }

    /// A tab as a page, without form errors.
    pub fn tab(&self, tab: RunTab, content: &Markup) -> Response {
        let content = self.layout(tab, &FormErrors::default(), content);
        self.page(tab).show(content)
    }
}

impl FromRequestParts<ConsoleState> for RunPage {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> PageResult<Self> {
        let user = ConsoleUser::from_request_parts(parts, state).await?;
        let path: Path<Vec<(String, String)>> =
            Path::from_request_parts(parts, state).await.map_err(|_| PageError::NotFound)?;
        let id = path.0.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
        Self::find(user, &id.unwrap_or_default()).await
    }
}
