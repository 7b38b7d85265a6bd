//! Serves connections within their bounds, and ends in order.
//!
//! HTTP/1.1 only: a proxy in front speaks whatever else is wanted. Headers that are
//! slow, long or many end in 431 or a closed connection, and so does a client that
//! stops reading; nobody holds a connection for nothing.

mod patient;
mod rest;
mod turns;
mod unread;

use std::convert::Infallible;
use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use axum::http::header::EXPECT;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::Inbound;
use crate::address::network;
use crate::shares::Shares;
use patient::Patient;
use rest::Rest;
use turns::Turns;
use unread::Watched;

/// How long to wait after an accept that failed: it is the process that lacks
/// something, and asking again at once would only burn a core.
const BREATH: Duration = Duration::from_millis(50);

/// What a client is answered that has all the connections it may have.
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n";

/// Headers that a request may have; more are 431.
const MOST_HEADERS: usize = 100;

/// By this an answer without an end learns that the service ends. A request has it among its
/// extensions.
#[derive(Debug, Clone)]
pub(crate) struct Closing(watch::Receiver<()>);

impl Closing {
    /// Waits for the shutdown to begin.
    pub async fn begins(&mut self) {
        // The sender is dropped, never used.
        while self.0.changed().await.is_ok() {}
    }
}

/// Serves `router` until `shutdown`, then lets the requests under way end, for as
/// long as `inbound.drain` allows.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    inbound: Inbound,
    shutdown: impl Future<Output = ()>,
) {
    let (stop, stopped) = watch::channel(());
    let places = Arc::new(Semaphore::new(inbound.connections));
    let by_address = Shares::new(inbound.address_connections);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let accepted = async {
            // Whoever comes when all places are taken waits in the listener's own queue.
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut shutdown => break,
            accepted = accepted => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Some(share) = by_address.take(&network(peer.ip())) else {
                    // Best effort, and never a wait: the buffer of a new connection is empty.
                    if let Ok(mut stream) = stream.into_std() {
                        let _ = stream.write(TOO_MANY);
                    }
                    tracing::debug!(peer.ip = %peer.ip(), "too many connections of one address");
                    continue;
                };
                let (router, stopped) = (router.clone(), stopped.clone());
                let bounds = Bounds { inbound, places: Arc::clone(&places) };
                connections.spawn(async move {
                    connection(stream, peer, router, bounds, stopped).await;
                    drop((place, share));
                });
            }
            Err(cause) => {
                tracing::warn!(%cause, "a connection could not be accepted");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
    drop(listener);
    drop(stop);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(inbound.drain, drained).await.is_err() {
        tracing::warn!(left = connections.len(), "requests were still under way at the end");
        connections.shutdown().await;
    }
}

/// What a connection may cost, and the places that it takes one of.
#[derive(Debug)]
struct Bounds {
    inbound: Inbound,
    places: Arc<Semaphore>,
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    bounds: Bounds,
    mut stopped: watch::Receiver<()>,
) {
    // Answers are small and whole: waiting for more to send only costs time.
    if let Err(cause) = stream.set_nodelay(true) {
        tracing::debug!(%cause, "the connection is gone already");
        return;
    }
    let closing = Closing(stopped.clone());
    let inbound = bounds.inbound;
    let turns = Turns::default();
    let rest = Rest::new(turns.clone(), bounds);
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        let under_way = turns.begin();
        let (head, body) = request.into_parts();
        // Who asks first whether to send is spared sending in vain.
        let asks_first = head.headers.contains_key(EXPECT);
        let (body, unread) = Watched::new(body);
        let mut request = Request::from_parts(head, Body::new(body));
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(closing.clone());
        async move {
            let answer = router.oneshot(request).await.unwrap_or_else(|n| match n {});
            if !asks_first {
                unread.read_past().await;
            }
            Ok::<_, Infallible>(answer.map(|body| under_way.answered_by(body)))
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // Of hyper it would be the time between two requests as well; `Rest` knows them apart.
        .header_read_timeout(None)
        .max_headers(MOST_HEADERS)
        .max_header_size(inbound.header_bytes)
        .half_close(false);
    let io = TokioIo::new(Patient::new(stream, inbound.write_timeout, rest));
    let mut served = pin!(builder.serve_connection(io, service));
    let ended = tokio::select! {
        ended = &mut served => ended,
        // The sender is dropped, never used: a change is always the end.
        _ = stopped.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended early");
    }
}
