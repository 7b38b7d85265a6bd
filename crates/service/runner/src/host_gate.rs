//! Politeness belongs to the host, not to the run: one gate for the whole node lets
//! every request start, whatever job or account it is for.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::{Clock, Millis};
use crawl::{HostPace, Wait};
use tokio::sync::Notify;

/// Hosts are forgotten when there are more than this many, and they are idle.
const HOSTS_REMEMBERED: usize = 4_096;

/// How polite the gate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateSettings {
    /// Requests to one host at a time.
    pub at_a_time: usize,
    /// The time between two starts.
    pub delay: Duration,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self { at_a_time: 4, delay: Duration::from_millis(100) }
    }
}

/// The gate. Cheap to clone; clones are one gate.
#[derive(Debug, Clone)]
pub struct HostGate {
    settings: GateSettings,
    clock: Arc<dyn Clock>,
    hosts: Arc<Mutex<HashMap<String, Arc<Host>>>>,
}

#[derive(Debug)]
struct Host {
    /// Whoever came first goes first: the rest waits here.
    turnstile: tokio::sync::Mutex<()>,
    pace: Mutex<HostPace>,
    room: Notify,
}

/// Leave to ask a host, until it is dropped.
#[derive(Debug)]
pub struct Permit {
    host: Arc<Host>,
}

impl Permit {
    /// The host answered well.
    pub fn record_success(&self) {
        lock(&self.host.pace).record_success();
    }

    /// The host showed that it cannot bear the pace: from now on every run gives it room.
    pub fn record_failure(&self, now: Millis) {
        lock(&self.host.pace).record_failure(now);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.host.pace).end();
        self.host.room.notify_one();
    }
}

impl HostGate {
    /// A gate with these settings.
    #[must_use]
    pub fn new(settings: GateSettings, clock: Arc<dyn Clock>) -> Self {
        Self { settings, clock, hosts: Arc::default() }
    }

    /// Waits until a request to `host` may start. `gap` is the host's own wish.
    pub async fn enter(&self, host: &str, gap: Option<Duration>) -> Permit {
        let host = self.host(host);
        {
            let _turn = host.turnstile.lock().await;
            loop {
                let start = lock(&host.pace).start(gap, self.clock.now());
                match start {
                    Ok(()) => break,
                    Err(Wait::Until(at)) => {
                        tokio::time::sleep(at.since(self.clock.now())).await;
                    }
                    Err(Wait::ForSlot) => host.room.notified().await,
                }
            }
        }
        Permit { host }
    }

    /// The host asked for a pause.
    pub fn pause(&self, host: &str, pause: Duration) {
        let until = self.clock.now().plus(pause);
        lock(&self.host(host).pace).pause_until(until);
    }

    fn host(&self, name: &str) -> Arc<Host> {
        let mut hosts = lock(&self.hosts);
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        if hosts.len() >= HOSTS_REMEMBERED {
            let now: Millis = self.clock.now();
            hosts.retain(|_, host| Arc::strong_count(host) > 1 || !lock(&host.pace).is_idle(now));
        }
        let host = Arc::new(Host {
            turnstile: tokio::sync::Mutex::new(()),
            pace: Mutex::new(HostPace::new(self.settings.at_a_time, self.settings.delay)),
            room: Notify::new(),
        });
        hosts.insert(name.to_owned(), Arc::clone(&host));
        host
    }
}

/// A panic elsewhere does not stop the node from being polite.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
