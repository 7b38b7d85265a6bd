//! The tab with the progress and the request of a run.

use contract::Status;
use maud::{Markup, html};

use super::tab::RunTab;
use super::{RunPage, throughput};
use crate::PageResult;
use crate::number_format::{number, span, time};
use crate::pages::new_run;

pub(super) async fn show(run: RunPage) -> PageResult {
    let job = &run.job;
    let is_moving = matches!(job.status, Status::Queued | Status::Running);
    let points = throughput::points(&run).await?;
    let content = html! {
        section.panel aria-label="Numbers" { (facts(&run)) }
        @if is_moving || points.len() > 1 {
            section.panel aria-labelledby="rate-title" {
                h2 #rate-title { "Results per second" }
                (throughput::chart(&run, &points))
            }
        }
        div.columns {
            @if is_moving {
                section.panel aria-labelledby="fetching-title" {
                    h2 #fetching-title { "In progress" }
                    ul.fetching #fetching {
                        @for url in run.fetching.iter().take(6) { li title=(url) { (url) } }
                    }
                }
                section.panel aria-labelledby="hosts-title" {
                    h2 #hosts-title { "Hosts" }
                    ul.fetching #hosts {
                        @for (host, count) in hosts(&run.fetching) {
                            li { (host) " · " (count) }
                        }
                    }
                }
            }
            section.panel aria-labelledby="asked-title" {
                h2 #asked-title { "Request" }
                pre.request tabindex="0" { (new_run::asked_for(job)) }
            }
        }
    };
    Ok(run.tab(RunTab::Progress, &content))
}

fn facts(run: &RunPage) -> Markup {
    let job = &run.job;
    let end = job.finished_at.unwrap_or_else(|| run.user.state.now());
    html! {
        dl.facts {
            (fact("URLs found", "pages", job.counts.pages.max(run.fetched)))
            (fact("Processed", "fetched", run.fetched))
            (fact("Results", "results", job.counts.results))
            @if job.mode.counts_products() { (fact("Products found", "products", job.counts.products)) }
            div { dt { "URLs/s" } dd data-of="rate" { "–" } }
            div { dt { "Credits used" } dd {
                span data-of="credits" { (number(job.credits_used.0)) }
                @if let Some(rate) = job.shown_rate() { " " small { "at " (number(rate.0)) " each" } }
            } }
            @if job.batch > 1 { div { dt { "Batch" } dd { (job.batch) } } }
            div { dt { "Started" } dd { small { (time(job.created_at)) } } }
            div {
                dt { @if job.status.is_final() { "Duration" } @else { "Elapsed" } }
                dd data-of="elapsed" { (span(end.since(job.created_at).as_secs())) }
            }
            div { dt { "Source" } dd { small { (job.source) } } }
        }
    }
}

fn fact(name: &str, of: &str, value: u64) -> Markup {
    html! { div { dt { (name) } dd data-of=(of) { (number(value)) } } }
}

/// The hosts of some URLs with their counts.
fn hosts(urls: &[String]) -> Vec<(String, usize)> {
    let mut counted: Vec<(String, usize)> = Vec::new();
    for url in urls {
        let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let host = host.unwrap_or_else(|| url.clone());
        match counted.iter_mut().find(|(known, _)| *known == host) {
            Some((_, count)) => *count += 1,
            None => counted.push((host, 1)),
        }
    }
    counted.truncate(6);
    counted
}
