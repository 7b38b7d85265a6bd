//! Any bytes as robots.txt, and whether its rules allow a URL.

#![no_main]

use libfuzzer_sys::fuzz_target;
use urls::{CanonicalUrl, Robots};

fuzz_target!(|body: &[u8]| {
    let Ok(url) = CanonicalUrl::parse("https://example.com/a/b?c=d") else { return };
    let rules = Robots::parse(body, Robots::AGENT);
    std::hint::black_box(rules.allows(&url));
});
