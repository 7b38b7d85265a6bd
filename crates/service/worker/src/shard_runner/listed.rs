//! Executes a shard of a list of URLs.

use contract::OnProtected;
use crawl::CrawlPlan;
use job::Job;
use store::{Lease, ShardEnd};
use tokio::sync::watch;

use super::site_access::RunFetcher;
use super::{RunError, RunReport, ShardRunner};
use runner::RunSignal;

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
        let crawl = self.restore(lease, job.mode, plan).await?;
        let sink = self.sink(lease, job, &fetcher, stop.clone());
        self.drive_shard(crawl, &fetcher, sink, stop, |crawl, _| {
            ShardEnd::Listed(Box::new(crawl.list_outcome()))
        })
        .await
    }
}
