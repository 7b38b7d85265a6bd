//! How a run gets at the pages of its site: credentials and login of the client, and rendering.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{ErrorCode, RenderChoice};
use crawl::Capabilities;
use job::{Job, JobCommand};
use net::SiteCookie;
use runner::{Fetcher, PageCacheUse, PageFetch, RunAccess, RunSession, RunSignal, SessionKeeper};
use store::{JobSecrets, Lease, Store, StoredCookie, StoredSession};
use tokio::sync::watch;
use urls::CanonicalUrl;

use super::{RunError, ShardRunner};

/// The fetcher of a run, or why the run cannot begin.
pub(super) enum RunFetcher {
    Ready(Box<Fetcher>),
    /// The run has ended before its first page, or this worker stops.
    Stopped,
}

impl ShardRunner {
    /// The fetcher for the pages of a run that starts at `start`, after its login. A login that fails
    /// ends the job.
    pub(super) async fn fetcher_with_access(
        &self,
        lease: &Lease,
        job: &Job,
        start: &CanonicalUrl,
        stop: &watch::Receiver<RunSignal>,
    ) -> Result<RunFetcher, RunError> {
        let fetcher = self.fetcher_for(lease, job);
        let fetcher = self.with_page_fetch(fetcher, job);
        if !job.access.has_secrets() {
            return Ok(RunFetcher::Ready(Box::new(fetcher)));
        }
        // Only a job that has ended has no secrets any more.
        let secrets = self.store.job_secrets(&job.id).await?.ok_or(RunError::Lost)?;
        let access = match self.run_access(lease, job, start, secrets) {
            Ok(access) => Arc::new(access),
            Err(message) => return self.fail_login(lease, message).await,
        };
        let mut stop = stop.clone();
        let stopped = async {
            // An error means that the sender is gone: this worker ends.
            let _ = stop.wait_for(|signal| signal.is_stop()).await;
            *stop.borrow()
        };
        tokio::select! {
            signal = stopped => match signal {
                RunSignal::LeaseLost => Err(RunError::Lost),
                RunSignal::Evict => Err(RunError::Evicted),
                RunSignal::Shutdown | RunSignal::Continue | RunSignal::AwaitLease => {
                    Ok(RunFetcher::Stopped)
                }
            },
            ready = fetcher.with_access(access) => match ready {
                Ok(fetcher) => Ok(RunFetcher::Ready(Box::new(fetcher))),
                Err(error) => self.fail_login(lease, error.to_string()).await,
            },
        }
    }

    /// The fetcher that requests pages as the job asks, with the page cache of the node.
    fn with_page_fetch(&self, fetcher: Fetcher, job: &Job) -> Fetcher {
        let access = &job.access;
        let mut page_fetch = PageFetch::of_run(access, job.id.as_str());
        // The pages of a session are not those of another one.
        if access.max_age > 0 && access.login.is_none() {
            let cache = fetcher.page_cache().clone();
            cache.set_opt_outs(self.store.opt_outs_version());
            page_fetch = page_fetch.with_cache(PageCacheUse {
                cache,
                max_age: Duration::from_secs(access.max_age),
                account: job.account.to_string(),
            });
        }
        fetcher.with_page_fetch(Arc::new(page_fetch))
    }

    /// What this node can do for the run.
    pub(super) fn capabilities_for(&self, job: &Job) -> Capabilities {
        let all = self.fetcher.capabilities();
        Capabilities { browser: all.browser && job.access.render != RenderChoice::Never, ..all }
    }

    fn run_access(
        &self,
        lease: &Lease,
        job: &Job,
        start: &CanonicalUrl,
        JobSecrets { access, session }: JobSecrets,
    ) -> Result<RunAccess, String> {
        let run = RunAccess::of_request(start.clone(), job.id.as_str(), &access)?;
        if let Some(url) = run.login_url().filter(|url| self.denylist().covers(url)) {
            return Err(format!("login: {} is not crawled by this service", url.host()));
        }
        let run = match session.filter(|_| run.login_url().is_some()) {
            Some(session) => run.with_session(restored(session)),
            None => run,
        };
        let keeper = StoredSessionKeeper { store: self.store.clone(), lease: lease.clone() };
        Ok(run.with_keeper(Arc::new(keeper)))
    }

    async fn fail_login(&self, lease: &Lease, message: String) -> Result<RunFetcher, RunError> {
        tracing::info!(message, "login failed, job fails");
        let command = JobCommand::Fail { code: ErrorCode::LoginFailed, message };
        let job = self.store.report(lease, &command, self.fetcher.clock().now()).await?;
        self.record_stop(&job).await?;
        Ok(RunFetcher::Stopped)
    }
}

/// Keeps the session of a run in the database, encrypted.
struct StoredSessionKeeper {
    store: Store,
    lease: Lease,
}

#[async_trait]
impl SessionKeeper for StoredSessionKeeper {
    async fn keep(&self, session: &RunSession) {
        let cookies = session.cookies.iter().cloned().map(|cookie| {
            let SiteCookie { name, value, path } = cookie;
            StoredCookie { name, value, path }
        });
        let stored = StoredSession { cookies: cookies.collect(), logins: session.logins };
        let keeping = self.store.keep_session(&self.lease, &stored);
        // Without it, a node that continues the run logs in again.
        match tokio::time::timeout(KEEP_TIME, keeping).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "failed to persist the session of a run"),
            Err(_) => tracing::warn!("timeout while the session of a run was persisted"),
        }
    }
}

/// Maximum wait until a session is stored.
const KEEP_TIME: Duration = Duration::from_secs(10);

fn restored(session: StoredSession) -> RunSession {
    let cookies = session.cookies.into_iter().map(|cookie| {
        let StoredCookie { name, value, path } = cookie;
        SiteCookie { name, value, path }
    });
    RunSession { cookies: cookies.collect(), logins: session.logins }
}
