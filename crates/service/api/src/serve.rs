//! The HTTP/1.1 server: connections with limits and timeouts, and a graceful shutdown.
//!
//! HTTP/2 and TLS are left to a proxy. Headers that are too slow, too long or too many end in 431
//! or a closed connection. A client that stops reading its response is disconnected.

mod drainable_body;
mod in_flight;
mod keep_alive;
mod timeout_stream;

use std::convert::Infallible;
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
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::Inbound;
use crate::address::network;
use crate::guarded_body::GuardedBody;
use crate::keyed_limit::KeyedLimit;
use drainable_body::DrainableBody;
use in_flight::InFlightRequests;
use keep_alive::KeepAlive;
use timeout_stream::TimeoutStream;

/// Delay after a failed accept. The process lacks a resource, such as file descriptors: an
/// immediate retry would fail again.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The response to an address that has reached its connection limit.
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n";

/// Maximum headers of a request; more are 431.
const MAX_HEADERS: usize = 100;

/// Cancelled when the server shuts down: responses without an end stop then.
#[derive(Debug, Clone)]
pub(crate) struct ServerShutdown(pub CancellationToken);

/// Serves `router` until `shutdown`, then waits at most `inbound.drain` for the requests in flight.
/// `ServerShutdown` is an extension of every request.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    inbound: Inbound,
    shutdown: CancellationToken,
) {
    let connection_slots = Arc::new(Semaphore::new(inbound.connections));
    let by_address = KeyedLimit::new(inbound.address_connections);
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // Without a free slot, new connections wait in the backlog of the listener.
            let slot = Arc::clone(&connection_slots).acquire_owned().await;
            (listener.accept().await, slot)
        };
        let (accepted, slot) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accepted => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Some(permit) = by_address.take(&network(peer.ip())) else {
                    // Best effort without waiting: the send buffer of a new connection is empty.
                    if let Ok(mut stream) = stream.into_std() {
                        let _ = stream.write(TOO_MANY);
                    }
                    tracing::debug!(peer.ip = %peer.ip(), "rejected a connection: address limit reached");
                    continue;
                };
                let (router, shutdown) = (router.clone(), shutdown.clone());
                let limits =
                    ConnectionLimits { inbound, connection_slots: Arc::clone(&connection_slots) };
                connections.spawn(async move {
                    connection(stream, peer, router, limits, shutdown).await;
                    drop((slot, permit));
                });
            }
            Err(cause) => {
                tracing::warn!(%cause, "failed to accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
            }
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(inbound.drain, drained).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "drain timeout: aborting requests in flight"
        );
        connections.shutdown().await;
    }
}

/// The limits of a connection, and the slots of all connections.
#[derive(Debug)]
struct ConnectionLimits {
    inbound: Inbound,
    connection_slots: Arc<Semaphore>,
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    // Responses are written whole: Nagle's algorithm would only delay them.
    if let Err(cause) = stream.set_nodelay(true) {
        tracing::debug!(%cause, "the connection is closed already");
        return;
    }
    let stopped = shutdown.clone();
    let inbound = limits.inbound;
    let in_flight = InFlightRequests::default();
    let keep_alive = KeepAlive::new(in_flight.clone(), limits);
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        let guard = in_flight.start();
        let (head, body) = request.into_parts();
        // A client that sent `Expect` has not sent its body: there is nothing to drain.
        let expects_continue = head.headers.contains_key(EXPECT);
        let (body, unread) = DrainableBody::new(body);
        let mut request = Request::from_parts(head, Body::new(body));
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(ServerShutdown(shutdown.clone()));
        async move {
            let response = router.oneshot(request).await.unwrap_or_else(|n| match n {});
            if !expects_continue {
                unread.drain().await;
            }
            Ok::<_, Infallible>(response.map(|body| GuardedBody::until_dropped(body, guard)))
        }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        // hyper would apply it between two requests as well; `KeepAlive` has a timeout for each.
        .header_read_timeout(None)
        .max_headers(MAX_HEADERS)
        .max_header_size(inbound.header_bytes)
        .half_close(false);
    let io = TokioIo::new(TimeoutStream::new(stream, inbound.write_timeout, keep_alive));
    let mut served = pin!(builder.serve_connection(io, service));
    let ended = tokio::select! {
        ended = &mut served => ended,
        () = stopped.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended with an error");
    }
}
