//! The results per second of a run over its time.

use contract::{Event, EventData, Millis, ResultsPage};
use maud::{Markup, html};
use serde::Deserialize;

use super::RunPage;
use crate::charts::{ChartPoint, curve};
use crate::number_format::{count, span};
use crate::{ListQuery, PageResult};

/// Number of parts that the time of a run is divided into.
const PARTS: i64 = 60;

/// A run with more results has the rates between its events instead.
const MAX_RESULTS: u64 = 5_000;

/// Number of events that are read.
const MAX_EVENTS: u32 = 300;

/// When a result was fetched.
#[derive(Debug, Deserialize)]
struct FetchTime {
    fetched_at: Option<Millis>,
}

/// The points of the curve: results per second in each part of the time.
pub(super) async fn points(run: &RunPage) -> PageResult<Vec<ChartPoint>> {
    if run.job.counts.results > MAX_RESULTS {
        let events = run.user.state.store.latest_events(&run.job.id, MAX_EVENTS).await?;
        return Ok(between(run.job.created_at, &events));
    }
    let size = run.user.state.settings.page_size_max.clamp(1, 1_000);
    let mut times = Vec::new();
    let mut cursor = String::new();
    for _ in 0..=MAX_RESULTS / size {
        let asked = ListQuery::default().with("fields", "fetched_at").with("page_size", size);
        let path = asked.with("cursor", &cursor).on(&run.api_path("/results"));
        let found: ResultsPage<FetchTime> = run.api().get(&path).await?;
        times.extend(found.items.iter().filter_map(|item| item.fetched_at));
        match found.next_cursor.filter(|_| found.has_more) {
            Some(next) => cursor = next,
            None => break,
        }
    }
    let end = run.job.finished_at.unwrap_or_else(|| run.user.state.now());
    Ok(counted(run.job.started_at.unwrap_or(run.job.created_at), end, &times))
}

/// The number of times in each part from start to end, per second.
#[expect(clippy::cast_precision_loss, reason = "a rate is approximate")]
fn counted(start: Millis, end: Millis, times: &[Millis]) -> Vec<ChartPoint> {
    if times.is_empty() {
        return Vec::new();
    }
    // The clock of the node that fetched may differ from that of the database.
    let first = times.iter().copied().min().map_or(start, |first| first.min(start));
    let last = times.iter().copied().max().map_or(end, |last| last.max(end));
    let part = ((last.0 - first.0) / PARTS + 1).max(100);
    let parts = (last.0 - first.0) / part + 1;
    let mut counts = vec![0_u32; usize::try_from(parts).unwrap_or(1)];
    for time in times {
        if let Some(count) =
            usize::try_from((time.0 - first.0) / part).ok().and_then(|place| counts.get_mut(place))
        {
            *count += 1;
        }
    }
    let point = |(place, count): (i64, &u32)| ChartPoint {
        at: first.0 + place * part,
        value: f64::from(*count) * 1_000.0 / part as f64,
    };
    (0..).zip(&counts).map(point).collect()
}

/// The rate of results between events.
#[expect(clippy::cast_precision_loss, reason = "a rate is approximate")]
fn between(start: Millis, events: &[Event]) -> Vec<ChartPoint> {
    let counts = events.iter().filter_map(|event| match &event.data {
        EventData::Job { job } => Some((event.emitted_at, job.counts.results)),
        EventData::Account { .. } | EventData::Test { .. } => None,
    });
    let (mut since, mut before) = (start, 0);
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

/// The curve with its axes, and its numbers as text.
pub(super) fn chart(run: &RunPage, points: &[ChartPoint]) -> Markup {
    let peak = points.iter().map(|point| point.value).fold(0.0, f64::max);
    let end = run.job.finished_at.unwrap_or_else(|| run.user.state.now());
    let seconds = end.since(run.job.created_at).as_secs();
    let described = format!(
        "Results per second over {}: at most {peak:.1}; {}.",
        span(seconds),
        count(run.job.counts.results, "result", "results")
    );
    html! {
        div.chart {
            div.axis-y aria-hidden="true" {
                span { span data-of="peak" { (format_args!("{peak:.1}")) } "/s" }
                span { "0/s" }
            }
            (curve("plot", points, &described))
            div.axis-x aria-hidden="true" {
                span { "0 s" }
                span data-of="elapsed" { (span(seconds)) }
            }
        }
        @if points.len() > 1 {
            details.more {
                summary { "Numbers" }
                (crate::table(
                    "Results per second",
                    "After, Results per second:number",
                    points,
                    |point| html! { tr {
                        td { (span(Millis(point.at).since(run.job.created_at).as_secs())) }
                        td.number { (format_args!("{:.1}", point.value)) }
                    } },
                    &html! {},
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_sum_up_to_the_results() {
        let times: Vec<_> = (0..120).map(|number| Millis(number * 500)).collect();
        let points = counted(Millis(0), Millis(60_000), &times);
        assert!(points.len() >= 59 && points.len() <= 61, "{}", points.len());
        let width = (points[1].at - points[0].at) as f64 / 1_000.0;
        let sum: f64 = points.iter().map(|point| point.value * width).sum();
        assert!((sum - 120.0).abs() < 0.01, "{sum}");
        assert!(points.windows(2).all(|pair| pair[0].at < pair[1].at));
    }

    #[test]
    fn times_outside_of_the_run_are_counted() {
        assert_eq!(counted(Millis(0), Millis(10), &[]), []);
        let points = counted(Millis(1_000), Millis(1_000), &[Millis(500), Millis(2_000)]);
        let results: f64 = points.iter().map(|point| point.value).sum::<f64>() / 10.0;
        assert!((results - 2.0).abs() < 0.01, "{points:?}");
    }
}
