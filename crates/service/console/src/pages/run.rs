//! `/runs/{id}`: a run, as it goes on and as it ended. Each tab is a path below it.

mod asks;
mod cards;
mod changes;
mod charted;
mod contacts;
mod deeds;
mod events;
mod exports;
mod inventory;
mod live;
mod overview;
mod products;
mod results;
mod skipped;
mod survey;
mod tab;
mod texts;
mod tree;

use axum::Router;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::{get, post};
use contract::{JobId, ResultsPage};
use job::Job;
use maud::{Markup, html};
use serde::de::DeserializeOwned;

use super::runs::{site, status};
use crate::link::link_as;
use crate::{Complaints, ConsoleState, Failure, Page, Person, Section};
use tab::Tab;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .route("/runs/{id}", get(overview::show))
        .route("/runs/{id}/live", get(live::stream))
        .route("/runs/{id}/results", get(results::show))
        .route("/runs/{id}/results/{number}", get(texts::show))
        .route("/runs/{id}/tree", get(tree::show))
        .route("/runs/{id}/charts", get(charted::show))
        .route("/runs/{id}/skipped", get(skipped::show))
        .route("/runs/{id}/changes", get(changes::show))
        .route("/runs/{id}/exports", get(exports::show).post(exports::take))
        .route("/runs/{id}/events", get(events::show))
        .route("/runs/{id}/confirm", post(deeds::confirm))
        .route("/runs/{id}/abort", post(deeds::abort))
}

/// The run that a path names, if it is this person's.
#[derive(Debug)]
pub(crate) struct Run {
    pub person: Person,
    pub job: Job,
}

impl Run {
    /// The run with this name.
    pub async fn find(person: Person, id: &str, state: &ConsoleState) -> Result<Self, Failure> {
        let id: JobId = id.parse().map_err(|_| Failure::NotFound)?;
        let job = state.store().job_of(&person.account, &id).await?.ok_or(Failure::NotFound)?;
        Ok(Self { person, job })
    }

    /// A path below this run.
    pub fn path(&self, below: &str) -> String {
        format!("/runs/{}{below}", self.job.id)
    }

    /// A path of the API below this run.
    pub fn api_path(&self, below: &str) -> String {
        format!("/v1/jobs/{}{below}", self.job.id)
    }

    /// A page of this run's results.
    pub async fn results<T: DeserializeOwned>(
        &self,
        state: &ConsoleState,
        page: u64,
        size: u64,
    ) -> Result<ResultsPage<T>, Failure> {
        let path = self.api_path(&format!("/results?page={page}&page_size={size}"));
        Ok(state.api(&self.person).get(&path).await?)
    }

    /// A page of this run; a tab says what it adds to it.
    pub fn page(&self, tab: Tab) -> Page<'_> {
        let title = format!("{} · {}", site(self.job.url.as_deref()), tab.name());
        Page::of(&self.person, title).at(Section::Runs)
    }

    /// The head of the run, what it asks for, and the tab.
    pub fn frame(
        &self,
        tab: Tab,
        state: &ConsoleState,
        complaints: &Complaints,
        content: &Markup,
    ) -> Markup {
        let job = &self.job;
        html! {
            div.head {
                h1 {
                    @match job.url.as_deref() {
                        Some(url) => (link_as(url, &site(Some(url)))),
                        None => (site(None)),
                    }
                }
                span.chip { (job.mode) }
                (status(job.status))
                div.actions {
                    a.button href={ "/runs/new?from=" (job.id) } { "Repeat" }
                    a.button href={ "/schedules/new?from=" (job.id) } { "Schedule" }
                    @if !job.status.is_final() { (deeds::abort_form(self)) }
                }
            }
            (complaints.shown(&["max_credit_per_unit"]))
            @if let Some(error) = &job.error {
                p { span.chip.warn { (error.code) } " " (error.message) }
            }
            (asks::show(self, state, complaints))
            (tab::list(self, tab))
            (content)
        }
    }

    /// A tab as a page, where there is nothing to complain about.
    pub fn tab(&self, tab: Tab, state: &ConsoleState, content: &Markup) -> Response {
        let framed = self.frame(tab, state, &Complaints::default(), content);
        self.page(tab).show(framed)
    }
}

impl FromRequestParts<ConsoleState> for Run {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &ConsoleState) -> Result<Self, Failure> {
        let person = Person::from_request_parts(parts, state).await?;
        let path: Path<Vec<(String, String)>> =
            Path::from_request_parts(parts, state).await.map_err(|_| Failure::NotFound)?;
        let id = path.0.into_iter().find(|(name, _)| name == "id").map(|(_, id)| id);
        Self::find(person, &id.unwrap_or_default(), state).await
    }
}
