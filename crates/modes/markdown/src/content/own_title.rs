//! The heading that is the page's own title: it stays with the content that it heads.
//!
//! To the model such a heading is a coin's toss, because the true texts that it learnt from
//! mostly begin below it. A reader wants it at the head of the text, on every page alike.

use crate::RepeatedBlocks;

use super::COMMON_SHARE;
use super::features::Landscape;
use super::segmentation::Hidden;

/// The share of its words that the title of the page must have, too.
const SHARED: f32 = 0.5;

/// How many blocks may stand between the heading and the first that is kept: a line of
/// authors and dates, not the navigation of a site whose name is a heading.
const BETWEEN: usize = 12;

/// Keeps the heading if what follows it is kept.
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
