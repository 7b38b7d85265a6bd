//! Operations on objects, each with retries, a time limit, a bound on the bytes in flight, and metrics.

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{sleep, timeout};

use crate::connect::{BucketOptions, connect};
use crate::error::NO_ANSWER;
use crate::{BucketError, Location};

/// Bytes of all reads and writes of a process at a time; further ones wait.
const BYTES_IN_FLIGHT: u32 = 64 << 20;

/// Unit of the semaphore of bytes.
const KIB: u64 = 1 << 10;

/// Requests of a process at a time.
const REQUESTS: usize = 64;

/// Time limits of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryRules {
    /// Maximum time of one attempt to read, to list or to remove.
    pub read: Duration,
    /// Maximum time of one attempt to write.
    pub write: Duration,
    /// No further attempt begins after this time.
    pub patience: Duration,
    /// Pause after the first attempt; doubled after each further one.
    pub first_pause: Duration,
}

impl Default for RetryRules {
    fn default() -> Self {
        Self {
            read: Duration::from_secs(10),
            write: Duration::from_secs(30),
            patience: Duration::from_secs(8),
            first_pause: Duration::from_millis(100),
        }
    }
}

/// An object of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredObject {
    /// Its name below the prefix of the location.
    pub name: String,
    pub bytes: u64,
}

/// A handle to the objects of one location. Cheap to clone; connects at the first operation.
#[derive(Clone)]
pub struct Bucket {
    inner: Arc<BucketInner>,
}

struct BucketInner {
    location: Location,
    options: BucketOptions,
    rules: RetryRules,
    store: OnceLock<Result<Arc<dyn ObjectStore>, String>>,
    bytes: Semaphore,
    requests: Semaphore,
}

impl fmt::Debug for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bucket").field(&self.inner.location.to_string()).finish()
    }
}

impl Bucket {
    #[must_use]
    pub fn new(location: Location, options: BucketOptions) -> Self {
        Self::with(location, options, RetryRules::default(), OnceLock::new())
    }

    /// A bucket over any implementation, for tests.
    #[must_use]
    pub fn over(location: Location, store: Arc<dyn ObjectStore>, rules: RetryRules) -> Self {
        Self::with(location, BucketOptions::default(), rules, OnceLock::from(Ok(store)))
    }

    fn with(
        location: Location,
        options: BucketOptions,
        rules: RetryRules,
        store: OnceLock<Result<Arc<dyn ObjectStore>, String>>,
    ) -> Self {
        let bytes = Semaphore::new((u64::from(BYTES_IN_FLIGHT) / KIB) as usize);
        let requests = Semaphore::new(REQUESTS);
        let inner = BucketInner { location, options, rules, store, bytes, requests };
        Self { inner: Arc::new(inner) }
    }

    #[must_use]
    pub fn location(&self) -> &Location {
        &self.inner.location
    }

    /// Writes an object with one request. A repetition replaces it: its content must be the same.
    ///
    /// # Errors
    /// [`BucketError`] if it is unknown whether the object is written.
    pub async fn put(&self, name: &str, body: Bytes) -> Result<(), BucketError> {
        let _held = self.hold(body.len() as u64).await;
        let path = self.path(name);
        self.repeat("write", name, self.inner.rules.write, |store| {
            let (path, body) = (path.clone(), PutPayload::from_bytes(body.clone()));
            async move { store.put(&path, body).await }
        })
        .await?;
        metrics::counter!("trawl_bucket_bytes_total", "direction" => "written")
            .increment(body.len() as u64);
        Ok(())
    }

    /// Writes an object unless one has this name. False if one has it, which may be that of an attempt
    /// whose answer was lost.
    ///
    /// # Errors
    /// [`BucketError`] if it is unknown whether the object is written.
    pub async fn create(&self, name: &str, body: Bytes) -> Result<bool, BucketError> {
        let path = self.path(name);
        self.repeat("write", name, self.inner.rules.write, |store| {
            let (path, body) = (path.clone(), PutPayload::from_bytes(body.clone()));
            async move {
                let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
                match store.put_opts(&path, body, options).await {
                    Ok(_) => Ok(true),
                    Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
                    Err(error) => Err(error),
                }
            }
        })
        .await
    }

    /// A range of an object.
    ///
    /// # Errors
    /// [`BucketError::Missing`] if there is no such object.
    pub async fn read(&self, name: &str, range: Range<u64>) -> Result<Bytes, BucketError> {
        if range.is_empty() {
            return Ok(Bytes::new());
        }
        let wanted = range.end - range.start;
        let _held = self.hold(wanted).await;
        let path = self.path(name);
        let body = self
            .repeat("read", name, self.inner.rules.read, |store| {
                let (path, range) = (path.clone(), range.clone());
                async move {
                    let body = store.get_range(&path, range).await?;
                    match body.len() as u64 == wanted {
                        true => Ok(body),
                        false => Err(object_store::Error::Generic {
                            store: "bucket",
                            source: format!("{} bytes instead of {wanted}", body.len()).into(),
                        }),
                    }
                }
            })
            .await?;
        metrics::counter!("trawl_bucket_bytes_total", "direction" => "read").increment(wanted);
        Ok(body)
    }

    /// The bytes of an object.
    ///
    /// # Errors
    /// [`BucketError::Missing`] if there is no such object.
    pub async fn length(&self, name: &str) -> Result<u64, BucketError> {
        let path = self.path(name);
        self.repeat("read", name, self.inner.rules.read, |store| {
            let path = path.clone();
            async move {
                let options = GetOptions::new().with_head(true);
                store.get_opts(&path, options).await.map(|answer| answer.meta.size)
            }
        })
        .await
    }

    /// Removes an object; a missing one is no error.
    ///
    /// # Errors
    /// [`BucketError`] if it is unknown whether the object is removed.
    pub async fn remove(&self, name: &str) -> Result<(), BucketError> {
        let path = self.path(name);
        let removed = self.repeat("delete", name, self.inner.rules.read, |store| {
            let path = path.clone();
            async move { store.delete(&path).await }
        });
        match removed.await {
            Err(BucketError::Missing { .. }) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// All objects below a folder, in no order. The stream ends after an error.
    ///
    /// # Errors
    /// [`BucketError::Setup`] if the settings are wrong.
    pub fn list(
        &self,
        folder: &str,
    ) -> Result<BoxStream<'static, Result<StoredObject, BucketError>>, BucketError> {
        let store = self.store()?;
        let (bucket, root) = (self.clone(), self.path(""));
        let limit = self.inner.rules.read;
        let place = self.inner.location.to_string();
        let objects = store.list(Some(&self.path(folder)));
        let start = (objects, bucket, root, place, false);
        Ok(futures_util::stream::unfold(
            start,
            move |(mut objects, bucket, root, place, ended)| async move {
                if ended {
                    return None;
                }
                let begun = Instant::now();
                let entry = match timeout(limit, objects.next()).await {
                    Ok(entry) => entry?,
                    Err(_) => Err(no_answer(limit)),
                };
                let entry = match entry {
                    Ok(object) => {
                        let below = object.location.prefix_match(&root);
                        let parts = below.map(|parts| {
                            parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>()
                        });
                        Ok(StoredObject {
                            name: parts.unwrap_or_default().join("/"),
                            bytes: object.size,
                        })
                    }
                    Err(error) => {
                        record("list", "failed", begun);
                        Err(BucketError::of(&place, "list", "", &error))
                    }
                };
                let ended = entry.is_err();
                Some((entry, (objects, bucket, root, place, ended)))
            },
        )
        .boxed())
    }

    pub(crate) fn store(&self) -> Result<Arc<dyn ObjectStore>, BucketError> {
        let inner = &self.inner;
        let opened = inner.store.get_or_init(|| connect(&inner.location, &inner.options));
        opened.clone().map_err(|problem| self.unusable(problem))
    }

    pub(crate) fn rules(&self) -> RetryRules {
        self.inner.rules
    }

    pub(crate) fn unusable(&self, problem: impl Into<String>) -> BucketError {
        BucketError::Setup { place: self.inner.location.to_string(), problem: problem.into() }
    }

    pub(crate) fn path(&self, name: &str) -> Path {
        Path::from(format!("{}/{name}", self.inner.location.prefix()))
    }

    /// Waits until these bytes may be in flight.
    async fn hold(&self, bytes: u64) -> Option<SemaphorePermit<'_>> {
        let units = bytes.div_ceil(KIB).clamp(1, u64::from(BYTES_IN_FLIGHT) / KIB);
        // The semaphore is never closed.
        self.inner.bytes.acquire_many(u32::try_from(units).unwrap_or(1)).await.ok()
    }

    /// Repeats an operation while it may succeed.
    async fn repeat<T, F>(
        &self,
        operation: &'static str,
        name: &str,
        limit: Duration,
        attempt: impl Fn(Arc<dyn ObjectStore>) -> F,
    ) -> Result<T, BucketError>
    where
        F: Future<Output = object_store::Result<T>>,
    {
        let store = self.store()?;
        let _slot = self.inner.requests.acquire().await.ok();
        let RetryRules { patience, first_pause, .. } = self.inner.rules;
        let (started, mut pause) = (Instant::now(), first_pause);
        loop {
            let begun = Instant::now();
            let answer = timeout(limit, attempt(Arc::clone(&store))).await;
            let error = match answer.unwrap_or_else(|_| Err(no_answer(limit))) {
                Ok(answer) => {
                    record(operation, "ok", begun);
                    return Ok(answer);
                }
                Err(error) => {
                    let place = self.inner.location.to_string();
                    BucketError::of(&place, operation, name, &error)
                }
            };
            let is_missing = matches!(error, BucketError::Missing { .. });
            record(operation, if is_missing { "missing" } else { "failed" }, begun);
            let may_pass = matches!(error, BucketError::Unavailable { .. });
            if !may_pass || started.elapsed() + pause > patience {
                return Err(error);
            }
            // Half of it at random, so that nodes do not repeat at the same time.
            sleep(pause.mul_f64(rand::random_range(0.5..1.0))).await;
            pause *= 2;
        }
    }
}

pub(crate) fn no_answer(limit: Duration) -> object_store::Error {
    let source = format!("{NO_ANSWER} {} s", limit.as_secs_f64()).into();
    object_store::Error::Generic { store: "bucket", source }
}

fn record(operation: &'static str, outcome: &'static str, begun: Instant) {
    metrics::counter!(
        "trawl_bucket_requests_total", "operation" => operation, "outcome" => outcome
    )
    .increment(1);
    metrics::histogram!("trawl_bucket_request_seconds", "operation" => operation)
        .record(begun.elapsed().as_secs_f64());
}
