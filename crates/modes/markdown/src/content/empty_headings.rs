//! Removes headings whose text was not selected, such as those of related links.

use super::features::FeatureContext;

/// Maximum share of linked words: a heading that is a link is an item of a list.
const MAX_LINKS: f32 = 0.5;

/// Number of blocks before a heading that are searched for another one.
const MAX_SEARCHED: usize = 16;

/// Minimum number of words of a text that was not selected, without which its heading is useless,
/// as a question without its answer.
const MIN_LOST_WORDS: u32 = 8;

/// Deselects headings whose text was not selected: blocks follow that are not selected, then a
/// heading of a higher level or the end of the page. Headings of the same level in sequence are a
/// list of titles and stay, unless each has a text that was not selected.
pub(crate) fn remove(context: &FeatureContext<'_, '_>, keep: &mut [bool]) {
    let level = |at: usize| context.elements[at].heading_level();
    // The level of the next selected block: 0 at the end of the text, 7 if it is no heading.
    let mut next = 0;
    // Whether blocks between the current one and the next selected one are dropped.
    let mut drops = false;
    // Words that are dropped between the current block and the next heading or selected block, and
    // whether that is a selected text.
    let (mut lost_words, mut is_before_text) = (0, false);
    for at in (0..keep.len()).rev() {
        let own = level(at);
        let words = context.segmentation.blocks[at].stats.words;
        if !keep[at] {
            drops = true;
            (lost_words, is_before_text) = match own {
                Some(_) => (0, false),
                None => (lost_words + words, is_before_text),
            };
            continue;
        }
        let has_lost_text = lost_words >= MIN_LOST_WORDS && !is_before_text;
        (lost_words, is_before_text) = (0, own.is_none());
        let is_linked = context.segmentation.blocks[at].stats.link_share() > MAX_LINKS;
        let before = (0..at).rev().take(MAX_SEARCHED).find(|at| keep[*at]).and_then(level);
        let is_last = || next < own.unwrap_or(0) && before != own;
        if drops && !is_linked && own.is_some_and(|own| own > 1) && (has_lost_text || is_last()) {
            keep[at] = false;
            continue;
        }
        next = own.unwrap_or(7);
        drops = false;
    }
}
