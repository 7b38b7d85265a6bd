//! Any bytes as a page, read for its links and its text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    std::hint::black_box(fuzz::markdown(body));
});
