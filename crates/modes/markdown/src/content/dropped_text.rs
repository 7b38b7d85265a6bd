//! Detects that a notable part of the text around the selection was dropped.

use html::element_set;

use super::features::FeatureContext;
use super::segmentation::HiddenBy;

/// Minimum share of the selected words that the main container contains.
const MAIN_SHARE: f32 = 0.9;

/// Minimum number of dropped words of text, and minimum share of the main container.
const MIN_WORDS: f32 = 20.0;
const MIN_SHARE: f32 = 0.1;

/// Blocks of fewer words, or with a larger share of linked words, are labels and links.
const TEXT_WORDS: u32 = 8;
const TEXT_LINKS: f32 = 0.3;

/// Whether the lowest container of the selected text has much visible text that was not selected.
pub(crate) fn is_notable(context: &FeatureContext<'_, '_>, kept: &[bool]) -> bool {
    let segmentation = context.segmentation;
    let count = segmentation.containers.len();
    let mut kept_words = vec![0.0_f32; count];
    let mut dropped_words = vec![0.0_f32; count];
    let mut is_boilerplate: Vec<bool> = Vec::with_capacity(count);
    for container in &segmentation.containers {
        let around = is_boilerplate.get(container.parent as usize).copied().unwrap_or(false);
        let own = element_set!(Nav Aside Footer Form Dialog).contains(container.element);
        is_boilerplate.push(around || own || container.hidden != HiddenBy::No);
    }
    for (block, kept) in segmentation.blocks.iter().zip(kept) {
        let at = block.container as usize;
        let words = block.stats.words as f32;
        if *kept {
            kept_words[at] += words;
        } else if block.stats.words >= TEXT_WORDS
            && block.stats.link_share() <= TEXT_LINKS
            && !is_boilerplate[at]
        {
            dropped_words[at] += words;
        }
    }
    for at in (1..count).rev() {
        let parent = segmentation.containers[at].parent as usize;
        kept_words[parent] += kept_words[at];
        dropped_words[parent] += dropped_words[at];
    }
    let needed = MAIN_SHARE * kept_words.first().copied().unwrap_or(0.0);
    let main = kept_words.iter().rposition(|words| *words >= needed).unwrap_or(0);
    let dropped = dropped_words.get(main).copied().unwrap_or(0.0);
    let words = context.container_stats.get(main).map_or(0.0, |stats| stats.words);
    dropped >= MIN_WORDS && dropped >= MIN_SHARE * words
}
