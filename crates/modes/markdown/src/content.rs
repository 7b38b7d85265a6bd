//! Main content extraction (boilerplate removal) for every type of page.
//!
//! A page is segmented into text blocks. A trained model gives the probability that each block is
//! content, and the blocks with the highest expected F1 are kept. If the model keeps almost
//! nothing, simpler heuristics follow, so that every page with text has content. Time and memory
//! are proportional to the page.

use contract::{ExtractionMethod, ExtractionWarning};
use pulp::bytemuck;
use xxhash_rust::xxh3::Xxh3;

use crate::RepeatedBlocks;
use crate::selection::Selection;
use html::dom::{Dom, Element, NodeId};

mod about;
mod attribute_words;
mod copies;
mod decision;
mod fallback;
mod features;
mod judgement;
mod keeping;
mod model;
mod own_title;
mod page_shape;
mod repetition;
mod segmentation;
mod tables;
mod tokens;
#[cfg(feature = "training")]
pub mod training;
mod wording;

pub(crate) use about::About;
use features::Landscape;
use model::Model;
use segmentation::{Hidden, Outline};

/// A page whose content is expected to have fewer words has little text.
pub(crate) const FEW_WORDS: u32 = 8;

/// A page of fewer words without navigation, header or footer is content as a whole.
const NOTE_WORDS: u32 = 40;

/// A page of more words, boilerplate included, is not handled as a short one.
const FRAMED_WORDS: f32 = 400.0;

/// A block on at least this share of the pages of a site is boilerplate on short pages.
const COMMON_SHARE: f32 = 0.5;

/// The main content of a page.
#[derive(Debug)]
pub(crate) struct Choice {
    pub selection: Selection,
    /// Fingerprints of all blocks without duplicates, in document order.
    pub blocks: Vec<u64>,
    pub method: ExtractionMethod,
    pub kept_words: u64,
    /// Hash of the selected words in their order; layout, punctuation and case do not affect it.
    pub words_hash: u64,
    /// Number of words that are visible or selected.
    pub visible_words: u64,
    pub warnings: Vec<ExtractionWarning>,
}

/// Selects the main content of a page. `repeated` are the known repeated blocks of the site.
pub(crate) fn choose(dom: &Dom<'_>, about: &About<'_>, repeated: &RepeatedBlocks) -> Choice {
    let outline = Outline::of(dom);
    if is_note(dom, &outline) {
        return whole(dom, &outline);
    }
    let landscape = Landscape::of(&outline, about);
    let verdict = decide(&landscape, about, repeated);
    let kept = keeping::keep(dom, &landscape, &verdict.keep);
    let mut warnings = Vec::new();
    if verdict.has_little {
        warnings.push(ExtractionWarning::LittleText);
    }
    if outline.truncated {
        warnings.push(ExtractionWarning::Truncated);
    }
    Choice {
        selection: kept.selection,
        blocks: fingerprints(&outline),
        method: verdict.method,
        kept_words: kept.words,
        words_hash: words_hash(&outline, &kept.blocks),
        visible_words: visible_words(&outline, &kept.blocks),
        warnings,
    }
}

/// Whether a page is a short text without any boilerplate.
fn is_note(dom: &Dom<'_>, outline: &Outline<'_>) -> bool {
    let words: u64 = outline.blocks.iter().map(|block| u64::from(block.wording.words)).sum();
    let is_frame = |id| {
        use Element as E;
        matches!(dom.element(id), Some(E::Nav | E::Header | E::Footer | E::Aside))
    };
    words < u64::from(NOTE_WORDS) && !dom.descendants(NodeId::ROOT).any(is_frame)
}

/// Selects all of a text that has no boilerplate.
pub(crate) fn choose_all(dom: &Dom<'_>) -> Choice {
    whole(dom, &Outline::of(dom))
}

fn whole(dom: &Dom<'_>, outline: &Outline<'_>) -> Choice {
    let every = vec![true; outline.blocks.len()];
    let words = visible_words(outline, &every);
    let little = words < u64::from(FEW_WORDS);
    Choice {
        selection: Selection::all_below(dom, dom.body()),
        blocks: fingerprints(outline),
        method: ExtractionMethod::Visible,
        kept_words: words,
        words_hash: words_hash(outline, &every),
        visible_words: words,
        warnings: little.then_some(ExtractionWarning::LittleText).into_iter().collect(),
    }
}

/// Which blocks are selected, and by which method.
#[derive(Debug)]
struct Verdict {
    keep: Vec<bool>,
    method: ExtractionMethod,
    has_little: bool,
}

fn decide(landscape: &Landscape<'_, '_>, about: &About<'_>, repeated: &RepeatedBlocks) -> Verdict {
    let mut verdict = weigh(landscape, about, repeated);
    own_title::keep(landscape, repeated, &mut verdict.keep);
    verdict
}

fn weigh(landscape: &Landscape<'_, '_>, about: &About<'_>, repeated: &RepeatedBlocks) -> Verdict {
    let blocks = &landscape.outline.blocks;
    let words: Vec<_> = blocks.iter().map(|block| block.wording.words as f32).collect();
    if let Some(keep) = short(landscape, &words, repeated) {
        return Verdict { keep, method: ExtractionMethod::Visible, has_little: false };
    }
    let mut has_little = true;
    if let Some(model) = Model::stored().filter(|_| !blocks.is_empty()) {
        let mut likely = judgement::judge(landscape, about, model);
        judgement::strike_ad_labels(landscape, &mut likely);
        copies::strike(landscape, &mut likely);
        let keep = repetition::cut(landscape, &likely, &words, repeated);
        has_little = decision::expected_words(&likely, &words) < f64::from(FEW_WORDS);
        if !fallback::is_too_little(landscape, &keep) {
            return Verdict { keep, method: ExtractionMethod::Blocks, has_little };
        }
    }
    let keep = fallback::densest(landscape);
    if !fallback::is_too_little(landscape, &keep) {
        return Verdict { keep, method: ExtractionMethod::Densest, has_little };
    }
    Verdict { keep: fallback::visible(landscape), method: ExtractionMethod::Visible, has_little }
}

/// Selects all visible blocks of a short page except those that repeat on the site.
fn short(
    landscape: &Landscape<'_, '_>,
    words: &[f32],
    repeated: &RepeatedBlocks,
) -> Option<Vec<bool>> {
    if words.iter().sum::<f32>() > FRAMED_WORDS {
        return None;
    }
    let mut keep = fallback::visible(landscape);
    for (keep, block) in keep.iter_mut().zip(&landscape.outline.blocks) {
        *keep &= repeated.share(block.fingerprint) < COMMON_SHARE;
    }
    let kept: f32 = keep.iter().zip(words).filter(|(keep, _)| **keep).map(|(_, words)| words).sum();
    (f64::from(FEW_WORDS)..f64::from(NOTE_WORDS)).contains(&f64::from(kept)).then_some(keep)
}

fn fingerprints(outline: &Outline<'_>) -> Vec<u64> {
    let mut seen = hashbrown::HashSet::with_capacity(outline.blocks.len());
    let all = outline.blocks.iter().map(|block| block.fingerprint);
    all.filter(|fingerprint| seen.insert(*fingerprint)).collect()
}

fn words_hash(outline: &Outline<'_>, kept: &[bool]) -> u64 {
    let mut hash = Xxh3::new();
    for (block, _) in outline.blocks.iter().zip(kept).filter(|(_, kept)| **kept) {
        hash.update(bytemuck::cast_slice(outline.block_hashes(block)));
    }
    hash.digest()
}

fn visible_words(outline: &Outline<'_>, kept: &[bool]) -> u64 {
    let shown = |container: u32| outline.container(container).hidden == Hidden::No;
    let blocks = outline.blocks.iter().zip(kept);
    let counted = blocks.filter(|(block, kept)| **kept || shown(block.container));
    counted.map(|(block, _)| u64::from(block.wording.words)).sum()
}

#[cfg(test)]
mod tests;
