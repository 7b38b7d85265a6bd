//! Hashed features: the slots of the weight tables that apply to a block.
//!
//! Three tables: class words and names of the elements around, words of the text, words of the
//! headings before. Inference sums the weights; training dumps the slots.

use super::segmentation::{Block, Outline};
use super::tokens::{Part, SLOTS, Slots, join, slot};

/// Maximum number of words of a heading.
const HEADING_WORDS: usize = 12;

fn own_words<'o>(outline: &'o Outline<'_>, at: u32) -> impl Iterator<Item = u32> + 'o {
    let container = outline.container(at);
    [container.class, container.id, container.role, container.label]
        .into_iter()
        .flat_map(|value| outline.attributes.words(value).iter().copied())
}

/// The slots that a container contributes to everything below it.
fn around<'o>(outline: &'o Outline<'_>, at: u32) -> impl Iterator<Item = u16> + 'o {
    let name = outline.container(at).element as u32;
    let words = own_words(outline, at).map(|hash| slot(Part::Around, hash));
    words.chain([slot(Part::ElementAround, name)])
}

/// The slots of the elements close to a block.
pub(crate) fn close_slots(outline: &Outline<'_>, block: &Block, slots: &mut impl Slots) {
    let mut path = 0;
    for (above, level) in outline.upwards(block.container).take(4).zip(0..) {
        let part = match level {
            0 => Some(Part::Own),
            1 => Some(Part::Parent),
            2 => Some(Part::Grandparent),
            _ => None,
        };
        if let Some(part) = part {
            for hash in own_words(outline, above) {
                slots.put(slot(part, hash));
            }
        }
        path = join(path, outline.container(above).element as u32 + 1);
        match level {
            1 => slots.put(slot(Part::ShortPath, path)),
            3 => slots.put(slot(Part::LongPath, path)),
            _ => {}
        }
    }
}

/// The distinct slots of all containers around a block, which `around_sums` sums up.
#[cfg(feature = "training")]
pub(crate) fn around_slots(outline: &Outline<'_>, block: &Block) -> Vec<u16> {
    let mut slots: Vec<_> =
        outline.upwards(block.container).flat_map(|above| around(outline, above)).collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// For each container: the sum of the weights of the distinct slots around it, and their number.
pub(crate) fn around_sums(outline: &Outline<'_>, weights: &[i8]) -> Vec<(i32, u32)> {
    let mut present = vec![0_u64; SLOTS / 64];
    let mut path: Vec<u16> = Vec::new();
    // For each level: where its slots begin in `path`, and the sum before it.
    let mut levels: Vec<(usize, i32)> = Vec::new();
    let mut sum = 0;
    let mut sums = Vec::with_capacity(outline.containers.len());
    for (container, at) in outline.containers.iter().zip(0..) {
        while levels.len() > usize::from(container.depth) {
            let Some((from, before)) = levels.pop() else { break };
            for slot in path.drain(from..) {
                present[usize::from(slot) / 64] &= !(1 << (slot % 64));
            }
            sum = before;
        }
        levels.push((path.len(), sum));
        for slot in around(outline, at) {
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
pub(crate) fn text_slots(hashes: &[u32], slots: &mut impl Slots) {
    let count = hashes.len();
    if count <= 40 {
        for hash in hashes {
            slots.put(slot(Part::Word, *hash));
        }
    } else {
        for hash in &hashes[..6] {
            slots.put(slot(Part::First, *hash));
        }
        for hash in &hashes[count - 4..] {
            slots.put(slot(Part::Last, *hash));
        }
    }
    if count <= 10 {
        for hash in hashes {
            slots.put(slot(Part::ShortWord, *hash));
        }
        for pair in hashes.windows(2) {
            slots.put(slot(Part::Pair, join(pair[0], pair[1])));
        }
    }
    if count <= 6 {
        slots.put(slot(Part::Whole, whole(hashes)));
    }
    let length = (2.0 * (count as f32 + 1.0).log2()).min(12.0);
    slots.put(slot(Part::Length, length as u32));
}

fn whole(hashes: &[u32]) -> u32 {
    hashes.iter().fold(0, |sum, hash| join(sum, *hash))
}

/// The slots of a heading for the blocks after it.
pub(crate) fn heading_slots(hashes: &[u32], slots: &mut impl Slots) {
    for hash in hashes.iter().take(HEADING_WORDS) {
        slots.put(slot(Part::Heading, *hash));
    }
    if hashes.len() <= 4 {
        slots.put(slot(Part::WholeHeading, whole(hashes)));
    }
}

/// The slots of a heading of level 1 or 2.
pub(crate) fn main_heading_slots(hashes: &[u32], slots: &mut impl Slots) {
    for hash in hashes.iter().take(HEADING_WORDS) {
        slots.put(slot(Part::MainHeading, *hash));
    }
}
