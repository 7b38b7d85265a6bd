//! Heuristics for pages on which the model selects too little.

use html::dom::Element;

use super::attribute_words::Family;
use super::features::Landscape;
use super::segmentation::{Block, Hidden};

/// Minimum share of the visible words, and the number of words from which the share does not
/// matter. On labelled pages the model beats the heuristics wherever it selects more than this.
const LEAST_SHARE: f32 = 0.05;
const ENOUGH_WORDS: f32 = 20.0;

/// Consent dialogs are excluded.
const CONSENT: u32 = 1 << Family::Consent as u32;

fn words(block: &Block) -> f32 {
    block.wording.words as f32
}

/// Whether a selection excludes nearly all of the visible text.
pub(crate) fn is_too_little(landscape: &Landscape<'_, '_>, keep: &[bool]) -> bool {
    let outline = landscape.outline;
    let (mut kept, mut visible) = (0.0, 0.0);
    for (block, keep) in outline.blocks.iter().zip(keep) {
        if *keep {
            kept += words(block);
        }
        if outline.container(block.container).hidden == Hidden::No {
            visible += words(block);
        }
    }
    kept < ENOUGH_WORDS && kept < LEAST_SHARE * visible || kept == 0.0
}

/// All blocks of the densest container except navigation.
pub(crate) fn densest(landscape: &Landscape<'_, '_>) -> Vec<bool> {
    let (first, end) = (landscape.densest.first as usize, landscape.densest.end as usize);
    let mut keep = visible(landscape);
    for (at, keep) in keep.iter_mut().enumerate() {
        *keep &= at >= first && at < end;
    }
    keep
}

/// All visible blocks except obvious boilerplate; all visible blocks if none remains; all blocks if
/// none is visible.
pub(crate) fn visible(landscape: &Landscape<'_, '_>) -> Vec<bool> {
    let outline = landscape.outline;
    let mut plain = Vec::with_capacity(outline.containers.len());
    for container in &outline.containers {
        let around = plain.get(container.parent as usize).copied().unwrap_or(true);
        let words = &outline.attributes;
        let families = words.families(container.class) | words.families(container.id);
        let is_aside = matches!(
            container.element,
            Element::Nav | Element::Header | Element::Footer | Element::Aside | Element::Dialog
        );
        plain.push(around && !is_aside && families & CONSENT == 0);
    }
    let shows = |block: &Block| outline.container(block.container).hidden == Hidden::No;
    let of = |test: &dyn Fn(&Block) -> bool| outline.blocks.iter().map(test).collect::<Vec<_>>();
    let keep = of(&|block| shows(block) && plain[block.container as usize]);
    if keep.contains(&true) {
        return keep;
    }
    let keep = of(&shows);
    if keep.contains(&true) { keep } else { vec![true; outline.blocks.len()] }
}
