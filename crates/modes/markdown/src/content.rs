//! Main content extraction (boilerplate removal) for every type of page.
//!
//! A page is segmented into text blocks. A trained model gives the probability that each block is
//! content, the blocks with the highest expected F1 are kept, and the text between them is
//! completed. If fewer than [`MIN_CONTENT_WORDS`] are expected, nothing is selected; if the model
//! keeps almost nothing of what it expects, simpler heuristics follow. Time and memory are
//! proportional to the page.

use contract::{ExtractionMethod, ExtractionWarning};
use pulp::bytemuck;
use xxhash_rust::xxh3::Xxh3;

use crate::node_selection::NodeSelection;
use crate::repeated::RepeatedBlocks;
use html::dom::{Dom, Element, NodeId};

mod attribute_words;
mod classifier;
mod completion;
mod decision;
mod dropped_text;
mod duplicates;
mod empty_headings;
mod fallback;
mod features;
mod hashed_features;
mod head_features;
mod kept_nodes;
mod model;
mod model_inputs;
mod page_features;
mod posts;
mod repeat_penalty;
mod segmentation;
mod text_stats;
mod title_heading;
#[cfg(feature = "training")]
pub mod training;
mod whole_page;
mod word_hash;

use features::FeatureContext;
pub(crate) use head_features::HeadFeatures;
use model::Model;
use posts::ForumPost;
use repeat_penalty::COMMON_SHARE;
use segmentation::{HiddenBy, Segmentation};

/// A page whose content is expected to have fewer words has little text.
pub(crate) const MIN_CONTENT_WORDS: u32 = 8;

/// A page of fewer words without navigation, header or footer is content as a whole.
const SNIPPET_WORDS: u32 = 40;

/// A page of more words, boilerplate included, is not handled as a short one.
const SHORT_PAGE_WORDS: f32 = 400.0;

#[derive(Debug)]
pub(crate) struct ContentSelection {
    pub selection: NodeSelection,
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
pub(crate) fn select(
    dom: &Dom<'_>,
    head: &HeadFeatures<'_>,
    repeated: &RepeatedBlocks,
) -> ContentSelection {
    let segmentation = Segmentation::of(dom);
    if is_unframed_snippet(dom, &segmentation) {
        return select_everything(dom, &segmentation);
    }
    let context = FeatureContext::of(&segmentation, head);
    let decision = decide(&context, head, repeated);
    let mut kept = kept_nodes::select_nodes(dom, &context, &decision.keep);
    posts::mark(&context, &decision.posts, &mut kept.selection);
    let mut warnings = Vec::new();
    if decision.has_little {
        warnings.push(ExtractionWarning::LittleText);
    }
    if segmentation.truncated {
        warnings.push(ExtractionWarning::Truncated);
    }
    if dropped_text::is_notable(&context, &kept.blocks) {
        warnings.push(ExtractionWarning::ContentDropped);
    }
    ContentSelection {
        selection: kept.selection,
        blocks: fingerprints(&segmentation),
        method: decision.method,
        kept_words: kept.words,
        words_hash: words_hash(&segmentation, &kept.blocks),
        visible_words: visible_words(&segmentation, &kept.blocks),
        warnings,
    }
}

/// Selects the whole page without navigation, header and footer.
pub(crate) fn select_whole_page(dom: &Dom<'_>, head: &HeadFeatures<'_>) -> ContentSelection {
    select_blocks(dom, head, whole_page::keep)
}

/// Selects all visible text.
pub(crate) fn select_visible(dom: &Dom<'_>, head: &HeadFeatures<'_>) -> ContentSelection {
    select_blocks(dom, head, whole_page::keep_visible)
}

fn select_blocks(
    dom: &Dom<'_>,
    head: &HeadFeatures<'_>,
    keep: fn(&FeatureContext<'_, '_>) -> Vec<bool>,
) -> ContentSelection {
    let segmentation = Segmentation::of(dom);
    let context = FeatureContext::of(&segmentation, head);
    let kept = kept_nodes::select_nodes(dom, &context, &keep(&context));
    let little = kept.words < u64::from(MIN_CONTENT_WORDS);
    let warnings = [
        little.then_some(ExtractionWarning::LittleText),
        segmentation.truncated.then_some(ExtractionWarning::Truncated),
    ];
    ContentSelection {
        selection: kept.selection,
        blocks: Vec::new(),
        method: ExtractionMethod::Visible,
        kept_words: kept.words,
        words_hash: words_hash(&segmentation, &kept.blocks),
        visible_words: visible_words(&segmentation, &kept.blocks),
        warnings: warnings.into_iter().flatten().collect(),
    }
}

/// Whether a page is a short text without any boilerplate.
fn is_unframed_snippet(dom: &Dom<'_>, segmentation: &Segmentation<'_>) -> bool {
    let words: u64 = segmentation.blocks.iter().map(|block| u64::from(block.stats.words)).sum();
    let is_frame = |id| {
        use Element as E;
        matches!(dom.element(id), Some(E::Nav | E::Header | E::Footer | E::Aside))
    };
    words < u64::from(SNIPPET_WORDS) && !dom.descendants(NodeId::ROOT).any(is_frame)
}

/// Selects all of a text that has no boilerplate.
pub(crate) fn select_all(dom: &Dom<'_>) -> ContentSelection {
    select_everything(dom, &Segmentation::of(dom))
}

fn select_everything(dom: &Dom<'_>, segmentation: &Segmentation<'_>) -> ContentSelection {
    let every = vec![true; segmentation.blocks.len()];
    let words = visible_words(segmentation, &every);
    let little = words < u64::from(MIN_CONTENT_WORDS);
    ContentSelection {
        selection: NodeSelection::all_below(dom, dom.body()),
        blocks: fingerprints(segmentation),
        method: ExtractionMethod::Visible,
        kept_words: words,
        words_hash: words_hash(segmentation, &every),
        visible_words: words,
        warnings: little.then_some(ExtractionWarning::LittleText).into_iter().collect(),
    }
}

/// Which blocks are selected, and by which method.
#[derive(Debug)]
struct BlockDecision {
    keep: Vec<bool>,
    method: ExtractionMethod,
    has_little: bool,
    posts: Vec<ForumPost>,
}

fn decide(
    context: &FeatureContext<'_, '_>,
    head: &HeadFeatures<'_>,
    repeated: &RepeatedBlocks,
) -> BlockDecision {
    let model = Model::stored().filter(|_| !context.segmentation.blocks.is_empty());
    let probabilities = model.map(|model| classifier::block_probabilities(context, head, model));
    decide_by(context, probabilities, repeated)
}

/// Selects blocks by the probabilities of the model, if there are any.
fn decide_by(
    context: &FeatureContext<'_, '_>,
    probabilities: Option<Vec<f32>>,
    repeated: &RepeatedBlocks,
) -> BlockDecision {
    let (mut keep, method, has_little) = classify_blocks(context, probabilities, repeated);
    let posts = posts::find(context, &keep);
    posts::keep_authors(context, &posts, &mut keep);
    empty_headings::remove(context, &mut keep);
    title_heading::keep_title(context, repeated, &mut keep);
    BlockDecision { keep, method, has_little, posts }
}

fn classify_blocks(
    context: &FeatureContext<'_, '_>,
    probabilities: Option<Vec<f32>>,
    repeated: &RepeatedBlocks,
) -> (Vec<bool>, ExtractionMethod, bool) {
    let blocks = &context.segmentation.blocks;
    let words: Vec<_> = blocks.iter().map(|block| block.stats.words as f32).collect();
    if let Some(keep) = select_short_page(context, &words, repeated) {
        return (keep, ExtractionMethod::Visible, false);
    }
    let mut has_little = true;
    if let Some(mut probabilities) = probabilities {
        classifier::suppress_ad_labels(context, &mut probabilities);
        duplicates::suppress(context, &mut probabilities);
        let mut keep = repeat_penalty::select_blocks(context, &probabilities, &words, repeated);
        has_little =
            decision::expected_words(&probabilities, &words) < f64::from(MIN_CONTENT_WORDS);
        if has_little {
            // A shell, an error page or a list of links: nothing is the main content.
            return (vec![false; blocks.len()], ExtractionMethod::Blocks, true);
        }
        if !fallback::selects_too_little(context, &keep) {
            completion::complete(context, &probabilities, repeated, &mut keep);
            completion::complete_items(context, &probabilities, repeated, &mut keep);
            completion::complete_lists(context, &probabilities, repeated, &mut keep);
            completion::complete_short_text(context, repeated, &mut keep);
            return (keep, ExtractionMethod::Blocks, has_little);
        }
    }
    let keep = fallback::densest(context);
    if !fallback::selects_too_little(context, &keep) {
        return (keep, ExtractionMethod::Densest, has_little);
    }
    (fallback::visible(context), ExtractionMethod::Visible, has_little)
}

/// Selects all visible blocks of a short page except those that repeat on the site.
fn select_short_page(
    context: &FeatureContext<'_, '_>,
    words: &[f32],
    repeated: &RepeatedBlocks,
) -> Option<Vec<bool>> {
    if words.iter().sum::<f32>() > SHORT_PAGE_WORDS {
        return None;
    }
    let mut keep = fallback::visible(context);
    for (keep, block) in keep.iter_mut().zip(&context.segmentation.blocks) {
        *keep &= repeated.share(block.fingerprint) < COMMON_SHARE;
    }
    let kept: f32 = keep.iter().zip(words).filter(|(keep, _)| **keep).map(|(_, words)| words).sum();
    (f64::from(MIN_CONTENT_WORDS)..f64::from(SNIPPET_WORDS))
        .contains(&f64::from(kept))
        .then_some(keep)
}

fn fingerprints(segmentation: &Segmentation<'_>) -> Vec<u64> {
    let mut seen = hashbrown::HashSet::with_capacity(segmentation.blocks.len());
    let all = segmentation.blocks.iter().map(|block| block.fingerprint);
    all.filter(|fingerprint| seen.insert(*fingerprint)).collect()
}

fn words_hash(segmentation: &Segmentation<'_>, kept: &[bool]) -> u64 {
    let mut hash = Xxh3::new();
    for (block, _) in segmentation.blocks.iter().zip(kept).filter(|(_, kept)| **kept) {
        hash.update(bytemuck::cast_slice(segmentation.block_hashes(block)));
    }
    hash.digest()
}

fn visible_words(segmentation: &Segmentation<'_>, kept: &[bool]) -> u64 {
    let shown = |container: u32| segmentation.container(container).hidden == HiddenBy::No;
    let blocks = segmentation.blocks.iter().zip(kept);
    let counted = blocks.filter(|(block, kept)| **kept || shown(block.container));
    counted.map(|(block, _)| u64::from(block.stats.words)).sum()
}

#[cfg(test)]
mod tests;
