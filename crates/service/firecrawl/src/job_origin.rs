//! What a job stores about the request of a Firecrawl client that started it.

use contract::PublicJob;
use serde::Deserialize;
use serde_json::Value;

use crate::scrape_format::ScrapeFormat;

/// The operation that started a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JobKind {
    Crawl,
    Batch,
}

impl JobKind {
    /// The name in `external` of a job.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crawl => "crawl",
            Self::Batch => "batch",
        }
    }

    pub fn path(self) -> &'static str {
        match self {
            Self::Crawl => "/crawl",
            Self::Batch => "/batch/scrape",
        }
    }
}

/// What a job stores about the request that started it.
#[derive(Debug)]
pub(crate) struct FirecrawlOrigin {
    pub kind: JobKind,
    pub formats: Vec<ScrapeFormat>,
    /// What the client should know about its request.
    pub warnings: Vec<String>,
    pub webhook: Option<StoredWebhook>,
}

/// What the deliveries of a job's webhook need.
#[derive(Debug, Deserialize)]
pub(crate) struct StoredWebhook {
    pub events: Vec<String>,
    pub metadata: Value,
}

impl Default for FirecrawlOrigin {
    /// That of a job that was started through the API of the service.
    fn default() -> Self {
        let formats = vec![ScrapeFormat::Markdown];
        Self { kind: JobKind::Crawl, formats, warnings: Vec::new(), webhook: None }
    }
}

impl FirecrawlOrigin {
    /// `None` if the job was not started by this API.
    pub fn of(job: &PublicJob) -> Option<Self> {
        let stored = job.external.as_ref()?.other.get("firecrawl")?;
        let kind = stored["kind"].as_str()?;
        let kind = [JobKind::Crawl, JobKind::Batch].into_iter().find(|one| one.name() == kind)?;
        let formats = stored["formats"].as_array()?.iter().filter_map(Value::as_str);
        let formats = formats.filter_map(ScrapeFormat::of_name).collect();
        let warnings = stored["warnings"].as_array().into_iter().flatten();
        let warnings = warnings.filter_map(Value::as_str).map(str::to_owned).collect();
        let webhook =
            stored.get("webhook").and_then(|stored| StoredWebhook::deserialize(stored).ok());
        Some(Self { kind, formats, warnings, webhook })
    }

    pub fn format_names(&self) -> Vec<&'static str> {
        self.formats.iter().map(|format| format.name()).collect()
    }
}
