//! Data in a page: JSON-LD, state as JSON, state that a script assigns or a function fills in,
//! flattened lists, data in attributes. The first byte selects the kind.

#![no_main]

use libfuzzer_sys::fuzz_target;

const PLACES: &[(&str, &str)] = &[
    ("<h1>Widget</h1><script type=application/ld+json>", "</script>"),
    ("<h1>Widget</h1><script type=application/json>", "</script>"),
    ("<h1>Widget</h1><script type=text/x-magento-init>", "</script>"),
    ("<h1>Widget</h1><script>var price=\"1\";x=", "</script>"),
    ("<h1>Widget</h1><script>var price=\"1\";x=(function(a,b){return ", "</script>"),
    ("<h1>Widget</h1><div data-product='", "'>x</div>"),
];

fuzz_target!(|input: &[u8]| {
    let Some((place, text)) = input.split_first() else { return };
    let (before, after) = PLACES[usize::from(*place) % PLACES.len()];
    let page = [before.as_bytes(), text, after.as_bytes()].concat();
    std::hint::black_box(fuzz::product(&page));
    std::hint::black_box(fuzz::contacts(&page));
    std::hint::black_box(fuzz::markdown(&page));
});
