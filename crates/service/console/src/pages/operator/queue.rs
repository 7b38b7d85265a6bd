//! `/operator/queue`: queued and leased shards, and the nodes that hold them.

use axum::Router;
use axum::routing::get;
use contract::Millis;
use maud::{Markup, html};
use store::{LeaseOverview, NodeOverview, QueueOverview, WaitingShard};

use super::{Operator, tab};
use crate::number_format::{exact_time, number, span, time};
use crate::{ConsoleState, PageResult};

pub(super) fn routes() -> Router<ConsoleState> {
    Router::new().route("/operator/queue", get(queue))
}

async fn queue(operator: Operator) -> PageResult {
    let store = &operator.0.state.store;
    let overview = store.queue_overview().await?;
    let (waiting, nodes, leases) =
        (store.waiting_shards().await?, store.nodes().await?, store.leases().await?);
    Ok(tab::page(&operator, "/operator/queue").show(html! {
        (facts(&overview, operator.0.state.now()))
        h2 { "Nodes" }
        (node_table(&nodes))
        h2 { "Active shards" }
        (lease_table(&leases))
        h2 { "Waiting" }
        (waiting_table(&waiting))
    }))
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
    let row = |node: &NodeOverview| {
        html! { tr {
            td { code { (node.node) } }
            td { (node.version.as_deref().unwrap_or("–")) }
            td.number {
                (number(node.shards)) @if let Some(slots) = node.slots { " of " (number(slots)) }
            }
            td.number { (number(node.hosts)) }
            td {
                @match node.browser {
                    Some(0) => span.chip { "none" },
                    Some(_) => span.chip.good { "set up" },
                    None => { "–" }
                }
            }
            td.wide { @if let Some(ahead) = node.clock_ahead { (number(ahead)) " ms" } }
            td { @if let Some(at) = node.seen_at.or(node.lease_until) { (exact_time(at)) } }
        } }
    };
    let columns =
        "Node, Version, Shards:number, Hosts:number, Browser, Clock ahead:wide, Last seen";
    crate::table("Nodes", columns, nodes, row, &html! { "No node runs jobs." })
}

fn lease_table(leases: &[LeaseOverview]) -> Markup {
    let row = |lease: &LeaseOverview| {
        html! { tr {
            td { code { (lease.job) } }
            td.wide { (lease.email) }
            td { (lease.mode) }
            td.number { (number(lease.number)) }
            td.url { (lease.host) }
            td.wide { code { (lease.node) } }
            td { (time(lease.lease_until)) }
            td.number { (number(lease.deaths)) }
        } }
    };
    let columns = "Run, Account:wide, Mode, Part:number, Host, Node:wide, Lease until, \
        Deaths:number";
    crate::table("Active shards", columns, leases, row, &html! { "No shard is leased." })
}

fn waiting_table(waiting: &[WaitingShard]) -> Markup {
    let row = |shard: &WaitingShard| {
        html! { tr {
            td { code { (shard.job) } }
            td.wide { (shard.email) }
            td { (shard.mode) }
            td.number { (number(shard.number)) }
            td.url { (shard.host) }
            td { (time(shard.queued_at)) }
        } }
    };
    let columns = "Run, Account:wide, Mode, Part:number, Host, Since";
    crate::table("Waiting", columns, waiting, row, &html! { "No shard is queued." })
}
