//! What a run keeps of skipped pages in which an action failed: a picture, and the text by which an
//! erasure finds it. These are rows of `run_pages` with numbers beyond those of items; the row of the
//! skipped URL has the number.

use std::borrow::Cow;

use contract::SkippedUrl;
use crawl::KeptPage;

/// The lowest number; items have lower ones.
const FIRST: u64 = 1 << 62;

/// The skipped URLs of a commit with the numbers of their pages, and these pages.
pub(crate) struct NumberedSkips<'a> {
    pub rows: Cow<'a, [SkippedUrl]>,
    pub pages: Vec<(u64, &'a KeptPage)>,
}

impl<'a> NumberedSkips<'a> {
    /// Gives each page a random number: rows are written without knowing those of other shards.
    pub fn of(skipped: &'a [SkippedUrl], kept: &'a [(usize, Box<KeptPage>)]) -> Self {
        let mut rows = Cow::Borrowed(skipped);
        let mut pages = Vec::with_capacity(kept.len());
        for (position, page) in kept {
            let failed = skipped.get(*position).and_then(|row| row.failed_action.as_ref());
            if failed.is_none() {
                continue;
            }
            let number = FIRST | (rand::random::<u64>() >> 2);
            if let Some(row) = rows.to_mut().get_mut(*position)
                && let Some(failed) = &mut row.failed_action
            {
                failed.kept_as = Some(number);
            }
            pages.push((number, page.as_ref()));
        }
        Self { rows, pages }
    }
}
