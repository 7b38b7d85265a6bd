//! `/account`: balance, usage, keys, webhooks, applications, sessions and audit log.

mod applications;
mod audit;
mod keys;
mod ledger;
mod limit_form;
pub(crate) mod limits;
mod overview;
mod sessions;
mod tab;
mod webhook;
mod webhooks;

use axum::Router;
use maud::{Markup, html};

use crate::ConsoleState;

pub(crate) fn routes() -> Router<ConsoleState> {
    Router::new()
        .merge(overview::routes())
        .merge(ledger::routes())
        .merge(keys::routes())
        .merge(webhooks::routes())
        .merge(webhook::routes())
        .merge(applications::routes())
        .merge(audit::routes())
        .merge(sessions::routes())
}

/// A new secret with its explanation. It is shown once.
pub(crate) fn secret(secret: &str, about: &Markup) -> Markup {
    html! {
        div.success role="status" {
            p { (about) }
            p {
                code #secret { (secret) } " "
                button type="button" data-copies="secret" hidden { "Copy" }
            }
        }
    }
}
