//! Completes the selected text: blocks between selected parts of one container belong to it.
//!
//! The model judges each block alone. A code block, table, quote, list or sentence inside of
//! the selected text is kept as well, unless its probability, its links or its attributes show
//! that it is boilerplate. Code and lists need only be between the first and the last selected
//! block. A list item that is mostly selected is kept as a whole, with the label that all items
//! repeat, and so is a list of which most items are selected.

use std::ops::Range;

use html::dom::Element;
use html::element_set;

use crate::repeated::RepeatedBlocks;

use super::attribute_words::AttributeFamily;
use super::features::FeatureContext;
use super::segmentation::{HiddenBy, TextContainer};

/// Minimum share of the words beside a part, within its container, that are selected.
const MIN_SHARE_BESIDE: f32 = 0.5;

/// A block on at least this share of the pages of a site is not added.
const MAX_REPEATED_SHARE: f32 = 0.2;

/// Minimum share of the words of a list item that are selected, and its minimum mean probability,
/// from which it is kept as a whole.
const MIN_ITEM_SHARE: f32 = 0.5;
const MIN_ITEM_PROBABILITY: f32 = 0.4;

/// Minimum number of items of a list, minimum share of them with selected text, and minimum mean
/// probability of the rest, from which it is kept as a whole.
const MIN_LIST_ITEMS: u32 = 3;
const MIN_LIST_SHARE: f32 = 0.7;
const MIN_REST_PROBABILITY: f32 = 0.05;

/// Maximum number of elements around a part that contain nothing else.
const MAX_WRAPPERS: usize = 4;

/// Maximum share of linked words, except in code and tables.
const MAX_LINKS: f32 = 0.4;

/// Minimum number of words of a sentence.
const SENTENCE_WORDS: u32 = 6;

/// A `main` or `article` of more words, or with a larger share of linked words, is not completed.
const SHORT_TEXT_WORDS: f32 = 250.0;
const SHORT_TEXT_LINKS: f32 = 0.25;

/// Minimum share of the selected words that such an element contains.
const SHORT_TEXT_SHARE: f32 = 0.7;

/// Families of attributes of boilerplate within the content.
const BOILERPLATE: u32 = 1 << AttributeFamily::Navigation as u32
    | 1 << AttributeFamily::Footer as u32
    | 1 << AttributeFamily::Comment as u32
    | 1 << AttributeFamily::Related as u32
    | 1 << AttributeFamily::Consent as u32
    | 1 << AttributeFamily::Share as u32;

/// Minimum mean probability of a part by its kind; `None` if it is only kept by the model.
fn min_probability(element: Element) -> Option<f32> {
    use Element as E;
    match element {
        E::Pre | E::Math => Some(0.05),
        E::Table | E::Blockquote => Some(0.15),
        E::Ul | E::Ol | E::Dl => Some(0.35),
        E::P => Some(0.25),
        _ => None,
    }
}

/// Counts of selected blocks and words before each block.
struct SelectedSums {
    blocks: Vec<u32>,
    words: Vec<f32>,
    expected: Vec<f32>,
    sentence_ends: Vec<u32>,
}

impl SelectedSums {
    fn of(context: &FeatureContext<'_, '_>, probabilities: &[f32], keep: &[bool]) -> Self {
        let count = keep.len() + 1;
        let mut sums = Self {
            blocks: Vec::with_capacity(count),
            words: Vec::with_capacity(count),
            expected: Vec::with_capacity(count),
            sentence_ends: Vec::with_capacity(count),
        };
        let (mut blocks, mut words, mut expected, mut ends) = (0, 0.0, 0.0, 0);
        for ((block, keep), probability) in
            context.segmentation.blocks.iter().zip(keep).zip(probabilities)
        {
            sums.blocks.push(blocks);
            sums.words.push(words);
            sums.expected.push(expected);
            sums.sentence_ends.push(ends);
            ends += block.stats.sentence_ends;
            let length = block.stats.words as f32;
            expected += probability * length;
            if *keep {
                blocks += 1;
                words += length;
            }
        }
        sums.blocks.push(blocks);
        sums.words.push(words);
        sums.expected.push(expected);
        sums.sentence_ends.push(ends);
        sums
    }
}

/// Selects parts between selected ones.
pub(crate) fn complete(
    context: &FeatureContext<'_, '_>,
    probabilities: &[f32],
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    let segmentation = context.segmentation;
    let sums = SelectedSums::of(context, probabilities, keep);
    let selected = selected_range(keep);
    // End of the last completed part: parts within it are complete.
    let mut completed = 0;
    for (at, container) in segmentation.containers.iter().enumerate() {
        let Some(min_probability) = min_probability(container.element) else { continue };
        let stats = &context.container_stats[at];
        let (first, end) = (stats.first as usize, stats.end as usize);
        let is_complete =
            end <= completed || sums.blocks[end] - sums.blocks[first] == stats.end - stats.first;
        if is_complete || stats.words == 0.0 {
            continue;
        }
        if container.hidden != HiddenBy::No {
            continue;
        }
        if (sums.expected[end] - sums.expected[first]) / stats.words < min_probability {
            continue;
        }
        let is_within = match container.element {
            Element::Pre | Element::Ul | Element::Ol | Element::Dl => {
                selected.start <= first && end <= selected.end
            }
            _ => is_text(context, at, &sums) && is_between_selected(context, at, &sums),
        };
        if is_within && !has_boilerplate(context, at) {
            for (at, keep) in keep.iter_mut().enumerate().take(end).skip(first) {
                *keep |= is_own_text(context, at, repeated);
            }
            completed = end;
        }
    }
}

/// From the first to the last selected block.
fn selected_range(keep: &[bool]) -> Range<usize> {
    let first = keep.iter().position(|keep| *keep).unwrap_or(keep.len());
    let last = keep.iter().rposition(|keep| *keep);
    first..last.map_or(first, |last| last + 1)
}

/// Selects the rest of list items that are mostly selected: labels such as "Winner" that all items
/// have are improbable alone.
pub(crate) fn complete_items(
    context: &FeatureContext<'_, '_>,
    probabilities: &[f32],
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    let sums = SelectedSums::of(context, probabilities, keep);
    // End of the last completed item: items within it are complete.
    let mut completed = 0;
    for (container, stats) in context.segmentation.containers.iter().zip(&context.container_stats) {
        if container.hidden != HiddenBy::No
            || !element_set!(Li Dd).contains(container.element)
            || stats.end - stats.first < 2
        {
            continue;
        }
        let (first, end) = (stats.first as usize, stats.end as usize);
        if end <= completed {
            continue;
        }
        let selected = sums.words[end] - sums.words[first];
        let expected = sums.expected[end] - sums.expected[first];
        if selected > 0.0
            && selected >= MIN_ITEM_SHARE * stats.words
            && expected >= MIN_ITEM_PROBABILITY * stats.words
        {
            for (at, keep) in keep.iter_mut().enumerate().take(end).skip(first) {
                *keep |= is_own_text(context, at, repeated);
            }
            completed = end;
        }
    }
}

/// Selects the other items of lists of which most items are selected.
pub(crate) fn complete_lists(
    context: &FeatureContext<'_, '_>,
    probabilities: &[f32],
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    let sums = SelectedSums::of(context, probabilities, keep);
    let containers = &context.segmentation.containers;
    // Items of each list, and those with selected text.
    let mut items = vec![(0_u32, 0_u32); containers.len()];
    for (at, container) in containers.iter().enumerate() {
        let stats = &context.container_stats[at];
        if element_set!(Li Dd).contains(container.element) && stats.words > 0.0 {
            let (first, end) = (stats.first as usize, stats.end as usize);
            let list = &mut items[container.parent as usize];
            list.0 += 1;
            list.1 += u32::from(sums.blocks[end] > sums.blocks[first]);
        }
    }
    for (at, container) in containers.iter().enumerate() {
        let (all, selected) = items[at];
        let stats = &context.container_stats[at];
        let (first, end) = (stats.first as usize, stats.end as usize);
        let rest = stats.words - (sums.words[end] - sums.words[first]);
        if all < MIN_LIST_ITEMS
            || container.hidden != HiddenBy::No
            || selected == all
            || (selected as f32) < MIN_LIST_SHARE * all as f32
            || rest == 0.0
            || has_boilerplate(context, at)
        {
            continue;
        }
        let blocks = &context.segmentation.blocks;
        let expected: f32 = (first..end)
            .filter(|at| !keep[*at])
            .map(|at| probabilities[at] * blocks[at].stats.words as f32)
            .sum();
        if expected >= MIN_REST_PROBABILITY * rest {
            for (at, keep) in keep.iter_mut().enumerate().take(end).skip(first) {
                *keep |= is_own_text(context, at, repeated);
            }
        }
    }
}

/// Selects all of a short `main` or `article` that contains no boilerplate and most of the selected
/// text.
pub(crate) fn complete_short_text(
    context: &FeatureContext<'_, '_>,
    repeated: &RepeatedBlocks,
    keep: &mut [bool],
) {
    let segmentation = context.segmentation;
    let count = |element: Element| {
        segmentation.containers.iter().filter(|container| container.element == element).count()
    };
    let element =
        [Element::Main, Element::Article].into_iter().find(|element| count(*element) == 1);
    let is_main = |container: &TextContainer| Some(container.element) == element;
    let Some(main) = segmentation.containers.iter().position(is_main) else { return };
    let stats = &context.container_stats[main];
    if stats.words > SHORT_TEXT_WORDS || stats.link_density() > SHORT_TEXT_LINKS {
        return;
    }
    let (first, end) = (stats.first as usize, stats.end as usize);
    let words = |range: Range<usize>| -> f32 {
        let selected = range.filter(|at| keep[*at]);
        selected.map(|at| segmentation.blocks[at].stats.words as f32).sum()
    };
    let (inside, all) = (words(first..end), words(0..keep.len()));
    if inside < SHORT_TEXT_SHARE * all || inside < MIN_SHARE_BESIDE * stats.words {
        return;
    }
    let node = segmentation.containers[main].node;
    let below = segmentation.containers[main + 1..]
        .iter()
        .take_while(|container| segmentation.containers[container.parent as usize].node >= node);
    if below.clone().any(|container| is_boilerplate(context, container)) {
        return;
    }
    for (at, keep) in keep.iter_mut().enumerate().take(end).skip(first) {
        let container = segmentation.container(segmentation.blocks[at].container);
        *keep |= container.hidden == HiddenBy::No && is_own_text(context, at, repeated);
    }
}

/// Whether a block is not repeated on other pages of the site.
fn is_own_text(context: &FeatureContext<'_, '_>, at: usize, repeated: &RepeatedBlocks) -> bool {
    repeated.share(context.segmentation.blocks[at].fingerprint) < MAX_REPEATED_SHARE
}

/// Whether the content of a part is text: code and tables always, paragraphs if they are sentences,
/// quotes unless they are links.
fn is_text(context: &FeatureContext<'_, '_>, at: usize, sums: &SelectedSums) -> bool {
    let (container, stats) = (&context.segmentation.containers[at], &context.container_stats[at]);
    match container.element {
        Element::Pre | Element::Math | Element::Table => true,
        Element::P => {
            let ends =
                sums.sentence_ends[stats.end as usize] - sums.sentence_ends[stats.first as usize];
            ends > 0 && stats.words >= SENTENCE_WORDS as f32 && stats.link_density() < MAX_LINKS
        }
        _ => stats.link_density() < MAX_LINKS,
    }
}

/// Whether the container of a part has selected text before and after it, and most of its other
/// text is selected.
fn is_between_selected(context: &FeatureContext<'_, '_>, at: usize, sums: &SelectedSums) -> bool {
    let segmentation = context.segmentation;
    let own = &context.container_stats[at];
    let around = segmentation.upwards(segmentation.containers[at].parent).take(MAX_WRAPPERS);
    let mut larger =
        around.filter(|above| context.container_stats[*above as usize].words > own.words);
    let Some(parent) = larger.next() else { return false };
    let parent = &context.container_stats[parent as usize];
    let count = |from: u32, to: u32| sums.blocks[to as usize] - sums.blocks[from as usize];
    let words = |from: u32, to: u32| sums.words[to as usize] - sums.words[from as usize];
    let beside = parent.words - own.words;
    let kept = words(parent.first, own.first) + words(own.end, parent.end);
    count(parent.first, own.first) > 0
        && count(own.end, parent.end) > 0
        && kept >= MIN_SHARE_BESIDE * beside
}

/// Whether a part, or an element that contains nothing else, is boilerplate.
fn has_boilerplate(context: &FeatureContext<'_, '_>, at: usize) -> bool {
    let segmentation = context.segmentation;
    let own = context.container_stats[at].words;
    let index = u32::try_from(at).unwrap_or(u32::MAX);
    let mut around = segmentation
        .upwards(index)
        .take(MAX_WRAPPERS)
        .take_while(|above| context.container_stats[*above as usize].words <= own);
    around.any(|above| is_boilerplate(context, segmentation.container(above)))
}

/// Whether an element is boilerplate by its name and attributes.
fn is_boilerplate(context: &FeatureContext<'_, '_>, container: &TextContainer) -> bool {
    let words = &context.segmentation.attributes;
    let named = [container.class, container.id, container.role, container.label];
    let families = named.iter().fold(0, |found, value| found | words.families(*value));
    families & BOILERPLATE != 0
        || element_set!(Nav Aside Footer Form Dialog).contains(container.element)
}
