//! Removes headings whose text was not selected, such as those of related links.

use super::features::FeatureContext;

/// Deselects headings that have lost everything below them: the next selected block is a heading of
/// the same or a higher level, or there is none, and blocks in between were not selected.
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
        if drops && level(at).is_some_and(|own| own > 1 && next <= own) {
            keep[at] = false;
            continue;
        }
        next = level(at).unwrap_or(7);
        drops = false;
    }
}
