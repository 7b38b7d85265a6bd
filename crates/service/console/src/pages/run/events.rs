//! The events of a run, as sent to webhooks.

use contract::{Event, EventData};
use maud::{Markup, html};

use super::RunPage;
use super::tab::RunTab;
use crate::PageResult;
use crate::number_format::{exact_time, number};

/// Maximum number of shown events, newest first.
const MAX_ITEMS: u32 = 200;

pub(super) async fn show(run: RunPage) -> PageResult {
    let events = run.user.state.store.latest_events(&run.job.id, MAX_ITEMS).await?;
    let content = html! {
        (crate::table(
            "Events",
            "When, Event, Status, Pages:number, Results:number, Credits:number, Id:wide",
            events.iter().rev(), row, &html! { "No events yet." },
        ))
        p.hint { "At most the latest " (MAX_ITEMS) " events. " code { "GET /v1/events" } " has all of them." }
    };
    Ok(run.tab(RunTab::Events, &content))
}

fn row(event: &Event) -> Markup {
    html! {
        tr {
            td { (exact_time(event.emitted_at)) }
            td { code { (event.kind) } }
            @match &event.data {
                EventData::Job { job } => {
                    td { (job.status.as_str().replace('_', " ")) }
                    td.number { (number(job.counts.pages)) }
                    td.number { (number(job.counts.results)) }
                    td.number { (number(job.credits_used.0)) }
                }
                EventData::Account { reason, .. } => { td colspan="4" { (reason) } }
                EventData::Test { .. } => { td colspan="4" {} }
            }
            td.wide { code { (event.id) } }
        }
    }
}
