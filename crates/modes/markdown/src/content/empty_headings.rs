//! Removes headings whose text was not selected, such as those of related links.

use super::features::FeatureContext;

/// Maximum share of linked words: a heading that is a link is an item of a list.
const MAX_LINKS: f32 = 0.5;

/// Number of blocks before a heading that are searched for another one.
const MAX_SEARCHED: usize = 16;

/// Deselects headings whose text was not selected: blocks follow that are not selected, then a
/// heading of a higher level or the end of the page. Headings of the same level in sequence are a
/// list of titles and stay.
pub(crate) fn remove(context: &FeatureContext<'_, '_>, keep: &mut [bool]) {
    let level = |at: usize| context.elements[at].heading_level();
    // The level of the next selected block: 0 at the end of the text, 7 if it is no heading.
    let mut next = 0;
    // Whether blocks between the current one and the next selected one are dropped.
    let mut drops = false;
    for at in (0..keep.len()).rev() {
        if !keep[at] {
            drops = true;
            continue;
        }
        let own = level(at);
        let is_linked = context.segmentation.blocks[at].stats.link_share() > MAX_LINKS;
        let before = (0..at).rev().take(MAX_SEARCHED).find(|at| keep[*at]).and_then(level);
        if drops && !is_linked && own.is_some_and(|own| own > 1 && next < own) && before != own {
            keep[at] = false;
            continue;
        }
        next = own.unwrap_or(7);
        drops = false;
    }
}
