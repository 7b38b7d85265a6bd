//! `/operator/queue`: queued and leased shards, and the nodes that hold them.

use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use contract::Millis;
use maud::{Markup, html};
use store::{LeaseOverview, NodeOverview, QueueOverview, WaitingShard};

use super::Operator;
use super::tab::OperatorTab;
use crate::number_format::{number, span, time};
use crate::{ConsoleState, PageError};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/operator/queue", get(queue))
}

async fn queue(
    State(state): State<ConsoleState>,
    operator: Operator,
) -> Result<Response, PageError> {
    let store = state.store();
    let overview = store.queue_overview().await?;
    let (waiting, nodes, leases) =
        (store.waiting_shards().await?, store.nodes().await?, store.leases().await?);
    Ok(OperatorTab::Queue.show(
        &operator,
        &html! {
            (facts(&overview, state.now()))
            h2 { "Nodes" }
            (node_table(&nodes))
            h2 { "At work" }
            (lease_table(&leases))
            h2 { "Waiting" }
            (waiting_table(&waiting))
        },
    ))
}

fn facts(overview: &QueueOverview, now: Millis) -> Markup {
    html! {
        section.panel {
            dl.facts {
                @for (status, many) in &overview.jobs {
                    div {
                        dt { "Runs " (status.as_str().replace('_', " ")) }
                        dd { (number(*many)) }
                    }
                }
                div { dt { "Leased shards" } dd { (number(overview.held_shards)) } }
                div { dt { "Queued shards" } dd { (number(overview.waiting_shards)) } }
                @if let Some(oldest) = overview.oldest {
                    div { dt { "Longest wait" } dd { (span(now.since(oldest).as_secs())) } }
                }
            }
        }
    }
}

fn node_table(nodes: &[NodeOverview]) -> Markup {
    list(
        "Nodes",
        "No node holds a lease.",
        nodes.is_empty(),
        &html! {
            thead { tr {
                th scope="col" { "Node" }
                th.number scope="col" { "Shards" }
                th.number scope="col" { "Hosts" }
                th scope="col" { "Alive until (UTC)" }
            } }
            tbody {
                @for node in nodes {
                    tr {
                        td { code { (node.node) } }
                        td.number { (number(node.shards)) }
                        td.number { (number(node.hosts)) }
                        td { (time(node.lease_until)) }
                    }
                }
            }
        },
    )
}

fn lease_table(leases: &[LeaseOverview]) -> Markup {
    list(
        "At work",
        "No shard is leased.",
        leases.is_empty(),
        &html! {
            thead { tr {
                th scope="col" { "Run" }
                th.wide scope="col" { "Account" }
                th scope="col" { "Mode" }
                th.number scope="col" { "Part" }
                th scope="col" { "Host" }
                th.wide scope="col" { "Node" }
                th scope="col" { "Lease until (UTC)" }
                th.number scope="col" { "Deaths" }
            } }
            tbody {
                @for lease in leases {
                    tr {
                        td { code { (lease.job) } }
                        td.wide { (lease.email) }
                        td { (lease.mode) }
                        td.number { (number(lease.number)) }
                        td.url { (lease.host) }
                        td.wide { code { (lease.node) } }
                        td { (time(lease.lease_until)) }
                        td.number { (number(lease.deaths)) }
                    }
                }
            }
        },
    )
}

fn waiting_table(waiting: &[WaitingShard]) -> Markup {
    list(
        "Waiting",
        "No shard is queued.",
        waiting.is_empty(),
        &html! {
            thead { tr {
                th scope="col" { "Run" }
                th.wide scope="col" { "Account" }
                th scope="col" { "Mode" }
                th.number scope="col" { "Part" }
                th scope="col" { "Host" }
                th scope="col" { "Since (UTC)" }
            } }
            tbody {
                @for shard in waiting {
                    tr {
                        td { code { (shard.job) } }
                        td.wide { (shard.email) }
                        td { (shard.mode) }
                        td.number { (number(shard.number)) }
                        td.url { (shard.host) }
                        td { (time(shard.queued_at)) }
                    }
                }
            }
        },
    )
}

fn list(name: &str, nothing: &str, is_empty: bool, table: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            @if is_empty { p.empty { (nothing) } } @else { table { (table) } }
        }
    }
}
