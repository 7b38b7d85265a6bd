//! A task carried out: let through by the gate, fetched, read; a long page on a blocking
//! thread.

use std::sync::Arc;
use std::time::Duration;

use contract::Clock;
use crawl::{AnswerHead, Purpose, Reading, Task};
use journal::Cause;
use net::{Answer, BodyLimit, Fetch, FetchError, Request};
use site::Robots;

use crate::HostGate;
use crate::cause::cause;

/// The longest pause that a host may ask for.
const PAUSE_AT_MOST: Duration = Duration::from_secs(60);

/// A body up to here is read where it arrived: that takes a fraction of a millisecond, less
/// than the hand-over to another thread and the memory of that thread. Longer ones must not
/// keep others waiting.
const READ_AT_ONCE: usize = 128 * 1_024;

/// Everything that a run needs to fetch. Cheap to clone.
#[derive(Clone)]
pub struct Fetcher {
    fetch: Arc<dyn Fetch>,
    gate: HostGate,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetcher").field("gate", &self.gate).finish_non_exhaustive()
    }
}

impl Fetcher {
    /// Fetches through `fetch`, when `gate` lets it.
    #[must_use]
    pub fn new(fetch: Arc<dyn Fetch>, gate: HostGate, clock: Arc<dyn Clock>) -> Self {
        Self { fetch, gate, clock }
    }

    /// The present instant.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    pub(crate) async fn perform(self, task: Task) -> (Task, Result<Reading, Cause>) {
        let permit = self.gate.enter(task.url.bare_host(), task.gap).await;
        let request = Request::get(task.url.clone());
        let request = match task.purpose {
            Purpose::Page { .. } => request.body(BodyLimit::Page),
            Purpose::Robots { .. } => {
                request.accept("text/plain, */*;q=0.5").body(BodyLimit::First(Robots::MAX_BYTES))
            }
        };
        let answer = self.fetch.fetch(request).await;
        if is_strain(&answer) {
            permit.strain(self.clock.now());
        } else {
            permit.ease();
        }
        drop(permit);
        match answer {
            Ok(answer) => self.read(task, answer).await,
            Err(error) => {
                tracing::debug!(url = %task.url, %error, "not fetched");
                metrics::counter!("trawl_fetch_failures_total", "fault" => error.fault().as_str())
                    .increment(1);
                let cause = cause(&error);
                (task, Err(cause))
            }
        }
    }

    async fn read(&self, task: Task, answer: Answer) -> (Task, Result<Reading, Cause>) {
        metrics::counter!("trawl_pages_total").increment(1);
        metrics::counter!("trawl_bytes_total").increment(answer.wire_bytes);
        let head = AnswerHead {
            status: answer.status,
            content_type: answer.content_type().map(std::borrow::Cow::into_owned),
            location: answer.location().map(std::borrow::Cow::into_owned),
            retry_after: answer.retry_after(self.clock.now()),
            size_bytes: size(&answer),
            elapsed: answer.elapsed,
        };
        if let (429 | 503, Some(pause)) = (head.status, head.retry_after) {
            self.gate.pause(task.url.bare_host(), pause.min(PAUSE_AT_MOST));
        }
        if answer.body.len() <= READ_AT_ONCE {
            let reading = Reading::of(&task, head, &answer.body);
            return (task, Ok(reading));
        }
        let reading = tokio::task::spawn_blocking(move || {
            let reading = Reading::of(&task, head, &answer.body);
            (task, reading)
        });
        match reading.await {
            Ok((task, reading)) => (task, Ok(reading)),
            Err(error) => match error.try_into_panic() {
                // Whoever waits for this request knows its task by its handle.
                Ok(panic) => std::panic::resume_unwind(panic),
                // The process is ending.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// The size of an answer on the wire; by its own word where it was not read to its end.
fn size(answer: &Answer) -> u64 {
    let announced = answer.content_length().filter(|_| answer.body_truncated);
    announced.unwrap_or(answer.wire_bytes)
}

/// Whether the host shows that it cannot bear the pace. A page that fails for reasons of its
/// own (500, 404) is not that.
fn is_strain(answer: &Result<Answer, FetchError>) -> bool {
    match answer {
        Ok(answer) => matches!(answer.status, 429 | 502..=504 | 520..=529),
        Err(error) => matches!(error, FetchError::TimedOut(_) | FetchError::Connect(_)),
    }
}
