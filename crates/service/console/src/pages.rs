//! The pages, one module each.

pub(crate) mod access;
mod account;
mod authorize;
mod bulk_runs;
mod docs;
mod map_site;
mod new_password;
pub(crate) mod new_run;
mod new_schedule;
mod operator;
mod read_page;
pub(crate) mod run;
pub(crate) mod runs;
mod schedule;
mod schedule_form;
mod schedules;
mod sign_in;
mod tags;
mod welcome;

use axum::Router;

use crate::ConsoleState;

/// The routes of all pages.
pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .merge(sign_in::routes())
        .merge(new_password::routes())
        .merge(welcome::routes())
        .merge(runs::routes())
        .merge(bulk_runs::routes())
        .merge(new_run::routes())
        .merge(read_page::routes())
        .merge(map_site::routes())
        .merge(run::routes())
        .merge(account::routes())
        .merge(authorize::routes())
        .merge(docs::routes())
        .merge(operator::routes())
        .merge(schedules::routes())
        .merge(schedule_form::routes())
        .merge(new_schedule::routes())
        .merge(schedule::routes())
}
