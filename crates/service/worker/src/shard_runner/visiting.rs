//! A shard of domains from its lease to its end.

use contract::{OnProtected, Status};
use crawl::{DomainCrawl, VisitPlan, VisitTarget};
use job::{Command, Job};
use runtime::off_runtime;
use store::{Lease, ShardEnd, StoreError};
use tokio::sync::watch;
use urls::CanonicalUrl;

use super::{RunError, ShardRunner, Word};
use crate::visit_places::VisitPlace;
use runner::{Drove, Stop, drive};

impl ShardRunner {
    pub(super) async fn run_visits(
        &self,
        lease: &Lease,
        job: &Job,
        place: Option<VisitPlace>,
        stop: watch::Receiver<Stop>,
    ) -> Result<(), RunError> {
        let Some(plan) = self.visit_plan(lease, job) else { return self.refuse(lease).await };
        let log = self.store.shard_log(lease).await?;
        let visits = off_runtime(|| DomainCrawl::replay(plan, log.snapshot.as_ref(), &log.commits))
            .map_err(|error| StoreError::Damaged(error.to_string()))?;
        let fetcher = self.fetcher_for(lease, job);
        let sink = self.sink(lease, job, &fetcher, stop.clone()).holding(place);
        let (visits, sink, drove) =
            drive(visits, &fetcher, sink, self.settings.commit, stop.clone()).await;
        if let Some(error) = sink.failure() {
            self.cannot_go_on(sink.lease(), error).await;
            return Ok(());
        }
        let word = match drove {
            Drove::Lost => return Err(RunError::Lost),
            Drove::Shutdown => return Ok(()),
            Drove::Evicted => return Err(RunError::Evicted),
            Drove::Unpaid => Word::Command(Command::ExhaustCredits),
            // Runs over domains have no batches; whoever says so is not believed to be done.
            Drove::Boundary => Word::Command(Command::ReachBoundary),
            Drove::Protected(marker) => {
                Word::ShardEnd(ShardEnd::SetAside { marker: marker.to_string() })
            }
            Drove::Finished(ending) => Word::ShardEnd(ShardEnd::Done(ending)),
        };
        let job = self.close(sink.lease(), &visits, &word, &stop).await?;
        if job.status == Status::Running {
            // Other shards are at work, or this one is taken up again by the protected tier.
            tracing::debug!(job.id = %job.id, shard.id = %lease.shard, "shard ends");
            return Ok(());
        }
        self.stopped(&job).await
    }

    fn visit_plan(&self, lease: &Lease, job: &Job) -> Option<VisitPlan> {
        let asked = if job.domains.is_empty() {
            vec![VisitTarget::Url(CanonicalUrl::parse(job.url.as_deref()?).ok()?)]
        } else {
            job.domains_of_shard(lease.number).iter().cloned().map(VisitTarget::Domain).collect()
        };
        let capabilities = self.fetcher.capabilities();
        Some(VisitPlan {
            inputs: job.inputs_of_shard(lease.number).to_vec(),
            sampled: job.visited_domains().len() < job.domains.len(),
            concurrency: self.settings.visits,
            denylist: self.denylist(),
            protected: job.protected,
            // Nobody is asked to pay for a way that there is not, or is not wanted.
            escalates: capabilities.tier && job.on_protected != OnProtected::Fail,
            capabilities,
            ..VisitPlan::new(asked)
        })
    }
}
