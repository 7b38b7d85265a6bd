//! The containers, blocks and decisions of a page as JSON, for analysing losses and for trying rules
//! outside of the program.

use html::dom::{Dom, Element};
use serde_json::{Value, json};

use super::{FeatureContext, HeadFeatures, Segmentation, block_text, decide_by, select_nodes};
use crate::content::segmentation::HiddenBy;
use crate::repeated::RepeatedBlocks;

/// Maximum length of a class or id in an outline.
const MAX_ATTRIBUTE: usize = 60;

/// The outline of the page at `url`, with these probabilities of its blocks; those of further pages
/// may follow. Containers precede those within them.
#[must_use]
pub fn page_outline(html: &str, url: &str, probabilities: &[f32]) -> Value {
    let dom = Dom::parse(html);
    let head = HeadFeatures::read(&dom, url);
    let segmentation = Segmentation::of(&dom);
    let context = FeatureContext::of(&segmentation, &head);
    let own = probabilities.get(..segmentation.blocks.len()).unwrap_or_default();
    let given = (!own.is_empty()).then(|| own.to_vec());
    let decision = decide_by(&context, given, &RepeatedBlocks::default());
    let kept = select_nodes(&dom, &context, &decision.keep);
    let attributes = &segmentation.attributes;
    let containers = segmentation.containers.iter().zip(&context.container_stats);
    let containers: Vec<_> = containers
        .map(|(container, stats)| {
            let named = [container.class, container.id, container.role, container.label];
            let families = named.iter().fold(0, |found, value| found | attributes.families(*value));
            let text = |name| {
                let value = dom.raw_attribute(container.node, name).unwrap_or_default();
                value.get(..value.floor_char_boundary(MAX_ATTRIBUTE)).unwrap_or_default()
            };
            let lines = match container.element {
                Element::Pre => dom.inner_text(container.node).trim().lines().count(),
                _ => 0,
            };
            json!({
                "lines": lines,
                "parent": container.parent,
                "element": format!("{:?}", container.element),
                "hidden": container.hidden != HiddenBy::No,
                "families": families,
                "class": text("class"),
                "id": text("id"),
                "first": stats.first,
                "end": stats.end,
                "words": stats.words,
                "links": stats.link_density(),
            })
        })
        .collect();
    let blocks = segmentation.blocks.iter().zip(own).zip(decision.keep.iter().zip(&kept.blocks));
    let blocks: Vec<_> = blocks
        .map(|((block, probability), (decided, kept))| {
            json!({
                "container": block.container,
                "words": block.stats.words,
                "links": block.stats.link_share(),
                "ends": block.stats.sentence_ends,
                "probability": probability,
                "decided": decided,
                "kept": kept,
                "text": block_text(&dom, &segmentation, block),
            })
        })
        .collect();
    json!({
        "containers": containers,
        "blocks": blocks,
        "little": decision.has_little,
        "method": format!("{:?}", decision.method),
    })
}
