//! A page or a vCard of any bytes, for the company and its people.

#![no_main]

use contacts::ContactPage;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    if body.starts_with(b"BEGIN:VCARD") {
        std::hint::black_box(ContactPage::read_card(body, None, &fuzz::url()));
    }
    std::hint::black_box(fuzz::contacts(body));
});
