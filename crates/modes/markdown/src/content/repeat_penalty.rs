//! Penalty for blocks that repeat on many pages of the site.
//!
//! A block on up to a tenth of the pages keeps its probability; from there its odds fall, to almost
//! zero on half of the pages. Headings and other short blocks within the content ("Parameters",
//! "Example") repeat legitimately: they stay as long as the content around them stays. The largest
//! block of the content always stays.

use crate::repeated::RepeatedBlocks;

use super::decision;
use super::features::FeatureContext;

/// A block on at least this share of the pages of a site is boilerplate on short pages, and never
/// the title of a page.
pub(crate) const COMMON_SHARE: f32 = 0.5;

/// Range of the share of pages in which the odds fall.
const FALL_START: f32 = 0.1;
const FALL_END: f32 = 0.5;

/// Maximum reduction of the log odds.
const MAX_FALL: f32 = 5.0;

/// Blocks of up to this many words may repeat without being boilerplate.
const SHORT_WORDS: u32 = 6;

/// Minimum probability of such a block, unless it is a heading.
const MIN_PROBABILITY: f32 = 0.6;

/// Selects blocks by their penalized probabilities.
pub(crate) fn select_blocks(
    context: &FeatureContext<'_, '_>,
    probabilities: &[f32],
    words: &[f32],
    repeated: &RepeatedBlocks,
) -> Vec<bool> {
    let by_probability = decision::select_blocks(probabilities, words);
    if repeated.is_empty() {
        return by_probability;
    }
    let blocks = &context.segmentation.blocks;
    let largest = (0..by_probability.len())
        .filter(|at| by_probability[*at])
        .max_by(|a, b| words[*a].total_cmp(&words[*b]).then(b.cmp(a)));
    let penalized_probabilities: Vec<_> = probabilities
        .iter()
        .zip(blocks)
        .enumerate()
        .map(|(at, (probability, block))| match Some(at) == largest {
            true => *probability,
            false => penalized(*probability, repeated.share(block.fingerprint)),
        })
        .collect();
    let is_penalized = |at: usize| penalized_probabilities[at] < probabilities[at];
    if !(0..by_probability.len()).any(|at| by_probability[at] && is_penalized(at)) {
        return by_probability;
    }
    let mut keep = decision::select_blocks(&penalized_probabilities, words);
    // The penalty lowers the expected length, which must not exclude blocks that do not repeat.
    for (at, keep) in keep.iter_mut().enumerate() {
        *keep = by_probability[at] && (*keep || !is_penalized(at));
    }
    restore_short(context, probabilities, &by_probability, &mut keep);
    keep
}

fn penalized(probability: f32, share: f32) -> f32 {
    let progress = ((share - FALL_START) / (FALL_END - FALL_START)).clamp(0.0, 1.0);
    let fall = MAX_FALL * progress * progress * (3.0 - 2.0 * progress);
    if fall == 0.0 {
        return probability;
    }
    let odds = probability / (1.0 - probability).max(1e-6) * (-fall).exp();
    odds / (1.0 + odds)
}

/// Restores short blocks whose neighbours are selected: a heading if the block after it is, another
/// one if it is between two selected ones.
fn restore_short(
    context: &FeatureContext<'_, '_>,
    probabilities: &[f32],
    by_probability: &[bool],
    keep: &mut [bool],
) {
    let content: Vec<usize> = (0..by_probability.len()).filter(|at| by_probability[*at]).collect();
    // In reverse, so that a heading above a heading above selected text is restored too.
    for index in (0..content.len()).rev() {
        let at = content[index];
        if keep[at] || context.segmentation.blocks[at].stats.words > SHORT_WORDS {
            continue;
        }
        let kept = |index: Option<usize>| {
            index.and_then(|index| content.get(index)).is_some_and(|at| keep[*at])
        };
        let followed = kept(Some(index + 1));
        let is_heading = context.elements[at].heading_level().is_some();
        // The block before may be short and repeated itself: the last longer one counts.
        let preceded = || {
            let mut before = (0..index).rev().take(SHORT_WORDS as usize);
            before.any(|index| kept(Some(index)))
        };
        keep[at] = followed && (is_heading || (probabilities[at] >= MIN_PROBABILITY && preceded()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn penalty_grows_smoothly_with_the_share_of_pages() {
        assert_eq!(penalized(0.9, 0.1), 0.9);
        assert!(penalized(0.9, 0.2) < 0.9 && penalized(0.9, 0.2) > 0.7);
        assert!(penalized(0.9, 0.5) < 0.1);
        assert_eq!(penalized(0.9, 0.5), penalized(0.9, 1.0));
        assert!(penalized(1.0, 1.0) <= 1.0);
    }
}
