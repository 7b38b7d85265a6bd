//! The files that a run has kept of the pages of its items, as signed links.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contract::{ItemFiles, JobId, Millis, PageFile, PageFileFormat, SiteAccess};
use job::Job;
use serde_json::Value;
use store::{KeptRunPage, StoreError};

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
        access.keeps_pages().then(|| Self {
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
        let store = &self.state.store;
        let mut files = ItemFiles { warnings: page.warnings, ..ItemFiles::default() };
        // The text of a picture's page is stored for erasures, and is no requested file.
        for file in page.files.into_iter().filter(|file| self.access.keeps(file.format)) {
            let ticket = store.run_file_ticket(&self.job, page.item, file.format, expires_at)?;
            let link = PageFile {
                url: self.state.settings.address_of(&format!("/page-files/{ticket}")),
                content_type: file.content_type,
                bytes: file.bytes,
                expires_at,
            };
            let member = match file.format {
                PageFileFormat::Html => &mut files.html,
                PageFileFormat::RawHtml => &mut files.raw_html,
                PageFileFormat::Screenshot => &mut files.screenshot,
            };
            *member = Some(link);
        }
        Ok(files)
    }
}

/// Adds the member `files` to an item.
pub(crate) fn with_files(mut item: Value, files: Option<Value>) -> Value {
    if let (Some(members), Some(files)) = (item.as_object_mut(), files) {
        members.insert("files".to_owned(), files);
    }
    item
}
