//! `/operator/audit`: the audit log of all accounts.

use axum::Router;
use axum::routing::get;
use contract::AuditAction;
use maud::html;
use store::{AuditFilter, PageRequest};

use super::{Operator, tab};
use crate::audit_table::{self, PAGE_SIZE};
use crate::pager::{newer_and_older, page_of};
use crate::{ConsoleState, ListQuery, PageResult};

const PATH: &str = "/operator/audit";

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route(PATH, get(audit))
}

async fn audit(operator: Operator, query: ListQuery) -> PageResult {
    let filter = AuditFilter {
        account: query.get("account").and_then(|id| id.parse().ok()),
        action: query.get("action").and_then(|name| name.parse::<AuditAction>().ok()),
        ..AuditFilter::default()
    };
    let number = page_of(&query);
    let page = PageRequest { number, size: PAGE_SIZE };
    let (entries, has_more) = operator.0.state.store.audit_entries(&filter, page).await?;
    Ok(tab::page(&operator, "/operator/audit").show(html! {
        p.quiet { "Entries of all accounts, and those that concern the service itself." }
        (audit_table::filter(PATH, &query))
        (audit_table::table(&entries, true))
        (newer_and_older(PATH, &query, number, has_more))
    }))
}
