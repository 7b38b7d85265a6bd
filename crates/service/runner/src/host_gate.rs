//! Limits requests per host by concurrency and delay: one gate for all runs and accounts of the
//! node.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Millis};
use crawl::{HostPace, Wait};
use parking_lot::Mutex;
use tokio::sync::Notify;

/// Idle hosts are removed when there are more than this.
const MAX_HOSTS: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostGateSettings {
    /// Maximum concurrent requests to one host.
    pub concurrency: usize,
    /// Minimum time between the starts of two requests.
    pub delay: Duration,
}

impl Default for HostGateSettings {
    fn default() -> Self {
        Self { concurrency: 4, delay: Duration::from_millis(100) }
    }
}

/// Clones share one gate.
#[derive(Debug, Clone)]
pub struct HostGate {
    settings: HostGateSettings,
    clock: Arc<dyn Clock>,
    hosts: Arc<Mutex<HashMap<String, Arc<GatedHost>>>>,
}

#[derive(Debug)]
struct GatedHost {
    /// FIFO order of waiting requests.
    queue: tokio::sync::Mutex<()>,
    pace: Mutex<HostPace>,
    slot_freed: Notify,
}

/// Permit for one request to a host, until it is dropped.
#[derive(Debug)]
pub struct HostPermit {
    host: Arc<GatedHost>,
}

impl HostPermit {
    /// Reports a normal response.
    pub fn report_success(&self) {
        self.host.pace.lock().record_success();
    }

    /// Reports an overloaded host: all runs slow down.
    pub fn report_overload(&self, now: Millis) {
        self.host.pace.lock().record_failure(now);
    }
}

impl Drop for HostPermit {
    fn drop(&mut self) {
        self.host.pace.lock().end();
        self.host.slot_freed.notify_one();
    }
}

impl HostGate {
    #[must_use]
    pub fn new(settings: HostGateSettings, clock: Arc<dyn Clock>) -> Self {
        Self { settings, clock, hosts: Arc::default() }
    }

    /// Waits until a request to `host` may start. `gap` is the delay that the host requires.
    pub async fn enter(&self, host: &str, gap: Option<Duration>) -> HostPermit {
        let host = self.host(host);
        {
            let _queued = host.queue.lock().await;
            loop {
                let start = host.pace.lock().start(gap, self.clock.now());
                match start {
                    Ok(()) => break,
                    Err(Wait::Until(at)) => {
                        tokio::time::sleep(at.since(self.clock.now())).await;
                    }
                    Err(Wait::ForSlot) => host.slot_freed.notified().await,
                }
            }
        }
        HostPermit { host }
    }

    /// Pauses all requests to `host`, for `Retry-After`.
    pub fn pause(&self, host: &str, pause: Duration) {
        let until = self.clock.now().plus(pause);
        self.host(host).pace.lock().pause_until(until);
    }

    fn host(&self, name: &str) -> Arc<GatedHost> {
        let mut hosts = self.hosts.lock();
        if let Some(host) = hosts.get(name) {
            return Arc::clone(host);
        }
        if hosts.len() >= MAX_HOSTS {
            let now: Millis = self.clock.now();
            hosts.retain(|_, host| Arc::strong_count(host) > 1 || !host.pace.lock().is_idle(now));
        }
        let host = Arc::new(GatedHost {
            queue: tokio::sync::Mutex::new(()),
            pace: Mutex::new(HostPace::new(self.settings.concurrency, self.settings.delay)),
            slot_freed: Notify::new(),
        });
        hosts.insert(name.to_owned(), Arc::clone(&host));
        host
    }
}
