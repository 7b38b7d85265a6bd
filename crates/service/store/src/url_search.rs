//! Searches the results and the skipped URLs of a run for one URL. Rows are read one after the other
//! up to a number of bytes, because no index has the URLs.

use contract::{JobId, SkippedUrl};
use runtime::off_runtime;
use serde::Deserialize;

use crate::segments::{RESULTS, SKIPPED, SegmentTable};
use crate::{Result, Store, StoreError};

/// Maximum decompressed bytes that a search reads.
pub(crate) const SEARCHED_BYTES: usize = 64 << 20;

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UrlSearch<T> {
    Found(T),
    NotFound,
    /// The run has more data than a search reads.
    TooLarge,
}

/// The URL of an item of any mode.
#[derive(Deserialize)]
struct ItemUrl {
    url: String,
}

impl Store {
    /// The row of a skipped URL.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn find_skipped(&self, job: &JobId, url: &str) -> Result<UrlSearch<SkippedUrl>> {
        self.search(&SKIPPED, job, url, |skipped: &SkippedUrl| &skipped.url).await
    }

    /// Whether a URL is one of the results.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails or a segment is damaged.
    pub async fn find_result(&self, job: &JobId, url: &str) -> Result<UrlSearch<()>> {
        Ok(match self.search(&RESULTS, job, url, |item: &ItemUrl| &item.url).await? {
            UrlSearch::Found(_) => UrlSearch::Found(()),
            UrlSearch::NotFound => UrlSearch::NotFound,
            UrlSearch::TooLarge => UrlSearch::TooLarge,
        })
    }

    async fn search<T: for<'de> Deserialize<'de>>(
        &self,
        table: &SegmentTable,
        job: &JobId,
        url: &str,
        url_of: impl Fn(&T) -> &str,
    ) -> Result<UrlSearch<T>> {
        let key = urls::page_key(url);
        let (mut next, mut bytes) = (0, 0);
        loop {
            let lines = table.lines_of_row(self.reader()?, job, &(next..u64::MAX)).await?;
            if lines.is_empty() {
                return Ok(UrlSearch::NotFound);
            }
            next += lines.len() as u64;
            bytes += lines.iter().map(String::len).sum::<usize>();
            let found = off_runtime(|| find_line(&lines, key, url, &url_of))?;
            if let Some(found) = found {
                return Ok(UrlSearch::Found(found));
            }
            if bytes > SEARCHED_BYTES {
                return Ok(UrlSearch::TooLarge);
            }
        }
    }
}

/// The first line whose URL is the same page.
fn find_line<T: for<'de> Deserialize<'de>>(
    lines: &[String],
    key: &str,
    url: &str,
    url_of: impl Fn(&T) -> &str,
) -> Result<Option<T>> {
    // Most lines do not contain the URL anywhere and are not parsed.
    for line in lines.iter().filter(|line| line.contains(key)) {
        let value: T = serde_json::from_str(line)
            .map_err(|cause| StoreError::Damaged(format!("invalid item: {cause}")))?;
        if urls::same_page(url_of(&value), url) {
            return Ok(Some(value));
        }
    }
    Ok(None)
}
