//! Streams the items of a job as lines of JSON, in bounded memory.
//!
//! The stream of a job that has ended, or of the items so far, keeps one segment in memory and takes
//! the permits of a download. A stream that follows a run reads few items at a time and keeps none
//! while its client reads, because many can be open.

use std::collections::BTreeMap;
use std::io;

use axum::body::Bytes;
use contract::JobId;
use futures_util::StreamExt as _;
use futures_util::stream::{self, Stream};
use job::Job;
use runtime::off_runtime;
use serde_json::Value;
use store::{ResultLines, Store};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span};

use crate::progress_hub::{ProgressSubscription, StreamChange};
use crate::result_query::ResultQuery;
use crate::routes::watch_job::HEARTBEAT_EVERY;

/// A chunk ends with the item that reaches this size.
const CHUNK_BYTES: usize = 64 * 1024;

/// Items that a following stream reads at a time.
const FOLLOWED_ITEMS: u64 = 256;

/// An empty line, which readers of lines skip. Both sides notice a broken connection by it.
const KEEP_ALIVE: Bytes = Bytes::from_static(b"\n");

/// Reads items in order and writes those that match as lines.
struct LineReader {
    store: Store,
    job: JobId,
    query: ResultQuery,
    /// The number of the next item.
    next: u64,
    /// The segment that contains it, if it was read.
    rows: ResultLines,
    /// The files of the pages of its items.
    files: BTreeMap<u64, Value>,
}

impl LineReader {
    fn new(store: &Store, job: &Job, query: ResultQuery, from: u64) -> Self {
        let (store, job) = (store.clone(), job.id.clone());
        let (rows, files) = (ResultLines::default(), BTreeMap::new());
        Self { store, job, query, next: from, rows, files }
    }

    /// The lines of the next items before `end`, of one segment at most; may be empty. `None` at the
    /// end.
    async fn chunk(&mut self, end: u64) -> io::Result<Option<Bytes>> {
        if self.next >= end {
            return Ok(None);
        }
        if self.next >= self.rows.end() {
            // Before the next segment is read: only one is in memory.
            self.rows = ResultLines::default();
            let rows = self.store.some_results(&self.job, self.next..end).await;
            self.rows = rows.map_err(io::Error::other)?;
            if self.rows.is_empty() {
                return Ok(None);
            }
            let files = self.query.files_of(self.next..self.rows.end()).await;
            self.files = files.map_err(io::Error::other)?;
        }
        off_runtime(|| self.write_lines()).map(Some)
    }

    fn write_lines(&mut self) -> io::Result<Bytes> {
        let mut lines = Vec::new();
        for row in self.rows.numbered_from(self.next) {
            let (number, _, item): (u64, usize, Value) = row.map_err(io::Error::other)?;
            self.next = number + 1;
            if self.query.filter.matches(&item) {
                let files = self.files.remove(&number);
                serde_json::to_writer(&mut lines, &self.query.select(item, files))?;
                lines.push(b'\n');
            }
            if lines.len() >= CHUNK_BYTES {
                break;
            }
        }
        Ok(lines.into())
    }
}

/// The items so far, from the number `from` on. Holds the permits until the stream is dropped.
pub(crate) fn lines_of<P: Send + 'static>(
    store: &Store,
    job: &Job,
    query: ResultQuery,
    from: u64,
    permits: P,
) -> impl Stream<Item = io::Result<Bytes>> + use<P> {
    let reader = LineReader::new(store, job, query, from);
    let lines = Lines { reader, end: job.counts.results, failed: false };
    let span = results_span(job);
    let lines = stream::unfold((lines, permits, span), async |(mut lines, permits, span)| {
        let chunk = lines.next().instrument(span.clone()).await?;
        Some((chunk, (lines, permits, span)))
    });
    // Layers around the body poll it again after its end.
    lines.fuse()
}

fn results_span(job: &Job) -> Span {
    tracing::error_span!("results", job.id = %job.id)
}

/// The stream of a fixed number of items.
struct Lines {
    reader: LineReader,
    end: u64,
    failed: bool,
}

impl Lines {
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.failed {
            return None;
        }
        let alive_until = Instant::now() + HEARTBEAT_EVERY;
        loop {
            match self.reader.chunk(self.end).await {
                Ok(Some(lines)) if !lines.is_empty() => return Some(Ok(lines)),
                // A filter that matches nothing for long.
                Ok(Some(_)) if Instant::now() >= alive_until => return Some(Ok(KEEP_ALIVE)),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    tracing::warn!(%error, "result stream aborted");
                    self.failed = true;
                    return Some(Err(error));
                }
            }
        }
    }
}

/// A stream that continues until the job has ended.
pub(crate) struct FollowedRun {
    reader: LineReader,
    subscription: ProgressSubscription,
    shutdown: Option<CancellationToken>,
    /// Number of items that are stored, as far as the stream knows.
    stored: u64,
    stage: FollowStage,
    span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FollowStage {
    /// Nothing was sent yet: a first line starts the response at once.
    Start,
    Running,
    /// The job has ended: no item is added.
    Ended,
    /// The stream was cut before the end of the job.
    Cut,
}

impl FollowedRun {
    pub fn new(
        store: &Store,
        job: &Job,
        query: ResultQuery,
        from: u64,
        subscription: ProgressSubscription,
        shutdown: Option<CancellationToken>,
    ) -> Self {
        let reader = LineReader::new(store, job, query, from);
        let (stored, stage) = (job.counts.results, FollowStage::Start);
        Self { reader, subscription, shutdown, stored, stage, span: results_span(job) }
    }

    pub fn lines(self) -> impl Stream<Item = io::Result<Bytes>> {
        let lines = stream::unfold(self, async |mut run| {
            let span = run.span.clone();
            let chunk = run.next().instrument(span).await?;
            Some((chunk, run))
        });
        lines.fuse()
    }

    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.stage == FollowStage::Start {
            self.stage = FollowStage::Running;
            // Another stream of the job may have received its latest state before.
            self.update();
            return Some(Ok(KEEP_ALIVE));
        }
        let alive_until = Instant::now() + HEARTBEAT_EVERY;
        loop {
            if self.stage == FollowStage::Cut {
                return None;
            }
            if self.is_cut() {
                return self.cut("the stream ended before the job");
            }
            let end = self.stored.min(self.reader.next.saturating_add(FOLLOWED_ITEMS));
            let chunk = self.reader.chunk(end).await;
            self.reader.rows = ResultLines::default();
            self.reader.files.clear();
            match chunk {
                Ok(Some(lines)) if !lines.is_empty() => return Some(Ok(lines)),
                Ok(Some(_)) if Instant::now() >= alive_until => return Some(Ok(KEEP_ALIVE)),
                Ok(Some(_)) => {}
                Ok(None) if self.stage == FollowStage::Ended => return None,
                Ok(None) => {
                    match self.subscription.changed(self.shutdown.as_ref(), alive_until).await {
                        StreamChange::State => self.update(),
                        StreamChange::Nothing => return Some(Ok(KEEP_ALIVE)),
                        StreamChange::Over => return self.cut("the stream ended before the job"),
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "result stream aborted");
                    return self.cut("the results could not be read");
                }
            }
        }
    }

    /// Ends the stream as an incomplete transfer, so that the client does not take it for complete.
    fn cut(&mut self, cause: &str) -> Option<io::Result<Bytes>> {
        self.stage = FollowStage::Cut;
        Some(Err(io::Error::other(cause)))
    }

    fn is_cut(&self) -> bool {
        self.subscription.accepted.has_changed().is_err()
            || self.shutdown.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Takes over the latest state of the job.
    fn update(&mut self) {
        if let Some(frame) = &*self.subscription.latest.borrow_and_update() {
            self.stored = self.stored.max(frame.results);
            if frame.is_last {
                self.stage = FollowStage::Ended;
            }
        }
    }
}
