//! Hashed features: the slots of the weight tables that apply to a block.
//!
//! Three tables: class words and names of the elements around, words of the text, words of the
//! headings before. Inference sums the weights; training dumps the slots.

use super::segmentation::{Segmentation, TextBlock};
use super::word_hash::{FeatureNamespace, SLOTS, SlotSink, join, slot};

/// Maximum number of words of a heading.
const HEADING_WORDS: usize = 12;

fn own_words<'o>(segmentation: &'o Segmentation<'_>, at: u32) -> impl Iterator<Item = u32> + 'o {
    let container = segmentation.container(at);
    [container.class, container.id, container.role, container.label]
        .into_iter()
        .flat_map(|value| segmentation.attributes.words(value).iter().copied())
}

/// The slots that a container contributes to everything below it.
fn around<'o>(segmentation: &'o Segmentation<'_>, at: u32) -> impl Iterator<Item = u16> + 'o {
    let name = segmentation.container(at).element as u32;
    let words = own_words(segmentation, at).map(|hash| slot(FeatureNamespace::Around, hash));
    words.chain([slot(FeatureNamespace::ElementAround, name)])
}

/// The slots of the elements close to a block.
pub(crate) fn close_slots(
    segmentation: &Segmentation<'_>,
    block: &TextBlock,
    slots: &mut impl SlotSink,
) {
    let mut path = 0;
    for (above, level) in segmentation.upwards(block.container).take(4).zip(0..) {
        let part = match level {
            0 => Some(FeatureNamespace::Own),
            1 => Some(FeatureNamespace::Parent),
            2 => Some(FeatureNamespace::Grandparent),
            _ => None,
        };
        if let Some(part) = part {
            for hash in own_words(segmentation, above) {
                slots.put(slot(part, hash));
            }
        }
        path = join(path, segmentation.container(above).element as u32 + 1);
        match level {
            1 => slots.put(slot(FeatureNamespace::ShortPath, path)),
            3 => slots.put(slot(FeatureNamespace::LongPath, path)),
            _ => {}
        }
    }
}

/// The distinct slots of all containers around a block, which `around_sums` sums up.
#[cfg(feature = "training")]
pub(crate) fn around_slots(segmentation: &Segmentation<'_>, block: &TextBlock) -> Vec<u16> {
    let mut slots: Vec<_> = segmentation
        .upwards(block.container)
        .flat_map(|above| around(segmentation, above))
        .collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// For each container: the sum of the weights of the distinct slots around it, and their number.
pub(crate) fn around_sums(segmentation: &Segmentation<'_>, weights: &[i8]) -> Vec<(i32, u32)> {
    let mut present = vec![0_u64; SLOTS / 64];
    let mut path: Vec<u16> = Vec::new();
    // For each level: where its slots begin in `path`, and the sum before it.
    let mut levels: Vec<(usize, i32)> = Vec::new();
    let mut sum = 0;
    let mut sums = Vec::with_capacity(segmentation.containers.len());
    for (container, at) in segmentation.containers.iter().zip(0..) {
        while levels.len() > usize::from(container.depth) {
            let Some((from, before)) = levels.pop() else { break };
            for slot in path.drain(from..) {
                present[usize::from(slot) / 64] &= !(1 << (slot % 64));
            }
            sum = before;
        }
        levels.push((path.len(), sum));
        for slot in around(segmentation, at) {
            let word = &mut present[usize::from(slot) / 64];
            if *word >> (slot % 64) & 1 == 0 {
                *word |= 1 << (slot % 64);
                path.push(slot);
                sum += i32::from(weights.get(usize::from(slot)).copied().unwrap_or(0));
            }
        }
        sums.push((sum, u32::try_from(path.len()).unwrap_or(u32::MAX)));
    }
    sums
}

/// The slots of the words of a block.
pub(crate) fn text_slots(hashes: &[u32], slots: &mut impl SlotSink) {
    let count = hashes.len();
    if count <= 40 {
        for hash in hashes {
            slots.put(slot(FeatureNamespace::Word, *hash));
        }
    } else {
        for hash in &hashes[..6] {
            slots.put(slot(FeatureNamespace::First, *hash));
        }
        for hash in &hashes[count - 4..] {
            slots.put(slot(FeatureNamespace::Last, *hash));
        }
    }
    if count <= 10 {
        for hash in hashes {
            slots.put(slot(FeatureNamespace::ShortWord, *hash));
        }
        for pair in hashes.windows(2) {
            slots.put(slot(FeatureNamespace::Pair, join(pair[0], pair[1])));
        }
    }
    if count <= 6 {
        slots.put(slot(FeatureNamespace::Whole, whole(hashes)));
    }
    let length = (2.0 * (count as f32 + 1.0).log2()).min(12.0);
    slots.put(slot(FeatureNamespace::Length, length as u32));
}

fn whole(hashes: &[u32]) -> u32 {
    hashes.iter().fold(0, |sum, hash| join(sum, *hash))
}

/// The slots of a heading for the blocks after it.
pub(crate) fn heading_slots(hashes: &[u32], slots: &mut impl SlotSink) {
    for hash in hashes.iter().take(HEADING_WORDS) {
        slots.put(slot(FeatureNamespace::Heading, *hash));
    }
    if hashes.len() <= 4 {
        slots.put(slot(FeatureNamespace::WholeHeading, whole(hashes)));
    }
}

/// The slots of a heading of level 1 or 2.
pub(crate) fn main_heading_slots(hashes: &[u32], slots: &mut impl SlotSink) {
    for hash in hashes.iter().take(HEADING_WORDS) {
        slots.put(slot(FeatureNamespace::MainHeading, *hash));
    }
}
