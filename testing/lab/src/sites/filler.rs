//! Cheap filler text: words that are computed once and sliced.

use std::sync::LazyLock;

const WORDS: &[&str] = &[
    "anchor", "basket", "copper", "drawer", "engine", "fabric", "garden", "hammer", "island",
    "jacket", "kettle", "ladder", "marble", "needle", "orange", "pepper", "quarry", "ribbon",
    "saddle", "timber", "urchin", "velvet", "window", "yellow", "zephyr", "the", "a", "of", "and",
    "with", "under", "over", "between", "seldom", "often", "gently", "harbour", "lantern",
];

const LENGTH: usize = 256 * 1024;

static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::with_capacity(LENGTH + 16);
    let mut state = 1;
    while text.len() < LENGTH {
        state = mix(state);
        text.push_str(pick(state));
        text.push(' ');
    }
    text
});

/// A pseudo-random number from `value` (the finaliser of SplitMix64).
pub(super) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub(super) fn pick(number: u64) -> &'static str {
    WORDS[(number % WORDS.len() as u64) as usize]
}

/// About `length` bytes of whole words from a position that depends on `number`.
pub(super) fn passage(number: u64, length: usize) -> &'static str {
    let length = length.min(LENGTH / 2);
    let from = word_start((number % (LENGTH as u64 / 2)) as usize);
    let to = word_start(from + length).min(TEXT.len());
    TEXT[from..to].trim_end()
}

/// The start of the first word at or after `at`.
fn word_start(at: usize) -> usize {
    match TEXT.as_bytes().get(at..).and_then(|rest| rest.iter().position(|b| *b == b' ')) {
        Some(space) => at + space + 1,
        None => TEXT.len(),
    }
}
