//! The posts of a thread: each begins with its author, and a rule separates it from the one before.
//!
//! Posts are siblings of the same element that are named as posts, comments, messages or answers,
//! contain most of the selected text, and mostly name an author.

use html::element_set;

use super::attribute_words::AttributeFamily;
use super::features::FeatureContext;
use super::segmentation::{HiddenBy, TextContainer};
use crate::node_selection::{NodeSelection, PartMark};

/// Minimum number of selected words of a post.
const MIN_WORDS: f32 = 3.0;

/// Minimum number of posts of a thread, and minimum share of the selected words in them.
const MIN_POSTS: usize = 2;
const MIN_SHARE: f32 = 0.5;

/// Maximum number of words of a name.
const MAX_NAME_WORDS: f32 = 4.0;

/// A post with the container of its author's name.
#[derive(Debug)]
pub(crate) struct ForumPost {
    container: usize,
    author: Option<usize>,
}

/// The posts of a page; none if it is no thread.
pub(crate) fn find(context: &FeatureContext<'_, '_>, keep: &[bool]) -> Vec<ForumPost> {
    let segmentation = context.segmentation;
    let containers = &segmentation.containers;
    let is_named =
        |container: &TextContainer| has_family(context, container, AttributeFamily::Post);
    if !containers.iter().any(is_named) {
        return Vec::new();
    }
    let mut kept_words = vec![0.0_f32; containers.len()];
    for (block, _) in segmentation.blocks.iter().zip(keep).filter(|(_, keep)| **keep) {
        kept_words[block.container as usize] += block.stats.words as f32;
    }
    for at in (1..containers.len()).rev() {
        kept_words[containers[at].parent as usize] += kept_words[at];
    }
    let is_candidate = |at: usize| {
        kept_words[at] >= MIN_WORDS
            && element_set!(Article Custom Div Li Section).contains(containers[at].element)
            && is_named(&containers[at])
    };
    let mut children = vec![0_u32; containers.len()];
    let mut candidates = Vec::new();
    for at in (1..containers.len()).filter(|at| is_candidate(*at)) {
        children[containers[at].parent as usize] += 1;
        candidates.push(at);
    }
    let mut posts: Vec<ForumPost> = Vec::new();
    // Replies within a post belong to it.
    let mut last_end = None;
    for at in candidates {
        let node = containers[at].node;
        if children[containers[at].parent as usize] >= 2 && last_end.is_none_or(|end| node >= end) {
            let after = containers[at + 1..]
                .iter()
                .position(|next| containers[next.parent as usize].node < node);
            let end = after.map_or(containers.len(), |after| at + 1 + after);
            last_end =
                containers.get(end).map(|next| next.node).or(Some(html::dom::NodeId(u32::MAX)));
            posts.push(ForumPost { container: at, author: author(context, at + 1..end) });
        }
    }
    let words: f32 = posts.iter().map(|post| kept_words[post.container]).sum();
    let authors = posts.iter().filter(|post| post.author.is_some()).count();
    let is_thread =
        posts.len() >= MIN_POSTS && words >= MIN_SHARE * kept_words[0] && 2 * authors > posts.len();
    if is_thread { posts } else { Vec::new() }
}

/// The first visible element that is named as an author and contains a name.
fn author(context: &FeatureContext<'_, '_>, mut within: std::ops::Range<usize>) -> Option<usize> {
    within.find(|at| {
        let container = &context.segmentation.containers[*at];
        let words = context.container_stats[*at].words;
        container.hidden == HiddenBy::No
            && (1.0..=MAX_NAME_WORDS).contains(&words)
            && has_family(context, container, AttributeFamily::Author)
    })
}

fn has_family(
    context: &FeatureContext<'_, '_>,
    container: &TextContainer,
    family: AttributeFamily,
) -> bool {
    let words = &context.segmentation.attributes;
    let named = [container.class, container.id, container.label];
    let families = named.iter().fold(0, |found, value| found | words.families(*value));
    families & 1 << family as u32 != 0
}

/// Selects the names of the authors.
pub(crate) fn keep_authors(
    context: &FeatureContext<'_, '_>,
    posts: &[ForumPost],
    keep: &mut [bool],
) {
    for author in posts.iter().filter_map(|post| post.author) {
        let stats = &context.container_stats[author];
        keep[stats.first as usize..stats.end as usize].fill(true);
    }
}

/// Marks the posts after the first one, and the authors.
pub(crate) fn mark(
    context: &FeatureContext<'_, '_>,
    posts: &[ForumPost],
    selection: &mut NodeSelection,
) {
    let node = |at: usize| context.segmentation.containers[at].node;
    for (at, post) in posts.iter().enumerate() {
        if at > 0 {
            selection.mark(node(post.container), PartMark::Post);
        }
        if let Some(author) = post.author {
            selection.mark(node(author), PartMark::Author);
        }
    }
}
