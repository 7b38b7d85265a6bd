//! The audit log as a table, for an account's owner and for the operator.

use contract::{AuditAction, AuditActorKind, AuditEntry};
use maud::{Markup, html};

use crate::ListQuery;
use crate::number_format::exact_time;

pub(crate) const PAGE_SIZE: u64 = 50;

/// The valid filters of a query.
pub(crate) fn valid_filters(query: &ListQuery) -> ListQuery {
    let action = query.get("action").filter(|action| action.parse::<AuditAction>().is_ok());
    ListQuery::default().with("action", action.unwrap_or_default())
}

/// The form that filters the log by action.
pub(crate) fn filter(path: &str, query: &ListQuery) -> Markup {
    let chosen = query.get("action").unwrap_or_default();
    html! {
        form.filters method="get" action=(path) {
            label for="action" { "Action" }
            select id="action" name="action" {
                option value="" { "All" }
                @for action in AuditAction::ALL {
                    option value=(action) selected[action.as_str() == chosen] { (action) }
                }
            }
            button type="submit" { "Show" }
        }
    }
}

/// The table of entries; with a column for the account for the operator.
pub(crate) fn table(entries: &[AuditEntry], with_accounts: bool) -> Markup {
    let columns = match with_accounts {
        true => "When, Action, Account:wide, By, Object:wide, Address, Details:wide",
        false => "When, Action, By, Object:wide, Address, Details:wide",
    };
    let row = |entry| row(entry, with_accounts);
    crate::table("Audit log", columns, entries, row, &html! { "There are no entries." })
}

fn row(entry: &AuditEntry, with_accounts: bool) -> Markup {
    let request = entry.request_id.as_ref().map(ToString::to_string);
    html! {
        tr title=[request.map(|id| format!("Request {id}"))] {
            td { (exact_time(entry.at)) }
            td { code { (entry.action) } }
            @if with_accounts {
                td.wide {
                    @match &entry.account_id { Some(id) => code { (id) }, None => { "–" } }
                }
            }
            td {
                (actor(entry.actor.kind))
                @if let Some(id) = &entry.actor.id { br; code { (id) } }
            }
            td.wide {
                @match &entry.object {
                    Some(object) => { (object.kind) br; code { (object.id) } }
                    None => { "–" }
                }
            }
            td { (entry.address.as_deref().unwrap_or("–")) }
            td.wide {
                @for (name, value) in &entry.details { div { (name) ": " (value) } }
            }
        }
    }
}

fn actor(kind: AuditActorKind) -> &'static str {
    match kind {
        AuditActorKind::Session => "Account session",
        AuditActorKind::ApiKey => "API key",
        AuditActorKind::Application => "Application",
        AuditActorKind::Operator => "Operator",
        AuditActorKind::System => "The service",
        AuditActorKind::Anonymous => "Not signed in",
    }
}
