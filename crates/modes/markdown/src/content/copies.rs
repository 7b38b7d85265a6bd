//! Duplicate blocks: sites repeat content for small and large screens or for screen readers. Only
//! the copy with the highest probability is kept.
//!
//! Copies with a high probability stay: references repeat sentences on purpose.

use hashbrown::HashMap;

use super::features::Landscape;

/// Blocks with fewer words are not treated as duplicates.
const LEAST_WORDS: u32 = 8;

/// Copies with at least this probability stay.
const LIKELY: f32 = 0.7;

/// Sets the probability of uncertain copies to zero.
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
