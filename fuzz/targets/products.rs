//! Any bytes as a product page.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    std::hint::black_box(fuzz::product(body));
});
