//! A sitemap or feed of any bytes.

#![no_main]

use extract::{SitemapFile, SitemapLimits};
use libfuzzer_sys::fuzz_target;
use site::CanonicalUrl;

fuzz_target!(|body: &[u8]| {
    let Ok(url) = CanonicalUrl::parse("https://example.com/sitemap.xml") else { return };
    let _ = std::hint::black_box(SitemapFile::read(body, None, &url, &SitemapLimits::default()));
});
