//! Any bytes as a page, read for its links.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let page = fuzz::links(body);
    for link in &page.links {
        std::hint::black_box(page.anchor(link));
    }
});
