//! Overlap of a block with the title and description of the page.

use super::super::head_features::HeadFeatures;
use super::super::segmentation::Segmentation;
use super::super::text_stats::TextStats;

/// Maximum number of words of the title and the description.
const MAX_WORDS: usize = 64;

/// Distinct words that a block shares with title and description.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TitleOverlap {
    /// Share of the words of the title.
    pub title: f32,
    pub title_words: f32,
    /// Share of the words of the description; negative if there is none.
    pub description: f32,
}

const IN_TITLE: u8 = 1;
const IN_DESCRIPTION: u8 = 2;

/// A word of the title or description.
#[derive(Debug, Clone, Copy)]
struct OverlapTerm {
    hash: u32,
    fields: u8,
    /// One-based index of the last block that contained it.
    seen: u32,
}

/// The overlaps of all blocks in their order.
pub(crate) fn title_overlaps(
    segmentation: &Segmentation<'_>,
    head: &HeadFeatures<'_>,
) -> Vec<TitleOverlap> {
    let mut terms = words(&head.title, IN_TITLE);
    terms.extend(words(&head.description, IN_DESCRIPTION));
    terms.sort_unstable_by_key(|word| word.hash);
    terms.dedup_by(|next, first| {
        let same = next.hash == first.hash;
        if same {
            first.fields |= next.fields;
        }
        same
    });
    let count = |field| terms.iter().filter(|word| word.fields & field != 0).count() as f32;
    let (in_title, in_description) = (count(IN_TITLE), count(IN_DESCRIPTION));
    // A small bit table rejects most words of a page without a search.
    let mut may_match = [false; 1 << INDEX_BITS];
    for word in &terms {
        may_match[table_index(word.hash)] = true;
    }
    let mut title_overlaps = Vec::with_capacity(segmentation.blocks.len());
    for (block, stamp) in segmentation.blocks.iter().zip(1..) {
        let (mut title, mut description) = (0.0, 0.0);
        for hash in segmentation.block_hashes(block) {
            if !may_match[table_index(*hash)] {
                continue;
            }
            let Ok(at) = terms.binary_search_by_key(hash, |word| word.hash) else { continue };
            let word = &mut terms[at];
            if word.seen != stamp {
                word.seen = stamp;
                title += f32::from(word.fields & IN_TITLE);
                description += f32::from((word.fields & IN_DESCRIPTION) >> 1);
            }
        }
        title_overlaps.push(TitleOverlap {
            title: title / in_title.max(1.0),
            title_words: title,
            description: if in_description == 0.0 { -1.0 } else { description / in_description },
        });
    }
    title_overlaps
}

/// Number of hash bits that index the table.
const INDEX_BITS: u32 = 12;

fn table_index(hash: u32) -> usize {
    (hash >> (u32::BITS - INDEX_BITS)) as usize
}

fn words(text: &str, fields: u8) -> Vec<OverlapTerm> {
    let mut hashes = Vec::new();
    TextStats::read(text, &[], &mut hashes);
    hashes.truncate(MAX_WORDS);
    hashes.into_iter().map(|hash| OverlapTerm { hash, fields, seen: 0 }).collect()
}
