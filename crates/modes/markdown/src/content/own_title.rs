//! Keeps the heading that is the title of the page.
//!
//! The model is undecided about it, because the labels that it was trained on mostly begin below
//! the heading. Readers expect the title on every page.

use crate::RepeatedBlocks;

use super::COMMON_SHARE;
use super::features::Landscape;
use super::segmentation::Hidden;

/// Minimum share of its words that also occur in the title of the page.
const SHARED: f32 = 0.5;

/// Maximum number of blocks between the heading and the first selected one: a byline, but not the
/// navigation of a site whose name is a heading.
const BETWEEN: usize = 12;

/// Selects the title heading if content follows it.
pub(crate) fn keep(landscape: &Landscape<'_, '_>, repeated: &RepeatedBlocks, keep: &mut [bool]) {
    let Some(title) = landscape.title_heading().filter(|at| is_own(landscape, *at, repeated))
    else {
        return;
    };
    let below = keep.iter().skip(title + 1).take(BETWEEN);
    if below.copied().any(|kept| kept)
        && let Some(keep) = keep.get_mut(title)
    {
        *keep = true;
    }
}

fn is_own(landscape: &Landscape<'_, '_>, at: usize, repeated: &RepeatedBlocks) -> bool {
    let outline = landscape.outline;
    let block = &outline.blocks[at];
    landscape.shared_with_title(at) >= SHARED
        && outline.container(block.container).hidden == Hidden::No
        && repeated.share(block.fingerprint) < COMMON_SHARE
}
