//! `/schedules`: the schedules of the account.

use axum::Router;
use axum::routing::get;
use contract::{Schedule, ScheduleList};
use maud::{Markup, html};

use super::runs::{site, status};
use crate::number_format::time;
use crate::pager::{Pager, page_of, page_size_of};
use crate::{ConsolePage, ConsoleState, ConsoleUser, ListQuery, PageResult, Section, cron_preset};

const PAGE_SIZE: u64 = 100;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new().route("/schedules", get(list))
}

async fn list(user: ConsoleUser, query: ListQuery) -> PageResult {
    let size = page_size_of(&query, PAGE_SIZE, user.state.settings.page_size_max);
    let asked = ListQuery::default().with("page", page_of(&query)).with("page_size", size);
    let found: ScheduleList = user.api().get(&asked.on("/v1/schedules")).await?;
    Ok(ConsolePage::of(&user, "Schedules").at(Section::Schedules).show(html! {
        div.head {
            h1 { "Schedules" }
            div.actions { a.button.primary href="/schedules/new" { "New schedule" } }
        }
        (table(&found))
        (Pager::new("/schedules", &query, (found.page, found.page_size, found.total), ("schedule", "schedules"))
            .show_items(found.offset, found.items.len() as u64))
    }))
}

fn table(found: &ScheduleList) -> Markup {
    crate::table(
        "Schedules",
        "Name, Site:wide, Mode:wide, When, Next, Last run:wide",
        &found.items,
        row,
        &html! { "No schedules. " a href="/schedules/new" { "Create one" }
        " to start runs at fixed times." },
    )
}

fn row(schedule: &Schedule) -> Markup {
    html! {
        tr {
            td { a href={ "/schedules/" (schedule.id) } { (schedule.name) } }
            td.url.wide { (site(schedule.request.url.as_deref(), schedule.request.mode)) }
            td.wide { (schedule.request.mode) }
            td title=(schedule.cron) { (cron_preset::sentence(&schedule.cron, &schedule.timezone)) }
            td { (next(schedule)) }
            td.wide {
                @match &schedule.last_run {
                    Some(run) => { (status(run.status)) " " (time(run.at)) },
                    None => "none yet",
                }
            }
        }
    }
}

/// The next start, or that the schedule is paused.
pub(super) fn next(schedule: &Schedule) -> Markup {
    html! {
        @match schedule.next_runs.first() {
            Some(next) => (time(*next)),
            None => span.chip.warn { "paused" },
        }
    }
}
