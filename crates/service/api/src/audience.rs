//! Whoever watches jobs live: one look a second for each job that is watched, whatever the
//! number of its listeners, and one text for all of them.
//!
//! A listener holds a place in a channel that keeps the latest state only. One that reads
//! slowly misses what lies between and holds nothing up; one that is gone leaves its place.
//!
//! The credential of a stream is checked once a second, once for all streams that were opened with
//! it. When it is not accepted any more, its channel is closed and the streams end.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use contract::{AccountId, Clock, JobId};
use store::{CredentialId, Store};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

use crate::progress::{Look, ProgressWatch};
use crate::shares::{Share, Shares};

/// How often a watched job is read, and a credential checked. Runs commit no more often.
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

/// The account and the credential that a stream was opened with.
pub(crate) type StreamHolder = (AccountId, CredentialId);

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
    clock: Arc<dyn Clock>,
    seats: Seats,
    by_address: Shares,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// A channel for each job that somebody listens to.
    jobs: HashMap<JobId, watch::Sender<Latest>>,
    /// A channel for each credential that a stream was opened with.
    holders: HashMap<StreamHolder, watch::Sender<()>>,
    by_account: HashMap<AccountId, usize>,
    in_all: usize,
}

/// One who listens to a job.
#[derive(Debug)]
pub(crate) struct Listener {
    /// The latest state; closed when there will be no other.
    pub latest: watch::Receiver<Latest>,
    /// Closed when the credential is not accepted any more.
    pub accepted: watch::Receiver<()>,
    _seat: Seat,
    _of_address: Share,
}

impl Audience {
    pub fn new(store: Store, clock: Arc<dyn Clock>, seats: Seats) -> Self {
        let by_address = Shares::new(seats.of_address);
        Self { inner: Arc::new(Inner { store, clock, seats, by_address, taken: Mutex::default() }) }
    }

    /// A place to listen to the job from an address, unless a ceiling is reached.
    pub fn join(
        &self,
        holder: &StreamHolder,
        address: &str,
        job: &JobId,
    ) -> Result<Listener, StreamLimit> {
        let (account, _) = holder;
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
                tokio::spawn(tell(inner, job.clone(), told));
                latest
            }
        };
        let accepted = match taken.holders.get(holder) {
            Some(open) => open.subscribe(),
            None => {
                let (open, accepted) = watch::channel(());
                taken.holders.insert(holder.clone(), open.clone());
                tokio::spawn(check_credential(Arc::clone(&self.inner), holder.clone(), open));
                accepted
            }
        };
        Ok(Listener { latest, accepted, _seat: seat, _of_address: of_address })
    }
}

impl Inner {
    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes a channel without a receiver. Under the lock: a new stream finds either a channel whose
/// task runs or none.
fn is_deserted<K: Eq + Hash, T>(
    channels: &mut HashMap<K, watch::Sender<T>>,
    key: &K,
    sender: &watch::Sender<T>,
) -> bool {
    let deserted = sender.receiver_count() == 0;
    if deserted {
        channels.remove(key);
    }
    deserted
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

/// Publishes the states of a job until it has no listener or no further state.
async fn tell(inner: Arc<Inner>, job: JobId, told: watch::Sender<Latest>) {
    let mut watch = ProgressWatch::new(inner.store.clone(), job.clone());
    let mut timer = interval(LOOK_EVERY);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        let deserted = is_deserted(&mut inner.taken().jobs, &job, &told);
        if deserted {
            return;
        }
        let frame = match watch.look().await {
            Ok(look) => look.as_ref().map(frame),
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

/// Ends the streams of a credential when it was revoked, has expired or was disconnected, or when
/// its account is suspended or deleted.
async fn check_credential(inner: Arc<Inner>, holder: StreamHolder, open: watch::Sender<()>) {
    let mut timer = interval(LOOK_EVERY);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        let deserted = is_deserted(&mut inner.taken().holders, &holder, &open);
        if deserted {
            return;
        }
        let (account, credential) = &holder;
        match inner.store.is_accepted(account, credential, inner.clock.now()).await {
            Ok(true) => {}
            Ok(false) => {
                inner.taken().holders.remove(&holder);
                return;
            }
            Err(error) => {
                tracing::debug!(account.id = %account, %error, "failed to check a credential");
            }
        }
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
    use contract::Millis;
    use store::StoreSettings;

    use super::*;

    const NOW: Millis = Millis(1_794_735_000_000);

    #[derive(Debug)]
    struct Fixed;

    impl Clock for Fixed {
        fn now(&self) -> Millis {
            NOW
        }
    }

    #[tokio::test]
    async fn a_job_is_looked_at_once_for_all_and_only_while_somebody_listens() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let lease = fixture::running(&store, &fixture::new_job(&account, "example.com")).await;
        let session = store.open_session(&account, NOW).await.expect("a session").token;
        let found = store.authenticate_session(&session, NOW).await.expect("it answers");
        let holder = (account, CredentialId::Session(found.expect("a session").session));
        let seats = Seats { in_all: 50, of_account: 50, of_address: 0 };
        let audience = Audience::new(store.clone(), Arc::new(Fixed), seats);
        let join = || audience.join(&holder, "192.0.2.1", &lease.job);
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
        let is_idle = || {
            let taken = audience.inner.taken();
            taken.jobs.is_empty() && taken.holders.is_empty()
        };
        while !is_idle() {
            assert!(tokio::time::Instant::now() < limit, "it is still looked at");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(audience.inner.taken().in_all, 0);
        assert!(audience.inner.taken().by_account.is_empty());
        let mut again = join().expect("it can be listened to again");
        // The session ends: so does what was opened with it.
        store.end_session(&session).await.expect("it answers");
        let ended = tokio::time::timeout(Duration::from_secs(30), again.accepted.changed()).await;
        assert!(ended.expect("in time").is_err(), "closed");
        assert!(audience.inner.taken().holders.is_empty());
    }
}
