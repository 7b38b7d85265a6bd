//! Any bytes as a sitemap or feed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use page::SitemapLimits;

fuzz_target!(|body: &[u8]| {
    let limits = SitemapLimits::default();
    let _ = std::hint::black_box(page::read_sitemap(body, None, &fuzz::url(), &limits));
});
