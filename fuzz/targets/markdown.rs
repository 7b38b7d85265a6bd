//! A page of any bytes: its links and its text.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    std::hint::black_box(fuzz::markdown(body));
});
