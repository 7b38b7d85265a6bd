//! A job with its request, state and counts.

use contract::{
    AccountId, Counts, Creator, CreditLimitAction, Credits, External, JobAccepted, JobError, JobId,
    JobWebhook, ListId, Millis, Mode, OnProtected, Options, PublicJob, Scope, SiteAccess, Status,
    Units, plain_string_enum,
};

use crate::RunEnding;

/// Domains per shard of a `contacts` run. Logs of shards refer to domains by their position in the
/// shard, so that this number must not change.
const DOMAINS_PER_SHARD: usize = 250;

plain_string_enum! {
    /// The confirmation that a parked job waits for, as it is stored.
    pub enum WaitsFor {
        /// Acceptance of the higher rate of a protected site.
        Escalation = "escalation",
        /// Permission to start the next batch.
        Boundary = "boundary",
        /// Credits, and permission to continue.
        Credits = "credits",
    }
}

impl WaitsFor {
    /// The message for a confirmation that does not match; `rate` is in credits per unit.
    #[must_use]
    pub fn sentence(self, rate: Credits) -> String {
        match self {
            Self::Escalation => format!(
                "the job waits for an answer to the rate of a protected site, {rate} credits per \
                 unit: confirm without continue_batch"
            ),
            Self::Boundary => format!(
                "the job waits on a batch boundary, at {rate} credits per unit: confirm with \
                 continue_batch true"
            ),
            Self::Credits => format!(
                "the job waits for credits, at {rate} per unit: top up, then confirm without \
                 continue_batch"
            ),
        }
    }
}

/// A job: its request and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    pub id: JobId,
    pub account: AccountId,
    /// The channel of the key that created it.
    pub source: String,
    /// The credential whose budget the job is charged to; none for a session.
    pub creator: Option<Creator>,
    /// Whether the job is over built-in sample sites, which cost nothing.
    pub free: bool,
    pub mode: Mode,
    pub url: Option<String>,
    /// `contacts`: the requested domains; empty for a URL. The store returns them and `inputs` only
    /// on demand, because only a run needs them.
    pub domains: Vec<String>,
    /// `contacts`: the client's spelling of each domain, or of the URL; empty for jobs of earlier
    /// releases.
    pub inputs: Vec<String>,
    /// Number of URLs of the list, which the store keeps by shard; 0 without a list.
    pub listed_urls: u64,
    /// The uploaded list, if the URLs are those of one.
    pub list: Option<ListId>,
    /// An account has at most one unfinished job per site key; none for a list.
    pub site_key: Option<String>,
    pub scope: Scope,
    pub options: Options,
    pub on_protected: OnProtected,
    pub ceiling: Option<Credits>,
    pub external: Option<External>,
    /// Where the events of this job are sent, without the secret.
    pub webhook: Option<JobWebhook>,
    /// How pages are requested, without secrets.
    pub access: SiteAccess,
    pub batch_size: u64,
    pub status: Status,
    pub waits_for: Option<WaitsFor>,
    pub rate: Option<Credits>,
    pub protected: bool,
    pub protected_marker: Option<String>,
    pub batch: u32,
    pub counts: Counts,
    pub units: Units,
    /// The part of `units` that was charged at the protected rate.
    pub protected_units: Units,
    pub credits_used: Credits,
    /// Credits of the account that are reserved for the job.
    pub reserved: Credits,
    pub error: Option<JobError>,
    pub created_at: Millis,
    pub started_at: Option<Millis>,
    pub parked_at: Option<Millis>,
    pub finished_at: Option<Millis>,
}

impl Job {
    /// Total units after which the current batch is full; none in visits to domains and lists.
    #[must_use]
    pub fn batch_ends_at(&self) -> Option<Units> {
        let units = || Units(self.batch_size.saturating_mul(u64::from(self.batch)));
        (!self.is_sharded()).then(units)
    }

    /// Whether the run requests the URLs of a list.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.listed_urls > 0
    }

    /// Whether the run may have several shards, which end one by one.
    #[must_use]
    pub fn is_sharded(&self) -> bool {
        self.mode.visits_domains() || self.is_list()
    }

    /// The units that are known before the run starts.
    #[must_use]
    pub fn units_in_advance(&self) -> Units {
        Units((self.visited_domains().len() as u64).max(self.requested_urls()).max(1))
    }

    /// Credits charged per unit; zero while the rate is unknown.
    #[must_use]
    pub fn charged_rate(&self) -> Credits {
        if self.free { Credits::ZERO } else { self.rate.unwrap_or_default() }
    }

    /// Credits that `max_credits` leaves; none without that limit, or if the job is free.
    #[must_use]
    pub fn credits_left(&self) -> Option<Credits> {
        let max = self.options.max_credits.filter(|_| !self.free)?;
        let max = i64::try_from(max).unwrap_or(i64::MAX);
        Some(Credits(max.saturating_sub(self.credits_used.0).max(0)))
    }

    /// The total units after which `max_credits` covers no further one at the current rate.
    #[must_use]
    pub fn max_units(&self) -> Option<Units> {
        let left = self.credits_left()?;
        Some(Units(self.units.0.saturating_add(left.covers(self.charged_rate()).0)))
    }

    /// Whether `max_credits` does not cover a unit at this rate.
    #[must_use]
    pub fn is_at_credit_limit(&self, rate: Credits) -> bool {
        self.credits_left().is_some_and(|left| left < rate)
    }

    /// Whether the job waits for a confirmation at its `max_credits` instead of its end.
    #[must_use]
    pub fn pauses_at_credit_limit(&self) -> bool {
        self.options.on_max_credits == CreditLimitAction::Pause
    }

    /// The rate that clients see: the credits charged per unit, once the tier is known. While the
    /// job waits for acceptance of a rate it is that rate, for a free job too: clients confirm it.
    #[must_use]
    pub fn shown_rate(&self) -> Option<Credits> {
        match self.waits_for {
            Some(WaitsFor::Escalation) => self.rate,
            Some(WaitsFor::Boundary | WaitsFor::Credits) | None => {
                self.rate.map(|_| self.charged_rate())
            }
        }
    }

    /// The domains that the run visits: all requested ones, or the first `sample_size` of them.
    #[must_use]
    pub fn visited_domains(&self) -> &[String] {
        let sample = self.options.sample_size.and_then(|size| usize::try_from(size).ok());
        let visited = sample.unwrap_or(usize::MAX).min(self.domains.len());
        self.domains.get(..visited).unwrap_or_default()
    }

    /// Number of URLs of the list that the run requests: all, or as many as `sample_size` and
    /// `max_pages` allow.
    #[must_use]
    pub fn requested_urls(&self) -> u64 {
        let limits = [self.options.sample_size, self.options.max_pages];
        limits.into_iter().flatten().fold(self.listed_urls, u64::min)
    }

    /// The end of a run over a list, if `sample_size` or `max_pages` cut the list.
    #[must_use]
    pub fn end_of_list(&self, ending: RunEnding) -> RunEnding {
        match ending {
            RunEnding::Complete if self.requested_urls() < self.listed_urls => {
                match self.options.sample_size {
                    Some(size) if size == self.requested_urls() => RunEnding::Sampled,
                    Some(_) | None => RunEnding::PageLimit,
                }
            }
            ending => ending,
        }
    }

    /// Number of shards of a run without a list of URLs.
    #[must_use]
    pub fn shards(&self) -> u32 {
        let shards = self.visited_domains().len().div_ceil(DOMAINS_PER_SHARD).max(1);
        u32::try_from(shards).unwrap_or(u32::MAX)
    }

    /// The domains of the shard with this number; empty for a site crawl.
    #[must_use]
    pub fn domains_of_shard(&self, number: u32) -> &[String] {
        let domains = self.visited_domains();
        domains.chunks(DOMAINS_PER_SHARD).nth(number as usize).unwrap_or_default()
    }

    /// The client's spelling of the domains of a shard.
    #[must_use]
    pub fn inputs_of_shard(&self, number: u32) -> &[String] {
        self.inputs.chunks(DOMAINS_PER_SHARD).nth(number as usize).unwrap_or_default()
    }

    /// The job as `GET /v1/jobs/{id}` shows it.
    #[must_use]
    pub fn public(&self) -> PublicJob {
        let batch_ready = self.waits_for == Some(WaitsFor::Boundary);
        PublicJob {
            job_id: self.id.clone(),
            mode: self.mode,
            status: self.status,
            url: self.url.clone(),
            counts: self.counts,
            credits_used: self.credits_used,
            credit_per_unit: self.shown_rate(),
            protected: self.protected,
            protected_marker: self.protected_marker.clone(),
            batch: self.batch,
            batch_ready,
            next_batch: batch_ready.then(|| self.batch.saturating_add(1)),
            external: self.external.clone(),
            source: self.source.clone(),
            created_at: self.created_at,
            finished_at: self.finished_at,
            error: self.error.clone(),
            name: None,
            tags: Vec::new(),
            scope: None,
            options: None,
            on_protected: None,
            max_credit_per_unit: None,
            list_id: None,
            webhook: None,
            access: None,
            files: None,
        }
    }

    /// The job with the scope, the options and the limits of its request, which lists and events
    /// leave out: they may have many patterns.
    #[must_use]
    pub fn with_request(&self) -> PublicJob {
        PublicJob {
            scope: Some(self.scope.clone()),
            options: Some(self.options.clone()),
            on_protected: Some(self.on_protected),
            max_credit_per_unit: self.ceiling,
            list_id: self.list.clone(),
            webhook: self.webhook.clone(),
            access: (!self.access.is_default()).then(|| self.access.clone()),
            ..self.public()
        }
    }

    /// The response to the creation of the job.
    #[must_use]
    pub fn accepted(&self) -> JobAccepted {
        JobAccepted {
            job_id: self.id.clone(),
            status: self.status,
            mode: self.mode,
            url: self.url.clone(),
            created_at: self.created_at,
            waits_for_job: None,
            webhook_secret: None,
        }
    }
}
