//! `/account/ledger`: all changes of the balance.

use axum::Router;
use axum::routing::get;
use contract::{LedgerKind, LedgerLine, LedgerPage};
use maud::{Markup, html};

use super::tab;
use crate::number_format::{number, time};
use crate::pager::{newer_and_older, page_of};
use crate::{ConsoleState, ConsoleUser, ListQuery, PageResult};

const PAGE_SIZE: u64 = 50;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/account/ledger", get(ledger))
}

async fn ledger(user: ConsoleUser, query: ListQuery) -> PageResult {
    let asked = ListQuery::default().with("page", page_of(&query)).with("page_size", PAGE_SIZE);
    let page: LedgerPage = user.api().get(&asked.on("/v1/ledger")).await?;
    Ok(tab::page(&user, "/account/ledger").show(html! {
        (crate::table(
            "Ledger",
            "When, What, Source:wide, Units:number, Credits:number",
            &page.items, row, &html! { "No credits were added or spent." },
        ))
        (newer_and_older("/account/ledger", &query, page.page, page.has_more))
    }))
}

fn row(line: &LedgerLine) -> Markup {
    html! {
        tr {
            td { (time(line.at)) }
            td {
                @match (line.kind, &line.job_id) {
                    (LedgerKind::Grant, _) => { "Credits added" }
                    (LedgerKind::Debit, Some(job)) => {
                        a href={ "/runs/" (job) } {
                            "Run" @if let Some(mode) = line.mode { " (" (mode) ")" }
                        }
                    }
                    (LedgerKind::Debit, None) => { "Run" }
                }
            }
            td.wide { (line.source.as_deref().unwrap_or("–")) }
            td.number { @if line.units.0 > 0 { (number(line.units.0)) } @else { "–" } }
            td.number { @if line.amount.0 > 0 { "+" } (number(line.amount.0)) }
        }
    }
}
