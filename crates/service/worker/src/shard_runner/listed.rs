//! Executes a shard of a list of URLs.

use contract::{OnProtected, Status};
use crawl::CrawlPlan;
use job::Job;
use store::{Lease, ShardEnd};
use tokio::sync::watch;
use urls::SiteKey;

use super::site_access::RunFetcher;
use super::{RunError, RunReport, RunStop, ShardRunner, replay};
use runner::{RunSignal, drive};

impl ShardRunner {
    pub(super) async fn run_list(
        &self,
        lease: &Lease,
        job: &Job,
        stop: watch::Receiver<RunSignal>,
    ) -> Result<(), RunError> {
        let urls = self.store.shard_urls(lease).await?;
        let Some(seeds) = CrawlPlan::listed(urls) else {
            // All URLs of the shard were redacted because of opt-outs.
            let end = RunReport::ShardEnd(ShardEnd::Listed(Box::default()));
            return self.end_of_shard(&self.try_report_stop(lease, None, &end).await?).await;
        };
        let ready = self.fetcher_with_access(lease, job, &seeds.start, &stop).await?;
        let RunFetcher::Ready(fetcher) = ready else { return Ok(()) };
        let plan = CrawlPlan {
            escalates: self.fetcher.capabilities().tier && job.on_protected != OnProtected::Fail,
            ..self.plan(job, seeds)
        };
        let log = self.store.shard_log(lease).await?;
        let site = SiteKey::of(&plan.start);
        let mut crawl = replay(job.mode, plan, log).await?;
        if crawl.wants_learned_data()
            && let Some(template) = self.store.template(site.as_str()).await?
        {
            crawl.begin_with_learned_data(template);
        }
        let sink = self.sink(lease, job, &fetcher, stop.clone());
        let (crawl, sink, outcome) =
            drive(crawl, &fetcher, sink, self.settings.commit, stop.clone()).await;
        if let Some(error) = sink.failure() {
            self.fail_run(sink.lease(), error).await;
            return Ok(());
        }
        let Some(run_stop) = RunStop::of(outcome)? else { return Ok(()) };
        let report = match run_stop {
            RunStop::Command(command) => RunReport::Command(command),
            RunStop::Protected { marker } => RunReport::ShardEnd(ShardEnd::SetAside { marker }),
            RunStop::Finished(_) => {
                RunReport::ShardEnd(ShardEnd::Listed(Box::new(crawl.list_outcome())))
            }
        };
        let job = self.report_stop(sink.lease(), &crawl, &report, &stop).await?;
        self.end_of_shard(&job).await
    }

    pub(super) async fn end_of_shard(&self, job: &Job) -> Result<(), RunError> {
        if job.status == Status::Running {
            // Other shards are active, or this one is claimed again for the protected tier.
            tracing::debug!("shard ended");
            return Ok(());
        }
        self.record_stop(job).await
    }
}
