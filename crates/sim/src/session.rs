//! A worker's hold on the job: one engine, its requests, and what the node that it
//! lives on knows.

use std::collections::{BTreeMap, HashMap, VecDeque};

use contract::Millis;
use crawl::{Crawl, HostPace, Input, Reading, Task, Wait};

use crate::books::Lease;
use crate::profile::Flaw;
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
}

impl Session {
    pub fn new(id: u64, lease: Lease, engine: Crawl) -> Self {
        let (queue, flights) = (VecDeque::new(), BTreeMap::new());
        Self { id, lease, engine, wake_at: None, queue, flights, next_flight: 0 }
    }

    pub fn enqueue(&mut self, task: Task) {
        self.queue.push_back(task);
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
        flaw: Option<Flaw>,
        now: Millis,
    ) -> Result<Started, String> {
        let mut started = Started::default();
        let Some(session) = &mut self.session else { return Ok(started) };
        for task in std::mem::take(&mut session.queue) {
            let host = task.url.host().to_owned();
            let fresh = || HostPace::new(AT_A_TIME, DELAY);
            let pace = self.paces.entry(host).or_insert_with(fresh);
            let leave = match flaw {
                Some(Flaw::NoPace) => Ok(()),
                _ => pace.start(task.gap, now),
            };
            match leave {
                Ok(()) => {
                    self.watch.start(&task, web, session.engine.state(), now)?;
                    let reply = web.answer(&task.url, now);
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
        let (task, reply) = self.session.as_mut()?.flights.remove(&flight)?;
        self.release(task.url.host());
        Some(match reply.answer {
            Ok((head, body)) => {
                let reading = Reading::of(&task, head, &body);
                Input::Answered(task, Box::new(reading))
            }
            Err(cause) => Input::Failed(task, cause),
        })
    }

    /// The session ends, and its requests are broken off.
    pub fn stop(&mut self) {
        let Some(session) = self.session.take() else { return };
        for (task, _) in session.flights.values() {
            self.release(task.url.host());
        }
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
