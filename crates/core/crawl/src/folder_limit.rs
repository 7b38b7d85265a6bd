//! The limit of pages per folder (`max_pages_per_folder`). It counts the pages that the run has
//! taken up, fetched or not, so that the counts follow from the frontier and need no storage.

use std::collections::HashMap;

use journal::{UrlId, UrlRole};
use urls::Fingerprint;

use crate::Frontier;

/// The pages of each folder, if the run has a limit.
#[derive(Debug, Default)]
pub(crate) struct FolderLimit {
    max: Option<u64>,
    /// Pages by the key of their folder.
    pages: HashMap<u64, u64>,
}

impl FolderLimit {
    /// The limit of a run that starts or continues.
    pub fn new(max: Option<u64>, frontier: &Frontier) -> Self {
        let mut limit = Self { max, pages: HashMap::new() };
        limit.count(frontier, UrlId::START);
        limit
    }

    /// Counts the pages of the frontier from this id on.
    pub fn count(&mut self, frontier: &Frontier, from: UrlId) {
        if self.max.is_none() {
            return;
        }
        for id in from.until(frontier.next_id()) {
            if frontier.role(id) == UrlRole::Page {
                *self.pages.entry(folder_key(frontier.text(id))).or_default() += 1;
            }
        }
    }

    /// The key of the folder of a page, if the run has a limit.
    pub fn key(&self, url: &str) -> Option<u64> {
        self.max.map(|_| folder_key(url))
    }

    /// Whether a folder has room for a page beside this number of pages that are not counted yet.
    pub fn has_room(&self, key: u64, uncounted: u64) -> bool {
        let counted = self.pages.get(&key).copied().unwrap_or_default();
        self.max.is_none_or(|max| counted.saturating_add(uncounted) < max)
    }
}

/// The key of the folder of a canonical URL: `/blog/` for `/blog/a`, `/blog/a/` and
/// `/blog/a?page=2`. Different spellings of a host are one.
fn folder_key(url: &str) -> u64 {
    let key = urls::page_key(url);
    let path = key.split('?').next().unwrap_or(key);
    let path = path.strip_suffix('/').filter(|path| path.contains('/')).unwrap_or(path);
    let folder = path.rfind('/').and_then(|at| path.get(..=at)).unwrap_or(key);
    Fingerprint::of_page_key(folder).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_is_the_path_before_the_last_name() {
        let key = |path: &str| folder_key(&format!("https://www.example.com{path}"));
        for path in ["/blog/a", "/blog/a/", "/blog/index.html", "/blog/a?b=/c/d"] {
            assert_eq!(key(path), key("/blog/x"), "{path}");
        }
        assert_eq!(key("/"), key("/about"));
        assert_eq!(key("/about/"), key("/about"));
        assert_ne!(key("/blog/a"), key("/about"));
        assert_eq!(folder_key("http://example.com/blog/a"), key("/blog/a"));
        assert_ne!(folder_key("https://de.example.com/blog/a"), key("/blog/a"));
    }
}
