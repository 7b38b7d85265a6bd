//! The HTTP server: HTTP/1.1 and HTTP/2 on TCP and Unix sockets, with or without TLS; connections
//! with limits and timeouts, and a graceful shutdown.
//!
//! A TLS client chooses the protocol by ALPN. Without TLS, a TCP client that begins with the preface
//! of HTTP/2 gets it (prior knowledge). Headers that are too slow, too long or too many end in 431 or
//! a closed connection. A client that stops reading its response is disconnected.

mod client_stream;
mod drainable_body;
mod in_flight;
mod keep_alive;
mod multiplexed;
mod server_listener;
mod server_tls;
mod timeout_stream;

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::EXPECT;
use axum::http::{Request, StatusCode, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use runtime::ServerShutdown;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use crate::Inbound;
use crate::address::network;
use crate::keyed_limit::KeyedLimit;
use client_stream::{AcceptedStream, HttpVersion, NegotiatedStream};
use drainable_body::DrainableBody;
use in_flight::{InFlightRequests, TrackedBody};
use keep_alive::KeepAlive;
use timeout_stream::TimeoutStream;

pub use server_listener::{ServerListener, SocketInUse};
pub use server_tls::{CertificateFacts, ServerTls, ServerTlsError};

/// Delay after a failed accept. The process lacks a resource, such as file descriptors: an
/// immediate retry would fail again.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// The response to an address that has reached its connection limit.
const TOO_MANY: &[u8] = b"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\
    Retry-After: 1\r\nConnection: close\r\n\r\n";

/// Maximum headers of a request of HTTP/1.1; more are 431.
const MAX_HEADERS: usize = 100;

/// The limits of connections, and the slots of all of them. Listeners with clones share the slots.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    inbound: Inbound,
    connection_slots: Arc<Semaphore>,
    by_address: KeyedLimit,
}

impl From<Inbound> for ConnectionLimits {
    fn from(inbound: Inbound) -> Self {
        Self {
            inbound,
            connection_slots: Arc::new(Semaphore::new(inbound.connections)),
            by_address: KeyedLimit::new(inbound.address_connections),
        }
    }
}

/// Serves `router` until `shutdown`, then waits at most `Inbound::drain` for the requests in flight.
/// `ServerShutdown` is an extension of every request.
pub async fn serve(
    listener: impl Into<ServerListener>,
    router: Router,
    limits: impl Into<ConnectionLimits>,
    shutdown: CancellationToken,
) {
    let (listener, limits) = (listener.into(), limits.into());
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            // Without a free slot, new connections wait in the backlog of the listener.
            let slot = Arc::clone(&limits.connection_slots).acquire_owned().await;
            (listener.accept().await, slot)
        };
        let (accepted, slot) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accepted => accepted,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
        };
        match accepted {
            Ok(stream) => {
                let permit = match stream.peer() {
                    // Programs of this machine, usually one proxy for all clients.
                    None => None,
                    Some(peer) => match limits.by_address.take(&network(peer.ip())) {
                        Some(permit) => Some(permit),
                        None => {
                            stream.refuse(TOO_MANY);
                            tracing::debug!(peer.ip = %peer.ip(), "rejected a connection: address limit reached");
                            continue;
                        }
                    },
                };
                let (router, limits, shutdown) = (router.clone(), limits.clone(), shutdown.clone());
                connections.spawn(async move {
                    negotiated_connection(stream, router, limits, shutdown).await;
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
    if tokio::time::timeout(limits.inbound.drain, drained).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "drain timeout: aborting requests in flight"
        );
        connections.shutdown().await;
    }
}

/// Agrees on TLS and the version of HTTP, and serves the connection.
async fn negotiated_connection(
    stream: AcceptedStream,
    router: Router,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let timeout = limits.inbound.header_timeout;
    let negotiated = tokio::select! {
        negotiated = tokio::time::timeout(timeout, stream.negotiate()) => negotiated,
        // No request has begun.
        () = shutdown.cancelled() => return,
    };
    match negotiated {
        Ok(Ok(stream)) => connection(stream, router, limits, shutdown).await,
        Ok(Err(cause)) => tracing::debug!(%cause, "a connection ended before its first request"),
        Err(_) => {
            tracing::debug!("a client did not finish its TLS handshake or first line in time")
        }
    }
}

async fn connection(
    stream: NegotiatedStream,
    router: Router,
    limits: ConnectionLimits,
    shutdown: CancellationToken,
) {
    let NegotiatedStream { stream, version, peer } = stream;
    let inbound = limits.inbound;
    let in_flight = InFlightRequests::default();
    let keep_alive = KeepAlive::new(in_flight.clone(), limits, version);
    let (idle, closed) = (keep_alive.idle(), keep_alive.closed());
    let stop = {
        let shutdown = shutdown.clone();
        async move {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = idle.cancelled() => {}
            }
        }
    };
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        let guard = in_flight.start();
        let (mut head, body) = request.into_parts();
        // A client that sent `Expect` has not sent its body: there is nothing to drain.
        let expects_continue = head.headers.contains_key(EXPECT);
        if head.version == Version::HTTP_2 {
            multiplexed::as_http1(&mut head);
        }
        let (body, unread) = DrainableBody::new(body);
        let mut request = Request::from_parts(head, Body::new(body));
        if let Some(peer) = peer {
            request.extensions_mut().insert(ConnectInfo(peer));
        }
        request.extensions_mut().insert(ServerShutdown(shutdown.clone()));
        async move {
            let response = router.oneshot(request).await.unwrap_or_else(|n| match n {});
            if !expects_continue {
                unread.drain().await;
            }
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                guard.upgraded();
            }
            Ok::<_, Infallible>(response.map(|body| TrackedBody::new(body, guard)))
        }
    });
    let io = TokioIo::new(TimeoutStream::new(stream, inbound.write_timeout, keep_alive));
    let ended = match version {
        HttpVersion::Http1 => {
            let mut builder = http1::Builder::new();
            builder
                .timer(TokioTimer::new())
                // hyper would apply it between two requests as well; `KeepAlive` has a timeout for each.
                .header_read_timeout(None)
                .max_headers(MAX_HEADERS)
                .max_header_size(inbound.header_bytes)
                .half_close(false);
            let served = builder.serve_connection(io, service).with_upgrades();
            until_end(served, stop, |served| served.graceful_shutdown()).await
        }
        HttpVersion::Http2 => {
            let mut builder = http2::Builder::new(TokioExecutor::new());
            builder
                .timer(TokioTimer::new())
                .max_concurrent_streams(multiplexed::MAX_STREAMS)
                .initial_stream_window_size(multiplexed::STREAM_WINDOW)
                .initial_connection_window_size(multiplexed::CONNECTION_WINDOW)
                .max_header_list_size(u32::try_from(inbound.header_bytes).unwrap_or(u32::MAX));
            let served = builder.serve_connection(io, service);
            until_end(served, stop, |served| served.graceful_shutdown()).await
        }
    };
    if let Err(cause) = ended {
        tracing::debug!(%cause, "a connection ended with an error");
    }
    // A WebSocket continues on the stream.
    closed.cancelled().await;
}

/// Drives a connection to its end, and from `stop` on to the end of its requests in flight.
async fn until_end<C: Future>(
    served: C,
    stop: impl Future<Output = ()>,
    shut_down: impl FnOnce(Pin<&mut C>),
) -> C::Output {
    let mut served = pin!(served);
    tokio::select! {
        ended = &mut served => return ended,
        () = stop => {}
    }
    shut_down(served.as_mut());
    served.await
}
