//! The changes since an earlier run.

use client::ApiCallError;
use contract::{
    Change, ChangeKind, ChangesPage, JobList, Millis, Problem, ProblemCode, PublicJob, Status,
};
use maud::{Markup, html};
use serde_json::Value;

use super::RunPage;
use super::tab::RunTab;
use crate::link::link;
use crate::number_format::{count, number, time};
use crate::pager::{Pager, page_of, page_size_of};
use crate::pages::runs::status;
use crate::{ListQuery, PageResult};

const PAGE_SIZE: u64 = 50;

/// Maximum characters shown of a value.
const LONGEST: usize = 200;

pub(super) async fn show(run: RunPage, query: ListQuery) -> PageResult {
    let size = page_size_of(&query, PAGE_SIZE, run.user.state.settings.page_size_max);
    let asked =
        query.only(&["since", "kind"]).with("page", page_of(&query)).with("page_size", size);
    let found = run.api().get::<ChangesPage<Value>>(&asked.on(&run.api_path("/changes"))).await;
    let changes = match found {
        Ok(found) => {
            let since = match &found.since {
                Some(id) => Some(run.api().get::<PublicJob>(&format!("/v1/jobs/{id}")).await),
                None => None,
            };
            // An earlier run that was deleted meanwhile is named without its time.
            let since = since.and_then(Result::ok).map(|job| job.created_at);
            let others = match found.since {
                Some(_) => None,
                None => Some(others(&run).await?),
            };
            changes(&run, &query, &found, since, others.as_ref())
        }
        Err(ApiCallError::Problem { problem, .. }) if is_shown_to_user(&problem) => {
            let others = others(&run).await?;
            let refusal = Some(problem.message).filter(|_| query.get("since").is_some());
            choice(&run, refusal.as_deref(), &others)
        }
        Err(refused) => return Err(refused.into()),
    };
    let content = html! { (started_by(&run).await?) (changes) };
    Ok(run.tab(RunTab::Changes, &content))
}

/// A link to the schedule of the run, if it still exists.
async fn started_by(run: &RunPage) -> PageResult<Markup> {
    let store = &run.user.state.store;
    let Some(id) = store.schedule_of_run(&run.job.id).await? else { return Ok(html! {}) };
    let schedule = store.schedule_of(&run.user.account, &id).await?;
    Ok(html! {
        @if let Some(schedule) = schedule {
            p { "Started by " a href={ "/schedules/" (schedule.id) } { (schedule.name) } "." }
        }
    })
}

/// Whether the message helps the user: wait, or choose another run.
fn is_shown_to_user(problem: &Problem) -> bool {
    matches!(
        problem.code,
        ProblemCode::NotFound | ProblemCode::Conflict | ProblemCode::ValidationFailed
    )
}

/// Completed runs of the same mode to compare with.
async fn others(run: &RunPage) -> PageResult<JobList> {
    let asked = ListQuery::default()
        .with("mode", run.job.mode)
        .with("status", Status::Completed)
        .with("page_size", 50.min(run.user.state.settings.page_size_max));
    let mut list: JobList = run.api().get(&asked.on("/v1/jobs")).await?;
    list.items.retain(|job| job.job_id != run.job.id && job.url == run.job.url);
    Ok(list)
}

/// The form to choose a run. `refusal` is the reason why the chosen one was rejected.
fn choice(run: &RunPage, refusal: Option<&str>, others: &JobList) -> Markup {
    html! {
        section.panel {
            h2 { "Compare with an earlier run" }
            @if let Some(refusal) = refusal { p { (refusal) } }
            @if run.job.status != Status::Completed {
                p { "Only a completed run can be compared; this one is " (status(run.job.status)) "." }
            } @else if others.items.is_empty() {
                p {
                    "There is no other completed run of this mode here. Repeat this one, or schedule \
                     it, and the next run shows the changes."
                }
            } @else {
                form.filters method="get" action=(run.path("/changes")) {
                    div.field {
                        label for="since" { "Run of (UTC)" }
                        select id="since" name="since" {
                            @for job in &others.items {
                                option value=(job.job_id) {
                                    (job.created_at) ", " (count(job.counts.results, "result", "results"))
                                }
                            }
                        }
                    }
                    button type="submit" { "Compare" }
                }
            }
        }
    }
}

fn changes(
    run: &RunPage,
    query: &ListQuery,
    found: &ChangesPage<Value>,
    since: Option<Millis>,
    others: Option<&JobList>,
) -> Markup {
    let path = run.path("/changes");
    let chosen = query.get("kind");
    html! {
        @match &found.since {
            Some(id) => p {
                "Compared with " a href={ "/runs/" (id) } {
                    @match since {
                        Some(at) => { "the run of " (time(at)) }
                        None => { "an earlier run" }
                    }
                }
                ". " (number(found.counts.unchanged)) " unchanged."
            },
            None => p {
                "This is the first completed run of its schedule: there is no earlier run to \
                 compare with."
            },
        }
        @if let Some(others) = others { (choice(run, None, others)) }
        @if found.since.is_some() {
            nav.tabs aria-label="Kinds of changes" {
                a href=(query.with("kind", "").with("page", "").on(&path))
                    aria-current=[chosen.is_none().then_some("page")] {
                    "All " (number(found.counts.total()))
                }
                @for kind in ChangeKind::ALL {
                    a href=(query.with("kind", kind).with("page", "").on(&path))
                        aria-current=[(chosen == Some(kind.as_str())).then_some("page")] {
                        (capital(*kind)) " " (number(found.counts.of(*kind)))
                    }
                }
            }
            (table(found))
            (Pager::new(&path, query, (found.page, found.page_size, found.total), ("change", "changes"))
                .show())
        }
    }
}

fn capital(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "Added",
        ChangeKind::Changed => "Changed",
        ChangeKind::Removed => "Removed",
    }
}

fn table(found: &ChangesPage<Value>) -> Markup {
    crate::table(
        "Changes",
        "Change, Where, What",
        &found.items,
        row,
        &html! { "No changes of this kind." },
    )
}

fn row(change: &Change<Value>) -> Markup {
    let tone = match change.kind {
        ChangeKind::Added => "chip good",
        ChangeKind::Changed => "chip warn",
        ChangeKind::Removed => "chip bad",
    };
    html! {
        tr {
            td { span class=(tone) { (change.kind) } }
            td.url { (link(&change.key)) }
            td {
                @match (&change.before, &change.after) {
                    (Some(before), Some(after)) => {
                        @for field in &change.fields { (difference(field, before, after)) }
                    },
                    (Some(item), None) | (None, Some(item)) => (shown(name_of(item))),
                    (None, None) => "no longer stored",
                }
            }
        }
    }
}

fn difference(field: &str, before: &Value, after: &Value) -> Markup {
    html! {
        div {
            // Show only that the hash differs.
            @if field == "content_hash" {
                b { "text" } ": changed"
            } @else {
                b { (field.replace('_', " ")) } ": "
                del { (shown(before.get(field))) } " → " ins { (shown(after.get(field))) }
            }
        }
    }
}

/// The title, name or domain of an item.
fn name_of(item: &Value) -> Option<&Value> {
    let names = ["title", "name"].iter().find_map(|name| item.get(name));
    names.or_else(|| item.get("company")?.get("name"))
}

/// A value as short text. It comes from crawled sites.
fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => "nothing".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_shown_as_short_text() {
        assert_eq!(shown(None), "nothing");
        assert_eq!(shown(Some(&json!("9.90"))), "9.90");
        assert_eq!(shown(Some(&json!(["a"]))), "[\"a\"]");
        let long = "ä".repeat(500);
        assert_eq!(shown(Some(&json!(long))).chars().count(), LONGEST + 1);
        assert_eq!(name_of(&json!({"company": {"name": "Firm"}})), Some(&json!("Firm")));
    }

    #[test]
    fn values_of_crawled_sites_are_escaped() {
        let change = Change {
            kind: ChangeKind::Changed,
            key: "javascript:alert(1)".to_owned(),
            fields: vec!["title".to_owned()],
            before: Some(json!({"title": "<script>alert(1)</script>"})),
            after: Some(json!({"title": "\"><img src=x onerror=alert(1)>"})),
        };
        let row = row(&change).into_string();
        assert!(
            !row.contains("<script") && !row.contains("<img") && !row.contains("href"),
            "{row}"
        );
    }
}
