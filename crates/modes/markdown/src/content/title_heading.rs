//! Keeps the heading that is the title of the page.
//!
//! The model is undecided about it, because the labels that it was trained on mostly begin below
//! the heading. Readers expect the title on every page.

use crate::repeated::RepeatedBlocks;

use super::features::FeatureContext;
use super::repeat_penalty::COMMON_SHARE;
use super::segmentation::HiddenBy;

/// Minimum share of its words that also occur in the title of the page.
const MIN_SHARED_WORDS: f32 = 0.5;

/// Maximum number of blocks between the heading and the first selected one: a byline, but not the
/// navigation of a site whose name is a heading.
const MAX_BLOCKS_BETWEEN: usize = 12;

/// Selects the title heading if content follows it, and no other heading with the same text.
pub(crate) fn keep_title(
    context: &FeatureContext<'_, '_>,
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    let Some(title) = context.title_heading().filter(|at| is_page_title(context, *at, repeated))
    else {
        return;
    };
    let below = keep.iter().skip(title + 1).take(MAX_BLOCKS_BETWEEN);
    if below.copied().any(|kept| kept)
        && let Some(keep) = keep.get_mut(title)
    {
        *keep = true;
    } else {
        return;
    }
    let blocks = &context.segmentation.blocks;
    let text = blocks[title].fingerprint;
    for (at, keep) in keep.iter_mut().enumerate().filter(|(at, _)| *at != title) {
        let is_heading = context.elements[at].heading_level().is_some();
        *keep &= !(is_heading && blocks[at].fingerprint == text);
    }
}

fn is_page_title(context: &FeatureContext<'_, '_>, at: usize, repeated: &RepeatedBlocks) -> bool {
    let segmentation = context.segmentation;
    let block = &segmentation.blocks[at];
    context.shared_with_title(at) >= MIN_SHARED_WORDS
        && segmentation.container(block.container).hidden == HiddenBy::No
        && repeated.share(block.fingerprint) < COMMON_SHARE
}
