//! Executes one shard from its claim to its end: replay, drive, report.

mod listed;
mod site_access;
mod visiting;

use std::error::Error;

use contract::{ErrorCode, Mode, Status};
use crawl::{CrawlPlan, Engine, ReplayError, SiteCrawl};
use job::{Job, JobCommand, RunEnding, Tier};
use journal::Overlay;
use privacy::Denylist;
use registry::SiteCrawlError;
use runtime::off_runtime;
use store::{
    CRASHES_BEFORE_ISOLATION, CommandError, Lease, NodeName, ShardEnd, ShardLog, Store, StoreError,
};
use tokio::sync::watch;
use tracing::{Instrument as _, Span, field};
use urls::{CanonicalUrl, SiteKey, TrapRule};

use crate::claim_pause::ClaimPause;
use crate::frontier_memory::FrontierMemory;
use crate::run_guard::RunGuard;
use crate::settings::WorkerSettings;
use crate::store_sink::{OUTAGE_PAUSE, StoreSink};
use crate::visit_slots::VisitSlot;
use runner::{Fetcher, RunOutcome, RunSignal, drive};
use site_access::RunFetcher;

/// Why this worker stopped a run without a report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// Another worker holds the shard, or the job has ended.
    #[error("lease lost")]
    Lost,
    /// Evicted to free memory of the node.
    #[error("run evicted until memory is available")]
    Evicted,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A bug of the engine, of a mode or of this worker.
    #[error(transparent)]
    Bug(Box<dyn Error + Send + Sync>),
}

impl From<CommandError> for RunError {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::NotFound | CommandError::Refused(_) | CommandError::LeaseLost => {
                Self::Lost
            }
            CommandError::Store(error) => Self::Store(error),
        }
    }
}

/// Why a run stopped that this worker reports.
#[derive(Debug)]
enum RunStop {
    /// The same for a site and for one of several shards.
    Command(JobCommand),
    Protected {
        marker: String,
    },
    Finished(RunEnding),
}

impl RunStop {
    /// `None` if the process ends: nothing is reported then.
    ///
    /// # Errors
    /// [`RunError`] if the run goes on elsewhere or has a bug.
    fn of(outcome: RunOutcome) -> Result<Option<Self>, RunError> {
        Ok(Some(match outcome {
            RunOutcome::Abandoned => return Err(RunError::Lost),
            RunOutcome::Shutdown => return Ok(None),
            RunOutcome::Evicted => return Err(RunError::Evicted),
            RunOutcome::Failed(error) => return Err(RunError::Bug(error.into())),
            RunOutcome::OutOfCredits => Self::Command(JobCommand::ExhaustCredits),
            // Lists and domains have no batches: handled like a site, never as finished.
            RunOutcome::BatchBoundary => Self::Command(JobCommand::ReachBoundary),
            RunOutcome::Protected(marker) => Self::Protected { marker: marker.to_string() },
            RunOutcome::Finished(ending) => Self::Finished(ending),
        }))
    }
}

/// The report of a stopped run.
#[derive(Debug)]
enum RunReport {
    /// Changes the state of the job.
    Command(JobCommand),
    /// Ends one of several shards.
    ShardEnd(ShardEnd),
}

#[derive(Debug)]
pub(crate) struct ShardRunner {
    pub store: Store,
    pub fetcher: Fetcher,
    pub settings: WorkerSettings,
    pub node: NodeName,
    pub memory: FrontierMemory,
    pub claim_pause: ClaimPause,
}

impl ShardRunner {
    /// Executes the shard, and releases its lease unless it is lost. All log lines of the run are in
    /// the spans `job` and `shard`, which are enabled at every log level.
    pub async fn run(
        &self,
        lease: Lease,
        visit_slot: Option<VisitSlot>,
        stop: watch::Receiver<RunSignal>,
        guard: RunGuard,
    ) {
        let job = tracing::error_span!("job", job.id = %lease.job, account.id = field::Empty);
        let shard = tracing::error_span!(parent: &job, "shard", shard.id = %lease.shard);
        self.run_in_span(lease, visit_slot, stop, guard, job).instrument(shard).await;
    }

    async fn run_in_span(
        &self,
        lease: Lease,
        visit_slot: Option<VisitSlot>,
        stop: watch::Receiver<RunSignal>,
        guard: RunGuard,
        job: Span,
    ) {
        let mut evicted = false;
        match self.run_job(&lease, visit_slot, stop, &job).await {
            Ok(()) => {}
            Err(RunError::Evicted) => evicted = true,
            Err(RunError::Lost) => {
                tracing::info!("lease lost, run stopped");
            }
            Err(RunError::Store(error)) if error.is_transient() => {
                tracing::warn!(%error, "run interrupted, database unavailable");
            }
            Err(RunError::Store(error)) if error.is_from_newer_release() => {
                tracing::error!(%error, "run released to nodes of a newer release");
                self.claim_pause.start(self.settings.lease);
            }
            Err(RunError::Store(error @ StoreError::SecretKeyMissing { .. })) => {
                tracing::error!(%error, "run released to nodes that have the secret key");
                self.claim_pause.start(self.settings.lease);
            }
            Err(error @ (RunError::Store(_) | RunError::Bug(_))) => {
                self.fail_run(&lease, &error).await;
            }
        }
        let memory = self.memory.remove(&lease.shard);
        // Before the lease is released: the next claim of the shard has its own guard.
        drop(guard);
        let released = if evicted {
            tracing::info!(memory, "run evicted to free memory");
            metrics::counter!("trawl_runs_evicted_total").increment(1);
            self.store.evict(&self.node, &lease, memory).await
        } else {
            self.store.release_lease(&self.node, &lease).await
        };
        if let Err(error) = released {
            tracing::warn!(%error, "failed to release lease");
        }
    }

    async fn run_job(
        &self,
        lease: &Lease,
        visit_slot: Option<VisitSlot>,
        stop: watch::Receiver<RunSignal>,
        span: &Span,
    ) -> Result<(), RunError> {
        let now = self.fetcher.clock().now();
        self.store.report(lease, &JobCommand::Start, now).await?;
        let job = self.store.report(lease, &JobCommand::LearnTier(Tier::Normal), now).await?;
        span.record("account.id", field::display(&job.account));
        if job.status != Status::Running {
            return Ok(());
        }
        self.memory.set_account(&lease.shard, &job.account);
        log_run(&job, "run starts");
        if job.mode.visits_domains() {
            let job = self.store.with_domains(job).await?;
            return self.run_visits(lease, &job, visit_slot, stop).await;
        }
        if job.is_list() {
            return self.run_list(lease, &job, stop).await;
        }
        let start = job.url.as_deref().and_then(|url| CanonicalUrl::parse(url).ok());
        let Some(start) = start else { return self.fail_invalid_start(lease).await };
        let ready = self.fetcher_with_access(lease, &job, &start, &stop).await?;
        let RunFetcher::Ready(fetcher) = ready else { return Ok(()) };
        let plan = self.plan(&job, CrawlPlan::new(start));
        let mut crawl = self.restore(lease, job.mode, plan).await?;
        let mut sink = self.sink(lease, &job, &fetcher, stop.clone());
        loop {
            let outcome;
            (crawl, sink, outcome) =
                drive(crawl, &fetcher, sink, self.settings.commit, stop.clone()).await;
            sink.write_request_log().await;
            if let Some(error) = sink.failure() {
                self.fail_run(sink.lease(), error).await;
                return Ok(());
            }
            let Some(run_stop) = RunStop::of(outcome)? else { return Ok(()) };
            let command = match run_stop {
                RunStop::Command(command) => command,
                RunStop::Protected { marker } => JobCommand::LearnTier(Tier::Protected { marker }),
                RunStop::Finished(ending) => JobCommand::Finish(ending),
            };
            let report = RunReport::Command(command);
            let job = self.report_stop(sink.lease(), &crawl, &report, &stop).await?;
            if job.status == Status::Running {
                // The client accepted the higher rate in advance.
                sink.set_rate(job.charged_rate());
                let max_units = job.max_units().map(|units| units.0);
                let plan =
                    CrawlPlan { protected: job.protected, max_units, ..crawl.plan().clone() };
                crawl = crawl.resume_with(plan);
                continue;
            }
            return self.record_stop(&job).await;
        }
    }

    /// The crawl after its log, with what earlier runs have learned of the site.
    async fn restore(
        &self,
        lease: &Lease,
        mode: Mode,
        plan: CrawlPlan,
    ) -> Result<SiteCrawl, RunError> {
        let log = self.store.shard_log(lease).await?;
        let site = SiteKey::of(&plan.start);
        let mut crawl = replay(mode, plan, log).await?;
        if crawl.wants_learned_data()
            && let Some(template) = self.store.template(site.as_str()).await?
        {
            crawl.begin_with_learned_data(template);
        }
        Ok(crawl)
    }

    /// Drives one of several shards until it stops, and reports why. A complete shard ends as
    /// `finished` says.
    async fn drive_shard<E: Engine>(
        &self,
        run: E,
        fetcher: &Fetcher,
        sink: StoreSink,
        stop: watch::Receiver<RunSignal>,
        finished: impl FnOnce(&E, RunEnding) -> ShardEnd,
    ) -> Result<(), RunError> {
        let (run, sink, outcome) =
            drive(run, fetcher, sink, self.settings.commit, stop.clone()).await;
        if let Some(error) = sink.failure() {
            self.fail_run(sink.lease(), error).await;
            return Ok(());
        }
        let report = match RunStop::of(outcome)? {
            None => return Ok(()),
            Some(RunStop::Command(command)) => RunReport::Command(command),
            Some(RunStop::Protected { marker }) => {
                RunReport::ShardEnd(ShardEnd::SetAside { marker })
            }
            Some(RunStop::Finished(ending)) => RunReport::ShardEnd(finished(&run, ending)),
        };
        let job = self.report_stop(sink.lease(), &run, &report, &stop).await?;
        self.end_of_shard(&job).await
    }

    async fn end_of_shard(&self, job: &Job) -> Result<(), RunError> {
        if job.status == Status::Running {
            // Other shards are active, or this one is claimed again for the protected tier.
            tracing::debug!("shard ended");
            return Ok(());
        }
        self.record_stop(job).await
    }

    /// The fetcher of this run. After [`CRASHES_BEFORE_ISOLATION`] crashes of its nodes the run is
    /// isolated: its pages are read in child processes first.
    fn fetcher_for(&self, lease: &Lease, job: &Job) -> Fetcher {
        let fetcher = self.fetcher.for_run(job.account.as_str(), job.id.as_str());
        if lease.crashes >= CRASHES_BEFORE_ISOLATION {
            tracing::warn!(
                crashes = lease.crashes,
                child_processes = fetcher.reader().pool().is_some(),
                "run isolated after crashes of its workers"
            );
            fetcher.read_state().set_isolated(true);
        }
        fetcher
    }

    /// The sink of this run, with the current rate.
    fn sink(
        &self,
        lease: &Lease,
        job: &Job,
        fetcher: &Fetcher,
        stop: watch::Receiver<RunSignal>,
    ) -> StoreSink {
        StoreSink::new(
            self.store.clone(),
            self.fetcher.clock().clone(),
            lease.clone(),
            job.charged_rate(),
            self.settings.snapshot_bytes,
            stop,
        )
        .for_run(self.memory.clone(), fetcher.read_state().clone())
    }

    async fn record_stop(&self, job: &Job) -> Result<(), RunError> {
        log_run(job, "run stops");
        metrics::counter!("trawl_runs_total", "status" => job.status.as_str()).increment(1);
        if job.status.is_final() {
            self.store.merge_segments(&job.id).await?;
        }
        Ok(())
    }

    /// Fails a run whose start URL is invalid.
    async fn fail_invalid_start(&self, lease: &Lease) -> Result<(), RunError> {
        let command = JobCommand::Fail {
            code: ErrorCode::InvalidUrl,
            message: "the start URL cannot be crawled".to_owned(),
        };
        self.store.report(lease, &command, self.fetcher.clock().now()).await?;
        Ok(())
    }

    /// Writes the overlay and reports why the run stopped. Retries while the database is unavailable
    /// and no signal arrives.
    async fn report_stop(
        &self,
        lease: &Lease,
        run: &impl Engine,
        report: &RunReport,
        stop: &watch::Receiver<RunSignal>,
    ) -> Result<Job, RunError> {
        let overlay = off_runtime(|| run.overlay());
        loop {
            match self.try_report_stop(lease, overlay.as_ref(), report).await {
                Err(RunError::Store(error)) if error.is_transient() && !stop.borrow().is_stop() => {
                    tracing::warn!(%error, "database unavailable, retrying");
                    tokio::time::sleep(OUTAGE_PAUSE).await;
                }
                result => return result,
            }
        }
    }

    async fn try_report_stop(
        &self,
        lease: &Lease,
        overlay: Option<&Overlay>,
        report: &RunReport,
    ) -> Result<Job, RunError> {
        if let Some(overlay) = overlay
            && !self.store.write_overlay(lease, overlay).await?
        {
            return Err(RunError::Lost);
        }
        let now = self.fetcher.clock().now();
        Ok(match report {
            RunReport::Command(command) => self.store.report(lease, command, now).await?,
            RunReport::ShardEnd(end) => self.store.end_shard(lease, end, now).await?,
        })
    }

    /// Fails a run whose stored data is invalid, whose statement fails permanently, or that has a
    /// bug.
    async fn fail_run(&self, lease: &Lease, error: &(dyn Error + Sync)) {
        tracing::error!(%error, "bug: run cannot continue");
        let command = JobCommand::Fail {
            code: ErrorCode::PipelineBug,
            message: "the run failed because of an internal error".to_owned(),
        };
        let now = self.fetcher.clock().now();
        if let Err(error) = self.store.report(lease, &command, now).await {
            tracing::error!(%error, "failed to mark job as failed");
        }
    }

    /// The plan of a job, with the start URL or the list of another plan.
    fn plan(&self, job: &Job, seeds: CrawlPlan) -> CrawlPlan {
        CrawlPlan {
            scope: job.scope.clone(),
            options: job.options.clone(),
            batch_ends_at: job.batch_ends_at().map(|end| end.0),
            batch: job.batch,
            max_pages: job.options.max_pages,
            max_units: job.max_units().map(|units| units.0),
            ceilings: self.settings.ceilings,
            concurrency: self.settings.concurrency,
            host_concurrency: self.settings.host_concurrency,
            traps: TrapRule::in_year(self.fetcher.clock().now().year()),
            protected: job.protected,
            // Without a protected tier there is no higher rate to confirm.
            escalates: self.fetcher.capabilities().tier,
            capabilities: self.capabilities_for(job),
            retries: self.settings.retries,
            denylist: self.denylist(),
            ..seeds
        }
    }

    fn denylist(&self) -> Denylist {
        Denylist {
            blocked_domains: self.settings.blocked_domains.clone(),
            opt_outs: self.store.opt_outs(),
        }
    }
}

async fn replay(mode: Mode, plan: CrawlPlan, log: ShardLog) -> Result<SiteCrawl, RunError> {
    // Replaying a long log takes long: use a blocking thread.
    let replayed = tokio::task::spawn_blocking(move || {
        registry::replay_site_crawl(mode, plan, log.snapshot.as_ref(), &log.commits)
    });
    match replayed.await {
        Ok(Ok(crawl)) => Ok(crawl),
        Ok(Err(SiteCrawlError::Replay(error))) => Err(replay_failure(error).into()),
        Ok(Err(error @ SiteCrawlError::NotASiteMode(_))) => Err(RunError::Bug(error.into())),
        Err(error) => Err(RunError::Bug(error.into())),
    }
}

fn replay_failure(error: ReplayError) -> StoreError {
    match error {
        ReplayError::Journal(error) => error.into(),
        ReplayError::UnknownUrl(_) => StoreError::Damaged(error.to_string()),
    }
}

/// Logs the start or the end of a run, with the external ids of the client.
fn log_run(job: &Job, message: &str) {
    let external = job.external.as_ref();
    tracing::info!(
        job.mode = %job.mode,
        job.status = %job.status,
        job.results = job.counts.results,
        job.credits = job.credits_used.0,
        job.error = job.error.as_ref().map(|error| error.code.as_str()),
        external.user_id = external.and_then(|external| external.user_id.as_deref()),
        external.run_id = external.and_then(|external| external.run_id.as_deref()),
        "{message}"
    );
}
