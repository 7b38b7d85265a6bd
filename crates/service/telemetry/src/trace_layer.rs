//! Records spans of `tracing` for the exporter.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use contract::Clock;
use runtime::SystemClock;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The names of the spans that are exported.
pub const EXPORTED: [&str; 10] = [
    "claim", "commit", "delivery", "export", "fetch", "job", "read", "recharge", "request", "shard",
];

/// Fields that are not exported: a URL may have secrets of its site in the query.
const HIDDEN: [&str; 1] = ["url"];

/// A field with the time that has passed before the span was made; not exported.
const ELAPSED: &str = "elapsed_us";

/// Limits of one span, and the spans below one without a parent: a large job is traced in part.
const MAX_ATTRIBUTES: usize = 32;
const MAX_EVENTS: usize = 16;
const MAX_CHARS: usize = 256;
const MAX_SPANS: u32 = 10_000;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SpanValue {
    Text(String),
    Integer(i64),
    Truth(bool),
    Number(f64),
}

/// Names and values of a span or an event.
pub(crate) type SpanAttributes = Vec<(&'static str, SpanValue)>;

/// A warning or error within a span.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SpanEvent {
    pub at: u64,
    pub message: String,
    pub attributes: SpanAttributes,
}

/// A span that has ended. Times are nanoseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EndedSpan {
    pub trace: [u8; 16],
    pub id: [u8; 8],
    pub parent: Option<[u8; 8]>,
    pub name: &'static str,
    pub start: u64,
    pub end: u64,
    pub attributes: SpanAttributes,
    pub events: Vec<SpanEvent>,
    pub has_failed: bool,
}

/// A span that has not ended yet.
#[derive(Debug)]
struct OpenSpan {
    span: EndedSpan,
    /// The spans that may still begin below the one without a parent.
    left: Arc<AtomicU32>,
}

/// Marks a span whose trace is not sampled, or has too many spans.
#[derive(Debug)]
struct Unsampled;

/// A layer that hands ended spans to the exporter, without waiting.
#[derive(Debug)]
pub struct TraceLayer {
    ended: mpsc::Sender<EndedSpan>,
    /// Traces whose id begins with a smaller number are sampled.
    below: u64,
    started_at: u64,
    started: Instant,
}

/// Whether a layer needs this span or event.
#[must_use]
pub fn is_traced(metadata: &Metadata<'_>) -> bool {
    match metadata.is_span() {
        true => EXPORTED.contains(&metadata.name()),
        false => *metadata.level() <= Level::WARN,
    }
}

impl TraceLayer {
    /// A layer that samples this part of all traces, from 0 to 1.
    pub(crate) fn new(ended: mpsc::Sender<EndedSpan>, ratio: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "the ratio is clamped, and a cast of a float saturates"
        )]
        let below = match ratio {
            1.0.. => u64::MAX,
            ratio => (ratio.max(0.0) * u64::MAX as f64) as u64,
        };
        let started_at = u64::try_from(SystemClock.now().0).unwrap_or_default() * 1_000_000;
        Self { ended, below, started_at, started: Instant::now() }
    }

    fn now(&self) -> u64 {
        self.started_at.saturating_add(nanos(self.started.elapsed()))
    }

    /// The trace of a span without a parent; `None` if it is not sampled. That of a job is the same on
    /// all nodes.
    fn trace_of(&self, attributes: &SpanAttributes) -> Option<[u8; 16]> {
        let job = attributes.iter().find_map(|(name, value)| match value {
            SpanValue::Text(job) if *name == "job.id" => Some(job),
            _ => None,
        });
        let mut trace: [u8; 16] = rand::random();
        if let Some(job) = job {
            trace.copy_from_slice(&Sha256::digest(job.as_bytes())[..16]);
        }
        let [a, b, c, d, e, f, g, h, ..] = trace;
        let number = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
        (number < self.below || self.below == u64::MAX).then_some(trace)
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for TraceLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = FieldReader::default();
        attributes.record(&mut fields);
        let parent = span.parent();
        let above = match &parent {
            None => None,
            Some(parent) => match parent.extensions().get::<OpenSpan>() {
                Some(open) => Some((open.span.trace, open.span.id, Arc::clone(&open.left))),
                None => {
                    span.extensions_mut().insert(Unsampled);
                    return;
                }
            },
        };
        let (trace, parent, left) = match above {
            Some((trace, parent, left)) => (trace, Some(parent), left),
            None => match self.trace_of(&fields.attributes) {
                Some(trace) => (trace, None, Arc::new(AtomicU32::new(MAX_SPANS))),
                None => {
                    span.extensions_mut().insert(Unsampled);
                    return;
                }
            },
        };
        let take = |left: u32| left.checked_sub(1);
        if left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            metrics::counter!("trawl_trace_spans_total", "outcome" => "over_limit").increment(1);
            span.extensions_mut().insert(Unsampled);
            return;
        }
        let start = self.now().saturating_sub(fields.elapsed_us.saturating_mul(1_000));
        let span_data = EndedSpan {
            trace,
            id: rand::random(),
            parent,
            name: attributes.metadata().name(),
            start,
            end: start,
            attributes: fields.attributes,
            events: Vec::new(),
            has_failed: false,
        };
        span.extensions_mut().insert(OpenSpan { span: span_data, left });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            let mut fields = FieldReader::default();
            values.record(&mut fields);
            let room = MAX_ATTRIBUTES.saturating_sub(open.span.attributes.len());
            open.span.attributes.extend(fields.attributes.into_iter().take(room));
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(span) = context.event_span(event) else { return };
        if let Some(open) = span.extensions_mut().get_mut::<OpenSpan>() {
            let mut fields = FieldReader::default();
            event.record(&mut fields);
            open.span.has_failed |= *event.metadata().level() == Level::ERROR;
            if open.span.events.len() < MAX_EVENTS {
                open.span.events.push(SpanEvent {
                    at: self.now(),
                    message: fields.message,
                    attributes: fields.attributes,
                });
            }
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let Some(open) = span.extensions_mut().remove::<OpenSpan>() else { return };
        let ended = EndedSpan { end: self.now().max(open.span.start), ..open.span };
        if self.ended.try_send(ended).is_err() {
            metrics::counter!("trawl_trace_spans_total", "outcome" => "dropped").increment(1);
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Reads the fields of a span or event within the limits.
#[derive(Debug, Default)]
struct FieldReader {
    attributes: SpanAttributes,
    message: String,
    elapsed_us: u64,
}

impl FieldReader {
    fn add(&mut self, field: &Field, value: SpanValue) {
        if self.attributes.len() < MAX_ATTRIBUTES && !HIDDEN.contains(&field.name()) {
            self.attributes.push((field.name(), value));
        }
    }

    fn add_text(&mut self, field: &Field, text: &str) {
        let text: String = text.chars().take(MAX_CHARS).collect();
        match field.name() {
            "message" => self.message = text,
            _ => self.add(field, SpanValue::Text(text)),
        }
    }
}

impl Visit for FieldReader {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add_text(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, SpanValue::Integer(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            ELAPSED => self.elapsed_us = value,
            _ => self.add(field, SpanValue::Integer(i64::try_from(value).unwrap_or(i64::MAX))),
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, SpanValue::Truth(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, SpanValue::Number(value));
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::filter::filter_fn;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// The spans of `work`, in the order of their ends.
    fn traced(ratio: f64, queue: usize, work: impl FnOnce()) -> Vec<EndedSpan> {
        let (sender, mut receiver) = mpsc::channel(queue);
        let layer = TraceLayer::new(sender, ratio).with_filter(filter_fn(is_traced));
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, work);
        std::iter::from_fn(|| receiver.try_recv().ok()).collect()
    }

    fn job(id: &str) -> tracing::Span {
        tracing::error_span!("job", job.id = id, account.id = tracing::field::Empty)
    }

    #[test]
    fn spans_of_a_job_are_one_trace_on_all_nodes() {
        let work = || {
            let job = job("job_1");
            job.record("account.id", "acc_1");
            let _job = job.enter();
            let other = tracing::debug_span!("other");
            let _other = other.enter();
            let fetch =
                tracing::debug_span!("fetch", host = "a.test", url = "https://a.test/?token=hush");
            let _fetch = fetch.enter();
            tracing::warn!(cause = "timeout", "slow");
            tracing::info!("not a part of traces");
        };
        let spans = traced(1.0, 100, work);
        let [fetch, job] = spans.as_slice() else { panic!("{spans:?}") };
        assert_eq!((fetch.name, job.name), ("fetch", "job"));
        assert_eq!((fetch.trace, fetch.parent), (job.trace, Some(job.id)));
        assert_eq!(job.parent, None);
        let text = |text: &str| SpanValue::Text(text.to_owned());
        assert_eq!(job.attributes, [("job.id", text("job_1")), ("account.id", text("acc_1"))]);
        assert_eq!(fetch.attributes, [("host", text("a.test"))], "no URL");
        assert_eq!(fetch.events.len(), 1);
        assert_eq!(fetch.events[0].message, "slow");
        assert!(fetch.start >= job.start && fetch.end <= job.end);
        let elsewhere = traced(1.0, 100, work);
        assert_eq!(elsewhere[1].trace, job.trace, "the id follows from that of the job");
        assert_ne!(elsewhere[1].id, job.id);
    }

    #[test]
    fn sampling_is_by_trace() {
        let run = |ratio| {
            traced(ratio, 10_000, || {
                for number in 0..1_000 {
                    let span = job(&format!("job_{number}"));
                    let _job = span.enter();
                    drop(tracing::debug_span!("commit"));
                }
            })
        };
        assert_eq!(run(0.0).len(), 0);
        assert_eq!(run(1.0).len(), 2_000);
        let tenth = run(0.1);
        assert!((100..300).contains(&tenth.len()), "{}", tenth.len());
        assert_eq!(tenth.len() % 2, 0, "a trace is sampled whole");
        let again: Vec<_> = run(0.1).iter().map(|span| span.trace).collect();
        let tenth: Vec<_> = tenth.iter().map(|span| span.trace).collect();
        assert_eq!(tenth, again, "all nodes sample the same jobs");
    }

    #[test]
    fn queue_and_spans_of_a_job_are_bounded() {
        let spans = traced(1.0, 5, || {
            for _ in 0..20 {
                drop(job("job_1"));
            }
        });
        assert_eq!(spans.len(), 5, "the others are dropped");
        let spans = traced(1.0, 20_000, || {
            let span = job("job_1");
            let _job = span.enter();
            for _ in 0..11_000 {
                let fetch = tracing::debug_span!("fetch");
                let _fetch = fetch.enter();
                drop(tracing::debug_span!("read"));
            }
        });
        assert_eq!(spans.len(), MAX_SPANS as usize);
    }

    #[test]
    fn elapsed_time_moves_the_start() {
        let spans =
            traced(1.0, 10, || drop(tracing::debug_span!("claim", elapsed_us = 3_000_000_u64)));
        assert!(spans[0].end - spans[0].start >= 3_000_000_000);
        assert!(spans[0].attributes.is_empty());
    }
}
