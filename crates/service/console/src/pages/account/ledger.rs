//! `/account/ledger`: all changes of the balance, by run or one by one, also as a file.

use axum::Router;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use contract::{LedgerKind, LedgerLine, LedgerPage};
use maud::{Markup, html};

use super::tab;
use crate::number_format::{number, time};
use crate::pager::{newer_and_older, page_of};
use crate::pages::runs::site;
use crate::{ConsoleState, ConsoleUser, ListQuery, PageResult};

const PAGE_SIZE: u64 = 50;

/// Maximum lines of a file.
const MAX_LINES: usize = 20_000;

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/account/ledger", get(ledger)).route("/account/ledger.csv", get(download))
}

/// Whether each charge has a separate line.
fn is_detailed(query: &ListQuery) -> bool {
    query.get("lines") == Some("all")
}

async fn read(
    user: &ConsoleUser,
    query: &ListQuery,
    page: u64,
    size: u64,
) -> PageResult<LedgerPage> {
    let asked = ListQuery::default().with("page", page).with("page_size", size);
    let asked = asked.with("group", if is_detailed(query) { "" } else { "job" });
    Ok(user.api().get(&asked.on("/v1/ledger")).await?)
}

async fn ledger(user: ConsoleUser, query: ListQuery) -> PageResult {
    let page = read(&user, &query, page_of(&query), PAGE_SIZE).await?;
    let detailed = is_detailed(&query);
    let file = query.only(&["lines"]).on("/account/ledger.csv");
    let columns = if detailed {
        "When, What, Source:wide, Units:number, Credits:number"
    } else {
        "When, What, Source:wide, Units:number, Credits:number, Balance:number"
    };
    Ok(tab::page(&user, "/account/ledger").show(html! {
        div.toolbar {
            nav.views aria-label="Lines" {
                a href="/account/ledger" aria-current=[(!detailed).then_some("true")] { "By run" }
                a href="/account/ledger?lines=all" aria-current=[detailed.then_some("true")] {
                    "Every charge"
                }
            }
            a.button href=(file) download { "Download CSV" }
        }
        (crate::table(
            "Ledger", columns, &page.items, |line| row(line, detailed),
            &html! { "No credits were added or spent." },
        ))
        (newer_and_older("/account/ledger", &query, page.page, page.has_more))
    }))
}

fn row(line: &LedgerLine, detailed: bool) -> Markup {
    html! {
        tr {
            td { (time(line.at)) }
            td.url {
                @match (line.kind, &line.job_id) {
                    (LedgerKind::Grant, _) => { "Credits added" }
                    (LedgerKind::Debit, Some(job)) => {
                        a href={ "/runs/" (job) } {
                            @match (&line.url, line.mode) {
                                (Some(url), Some(mode)) => { (site(Some(url.as_str()), mode)) " (" (mode) ")" }
                                (_, mode) => {
                                    "Run" @if let Some(mode) = mode { " (" (mode) ")" }
                                }
                            }
                        }
                    }
                    (LedgerKind::Debit, None) => { "Page" @if let Some(mode) = line.mode { " (" (mode) ")" } }
                }
            }
            td.wide { (line.source.as_deref().unwrap_or("–")) }
            td.number { @if line.units.0 > 0 { (number(line.units.0)) } @else { "–" } }
            td.number { @if line.amount.0 > 0 { "+" } (number(line.amount.0)) }
            @if !detailed {
                td.number { @if let Some(balance) = line.balance { (number(balance.0)) } }
            }
        }
    }
}

/// The newest lines as a file with comma-separated values.
async fn download(user: ConsoleUser, query: ListQuery) -> PageResult {
    let size = user.state.settings.page_size_max.clamp(1, 1_000);
    let mut text = "at,kind,job_id,page_id,mode,source,url,units,credits,balance\r\n".to_owned();
    let mut lines = 0;
    for page in 1.. {
        let found = read(&user, &query, page, size).await?;
        for line in &found.items {
            text.push_str(&csv(line));
        }
        lines += found.items.len();
        if !found.has_more || lines >= MAX_LINES {
            break;
        }
    }
    let mut response: Response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    let file = HeaderValue::from_static("attachment; filename=\"ledger.csv\"");
    headers.insert(header::CONTENT_DISPOSITION, file);
    Ok(response)
}

fn csv(line: &LedgerLine) -> String {
    let text = |value: Option<&str>| quoted(value.unwrap_or_default());
    let cells = [
        line.at.to_string(),
        line.kind.to_string(),
        text(line.job_id.as_ref().map(contract::JobId::as_str)),
        text(line.page_id.as_ref().map(contract::PageId::as_str)),
        text(line.mode.map(contract::Mode::as_str)),
        text(line.source.as_deref()),
        text(line.url.as_deref()),
        line.units.0.to_string(),
        line.amount.0.to_string(),
        line.balance.map(|balance| balance.0.to_string()).unwrap_or_default(),
    ];
    format!("{}\r\n", cells.join(","))
}

/// A cell: quoted where commas or quotes are in it. A text that a spreadsheet would compute begins
/// with an apostrophe.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{guard}{}\"", text.replace('"', "\"\""))
    } else {
        format!("{guard}{text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "'=1+1"),
            ("@x,y", "\"'@x,y\""),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
