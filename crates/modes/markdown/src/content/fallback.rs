//! Heuristics for pages on which the model selects too little.

use html::dom::Element;

use super::attribute_words::AttributeFamily;
use super::features::FeatureContext;
use super::segmentation::{HiddenBy, TextBlock};

/// Minimum share of the visible words, and the number of words from which the share does not
/// matter. On labelled pages the model beats the heuristics wherever it selects more than this.
const MIN_SHARE: f32 = 0.05;
const ENOUGH_WORDS: f32 = 20.0;

/// Consent dialogs are excluded.
const CONSENT: u32 = 1 << AttributeFamily::Consent as u32;

fn words(block: &TextBlock) -> f32 {
    block.stats.words as f32
}

/// Whether a selection excludes nearly all of the visible text.
pub(crate) fn selects_too_little(context: &FeatureContext<'_, '_>, keep: &[bool]) -> bool {
    let segmentation = context.segmentation;
    let (mut kept, mut visible) = (0.0, 0.0);
    for (block, keep) in segmentation.blocks.iter().zip(keep) {
        if *keep {
            kept += words(block);
        }
        if segmentation.container(block.container).hidden == HiddenBy::No {
            visible += words(block);
        }
    }
    kept < ENOUGH_WORDS && kept < MIN_SHARE * visible || kept == 0.0
}

/// All blocks of the densest container except navigation.
pub(crate) fn densest(context: &FeatureContext<'_, '_>) -> Vec<bool> {
    let (first, end) = (context.densest.first as usize, context.densest.end as usize);
    let mut keep = visible(context);
    for (at, keep) in keep.iter_mut().enumerate() {
        *keep &= at >= first && at < end;
    }
    keep
}

/// All visible blocks except obvious boilerplate; all visible blocks if none remains; all blocks if
/// none is visible.
pub(crate) fn visible(context: &FeatureContext<'_, '_>) -> Vec<bool> {
    let segmentation = context.segmentation;
    let mut plain = Vec::with_capacity(segmentation.containers.len());
    for container in &segmentation.containers {
        let around = plain.get(container.parent as usize).copied().unwrap_or(true);
        let words = &segmentation.attributes;
        let families = words.families(container.class) | words.families(container.id);
        let is_aside = matches!(
            container.element,
            Element::Nav | Element::Header | Element::Footer | Element::Aside | Element::Dialog
        );
        plain.push(around && !is_aside && families & CONSENT == 0);
    }
    let shows = |block: &TextBlock| segmentation.container(block.container).hidden == HiddenBy::No;
    let of = |test: &dyn Fn(&TextBlock) -> bool| {
        segmentation.blocks.iter().map(test).collect::<Vec<_>>()
    };
    let keep = of(&|block| shows(block) && plain[block.container as usize]);
    if keep.contains(&true) {
        return keep;
    }
    let keep = of(&shows);
    if keep.contains(&true) { keep } else { vec![true; segmentation.blocks.len()] }
}
