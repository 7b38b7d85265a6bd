//! A sitemap or feed of any bytes.

#![no_main]

use page::{SitemapFile, SitemapLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let limits = SitemapLimits::default();
    let _ = std::hint::black_box(SitemapFile::read(body, None, &fuzz::url(), &limits));
});
