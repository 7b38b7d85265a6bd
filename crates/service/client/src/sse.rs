//! A parser of server-sent events (SSE, HTML standard section 9.2). Lines end with LF, CR or CRLF;
//! fields and lines that the standard does not define are ignored.

use axum::body::Body;
use axum::response::Response;
use http_body_util::BodyExt as _;

/// Maximum bytes of an event; a longer one ends the stream.
const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// The events of a response.
#[derive(Debug)]
pub struct SseStream {
    body: Body,
    /// Received bytes that are not parsed yet.
    pending: Vec<u8>,
    /// Whether the last line ended with CR: an LF that follows belongs to the same line end.
    after_cr: bool,
    /// The event whose lines are being received.
    event: SseEvent,
    has_data: bool,
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
        Self {
            body: response.into_body(),
            pending: Vec::new(),
            after_cr: false,
            event: SseEvent::default(),
            has_data: false,
        }
    }

    /// The next event; `None` at the end or after an error.
    pub async fn next(&mut self) -> Option<SseEvent> {
        loop {
            while let Some(line) = self.take_line() {
                if let Some(event) = self.read_line(&line) {
                    return Some(event);
                }
            }
            let SseEvent { kind, data } = &self.event;
            if self.pending.len() + kind.len() + data.len() > MAX_EVENT_BYTES {
                return None;
            }
            let frame = self.body.frame().await?.ok()?;
            if let Some(bytes) = frame.data_ref() {
                self.pending.extend_from_slice(bytes);
            }
        }
    }

    /// Removes the first complete line, and returns it without its end.
    fn take_line(&mut self) -> Option<String> {
        let first = *self.pending.first()?;
        if std::mem::take(&mut self.after_cr) && first == b'\n' {
            self.pending.remove(0);
        }
        let end = self.pending.iter().position(|byte| matches!(byte, b'\n' | b'\r'))?;
        self.after_cr = self.pending.get(end) == Some(&b'\r');
        let line: Vec<u8> = self.pending.drain(..=end).take(end).collect();
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    /// Adds a line to the event. An empty line ends the event, and returns it if it has data:
    /// heartbeats and retry hints have none.
    fn read_line(&mut self, line: &str) -> Option<SseEvent> {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event.kind),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::response::IntoResponse;
    use futures_util::stream;

    use super::*;

    fn event(kind: &str, data: &str) -> Option<SseEvent> {
        Some(SseEvent { kind: kind.to_owned(), data: data.to_owned() })
    }

    #[tokio::test]
    async fn events_are_parsed_and_heartbeats_are_skipped() {
        let stream = "retry: 2000\n\n:\n\nevent: progress\nid: 1\ndata: {\"a\":1}\n\n\
                      event: end\ndata: one\r\ndata: two\n\nevent: cut";
        let mut events = SseStream::of(stream.into_response());
        assert_eq!(events.next().await, event("progress", "{\"a\":1}"));
        assert_eq!(events.next().await, event("end", "one\ntwo"));
        assert_eq!(events.next().await, None, "an incomplete event is dropped");
    }

    #[tokio::test]
    async fn lines_that_the_standard_does_not_define_are_ignored() {
        let stream = "no colon\nunknown: 1\nretry: soon\nevent: a\nevent: b\nid: 1\nid: 2\n\
                      data: one\n\ndata\ndata:two\n\n";
        let mut events = SseStream::of(stream.into_response());
        assert_eq!(events.next().await, event("b", "one"));
        assert_eq!(events.next().await, event("", "\ntwo"));
    }

    #[tokio::test]
    async fn line_ends_are_recognised_wherever_the_bytes_are_cut() {
        let stream = "data: one\r\ndata: two\r\n\r\ndata: three\r\rdata: four\n\n";
        for cut in 1..stream.len() {
            let (first, rest) = stream.split_at(cut);
            let parts = stream::iter([first, rest].map(Ok::<_, Infallible>));
            let mut events = SseStream::of(Body::from_stream(parts).into_response());
            assert_eq!(events.next().await, event("", "one\ntwo"), "cut at {cut}");
            assert_eq!(events.next().await, event("", "three"), "cut at {cut}");
            assert_eq!(events.next().await, event("", "four"), "cut at {cut}");
            assert_eq!(events.next().await, None, "cut at {cut}");
        }
    }

    #[tokio::test]
    async fn event_above_the_limit_ends_the_stream() {
        let long = "x".repeat(MAX_EVENT_BYTES / 2);
        let line = format!("data: {long}\n");
        let parts =
            stream::iter([line.clone(), "\n".to_owned(), line.clone(), line, "\n".to_owned()]);
        let body = Body::from_stream(futures_util::StreamExt::map(parts, Ok::<_, Infallible>));
        let mut events = SseStream::of(body.into_response());
        assert_eq!(events.next().await, event("", &long));
        assert_eq!(events.next().await, None, "two halves and a line end exceed the limit");
        assert_eq!(events.next().await, None);
    }
}
