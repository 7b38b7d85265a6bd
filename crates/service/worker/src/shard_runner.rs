//! One shard from its lease to its end: replay, drive, report.

mod visiting;

use contract::{ErrorCode, Mode, Status};
use crawl::{Crawl, Engine, Plan};
use job::{Job, JobCommand, Tier};
use journal::Overlay;
use privacy::Denylist;
use runtime::off_runtime;
use store::{CommandError, Lease, NodeName, ShardEnd, Store, StoreError};
use thiserror::Error;
use tokio::sync::watch;
use urls::{CanonicalUrl, SiteKey, TrapRule};

use crate::WorkerSettings;
use crate::frontier_memory::FrontierMemory;
use crate::store_sink::{OUTAGE_PAUSE, StoreSink};
use crate::visit_places::VisitPlace;
use crate::workers::RunGuard;
use runner::{Drove, Fetcher, Stop, drive};

/// How often the workers of a run may die, since it last ran without a crash for a while, before
/// its pages are read in child processes.
const CRASHES_BEFORE_ISOLATION: u32 = 2;

/// Why a run could not be brought to an end by this worker.
#[derive(Debug, Error)]
pub(crate) enum RunError {
    /// The shard is in other hands, or the job is over.
    #[error("the shard is in other hands")]
    Lost,
    /// It makes room for other runs of the node.
    #[error("the run is evicted until there is memory for it")]
    Evicted,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
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

/// How a run stopped.
#[derive(Debug)]
enum Word {
    /// The job's state is decided by it.
    Command(JobCommand),
    /// The shard is one of several.
    ShardEnd(ShardEnd),
}

#[derive(Debug)]
pub(crate) struct ShardRunner {
    pub store: Store,
    pub fetcher: Fetcher,
    pub settings: WorkerSettings,
    pub node: NodeName,
    pub memory: FrontierMemory,
}

impl ShardRunner {
    /// Runs the shard, and gives its lease back unless it is lost.
    pub async fn run(
        &self,
        lease: Lease,
        place: Option<VisitPlace>,
        stop: watch::Receiver<Stop>,
        guard: RunGuard,
    ) {
        let mut evicted = false;
        match self.run_job(&lease, place, stop).await {
            Ok(()) => {}
            Err(RunError::Evicted) => evicted = true,
            Err(RunError::Lost) => {
                tracing::info!(job.id = %lease.job, shard.id = %lease.shard, "run given up");
            }
            Err(RunError::Store(error)) if error.is_transient() => {
                tracing::warn!(job.id = %lease.job, %error, "run interrupted by the database");
            }
            Err(RunError::Store(error)) => self.cannot_go_on(&lease, &error).await,
        }
        let memory = self.memory.forget(&lease.shard);
        // Before the lease is free: the next claim of the shard has a guard of its own.
        drop(guard);
        let given_back = if evicted {
            tracing::info!(job.id = %lease.job, memory, "run evicted to make room for others");
            metrics::counter!("trawl_runs_evicted_total").increment(1);
            self.store.evict(&self.node, &lease, memory).await
        } else {
            self.store.release_lease(&self.node, &lease).await
        };
        if let Err(error) = given_back {
            tracing::warn!(job.id = %lease.job, %error, "the shard could not be given back");
        }
    }

    async fn run_job(
        &self,
        lease: &Lease,
        place: Option<VisitPlace>,
        stop: watch::Receiver<Stop>,
    ) -> Result<(), RunError> {
        let now = self.fetcher.clock().now();
        self.store.report(lease, &JobCommand::Start, now).await?;
        let job = self.store.report(lease, &JobCommand::LearnTier(Tier::Normal), now).await?;
        if job.status != Status::Running {
            return Ok(());
        }
        self.memory.belongs_to(&lease.shard, &job.account);
        log_edge(&job, "run starts");
        if job.mode == Mode::Contacts {
            let job = self.store.with_domains(job).await?;
            return self.run_visits(lease, &job, place, stop).await;
        }
        let Some(plan) = self.plan(&job) else { return self.refuse(lease).await };
        let log = self.store.shard_log(lease).await?;
        let site = SiteKey::of(&plan.start);
        let mut crawl = replay(plan, log).await?;
        if crawl.wants_template()
            && let Some(template) = self.store.template(site.as_str()).await?
        {
            crawl.begin_with_template(template);
        }
        let fetcher = self.fetcher_for(lease, &job);
        let mut sink = self.sink(lease, &job, &fetcher, stop.clone());
        loop {
            let drove;
            (crawl, sink, drove) =
                drive(crawl, &fetcher, sink, self.settings.commit, stop.clone()).await;
            if let Some(error) = sink.failure() {
                self.cannot_go_on(sink.lease(), error).await;
                return Ok(());
            }
            let command = match drove {
                Drove::Lost => return Err(RunError::Lost),
                Drove::Shutdown => return Ok(()),
                Drove::Evicted => return Err(RunError::Evicted),
                Drove::Unpaid => JobCommand::ExhaustCredits,
                Drove::Boundary => JobCommand::ReachBoundary,
                Drove::Protected(marker) => {
                    JobCommand::LearnTier(Tier::Protected { marker: marker.to_string() })
                }
                Drove::Finished(ending) => JobCommand::Finish(ending),
            };
            let word = Word::Command(command);
            let job = self.close(sink.lease(), &crawl, &word, &stop).await?;
            if job.status == Status::Running {
                // The higher rate was accepted in advance.
                sink.charge(job.charged_rate());
                let plan = Plan { protected: job.protected, ..crawl.plan().clone() };
                crawl = crawl.go_on(plan);
                continue;
            }
            return self.stopped(&job).await;
        }
    }

    /// What fetches for this run. A run whose workers died twice is read in isolation.
    fn fetcher_for(&self, lease: &Lease, job: &Job) -> Fetcher {
        let fetcher = self.fetcher.for_run(job.account.as_str(), job.id.as_str());
        if lease.crashes >= CRASHES_BEFORE_ISOLATION {
            tracing::warn!(
                job.id = %lease.job,
                crashes = lease.crashes,
                child_processes = fetcher.reader().pool().is_some(),
                "run is isolated: its last workers died"
            );
            fetcher.reading().isolate(true);
        }
        fetcher
    }

    /// Where a run's commits go, at the rate in force.
    fn sink(
        &self,
        lease: &Lease,
        job: &Job,
        fetcher: &Fetcher,
        stop: watch::Receiver<Stop>,
    ) -> StoreSink {
        StoreSink::new(
            self.store.clone(),
            self.fetcher.clock().clone(),
            lease.clone(),
            job.charged_rate(),
            self.settings.snapshot_bytes,
            stop,
        )
        .of_run(self.memory.clone(), fetcher.reading().clone())
    }

    async fn stopped(&self, job: &Job) -> Result<(), RunError> {
        log_edge(job, "run stops");
        metrics::counter!("trawl_runs_total", "status" => job.status.as_str()).increment(1);
        if job.status.is_final() {
            self.store.merge_segments(&job.id).await?;
        }
        Ok(())
    }

    /// Ends a run that has nowhere to begin.
    async fn refuse(&self, lease: &Lease) -> Result<(), RunError> {
        let command = JobCommand::Fail {
            code: ErrorCode::InvalidUrl,
            message: "the start URL cannot be crawled".to_owned(),
        };
        self.store.report(lease, &command, self.fetcher.clock().now()).await?;
        Ok(())
    }

    /// Writes what is known by now of the items, and reports how the run stopped. Goes
    /// on trying while the database is away and nobody says to stop.
    async fn close(
        &self,
        lease: &Lease,
        run: &impl Engine,
        word: &Word,
        stop: &watch::Receiver<Stop>,
    ) -> Result<Job, RunError> {
        let overlay = off_runtime(|| run.overlay());
        loop {
            match self.try_close(lease, overlay.as_ref(), word).await {
                Err(RunError::Store(error))
                    if error.is_transient() && *stop.borrow() == Stop::Run =>
                {
                    tracing::warn!(job.id = %lease.job, %error, "the database is away");
                    tokio::time::sleep(OUTAGE_PAUSE).await;
                }
                result => return result,
            }
        }
    }

    async fn try_close(
        &self,
        lease: &Lease,
        overlay: Option<&Overlay>,
        word: &Word,
    ) -> Result<Job, RunError> {
        if let Some(overlay) = overlay
            && !self.store.write_overlay(lease, overlay).await?
        {
            return Err(RunError::Lost);
        }
        let now = self.fetcher.clock().now();
        Ok(match word {
            Word::Command(command) => self.store.report(lease, command, now).await?,
            Word::ShardEnd(end) => self.store.end_shard(lease, end, now).await?,
        })
    }

    /// Something stored cannot be read, or a statement fails: no retry mends that.
    async fn cannot_go_on(&self, lease: &Lease, error: &StoreError) {
        tracing::error!(job.id = %lease.job, %error, "a bug: the run cannot go on");
        let command = JobCommand::Fail {
            code: ErrorCode::PipelineBug,
            message: "the run could not go on, by a fault of ours".to_owned(),
        };
        let now = self.fetcher.clock().now();
        if let Err(error) = self.store.report(lease, &command, now).await {
            tracing::error!(job.id = %lease.job, %error, "nor could it be ended");
        }
    }

    fn plan(&self, job: &Job) -> Option<Plan> {
        let start = CanonicalUrl::parse(job.url.as_deref()?).ok()?;
        Some(Plan {
            scope: job.scope,
            options: job.options.clone(),
            batch_ends_at: job.batch_ends_at().map(|end| end.0),
            batch: job.batch,
            ceilings: self.settings.ceilings,
            concurrency: self.settings.concurrency,
            host_concurrency: self.settings.host_concurrency,
            traps: TrapRule::in_year(self.fetcher.clock().now().year()),
            protected: job.protected,
            // Without a protected tier there is no higher rate to accept or to refuse.
            escalates: self.fetcher.equipment().tier,
            equipment: self.fetcher.equipment(),
            retries: self.settings.retries,
            denylist: self.denylist(),
            ..Plan::new(start, job.mode)
        })
    }

    fn denylist(&self) -> Denylist {
        Denylist {
            blocked_domains: self.settings.blocked_domains.clone(),
            objections: self.store.opt_outs(),
        }
    }
}

async fn replay(plan: Plan, log: store::ShardLog) -> Result<Crawl, StoreError> {
    // A long log takes its time: not on a thread that others wait for.
    let replayed = tokio::task::spawn_blocking(move || {
        Crawl::replay(plan, log.snapshot.as_ref(), &log.commits)
    });
    match replayed.await {
        Ok(Ok(crawl)) => Ok(crawl),
        Ok(Err(error)) => Err(StoreError::Damaged(error.to_string())),
        Err(error) => Err(StoreError::Damaged(format!("the replay failed: {error}"))),
    }
}

/// A line at the start and at the end of a run, with the caller's own words about it.
fn log_edge(job: &Job, message: &str) {
    let external = job.external.as_ref();
    tracing::info!(
        job.id = %job.id,
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
