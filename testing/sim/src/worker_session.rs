//! A simulated worker: one engine, its requests, and the state of its node.

use std::collections::{BTreeMap, HashMap, VecDeque};

use contract::Millis;
use crawl::{BodyNeed, FetchTask, HostPace, Input, Purpose, SiteCrawl, Wait};

use crate::fake_response::FakeResponse;
use crate::fake_web::FakeWeb;
use crate::fault_profile::InjectedBug;
use crate::invariants::{DELAY, MAX_CONCURRENT, TrafficMonitor};
use crate::rng::Rng;
use crate::sim_store::SimLease;
use crate::truth::Truth;

/// A process that may hold a session.
#[derive(Debug, Default)]
pub(crate) struct SimNode {
    pub session: Option<WorkerSession>,
    paces: HashMap<String, HostPace>,
    monitor: TrafficMonitor,
}

/// One engine at work, from the claim of the shard to its end.
#[derive(Debug)]
pub(crate) struct WorkerSession {
    /// Distinguishes it from earlier sessions, whose responses may still arrive.
    pub id: u64,
    pub lease: SimLease,
    pub engine: SiteCrawl,
    /// The next wake-up of the engine.
    pub wake_at: Option<Millis>,
    /// Tasks that wait for the host's pace.
    queue: VecDeque<FetchTask>,
    flights: BTreeMap<u64, (FetchTask, FakeResponse)>,
    next_flight: u64,
    limits: ConcurrencyLimits,
    /// Number of URLs in flight, by host.
    in_flight_by_host: HashMap<String, usize>,
}

/// The concurrency limits of the engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConcurrencyLimits {
    pub total: usize,
    pub per_host: usize,
}

impl ConcurrencyLimits {
    pub fn draw(rng: &mut Rng) -> Self {
        let mut within = |most| usize::try_from(rng.within(1, most)).unwrap_or(1);
        Self { total: within(8), per_host: within(4) }
    }
}

impl WorkerSession {
    pub fn new(id: u64, lease: SimLease, engine: SiteCrawl, limits: ConcurrencyLimits) -> Self {
        let (queue, flights) = (VecDeque::new(), BTreeMap::new());
        let in_flight_by_host = HashMap::new();
        Self {
            id,
            lease,
            engine,
            wake_at: None,
            queue,
            flights,
            next_flight: 0,
            limits,
            in_flight_by_host,
        }
    }

    /// Queues a task of the engine, and checks the limits.
    pub fn enqueue(&mut self, task: FetchTask) -> Result<(), String> {
        if let Some(host) = self.host_of(&task) {
            *self.in_flight_by_host.entry(host).or_default() += 1;
        }
        self.queue.push_back(task);
        let ConcurrencyLimits { total, per_host } = self.limits;
        if let Some((host, count)) =
            self.in_flight_by_host.iter().find(|(_, count)| **count > per_host)
        {
            return Err(format!("{count} URLs of {host} are in flight, the limit is {per_host}"));
        }
        match self.in_flight_by_host.values().sum::<usize>() {
            count if count > total => Err(format!("{count} URLs are in flight")),
            _ => Ok(()),
        }
    }

    /// The host whose slot a task takes: that of the URL in the frontier, wherever it redirects.
    /// Sitemaps and robots.txt take none.
    fn host_of(&self, task: &FetchTask) -> Option<String> {
        match task.purpose {
            Purpose::Url { need: BodyNeed::Sitemap, .. } | Purpose::Robots { .. } => None,
            Purpose::Url { id, .. } => {
                let key = urls::page_key(self.engine.state().frontier().text(id));
                key.split('/').next().map(str::to_owned)
            }
        }
    }

    fn free_slot(&mut self, task: &FetchTask) {
        let count = self.host_of(task).and_then(|host| self.in_flight_by_host.get_mut(&host));
        if let Some(count) = count {
            *count -= 1;
        }
    }
}

/// The result of starting requests.
#[derive(Debug, Default)]
pub(crate) struct Started {
    /// Requests with the time of their response.
    pub flights: Vec<(Millis, u64)>,
    /// When a waiting task may start.
    pub retry_at: Option<Millis>,
}

impl SimNode {
    /// Starts the tasks that the hosts' pace allows.
    pub fn start_requests(
        &mut self,
        web: &mut FakeWeb,
        truth: &Truth,
        bug: Option<InjectedBug>,
        now: Millis,
    ) -> Result<Started, String> {
        let mut started = Started::default();
        let Some(session) = &mut self.session else { return Ok(started) };
        for mut task in std::mem::take(&mut session.queue) {
            let host = task.url.host().to_owned();
            let fresh = || HostPace::new(MAX_CONCURRENT, DELAY);
            let pace = self.paces.entry(host).or_insert_with(fresh);
            let may_start = match bug {
                Some(InjectedBug::NoPace) => Ok(()),
                _ => pace.start(task.gap, now),
            };
            match may_start {
                Ok(()) => {
                    if let (Some(InjectedBug::ChecksReadBodies), Purpose::Url { need, .. }) =
                        (bug, &mut task.purpose)
                        && *need == BodyNeed::Head
                    {
                        *need = BodyNeed::Page { images: false };
                    }
                    self.monitor.start(&task, web, truth, session.engine.state(), now)?;
                    let is_sitemap =
                        matches!(task.purpose, Purpose::Url { need: BodyNeed::Sitemap, .. });
                    if is_sitemap && bug == Some(InjectedBug::SitemapsTwice) {
                        let _ = web.answer(&task, now);
                    }
                    let reply = web.answer(&task, now);
                    let flight = session.next_flight;
                    session.next_flight += 1;
                    started.flights.push((now.plus(reply.after), flight));
                    session.flights.insert(flight, (task, reply));
                }
                Err(wait) => {
                    if let Wait::Until(at) = wait {
                        let earlier = started.retry_at.map_or(at, |known| known.min(at));
                        started.retry_at = Some(earlier);
                    }
                    session.queue.push_back(task);
                }
            }
        }
        Ok(started)
    }

    /// Ends a request. Returns the input for the engine.
    pub fn complete(&mut self, flight: u64) -> Option<Input> {
        let session = self.session.as_mut()?;
        let (task, reply) = session.flights.remove(&flight)?;
        session.free_slot(&task);
        self.release(task.url.host());
        Some(match reply.answer {
            Ok((head, body)) => {
                let response = page::parse_response(&task, head, &body);
                Input::Answered(task, Box::new(response))
            }
            Err(cause) => Input::Failed(task, cause),
        })
    }

    /// Ends the session and cancels its requests. Returns its lease and engine.
    pub fn stop(&mut self) -> Option<(SimLease, SiteCrawl)> {
        let session = self.session.take()?;
        for (task, _) in session.flights.values() {
            self.release(task.url.host());
        }
        Some((session.lease, session.engine))
    }

    /// Crashes the process, which loses its state.
    pub fn die(&mut self) {
        *self = Self::default();
    }

    fn release(&mut self, host: &str) {
        self.monitor.end(host);
        if let Some(pace) = self.paces.get_mut(host) {
            pace.end();
        }
    }
}
