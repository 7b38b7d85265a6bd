//! What is known of the site: blocks that stand on many of its pages count for less.
//!
//! A block on up to a tenth of the pages is judged by the model alone; from there on its
//! odds fall, down to nearly nothing where it stands on half of them. Headings and other
//! short blocks within the content ("Parameters", "Example") repeat by their nature: they
//! stay as long as what they belong to stays. The largest block of the content always does.

use crate::RepeatedBlocks;

use super::decision;
use super::features::Landscape;

/// Shares of the pages between which the odds fall.
const FROM: f32 = 0.1;
const TO: f32 = 0.5;

/// By how much they fall at most, as a logarithm.
const FALL: f32 = 5.0;

/// A block of up to so many words may repeat without being boilerplate.
const SHORT: u32 = 6;

/// How likely such a block must be by itself, unless it is a heading.
const LIKELY: f32 = 0.6;

/// The blocks that are kept, in their order.
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
    // Less is expected of the page now: what nobody repeats is not to suffer from that.
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

/// Takes short blocks back in whose neighbours in the content are kept: a heading for the
/// sake of what follows it, another one if it stands between two that are kept.
fn restore_short(landscape: &Landscape<'_, '_>, likely: &[f32], alone: &[bool], keep: &mut [bool]) {
    let content: Vec<usize> = (0..alone.len()).filter(|at| alone[*at]).collect();
    // Backwards, so that a heading above a heading above kept text is found too.
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
        // What stands before may itself be short and repeated: the last longer one counts.
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
