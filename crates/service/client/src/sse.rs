//! A parser of server-sent events (SSE).

use axum::body::Body;
use axum::response::Response;
use http_body_util::BodyExt;

/// Maximum size of an event; a longer one ends the stream.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// The events of a response.
#[derive(Debug)]
pub struct SseStream {
    body: Body,
    pending: Vec<u8>,
}

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
        Self { body: response.into_body(), pending: Vec::new() }
    }

    /// The next event; `None` at the end or after an error.
    pub async fn next(&mut self) -> Option<SseEvent> {
        loop {
            while let Some(end) = self.pending.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.pending.drain(..end + 2).collect();
                // Heartbeats and retry hints have no data.
                if let Some(event) = SseEvent::read(&String::from_utf8_lossy(&block)) {
                    return Some(event);
                }
            }
            if self.pending.len() > MAX_EVENT_BYTES {
                return None;
            }
            let frame = self.body.frame().await?.ok()?;
            if let Some(bytes) = frame.data_ref() {
                self.pending.extend_from_slice(bytes);
            }
        }
    }
}

impl SseEvent {
    fn read(block: &str) -> Option<Self> {
        let mut event = Self::default();
        let mut has_data = false;
        for line in block.lines() {
            let (name, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match name {
                "event" => value.clone_into(&mut event.kind),
                "data" => {
                    if has_data {
                        event.data.push('\n');
                    }
                    event.data.push_str(value);
                    has_data = true;
                }
                _ => {}
            }
        }
        has_data.then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    #[tokio::test]
    async fn events_are_parsed_and_heartbeats_are_skipped() {
        let stream = "retry: 2000\n\n:\n\nevent: progress\nid: 1\ndata: {\"a\":1}\n\n\
                      event: end\ndata: one\ndata: two\n\nevent: cut";
        let mut events = SseStream::of(stream.into_response());
        let first = events.next().await.expect("an event");
        assert_eq!((first.kind.as_str(), first.data.as_str()), ("progress", "{\"a\":1}"));
        let second = events.next().await.expect("an event");
        assert_eq!((second.kind.as_str(), second.data.as_str()), ("end", "one\ntwo"));
        assert_eq!(events.next().await, None, "an incomplete event is dropped");
    }
}
