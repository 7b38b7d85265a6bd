//! Executes a shard of domains.

use contract::OnProtected;
use crawl::{DomainCrawl, VisitPlan, VisitTarget};
use job::Job;
use runtime::off_runtime;
use store::{Lease, ShardEnd};
use tokio::sync::watch;
use urls::CanonicalUrl;

use super::site_access::RunFetcher;
use super::{RunError, ShardRunner, replay_failure};
use crate::visit_slots::VisitSlot;
use runner::RunSignal;

impl ShardRunner {
    pub(super) async fn run_visits(
        &self,
        lease: &Lease,
        job: &Job,
        visit_slot: Option<VisitSlot>,
        stop: watch::Receiver<RunSignal>,
    ) -> Result<(), RunError> {
        let Some(plan) = self.visit_plan(lease, job) else {
            return self.fail_invalid_start(lease).await;
        };
        let fetcher = match job.url.as_deref().and_then(|url| CanonicalUrl::parse(url).ok()) {
            Some(start) => match self.fetcher_with_access(lease, job, &start, &stop).await? {
                RunFetcher::Ready(fetcher) => *fetcher,
                RunFetcher::Stopped => return Ok(()),
            },
            None => self.fetcher_for(lease, job),
        };
        let log = self.store.shard_log(lease).await?;
        let visits = off_runtime(|| {
            registry::replay_domain_crawl(plan, log.snapshot.as_ref(), &log.commits)
        })
        .map_err(replay_failure)?;
        let sink = self.sink(lease, job, &fetcher, stop.clone()).with_visit_slot(visit_slot);
        let end = |_: &DomainCrawl, ending| ShardEnd::Done(ending);
        self.drive_shard(visits, &fetcher, sink, stop, end).await
    }

    fn visit_plan(&self, lease: &Lease, job: &Job) -> Option<VisitPlan> {
        let targets = if job.domains.is_empty() {
            vec![VisitTarget::Url(CanonicalUrl::parse(job.url.as_deref()?).ok()?)]
        } else {
            job.domains_of_shard(lease.number).iter().cloned().map(VisitTarget::Domain).collect()
        };
        let capabilities = self.capabilities_for(job);
        Some(VisitPlan {
            inputs: job.inputs_of_shard(lease.number).to_vec(),
            sampled: job.visited_domains().len() < job.domains.len(),
            concurrency: self.settings.visits,
            denylist: self.denylist(),
            protected: job.protected,
            // No confirmation if there is no protected tier, or the client does not want it.
            escalates: capabilities.tier && job.on_protected != OnProtected::Fail,
            capabilities,
            ..VisitPlan::new(targets)
        })
    }
}
