//! The raw pages that a run has kept, one at a time: for web archives and for runs that read them again.

use contract::{JobId, PageFileFormat};
use crawl::KeptResponse;
use job::Job;

use crate::columns::sql;
use crate::{Result, Store, StoreError};

/// The raw page of an item, as the site sent it or as a browser rendered it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawPage {
    pub response: KeptResponse,
    pub body: Vec<u8>,
    /// Which files of the page are missing and why.
    pub warnings: Vec<String>,
}

const ANY: &str = "SELECT item FROM run_pages WHERE job_id = $1 LIMIT 1";

/// Whether the raw pages of a run can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawPages {
    Kept,
    /// The request of the run did not ask for them.
    NotRequested,
    /// The files were deleted before the results, because of their retention or by an erasure.
    Deleted,
}

impl RawPages {
    /// Why they cannot be read, and what to do, as a message for clients.
    #[must_use]
    pub fn refusal(self) -> Option<&'static str> {
        match self {
            Self::Kept => None,
            Self::NotRequested => Some(
                "needs the raw pages of the run, and this run has kept none: create the job with \
                 \"formats\": [\"raw_html\"]",
            ),
            Self::Deleted => Some(
                "needs the raw pages of the run, and they were deleted: files of pages may be kept \
                 for a shorter time than results; run the job again with \"formats\": [\"raw_html\"]",
            ),
        }
    }
}

impl Store {
    /// Whether the raw pages of a run can be read. A run in progress may have none yet.
    pub async fn raw_pages(&self, job: &Job) -> Result<RawPages> {
        if !job.access.keeps(PageFileFormat::RawHtml) {
            return Ok(RawPages::NotRequested);
        }
        if !job.status.is_final() || job.counts.results == 0 {
            return Ok(RawPages::Kept);
        }
        let any = sql!(ANY; job.id).fetch_optional(self.reader()?).await?;
        Ok(if any.is_some() { RawPages::Kept } else { RawPages::Deleted })
    }

    /// The raw page of an item; `None` if the run has not kept it. At most
    /// [`KEPT_PAGE_BYTES`](crawl::KEPT_PAGE_BYTES) are read.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails, or when bytes of the page are missing.
    pub async fn raw_page(&self, job: &JobId, item: u64) -> Result<Option<RawPage>> {
        let page = self.run_pages(job, item..item.saturating_add(1)).await?.pop();
        let Some(page) = page else { return Ok(None) };
        let file = page.files.iter().find(|file| file.format == PageFileFormat::RawHtml);
        let Some(file) = file else { return Ok(None) };
        let Some(response) = self.run_response(job, item).await? else { return Ok(None) };
        let missing = || StoreError::Damaged(format!("the raw page of item {item} is missing"));
        let body = self.run_file_body(job, item, file).await?.ok_or_else(missing)?;
        Ok(Some(RawPage { response, body, warnings: page.warnings }))
    }
}
