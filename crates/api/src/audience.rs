//! Whoever watches jobs live: one look a second for each job that is watched, whatever the
//! number of its listeners, and one text for all of them.
//!
//! A listener holds a place in a channel that keeps the latest state only. One that reads
//! slowly misses what lies between and holds nothing up; one that is gone leaves its place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use contract::{AccountId, JobId};
use store::{AccountState, Store, StoreError};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::progress::{Look, ProgressWatch};
use crate::shares::{Share, Shares};

/// How often a watched job is looked at: a run writes down no more often.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// An event as every listener gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub revision: i64,
    pub text: Bytes,
    /// Nothing comes after it.
    pub is_last: bool,
}

type Latest = Option<Frame>;

/// How many may listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seats {
    pub in_all: usize,
    pub of_account: usize,
    /// 0 for no ceiling.
    pub of_address: usize,
}

/// Which ceiling of live streams is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamLimit {
    /// That of one account.
    Account(usize),
    /// That of one address.
    Address(usize),
    /// That of the whole service.
    Service,
}

/// Everybody who listens.
#[derive(Debug, Clone)]
pub(crate) struct Audience {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    seats: Seats,
    by_address: Shares,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// A channel for each job that somebody listens to.
    jobs: HashMap<JobId, watch::Sender<Latest>>,
    by_account: HashMap<AccountId, usize>,
    in_all: usize,
}

/// One who listens to a job.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The latest state; closed when there will be no other.
    pub latest: watch::Receiver<Latest>,
    _seat: Seat,
    _of_address: Share,
}

impl Audience {
    pub fn new(store: Store, seats: Seats) -> Self {
        let by_address = Shares::new(seats.of_address);
        Self { inner: Arc::new(Inner { store, seats, by_address, taken: Mutex::default() }) }
    }

    /// A place to listen to the job from an address, unless a ceiling is reached.
    pub fn join(
        &self,
        account: &AccountId,
        address: &str,
        job: &JobId,
    ) -> Result<Listener, StreamLimit> {
        let Inner { seats, .. } = *self.inner;
        let of_address = self.inner.by_address.take(address);
        let of_address = of_address.ok_or(StreamLimit::Address(seats.of_address))?;
        let mut taken = self.inner.taken();
        let of_account = taken.by_account.get(account).copied().unwrap_or(0);
        if of_account >= seats.of_account {
            return Err(StreamLimit::Account(seats.of_account));
        }
        if taken.in_all >= seats.in_all {
            return Err(StreamLimit::Service);
        }
        taken.in_all += 1;
        taken.by_account.insert(account.clone(), of_account + 1);
        let seat = Seat { inner: Arc::clone(&self.inner), account: account.clone() };
        let latest = match taken.jobs.get(job) {
            Some(told) => told.subscribe(),
            None => {
                let (told, latest) = watch::channel(None);
                taken.jobs.insert(job.clone(), told.clone());
                let inner = Arc::clone(&self.inner);
                tokio::spawn(tell(inner, account.clone(), job.clone(), told));
                latest
            }
        };
        Ok(Listener { latest, _seat: seat, _of_address: of_address })
    }
}

impl Inner {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets a job that nobody listens to. Under the lock: whoever joins finds either a
    /// job that is being looked at or none.
    fn is_deserted(&self, job: &JobId, told: &watch::Sender<Latest>) -> bool {
        let mut taken = self.taken();
        let deserted = told.receiver_count() == 0;
        if deserted {
            taken.jobs.remove(job);
        }
        deserted
    }
}

/// A place that is free again when its listener goes.
#[derive(Debug)]
struct Seat {
    inner: Arc<Inner>,
    account: AccountId,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.inner.taken();
        taken.in_all -= 1;
        if let Some(count) = taken.by_account.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                taken.by_account.remove(&self.account);
            }
        }
    }
}

/// Publishes the states of a job until it has no listener or no further state, or its account is
/// suspended or deleted.
async fn tell(inner: Arc<Inner>, account: AccountId, job: JobId, told: watch::Sender<Latest>) {
    let mut watch = ProgressWatch::new(inner.store.clone(), job.clone());
    let mut timer = interval(LOOK_EVERY);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        if inner.is_deserted(&job, &told) {
            return;
        }
        let frame = match next_frame(&inner.store, &account, &mut watch).await {
            Ok(frame) => frame,
            Err(error) => {
                // Listeners wait: their connection is as good as before.
                tracing::debug!(job.id = %job, %error, "a watched job could not be looked at");
                continue;
            }
        };
        let is_over = frame.as_ref().is_none_or(|frame| frame.is_last);
        if is_over {
            // First: whoever joins from here on looks for themselves.
            inner.taken().jobs.remove(&job);
        }
        if let Some(frame) = frame {
            told.send_if_modified(|latest| {
                let is_news = latest.as_ref() != Some(&frame);
                *latest = Some(frame);
                is_news
            });
        }
        if is_over {
            return;
        }
    }
}

/// The current state of the job; `None` when the job is deleted or its account is not active, so
/// that a suspension ends streams as it refuses keys. All listeners of a job are of its account.
async fn next_frame(
    store: &Store,
    account: &AccountId,
    watch: &mut ProgressWatch,
) -> Result<Option<Frame>, StoreError> {
    match store.account_state(account).await? {
        AccountState::Active => Ok(watch.look().await?.map(|look| frame(&look))),
        AccountState::Suspended | AccountState::Gone => Ok(None),
    }
}

fn frame(look: &Look) -> Frame {
    let Look { revision, progress } = look;
    let is_last = progress.status.is_final();
    let name = if is_last { "end" } else { "progress" };
    // JSON has no line breaks of its own: it is one line of an event.
    let data = serde_json::to_string(progress).unwrap_or_default();
    let text = Bytes::from(format!("id: {revision}\nevent: {name}\ndata: {data}\n\n"));
    Frame { revision: *revision, text, is_last }
}

#[cfg(test)]
mod tests {
    use store::StoreSettings;

    use super::*;

    #[tokio::test]
    async fn a_job_is_looked_at_once_for_all_and_only_while_somebody_listens() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let lease = fixture::running(&store, &fixture::new_job(&account, "example.com")).await;
        let audience = Audience::new(store, Seats { in_all: 50, of_account: 50, of_address: 0 });
        let join = || audience.join(&account, "192.0.2.1", &lease.job);
        let mut listeners: Vec<_> = (0..50).map(|_| join().expect("a place")).collect();
        assert_eq!(join().err(), Some(StreamLimit::Account(50)), "all places are taken");
        assert_eq!(audience.inner.taken().jobs.len(), 1);
        let mut texts = Vec::new();
        for listener in &mut listeners {
            let frame = listener.latest.wait_for(Option::is_some).await.expect("a state");
            texts.extend(frame.as_ref().map(|frame| frame.text.clone()));
        }
        let first = texts[0].as_ptr();
        assert!(texts.iter().all(|text| text.as_ptr() == first), "one text for all");
        drop(listeners);
        let limit = tokio::time::Instant::now() + Duration::from_secs(30);
        while !audience.inner.taken().jobs.is_empty() {
            assert!(tokio::time::Instant::now() < limit, "it is still looked at");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(audience.inner.taken().in_all, 0);
        assert!(audience.inner.taken().by_account.is_empty());
        assert!(join().is_ok(), "and can be listened to again");
    }
}
