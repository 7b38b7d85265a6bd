//! A page of any bytes: its links and its text. Besides panics and time, what is written stays in
//! proportion to what was read.

#![no_main]

use extract::{MarkdownPage, PageHead, PageLimits, RepeatedBlocks};
use libfuzzer_sys::fuzz_target;
use site::CanonicalUrl;

fuzz_target!(|body: &[u8]| {
    let Ok(url) = CanonicalUrl::parse("https://example.com/docs/page") else { return };
    let head = PageHead { content_type: None, links: &[], robots: &[], language: None };
    let (_, text) =
        MarkdownPage::read(body, &head, &url, &PageLimits::default(), &RepeatedBlocks::default());
    assert!(text.markdown.len() <= 4_096 + body.len() * 64, "{} of {}", text.markdown.len(), body.len());
});
