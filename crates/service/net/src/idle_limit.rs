//! Limit on idle connections over all hosts.
//!
//! The connection pool of hyper limits idle connections by host and by age. A run over many hosts
//! would hold as many idle connections as it meets hosts in that time, and each is an open file
//! descriptor. [`IdleConnLimit`] closes the connection that is idle longest as soon as there are too
//! many.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::task::{Context, Waker};

use parking_lot::Mutex;

/// The idle connections of a pool, at most `max`.
#[derive(Debug)]
pub(crate) struct IdleConnLimit {
    max: usize,
    idle: Mutex<IdleConns>,
}

#[derive(Debug, Default)]
struct IdleConns {
    /// Keys increase: the first entry is idle longest.
    by_age: BTreeMap<u64, Weak<TrackedConn>>,
    next_number: u64,
}

impl IdleConnLimit {
    pub(crate) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self { max, idle: Mutex::default() })
    }

    /// Adds a connection. Returns its number, and the connection to close if there are too many.
    fn add(&self, conn: &Arc<TrackedConn>) -> (u64, Option<Arc<TrackedConn>>) {
        let mut idle = self.idle.lock();
        let number = idle.next_number;
        idle.next_number += 1;
        idle.by_age.insert(number, Arc::downgrade(conn));
        let surplus = idle.by_age.len() > self.max;
        let oldest = surplus.then(|| idle.by_age.pop_first()).flatten();
        (number, oldest.and_then(|(_, conn)| conn.upgrade()))
    }

    fn remove(&self, number: u64) {
        self.idle.lock().by_age.remove(&number);
    }
}

/// A connection of the pool: its remote address, its users and whether it is idle.
#[derive(Debug)]
pub struct TrackedConn {
    remote: SocketAddr,
    limit: Arc<IdleConnLimit>,
    state: Mutex<ConnState>,
}

#[derive(Debug, Default)]
struct ConnState {
    /// Requests in progress. HTTP/2 has several at a time.
    users: usize,
    /// Its number in [`IdleConns`] while it is idle.
    idle_number: Option<u64>,
    closed: bool,
    /// Wakes the task that reads from the connection.
    read_waker: Option<Waker>,
}

impl TrackedConn {
    /// A new connection counts as idle only after its first use.
    pub(crate) fn new(remote: SocketAddr, limit: Arc<IdleConnLimit>) -> Arc<Self> {
        Arc::new(Self { remote, limit, state: Mutex::default() })
    }

    pub fn remote(&self) -> SocketAddr {
        self.remote
    }

    /// Keeps the connection open until the guard is dropped.
    pub(crate) fn begin_use(self: &Arc<Self>) -> ConnGuard {
        let mut state = self.state.lock();
        state.users += 1;
        self.reuse(&mut state);
        ConnGuard(Arc::clone(self))
    }

    /// Whether the connection is to be closed. Otherwise the task of `context` is woken when it is.
    pub(crate) fn poll_closed(&self, context: &Context<'_>) -> bool {
        let mut state = self.state.lock();
        if !state.closed {
            match &mut state.read_waker {
                Some(waker) => waker.clone_from(context.waker()),
                none => *none = Some(context.waker().clone()),
            }
        }
        state.closed
    }

    pub(crate) fn mark_closed(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        self.reuse(&mut state);
    }

    /// Removes the connection from the idle ones.
    fn reuse(&self, state: &mut ConnState) {
        if let Some(number) = state.idle_number.take() {
            self.limit.remove(number);
        }
    }

    /// Closes the connection unless a request has begun to use it again.
    fn close_if_idle(&self) {
        let waker = {
            let mut state = self.state.lock();
            if state.users > 0 {
                return;
            }
            state.idle_number = None;
            state.closed = true;
            state.read_waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn end_use(self: &Arc<Self>) {
        let oldest = {
            let mut state = self.state.lock();
            state.users -= 1;
            if state.users > 0 || state.closed {
                return;
            }
            let (number, oldest) = self.limit.add(self);
            state.idle_number = Some(number);
            oldest
        };
        // After the lock of this connection is released: the oldest may be this one.
        if let Some(oldest) = oldest {
            oldest.close_if_idle();
        }
    }
}

/// Marks a connection as used by a request until it is dropped.
#[derive(Debug)]
pub(crate) struct ConnGuard(Arc<TrackedConn>);

impl ConnGuard {
    pub fn remote(&self) -> SocketAddr {
        self.0.remote
    }
}

impl Drop for ConnGuard {
    fn drop(&mut self) {
        self.0.end_use();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conn(limit: &Arc<IdleConnLimit>) -> Arc<TrackedConn> {
        TrackedConn::new(([127, 0, 0, 1], 80).into(), Arc::clone(limit))
    }

    fn closed(conn: &TrackedConn) -> bool {
        conn.poll_closed(&Context::from_waker(Waker::noop()))
    }

    #[test]
    fn connection_idle_longest_is_closed_first() {
        let limit = IdleConnLimit::new(2);
        let conns = [conn(&limit), conn(&limit), conn(&limit)];
        let users: Vec<ConnGuard> = conns.iter().map(TrackedConn::begin_use).collect();
        drop(users);
        assert_eq!(conns.each_ref().map(|conn| closed(conn)), [true, false, false]);
        // After another use it is the youngest.
        drop(conns[1].begin_use());
        let another = conn(&limit);
        drop(another.begin_use());
        assert_eq!(conns.each_ref().map(|conn| closed(conn)), [true, false, true]);
        assert!(!closed(&another));
    }

    #[test]
    fn connection_in_use_is_never_closed() {
        let limit = IdleConnLimit::new(0);
        let shared = conn(&limit);
        let (one, other) = (shared.begin_use(), shared.begin_use());
        drop(one);
        assert!(!closed(&shared), "the other request still runs");
        drop(other);
        assert!(closed(&shared));
    }

    #[test]
    fn unused_new_connection_is_not_closed() {
        let limit = IdleConnLimit::new(0);
        let new = conn(&limit);
        drop(conn(&limit).begin_use());
        assert!(!closed(&new));
    }

    #[test]
    fn closed_connections_do_not_count_as_idle() {
        let limit = IdleConnLimit::new(1);
        let (kept, dropped) = (conn(&limit), conn(&limit));
        drop(dropped.begin_use());
        dropped.mark_closed();
        drop(kept.begin_use());
        assert!(!closed(&kept));
        assert_eq!(limit.idle.lock().by_age.len(), 1);
    }
}
