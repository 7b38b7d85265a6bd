//! Plain text sitemaps: one URL per line.

use urls::CanonicalUrl;

use super::{EVENT_STEPS, SitemapError};
use document::{SitemapEntry, SitemapFile, SitemapKind, SitemapLimits};
use html::budget;

/// Reads the lines. Only absolute URLs count: any text would be a list of relative ones.
pub(super) fn read(text: &str, limits: &SitemapLimits) -> Result<SitemapFile, SitemapError> {
    let mut file = SitemapFile::new(SitemapKind::Text);
    for line in text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()) {
        if !budget::steps(EVENT_STEPS) {
            file.truncated = true;
            break;
        }
        let Some(url) = absolute_url(line) else {
            file.rejected = file.rejected.saturating_add(1);
            continue;
        };
        if file.entries.len() >= limits.entries {
            file.truncated = true;
            break;
        }
        file.entries.push(SitemapEntry::bare(url));
    }
    if file.entries.is_empty() { Err(SitemapError::NotSitemap) } else { Ok(file) }
}

fn absolute_url(line: &str) -> Option<CanonicalUrl> {
    let begins = |scheme: &str| {
        line.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    // A sentence that begins with a URL is no line of a sitemap.
    let one_word = !line.contains(char::is_whitespace);
    if one_word && (begins("http://") || begins("https://")) {
        CanonicalUrl::parse(line).ok()
    } else {
        None
    }
}
