//! Any bytes as a sitemap or feed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use page::{SitemapFile, SitemapLimits};

fuzz_target!(|body: &[u8]| {
    let limits = SitemapLimits::default();
    let _ = std::hint::black_box(SitemapFile::read(body, None, &fuzz::url(), &limits));
});
