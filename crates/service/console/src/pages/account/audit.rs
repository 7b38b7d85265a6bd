//! `/account/audit`: the audit log of the account.

use axum::Router;
use axum::routing::get;
use contract::AuditPage;
use maud::html;

use super::tab;
use crate::audit_table::{self, PAGE_SIZE};
use crate::pager::{newer_and_older, page_of};
use crate::{ConsoleState, ConsoleUser, ListQuery, PageResult};

const PATH: &str = "/account/audit";

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route(PATH, get(audit))
}

async fn audit(user: ConsoleUser, query: ListQuery) -> PageResult {
    let asked = audit_table::valid_filters(&query).with("page", page_of(&query));
    let asked = asked.with("page_size", PAGE_SIZE);
    let page: AuditPage = user.api().get(&asked.on("/v1/audit")).await?;
    Ok(tab::page(&user, "/account/audit").show(html! {
        p.quiet {
            "Sign-ins, keys, applications, credits, exports and settings of this account. \
             Entries cannot be changed."
        }
        (audit_table::filter(PATH, &query))
        (audit_table::table(&page.items, false))
        (newer_and_older(PATH, &query, page.page, page.has_more))
    }))
}
