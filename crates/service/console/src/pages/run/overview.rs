//! The first tab: progress and request of a run.

use contract::{Event, EventData, Status};
use job::Job;
use maud::{Markup, html};

use super::RunPage;
use super::tab::RunTab;
use crate::assets::RUN_JS;
use crate::charts::{ChartPoint, curve};
use crate::number_format::{number, span, time};
use crate::pages::new_run;
use crate::{FormErrors, PageError, PageResult};

/// Number of events in the initial curve.
const MAX_EVENTS: u32 = 300;

pub(super) async fn show(run: RunPage) -> PageResult {
    page(&run, &FormErrors::default()).await
}

/// The tab with errors of an action.
pub(super) async fn page(run: &RunPage, form_errors: &FormErrors) -> PageResult {
    let progress = run.user.state.store.progress(&run.job.id).await?.ok_or(PageError::NotFound)?;
    let events = run.user.state.store.latest_events(&run.job.id, MAX_EVENTS).await?;
    let job = &run.job;
    let is_moving = matches!(job.status, Status::Queued | Status::Running);
    let rates = rates(job, &events);
    let live = (!job.status.is_final()).then(|| run.path("/live"));
    let content = html! {
        div #run data-live=[live] data-status=(job.status) data-now=(run.user.state.now().0) {
            section.panel aria-label="Numbers" { (facts(run, progress.fetched)) }
            div.columns {
                @if is_moving || rates.len() > 1 {
                    section.panel aria-labelledby="rate-title" {
                        h2 #rate-title { "Results per second" }
                        (curve("plot", &rates, "Results per second over the time of the run"))
                        p.hint { "At most " span data-of="peak" { (peak(&rates)) } " per second" }
                    }
                }
                @if is_moving {
                    section.panel aria-labelledby="fetching-title" {
                        h2 #fetching-title { "Being fetched" }
                        ul.fetching #fetching {
                            @for url in progress.fetching.iter().take(6) { li title=(url) { (url) } }
                        }
                    }
                    section.panel aria-labelledby="hosts-title" {
                        h2 #hosts-title { "Hosts" }
                        ul.fetching #hosts {
                            @for (host, count) in hosts(&progress.fetching) {
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
        }
    };
    let content = run.layout(RunTab::Progress, form_errors, &content);
    Ok(run.page(RunTab::Progress).script(RUN_JS).show(content))
}

fn facts(run: &RunPage, fetched: u64) -> Markup {
    let job = &run.job;
    let end = job.finished_at.unwrap_or_else(|| run.user.state.now());
    html! {
        dl.facts {
            (fact("Pages found", "pages", job.counts.pages))
            (fact("Fetched", "fetched", fetched))
            (fact("Results", "results", job.counts.results))
            @if job.mode.counts_products() { (fact("Products found", "products", job.counts.products)) }
            div { dt { "URLs per second" } dd data-of="rate" { "–" } }
            div { dt { "Credits used" } dd {
                span data-of="credits" { (number(job.credits_used.0)) }
                @if let Some(rate) = job.shown_rate() { " " small { "at " (number(rate.0)) " each" } }
            } }
            @if job.batch > 1 { div { dt { "Batch" } dd { (job.batch) } } }
            div { dt { "Started" } dd { small { (time(job.created_at)) } } }
            div { dt { @if job.status.is_final() { "Took" } @else { "Running for" } } dd { (span(end.since(job.created_at).as_secs())) } }
            div { dt { "Source" } dd { small { (job.source) } } }
        }
    }
}

fn fact(name: &str, of: &str, value: u64) -> Markup {
    html! { div { dt { (name) } dd data-of=(of) { (number(value)) } } }
}

/// The rate of results between events.
#[expect(clippy::cast_precision_loss, reason = "a rate is approximate")]
fn rates(job: &Job, events: &[Event]) -> Vec<ChartPoint> {
    let counts = events.iter().filter_map(|event| match &event.data {
        EventData::Job { job } => Some((event.emitted_at, job.counts.results)),
        EventData::Account { .. } | EventData::Test { .. } => None,
    });
    let (mut since, mut before) = (job.created_at, 0);
    counts
        .filter_map(|(at, results)| {
            let seconds = at.since(since).as_secs_f64();
            let value = results.saturating_sub(before) as f64 / seconds;
            // Skip events with the same time.
            let point = (seconds > 0.0).then_some(ChartPoint { at: at.0, value });
            (since, before) = (at, results);
            point
        })
        .collect()
}

fn peak(rates: &[ChartPoint]) -> String {
    let most = rates.iter().map(|point| point.value).fold(0.0, f64::max);
    format!("{most:.1}")
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
