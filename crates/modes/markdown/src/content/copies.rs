//! Texts that a page has twice: sites lay the same content out for small and large screens,
//! or read it out again below. The likeliest of the copies is enough.
//!
//! A copy that is likely by itself stays: references say the same of many things.

use hashbrown::HashMap;

use super::features::Landscape;

/// Shorter texts repeat by their nature.
const LEAST_WORDS: u32 = 8;

/// From here on a copy is content by itself.
const LIKELY: f32 = 0.7;

/// Takes out doubtful copies.
pub(crate) fn strike(landscape: &Landscape<'_, '_>, likely: &mut [f32]) {
    let blocks = &landscape.outline.blocks;
    let copied = |at: usize| landscape.copies(at) > 1 && blocks[at].wording.words >= LEAST_WORDS;
    let mut best: HashMap<u64, usize> = HashMap::new();
    for at in (0..blocks.len()).filter(|at| copied(*at)) {
        let best = best.entry(blocks[at].fingerprint).or_insert(at);
        if likely[at] > likely[*best] {
            *best = at;
        }
    }
    for at in (0..blocks.len()).filter(|at| copied(*at)) {
        if likely[at] < LIKELY && best.get(&blocks[at].fingerprint) != Some(&at) {
            likely[at] = 0.0;
        }
    }
}
