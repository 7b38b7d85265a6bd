//! The raw pages of a run for a web archive, read one at a time.

use contract::JobId;
use export::{ArchiveSubject, ArchivedPage};
use job::Job;
use serde_json::Value;
use store::{Store, StoreError};
use tokio::runtime::Handle;

/// The run of a web archive.
#[must_use]
pub fn archive_subject(job: &Job) -> ArchiveSubject {
    let (url, mode) = (job.url.clone(), job.mode);
    ArchiveSubject { job: job.id.clone(), mode, url, created_at: job.created_at }
}

/// The kept pages of these items, each with its number in the results. Items without a raw page are left
/// out. Blocks: for blocking threads of `runtime`.
pub fn archived_pages(
    store: Store,
    runtime: Handle,
    job: JobId,
    items: impl Iterator<Item = Result<(u64, Value), StoreError>>,
) -> impl Iterator<Item = Result<ArchivedPage, StoreError>> {
    items.filter_map(move |item| {
        let (number, item) = match item {
            Ok(item) => item,
            Err(error) => return Some(Err(error)),
        };
        let page = match runtime.block_on(store.raw_page(&job, number)) {
            Ok(page) => page?,
            Err(error) => return Some(Err(error)),
        };
        let response = page.response;
        Some(Ok(ArchivedPage {
            item: number,
            title: title_of(&item),
            url: response.url,
            status: response.status,
            headers: response.headers,
            fetched_at: response.fetched_at,
            rendered: response.rendered,
            body: page.body,
            warnings: page.warnings,
        }))
    })
}

/// The title of a page, or the name of its product.
fn title_of(item: &Value) -> Option<String> {
    ["title", "name"].iter().find_map(|member| item.get(member)?.as_str()).map(str::to_owned)
}
