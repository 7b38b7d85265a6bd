//! Server-sent events (SSE) of a response.

use std::fmt;

use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt as _;
use http_body_util::Limited;

/// Maximum bytes of a stream; a longer one ends.
const MAX_STREAM_BYTES: usize = 64 * 1024 * 1024;

/// The events of a response.
pub struct SseStream(sse_stream::SseStream<Body>);

/// One server-sent event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SseEvent {
    pub kind: String,
    pub data: String,
}

impl SseStream {
    /// The events of a successful response.
    #[must_use]
    pub fn of(response: Response) -> Self {
        let body = Limited::new(response.into_body(), MAX_STREAM_BYTES);
        Self(sse_stream::SseStream::new(Body::new(body)))
    }

    /// The next event; `None` at the end or after an error.
    pub async fn next(&mut self) -> Option<SseEvent> {
        loop {
            let event = self.0.next().await?.ok()?;
            // Heartbeats and retry hints have no data.
            if let Some(data) = event.data {
                return Some(SseEvent { kind: event.event.unwrap_or_default(), data });
            }
        }
    }
}

impl fmt::Debug for SseStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SseStream")
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    #[tokio::test]
    async fn events_are_parsed_and_heartbeats_are_skipped() {
        let stream = "retry: 2000\n\n:\n\nevent: progress\nid: 1\ndata: {\"a\":1}\n\n\
                      event: end\ndata: one\r\ndata: two\n\nevent: cut";
        let mut events = SseStream::of(stream.into_response());
        let first = events.next().await.expect("an event");
        assert_eq!((first.kind.as_str(), first.data.as_str()), ("progress", "{\"a\":1}"));
        let second = events.next().await.expect("an event");
        assert_eq!((second.kind.as_str(), second.data.as_str()), ("end", "one\ntwo"));
        assert_eq!(events.next().await, None, "an incomplete event is dropped");
    }
}
