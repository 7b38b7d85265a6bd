//! Penalty for blocks that repeat on many pages of the site.
//!
//! A block on up to a tenth of the pages keeps its probability; from there its odds fall, to almost
//! zero on half of the pages. Headings and other short blocks within the content ("Parameters",
//! "Example") repeat legitimately: they stay as long as the content around them stays. The largest
//! block of the content always stays.

use crate::RepeatedBlocks;

use super::decision;
use super::features::Landscape;

/// Range of the share of pages in which the odds fall.
const FROM: f32 = 0.1;
const TO: f32 = 0.5;

/// Maximum reduction of the log odds.
const FALL: f32 = 5.0;

/// Blocks of up to this many words may repeat without being boilerplate.
const SHORT: u32 = 6;

/// Minimum probability of such a block, unless it is a heading.
const LIKELY: f32 = 0.6;

/// Selects blocks by their penalized probabilities.
pub(crate) fn cut(
    landscape: &Landscape<'_, '_>,
    likely: &[f32],
    words: &[f32],
    repeated: &RepeatedBlocks,
) -> Vec<bool> {
    let alone = decision::cut(likely, words);
    if repeated.is_empty() {
        return alone;
    }
    let blocks = &landscape.outline.blocks;
    let largest = (0..alone.len())
        .filter(|at| alone[*at])
        .max_by(|a, b| words[*a].total_cmp(&words[*b]).then(b.cmp(a)));
    let lowered: Vec<_> = likely
        .iter()
        .zip(blocks)
        .enumerate()
        .map(|(at, (likely, block))| match Some(at) == largest {
            true => *likely,
            false => lower(*likely, repeated.share(block.fingerprint)),
        })
        .collect();
    let is_lowered = |at: usize| lowered[at] < likely[at];
    if !(0..alone.len()).any(|at| alone[at] && is_lowered(at)) {
        return alone;
    }
    let mut keep = decision::cut(&lowered, words);
    // The penalty lowers the expected length, which must not exclude blocks that do not repeat.
    for (at, keep) in keep.iter_mut().enumerate() {
        *keep = alone[at] && (*keep || !is_lowered(at));
    }
    restore_short(landscape, likely, &alone, &mut keep);
    keep
}

fn lower(likely: f32, share: f32) -> f32 {
    let way = ((share - FROM) / (TO - FROM)).clamp(0.0, 1.0);
    let fall = FALL * way * way * (3.0 - 2.0 * way);
    if fall == 0.0 {
        return likely;
    }
    let odds = likely / (1.0 - likely).max(1e-6) * (-fall).exp();
    odds / (1.0 + odds)
}

/// Restores short blocks whose neighbours are selected: a heading if the block after it is, another
/// one if it is between two selected ones.
fn restore_short(landscape: &Landscape<'_, '_>, likely: &[f32], alone: &[bool], keep: &mut [bool]) {
    let content: Vec<usize> = (0..alone.len()).filter(|at| alone[*at]).collect();
    // In reverse, so that a heading above a heading above selected text is restored too.
    for place in (0..content.len()).rev() {
        let at = content[place];
        if keep[at] || landscape.outline.blocks[at].wording.words > SHORT {
            continue;
        }
        let kept = |place: Option<usize>| {
            place.and_then(|place| content.get(place)).is_some_and(|at| keep[*at])
        };
        let followed = kept(Some(place + 1));
        let is_heading = landscape.elements[at].heading_level().is_some();
        // The block before may be short and repeated itself: the last longer one counts.
        let preceded = || {
            let mut before = (0..place).rev().take(SHORT as usize);
            before.any(|place| kept(Some(place)))
        };
        keep[at] = followed && (is_heading || (likely[at] >= LIKELY && preceded()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_fall_smoothly_with_the_share_of_the_pages() {
        assert_eq!(lower(0.9, 0.1), 0.9);
        assert!(lower(0.9, 0.2) < 0.9 && lower(0.9, 0.2) > 0.7);
        assert!(lower(0.9, 0.5) < 0.1);
        assert_eq!(lower(0.9, 0.5), lower(0.9, 1.0));
        assert!(lower(1.0, 1.0) <= 1.0);
    }
}
