//! The files that a run has kept of pages, as signed links: those of items, and the pictures of pages in
//! which an action failed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contract::{ItemFiles, JobId, Millis, PageFile, PageFileFormat, SiteAccess, SkippedUrl};
use job::Job;
use serde_json::Value;
use store::{KeptRunPage, RunFile, StoreError};

use crate::ApiState;

/// How long the link to a file of a page works.
pub(crate) const LINK_LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Reads the files of the items of a job.
pub(crate) struct ItemFileLinks {
    state: ApiState,
    job: JobId,
    access: SiteAccess,
}

runtime::partial_debug!(ItemFileLinks, job);

impl ItemFileLinks {
    /// `None` if the job keeps nothing of its pages.
    pub fn of(state: &ApiState, job: &Job) -> Option<Self> {
        let (id, access) = (&job.id, &job.access);
        // A page in which an action failed has a picture.
        (access.keeps_pages() || !access.actions.is_empty()).then(|| Self {
            state: state.clone(),
            job: id.clone(),
            access: access.clone(),
        })
    }

    /// The members `files` of the items with these numbers.
    pub async fn read(&self, items: Range<u64>) -> Result<BTreeMap<u64, Value>, StoreError> {
        let pages = self.state.store.run_pages(&self.job, items).await?;
        let expires_at = self.state.now().plus(LINK_LIFETIME);
        let linked = pages.into_iter().map(|page| {
            let item = page.item;
            let files = serde_json::to_value(self.linked(page, expires_at)?);
            let damaged = |cause| StoreError::Damaged(format!("the files of an item: {cause}"));
            Ok((item, files.map_err(damaged)?))
        });
        linked.collect()
    }

    fn linked(&self, page: KeptRunPage, expires_at: Millis) -> Result<ItemFiles, StoreError> {
        let mut files = ItemFiles { warnings: page.warnings, ..ItemFiles::default() };
        // The text of a picture's page is stored for erasures, and is no requested file.
        let is_shown = |file: &RunFile| {
            file.format == PageFileFormat::Screenshot || self.access.keeps(file.format)
        };
        for file in page.files.into_iter().filter(is_shown) {
            let format = file.format;
            let link = link(&self.state, &self.job, page.item, file, expires_at)?;
            let member = match format {
                PageFileFormat::Html => &mut files.html,
                PageFileFormat::RawHtml => &mut files.raw_html,
                PageFileFormat::Screenshot => &mut files.screenshot,
            };
            *member = Some(link);
        }
        Ok(files)
    }
}

fn link(
    state: &ApiState,
    job: &JobId,
    number: u64,
    file: RunFile,
    expires_at: Millis,
) -> Result<PageFile, StoreError> {
    let ticket = state.store.run_file_ticket(job, number, file.format, expires_at)?;
    Ok(PageFile {
        url: state.settings.address_of(&format!("/page-files/{ticket}")),
        content_type: file.content_type,
        bytes: file.bytes,
        expires_at,
    })
}

/// Adds the pictures of pages in which an action failed to their skipped URLs.
pub(crate) async fn link_failed_actions(
    state: &ApiState,
    job: &JobId,
    skipped: &mut [SkippedUrl],
) -> Result<(), StoreError> {
    let expires_at = state.now().plus(LINK_LIFETIME);
    for failed in skipped.iter_mut().filter_map(|row| row.failed_action.as_mut()) {
        let Some(number) = failed.kept_as.take() else { continue };
        let page = state.store.run_pages(job, number..number.saturating_add(1)).await?;
        let files = page.into_iter().flat_map(|page| page.files);
        let mut pictures = files.filter(|file| file.format == PageFileFormat::Screenshot);
        if let Some(file) = pictures.next() {
            failed.screenshot = Some(link(state, job, number, file, expires_at)?);
        }
    }
    Ok(())
}

/// Adds the member `files` to an item.
pub(crate) fn with_files(mut item: Value, files: Option<Value>) -> Value {
    if let (Some(members), Some(files)) = (item.as_object_mut(), files) {
        members.insert("files".to_owned(), files);
    }
    item
}
