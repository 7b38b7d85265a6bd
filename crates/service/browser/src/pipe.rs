//! The DevTools protocol over two pipes: JSON messages, each followed by a NUL byte.
//!
//! Only this process can use the pipe, and the browser ends when it closes. A command is awaited
//! ([`Pipe::call`], [`Pipe::begin`]) or only sent; events go to the channel of their session. A message
//! beyond the size limit is dropped, so that memory is bounded.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::message::{Message, MessageBuffer};

/// Capacity of the event channel of a session. Further events are dropped, and the page then usually
/// fails.
const EVENT_BUFFER: usize = 8192;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallError {
    /// The pipe is closed: the browser process ended.
    #[error("browser process ended")]
    Closed,
    #[error("DevTools command timed out")]
    TimedOut,
    /// The browser returned an error, or an invalid result.
    #[error("{0}")]
    Refused(String),
}

/// An event of a session.
#[derive(Debug)]
pub(crate) struct DevToolsEvent {
    pub(crate) method: String,
    params: Option<Box<RawValue>>,
}

impl DevToolsEvent {
    /// Its parameters; `None` if they do not have the expected form.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let params = self.params.as_ref()?;
        serde_json::from_str(params.get())
            .inspect_err(|error| tracing::debug!(%error, method = self.method, "cannot parse DevTools event"))
            .ok()
    }
}

/// A DevTools connection. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Pipe {
    shared: Arc<PipeShared>,
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    reply: Duration,
}

#[derive(Debug, Default)]
struct PipeShared {
    next: AtomicU64,
    state: Mutex<PipeState>,
}

pub(crate) type CommandResult = Result<Box<RawValue>, CallError>;

/// Pending commands and subscribed sessions.
#[derive(Debug, Default)]
struct PipeState {
    closed: bool,
    calls: HashMap<u64, oneshot::Sender<CommandResult>>,
    sessions: HashMap<String, mpsc::Sender<DevToolsEvent>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DevToolsCommand<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(skip_serializing_if = "str::is_empty")]
    session_id: &'a str,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: String,
}

impl Pipe {
    /// Connects to the `input` and `output` of a browser. Calls time out after `reply`, messages have
    /// at most `max_bytes`. The returned future transfers the bytes until the browser ends.
    pub(crate) fn new(
        input: impl AsyncWrite + Unpin + Send + 'static,
        output: impl AsyncRead + Unpin + Send + 'static,
        reply: Duration,
        max_bytes: usize,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let shared = Arc::new(PipeShared::default());
        let (outbox, messages) = mpsc::unbounded_channel();
        let connection = Arc::clone(&shared);
        let io_task = async move {
            tokio::select! {
                () = write(input, messages) => {}
                () = read(output, &connection, max_bytes) => {}
            }
            let mut state = connection.state.lock();
            state.closed = true;
            state.calls.clear();
            state.sessions.clear();
        };
        (Self { shared, outbox, reply }, io_task)
    }

    /// Whether the browser process has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.state.lock().closed
    }

    /// Subscribes to the events of a session, or of the browser for `""`.
    pub(crate) fn subscribe(&self, session: &str) -> mpsc::Receiver<DevToolsEvent> {
        let (sender, receiver) = mpsc::channel(EVENT_BUFFER);
        let mut state = self.shared.state.lock();
        if !state.closed {
            state.sessions.insert(session.to_owned(), sender);
        }
        receiver
    }

    pub(crate) fn unsubscribe(&self, session: &str) {
        self.shared.state.lock().sessions.remove(session);
    }

    /// Sends a command and ignores its result.
    pub(crate) fn send(&self, session: &str, method: &str, params: impl Serialize) {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.enqueue(&DevToolsCommand { id, method, params, session_id: session });
    }

    /// Sends a command; awaiting its result has no timeout.
    pub(crate) fn begin(&self, session: &str, method: &str, params: impl Serialize) -> PendingCall {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.shared.state.lock();
            // If the pipe is closed the sender is dropped, and the call fails with `Closed`.
            if !state.closed {
                state.calls.insert(id, sender);
            }
        }
        self.enqueue(&DevToolsCommand { id, method, params, session_id: session });
        PendingCall { id, receiver, shared: Arc::clone(&self.shared) }
    }

    /// Sends a command and waits for its result.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, CallError> {
        let result = timeout(self.reply, self.begin(session, method, params));
        let result = result.await.map_err(|_| CallError::TimedOut)??;
        serde_json::from_str(result.get())
            .map_err(|error| CallError::Refused(format!("{method}: {error}")))
    }

    fn enqueue(&self, command: &DevToolsCommand<'_, impl Serialize>) {
        match serde_json::to_vec(command) {
            Ok(mut bytes) => {
                bytes.push(0);
                // Fails if the browser has ended; callers then get `Closed`.
                let _ = self.outbox.send(bytes);
            }
            Err(error) => {
                tracing::error!(%error, method = command.method, "cannot serialize DevTools command")
            }
        }
    }
}

/// The pending result of a command.
#[derive(Debug)]
pub(crate) struct PendingCall {
    id: u64,
    receiver: oneshot::Receiver<CommandResult>,
    shared: Arc<PipeShared>,
}

impl Future for PendingCall {
    type Output = CommandResult;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<CommandResult> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|reply| reply.unwrap_or(Err(CallError::Closed)))
    }
}

impl Drop for PendingCall {
    fn drop(&mut self) {
        self.shared.state.lock().calls.remove(&self.id);
    }
}

impl PipeShared {
    fn take(&self, bytes: &[u8]) {
        let message: Message = match serde_json::from_slice(bytes) {
            Ok(message) => message,
            Err(error) => return tracing::debug!(%error, "cannot parse DevTools message"),
        };
        let mut state = self.state.lock();
        if let Some(id) = message.id {
            let Some(caller) = state.calls.remove(&id) else {
                if let Some(error) = message.error {
                    tracing::debug!(error = error.message, "DevTools command failed");
                }
                return;
            };
            let reply = match (message.result, message.error) {
                (_, Some(error)) => Err(CallError::Refused(error.message)),
                (Some(result), None) => Ok(result),
                (None, None) => Err(CallError::Refused("empty result".to_owned())),
            };
            let _ = caller.send(reply);
        } else if let Some(method) = message.method {
            let event = DevToolsEvent { method, params: message.params };
            if event.method == "Target.detachedFromTarget"
                && let Some(Detached { session_id }) = event.read()
            {
                state.sessions.remove(&session_id);
            }
            if let Some(session) = state.sessions.get(&message.session_id) {
                let _ = session.try_send(event);
            }
        }
    }
}

async fn write(mut input: impl AsyncWrite + Unpin, mut messages: mpsc::UnboundedReceiver<Vec<u8>>) {
    while let Some(bytes) = messages.recv().await {
        if input.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn read(mut output: impl AsyncRead + Unpin, shared: &PipeShared, max_bytes: usize) {
    let mut buffer = MessageBuffer::new(max_bytes);
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = output.read(&mut chunk).await {
        buffer.push(&chunk[..length], |message| shared.take(message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pending_calls_fail_when_the_browser_ends() {
        let (near, far) = tokio::io::duplex(1024);
        let (output, input) = tokio::io::split(near);
        let (pipe, io_task) = Pipe::new(input, output, Duration::from_secs(60), 1024);
        tokio::spawn(io_task);
        let call = pipe.begin("", "Browser.getVersion", serde_json::json!({}));
        let mut events = pipe.subscribe("one");
        drop(far);
        assert_eq!(call.await.expect_err("the browser ended"), CallError::Closed);
        assert!(events.recv().await.is_none());
        assert!(pipe.is_closed());
        let late: Result<(), _> = pipe.call("", "Browser.getVersion", ()).await;
        assert_eq!(late, Err(CallError::Closed));
    }
}
