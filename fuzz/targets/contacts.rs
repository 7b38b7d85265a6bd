//! Any bytes as a page or a vCard with contact data.

#![no_main]

use contacts::ContactPage;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    if body.starts_with(b"BEGIN:VCARD") {
        std::hint::black_box(ContactPage::read_card(body, None, &fuzz::url()));
    }
    std::hint::black_box(fuzz::contacts(body));
});
