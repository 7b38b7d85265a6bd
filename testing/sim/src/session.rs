//! A worker's hold on the job: one engine, its requests, and what the node that it
//! lives on knows.

use std::collections::{BTreeMap, HashMap, VecDeque};

use contract::Millis;
use crawl::{Crawl, HostPace, Input, Purpose, Reading, Task, Wait, Want};

use crate::books::Lease;
use crate::profile::Flaw;
use crate::rng::Rng;
use crate::truth::Truth;
use crate::watch::{AT_A_TIME, DELAY, Watch};
use crate::web::{Reply, Web};

/// A process that works, dead or alive.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub session: Option<Session>,
    paces: HashMap<String, HostPace>,
    watch: Watch,
}

/// One engine at work, from a claim to its loss.
#[derive(Debug)]
pub(crate) struct Session {
    /// Tells it from the sessions before it, whose answers may still be on their way.
    pub id: u64,
    pub lease: Lease,
    pub engine: Crawl,
    /// When the engine is woken next.
    pub wake_at: Option<Millis>,
    /// Tasks that the host's pace holds back.
    queue: VecDeque<Task>,
    flights: BTreeMap<u64, (Task, Reply)>,
    next_flight: u64,
    room: Room,
    /// URLs that are being asked for, by host.
    lanes: HashMap<String, usize>,
}

/// How much the engine may want at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    pub in_all: usize,
    pub at_a_host: usize,
}

impl Room {
    pub fn draw(rng: &mut Rng) -> Self {
        let mut within = |most| usize::try_from(rng.within(1, most)).unwrap_or(1);
        Self { in_all: within(8), at_a_host: within(4) }
    }
}

impl Session {
    pub fn new(id: u64, lease: Lease, engine: Crawl, room: Room) -> Self {
        let (queue, flights) = (VecDeque::new(), BTreeMap::new());
        let lanes = HashMap::new();
        Self { id, lease, engine, wake_at: None, queue, flights, next_flight: 0, room, lanes }
    }

    /// The engine wants this to be fetched.
    pub fn enqueue(&mut self, task: Task) -> Result<(), String> {
        if let Some(lane) = self.lane(&task) {
            *self.lanes.entry(lane).or_default() += 1;
        }
        self.queue.push_back(task);
        let Room { in_all, at_a_host } = self.room;
        if let Some((host, count)) = self.lanes.iter().find(|(_, count)| **count > at_a_host) {
            return Err(format!("{count} URLs of {host} are wanted at a time, not {at_a_host}"));
        }
        match self.lanes.values().sum::<usize>() {
            count if count > in_all => Err(format!("{count} URLs are wanted at a time")),
            _ => Ok(()),
        }
    }

    /// The host that a task takes room of: that of the address that was found, wherever it
    /// leads. Sitemaps come before everything else, and rules before those.
    fn lane(&self, task: &Task) -> Option<String> {
        match task.purpose {
            Purpose::Url { want: Want::Sitemap, .. } | Purpose::Robots { .. } => None,
            Purpose::Url { ordinal, .. } => {
                let key = urls::page_key(self.engine.state().frontier().text(ordinal));
                key.split('/').next().map(str::to_owned)
            }
        }
    }

    fn leave(&mut self, task: &Task) {
        let lane = self.lane(task).and_then(|lane| self.lanes.get_mut(&lane));
        if let Some(count) = lane {
            *count -= 1;
        }
    }
}

/// What starting requests brought.
#[derive(Debug, Default)]
pub(crate) struct Started {
    /// Requests that will be answered then.
    pub flights: Vec<(Millis, u64)>,
    /// When a held-back task may start.
    pub look_again: Option<Millis>,
}

impl Node {
    /// Starts what the hosts' pace lets through.
    pub fn start_requests(
        &mut self,
        web: &mut Web,
        truth: &Truth,
        flaw: Option<Flaw>,
        now: Millis,
    ) -> Result<Started, String> {
        let mut started = Started::default();
        let Some(session) = &mut self.session else { return Ok(started) };
        for mut task in std::mem::take(&mut session.queue) {
            let host = task.url.host().to_owned();
            let fresh = || HostPace::new(AT_A_TIME, DELAY);
            let pace = self.paces.entry(host).or_insert_with(fresh);
            let leave = match flaw {
                Some(Flaw::NoPace) => Ok(()),
                _ => pace.start(task.gap, now),
            };
            match leave {
                Ok(()) => {
                    if let (Some(Flaw::ChecksAreRead), Purpose::Url { want, .. }) =
                        (flaw, &mut task.purpose)
                        && *want == Want::Head
                    {
                        *want = Want::Page { images: false };
                    }
                    self.watch.start(&task, web, truth, session.engine.state(), now)?;
                    let is_sitemap =
                        matches!(task.purpose, Purpose::Url { want: Want::Sitemap, .. });
                    if is_sitemap && flaw == Some(Flaw::SitemapsTwice) {
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
                        let earlier = started.look_again.map_or(at, |known| known.min(at));
                        started.look_again = Some(earlier);
                    }
                    session.queue.push_back(task);
                }
            }
        }
        Ok(started)
    }

    /// A request has ended: what the engine is told of it.
    pub fn land(&mut self, flight: u64) -> Option<Input> {
        let session = self.session.as_mut()?;
        let (task, reply) = session.flights.remove(&flight)?;
        session.leave(&task);
        self.release(task.url.host());
        Some(match reply.answer {
            Ok((head, body)) => {
                let reading = Reading::of(&task, head, &body);
                Input::Answered(task, Box::new(reading))
            }
            Err(cause) => Input::Failed(task, cause),
        })
    }

    /// The session ends, and its requests are broken off. Gives what it held.
    pub fn stop(&mut self) -> Option<(Lease, Crawl)> {
        let session = self.session.take()?;
        for (task, _) in session.flights.values() {
            self.release(task.url.host());
        }
        Some((session.lease, session.engine))
    }

    /// The process dies, and with it all that it knew.
    pub fn die(&mut self) {
        *self = Self::default();
    }

    fn release(&mut self, host: &str) {
        self.watch.end(host);
        if let Some(pace) = self.paces.get_mut(host) {
            pace.end();
        }
    }
}
