//! Keeps the heading that is the title of the page.
//!
//! The model is undecided about it, because the labels that it was trained on mostly begin below
//! the heading. Readers expect the title on every page.

use hashbrown::HashSet;
use html::dom::Element;

use crate::repeated::RepeatedBlocks;

use super::features::FeatureContext;
use super::repeat_penalty::COMMON_SHARE;
use super::segmentation::HiddenBy;

/// Minimum share of its words that also occur in the title of the page.
const MIN_SHARED_WORDS: f32 = 0.5;

/// Maximum number of blocks between the heading and the first selected one: a byline, but not the
/// navigation of a site whose name is a heading.
const MAX_BLOCKS_BETWEEN: usize = 12;

/// Minimum share of the words of the title in a heading that is the title itself, after which the
/// content may begin later. The name of the site is a smaller part of a title.
const MIN_SHARE_OF_TITLE: f32 = 0.6;

/// Minimum number of words of a heading that is longer than the name of a site, and minimum share of
/// them that also occur in the title.
const MIN_PHRASE_WORDS: u32 = 4;
const MIN_SHARED_PHRASE: f32 = 0.8;

/// Maximum number of blocks between such a heading and the first selected one: a table of contents.
const MAX_BLOCKS_AFTER_TITLE: usize = 80;

/// Selects the title heading if content follows it, and no other heading with the same text.
pub(crate) fn keep_title(
    context: &FeatureContext<'_, '_>,
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    drop_copies(context, keep);
    let Some(title) = context.title_heading().filter(|at| is_page_title(context, *at, repeated))
    else {
        return;
    };
    let most =
        if is_surely_title(context, title) { MAX_BLOCKS_AFTER_TITLE } else { MAX_BLOCKS_BETWEEN };
    let below = keep.iter().skip(title + 1).take(most);
    if below.copied().any(|kept| kept)
        && let Some(keep) = keep.get_mut(title)
    {
        *keep = true;
    } else {
        return;
    }
    let title_words = words(context, title);
    for (at, keep) in keep.iter_mut().enumerate().filter(|(at, _)| *at != title) {
        let is_heading = context.elements[at].heading_level().is_some();
        *keep &= !(is_heading && !title_words.is_empty() && words(context, at) == title_words);
    }
}

/// The hashes of the words of a block, which case and punctuation do not affect.
fn words<'c>(context: &'c FeatureContext<'_, '_>, at: usize) -> &'c [u32] {
    let segmentation = context.segmentation;
    segmentation.block_hashes(&segmentation.blocks[at])
}

/// Whether a heading is no name of a site: it has most of the title, or is a phrase that the title
/// repeats, or the only `h1`.
fn is_surely_title(context: &FeatureContext<'_, '_>, at: usize) -> bool {
    let is_phrase = context.segmentation.blocks[at].stats.words >= MIN_PHRASE_WORDS;
    let is_only =
        || context.elements.iter().filter(|element| **element == Element::H1).count() == 1;
    context.title_share(at) >= MIN_SHARE_OF_TITLE
        || is_phrase && (context.shared_with_title(at) >= MIN_SHARED_PHRASE || is_only())
}

/// Deselects the copies of an `h1`, one of which is hidden on narrow windows.
fn drop_copies(context: &FeatureContext<'_, '_>, keep: &mut [bool]) {
    let mut known = HashSet::new();
    for (at, keep) in keep.iter_mut().enumerate().filter(|(_, keep)| **keep) {
        if context.elements[at] == Element::H1 && !words(context, at).is_empty() {
            *keep = known.insert(words(context, at));
        }
    }
}

fn is_page_title(context: &FeatureContext<'_, '_>, at: usize, repeated: &RepeatedBlocks) -> bool {
    let segmentation = context.segmentation;
    let block = &segmentation.blocks[at];
    context.shared_with_title(at) >= MIN_SHARED_WORDS
        && segmentation.container(block.container).hidden == HiddenBy::No
        && repeated.share(block.fingerprint) < COMMON_SHARE
}
