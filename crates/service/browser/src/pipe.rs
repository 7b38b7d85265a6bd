//! The DevTools protocol over two pipes: JSON messages, a NUL behind each.
//!
//! A pipe belongs to whoever started the browser and to nobody else, and the browser
//! ends when it closes. Commands may be awaited or just sent; events go to the session
//! that they are for. A message that is too long is skipped: nothing is ever gathered
//! beyond the bound.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::message::{Gathered, Message};

/// How many events may wait for their session. A page that makes more of them than
/// are read loses some, and itself with them.
const EVENTS: usize = 8192;

/// Why a command has no result.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CallError {
    /// The pipe is closed: the browser ended.
    #[error("the browser ended")]
    Gone,
    /// No answer in time.
    #[error("no answer in time")]
    Late,
    /// The browser said no, or something that is not an answer.
    #[error("{0}")]
    Refused(String),
}

/// Something that happened in a session.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) method: String,
    params: Option<Box<RawValue>>,
}

impl Event {
    /// What it says; nothing if it is not what the protocol promises.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        let params = self.params.as_ref()?;
        serde_json::from_str(params.get())
            .inspect_err(|error| tracing::debug!(%error, method = self.method, "odd event"))
            .ok()
    }
}

/// A connection to a browser, to be cloned at will.
#[derive(Debug, Clone)]
pub(crate) struct Pipe {
    shared: Arc<Shared>,
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    reply: Duration,
}

#[derive(Debug, Default)]
struct Shared {
    next: AtomicU64,
    desk: Mutex<Desk>,
}

/// What came of a command.
pub(crate) type Reply = Result<Box<RawValue>, CallError>;

/// Who waits for what.
#[derive(Debug, Default)]
struct Desk {
    closed: bool,
    calls: HashMap<u64, oneshot::Sender<Reply>>,
    sessions: HashMap<String, mpsc::Sender<Event>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Command<'a, P> {
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
    /// Speaks over `input` and `output`. Commands get their answer within `reply`,
    /// messages are at most `longest` bytes. The futures carry the bytes: they end
    /// when the browser does.
    pub(crate) fn new(
        input: impl AsyncWrite + Unpin + Send + 'static,
        output: impl AsyncRead + Unpin + Send + 'static,
        reply: Duration,
        longest: usize,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let shared = Arc::new(Shared::default());
        let (outbox, messages) = mpsc::unbounded_channel();
        let desk = Arc::clone(&shared);
        let carry = async move {
            tokio::select! {
                () = write(input, messages) => {}
                () = read(output, &desk, longest) => {}
            }
            let mut desk = desk.desk();
            desk.closed = true;
            desk.calls.clear();
            desk.sessions.clear();
        };
        (Self { shared, outbox, reply }, carry)
    }

    /// Whether the browser has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.shared.desk().closed
    }

    /// The events of a session from now on; of the browser itself for `""`.
    pub(crate) fn listen(&self, session: &str) -> mpsc::Receiver<Event> {
        let (sender, receiver) = mpsc::channel(EVENTS);
        let mut desk = self.shared.desk();
        if !desk.closed {
            desk.sessions.insert(session.to_owned(), sender);
        }
        receiver
    }

    /// No more events of a session.
    pub(crate) fn leave(&self, session: &str) {
        self.shared.desk().sessions.remove(session);
    }

    /// Sends a command whose answer nobody needs.
    pub(crate) fn send(&self, session: &str, method: &str, params: impl Serialize) {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        self.post(&Command { id, method, params, session_id: session });
    }

    /// Sends a command; the answer may take as long as it likes.
    pub(crate) fn begin(&self, session: &str, method: &str, params: impl Serialize) -> Call {
        let id = self.shared.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        {
            let mut desk = self.shared.desk();
            // A closed desk drops the sender: the call then ends as gone.
            if !desk.closed {
                desk.calls.insert(id, sender);
            }
        }
        self.post(&Command { id, method, params, session_id: session });
        Call { id, receiver, shared: Arc::clone(&self.shared) }
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn call<R: DeserializeOwned>(
        &self,
        session: &str,
        method: &str,
        params: impl Serialize,
    ) -> Result<R, CallError> {
        let answer = timeout(self.reply, self.begin(session, method, params));
        let answer = answer.await.map_err(|_| CallError::Late)??;
        serde_json::from_str(answer.get())
            .map_err(|error| CallError::Refused(format!("{method}: {error}")))
    }

    fn post(&self, command: &Command<'_, impl Serialize>) {
        match serde_json::to_vec(command) {
            Ok(mut bytes) => {
                bytes.push(0);
                // Nobody reads when the browser has ended; who waits is told otherwise.
                let _ = self.outbox.send(bytes);
            }
            Err(error) => tracing::error!(%error, method = command.method, "no such command"),
        }
    }
}

/// The answer to a command, once it is there.
#[derive(Debug)]
pub(crate) struct Call {
    id: u64,
    receiver: oneshot::Receiver<Reply>,
    shared: Arc<Shared>,
}

impl Future for Call {
    type Output = Reply;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Reply> {
        Pin::new(&mut self.receiver)
            .poll(context)
            .map(|reply| reply.unwrap_or(Err(CallError::Gone)))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.shared.desk().calls.remove(&self.id);
    }
}

impl Shared {
    /// The lock is never held across code that can panic, so a poisoned one is sound.
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, bytes: &[u8]) {
        let message: Message = match serde_json::from_slice(bytes) {
            Ok(message) => message,
            Err(error) => return tracing::debug!(%error, "a message that cannot be read"),
        };
        let mut desk = self.desk();
        if let Some(id) = message.id {
            let Some(caller) = desk.calls.remove(&id) else {
                if let Some(complaint) = message.error {
                    tracing::debug!(complaint = complaint.message, "a command was refused");
                }
                return;
            };
            let reply = match (message.result, message.error) {
                (_, Some(complaint)) => Err(CallError::Refused(complaint.message)),
                (Some(result), None) => Ok(result),
                (None, None) => Err(CallError::Refused("an empty answer".to_owned())),
            };
            let _ = caller.send(reply);
        } else if let Some(method) = message.method {
            let event = Event { method, params: message.params };
            if event.method == "Target.detachedFromTarget"
                && let Some(Detached { session_id }) = event.read()
            {
                desk.sessions.remove(&session_id);
            }
            if let Some(session) = desk.sessions.get(&message.session_id) {
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

async fn read(mut output: impl AsyncRead + Unpin, shared: &Shared, longest: usize) {
    let mut gathered = Gathered::new(longest);
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = output.read(&mut chunk).await {
        gathered.push(&chunk[..length], |message| shared.take(message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_end_when_the_browser_does() {
        let (near, far) = tokio::io::duplex(1024);
        let (output, input) = tokio::io::split(near);
        let (pipe, carry) = Pipe::new(input, output, Duration::from_secs(60), 1024);
        tokio::spawn(carry);
        let call = pipe.begin("", "Browser.getVersion", serde_json::json!({}));
        let mut events = pipe.listen("one");
        drop(far);
        assert_eq!(call.await.expect_err("nobody is there"), CallError::Gone);
        assert!(events.recv().await.is_none());
        assert!(pipe.is_closed());
        let late: Result<(), _> = pipe.call("", "Browser.getVersion", ()).await;
        assert_eq!(late, Err(CallError::Gone));
    }
}
