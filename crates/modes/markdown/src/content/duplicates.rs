//! Duplicate blocks: sites repeat content for small and large screens or for screen readers. Only
//! the copy with the highest probability is kept.
//!
//! Copies with a high probability stay: references repeat sentences on purpose.

use hashbrown::HashMap;

use super::features::FeatureContext;

/// Blocks with fewer words are not treated as duplicates.
const MIN_WORDS: u32 = 8;

/// Copies with at least this probability stay.
const MIN_PROBABILITY: f32 = 0.7;

/// Sets the probability of uncertain copies to zero.
pub(crate) fn suppress(context: &FeatureContext<'_, '_>, probabilities: &mut [f32]) {
    let blocks = &context.segmentation.blocks;
    let is_duplicate = |at: usize| context.copies(at) > 1 && blocks[at].stats.words >= MIN_WORDS;
    let mut best: HashMap<u64, usize> = HashMap::new();
    for at in (0..blocks.len()).filter(|at| is_duplicate(*at)) {
        let best = best.entry(blocks[at].fingerprint).or_insert(at);
        if probabilities[at] > probabilities[*best] {
            *best = at;
        }
    }
    for at in (0..blocks.len()).filter(|at| is_duplicate(*at)) {
        if probabilities[at] < MIN_PROBABILITY && best.get(&blocks[at].fingerprint) != Some(&at) {
            probabilities[at] = 0.0;
        }
    }
}
