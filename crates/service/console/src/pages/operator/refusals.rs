//! `/operator/refusals`: blocked domains and opt-outs.

use axum::Router;
use axum::routing::get;
use maud::{Markup, html};
use store::OptOutRecord;

use super::{Operator, tab};
use crate::number_format::{count, time};
use crate::{ConsoleState, PageResult};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/operator/refusals", get(refusals))
}

async fn refusals(operator: Operator) -> PageResult {
    let opt_outs = operator.0.state.store.opt_out_records().await?;
    Ok(tab::page(&operator, "/operator/refusals").show(html! {
        (blocked(&operator.0.state.settings.blocked_domains))
        h2 { "Opt-outs" }
        p.quiet {
            (count(opt_outs.len() as u64, "opt-out", "opt-outs"))
            ". Add one with " code { "trawl opt-out add" }
            "; " code { "trawl erase" } " also removes stored data."
        }
        (table(&opt_outs))
    }))
}

fn blocked(domains: &[String]) -> Markup {
    html! {
        section.panel {
            h2 { "Blocked domains" }
            @if domains.is_empty() {
                p.quiet { "None. " code { "TRAWL_BLOCKED_DOMAINS" } " lists them." }
            } @else {
                p.quiet { "Including subdomains, from " code { "TRAWL_BLOCKED_DOMAINS" } "." }
                ul { @for domain in domains { li { (domain) } } }
            }
        }
    }
}

fn table(opt_outs: &[OptOutRecord]) -> Markup {
    crate::table(
        "Opt-outs",
        "Who, Kind, Added",
        opt_outs,
        |one| {
            html! { tr {
                td { (one.hint) }
                td { (one.kind.as_str()) }
                td { (time(one.added_at)) }
            } }
        },
        &html! { "No opt-outs." },
    )
}
