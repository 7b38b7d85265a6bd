//! The whole page without navigation and footer, for jobs that prefer completeness; and all visible
//! text, for jobs that choose the elements.

use html::dom::Element;
use html::element_set;

use super::attribute_words::AttributeFamily;
use super::features::FeatureContext;
use super::segmentation::{HiddenBy, TextContainer};

/// Share of linked words from which an element named as navigation is navigation.
const NAVIGATION_LINKS: f32 = 0.6;

const fn bit(family: AttributeFamily) -> u32 {
    1 << family as u32
}

/// All visible blocks except those of navigation, the header and footer of the page, and consent
/// dialogs.
pub(crate) fn keep(context: &FeatureContext<'_, '_>) -> Vec<bool> {
    let segmentation = context.segmentation;
    let mut states: Vec<PartState> = Vec::with_capacity(segmentation.containers.len());
    for (at, container) in segmentation.containers.iter().enumerate() {
        let around = match at {
            0 => PartState { kept: true, in_content: false },
            _ => states[container.parent as usize],
        };
        let in_content = around.in_content
            || element_set!(Main Article Section Blockquote).contains(container.element);
        let is_excluded = is_navigation(context, at)
            || !in_content
                && matches!(container.element, Element::Header | Element::Footer | Element::Dialog);
        let kept = around.kept && !is_excluded && container.hidden == HiddenBy::No;
        states.push(PartState { kept, in_content });
    }
    segmentation.blocks.iter().map(|block| states[block.container as usize].kept).collect()
}

/// All blocks that a visitor sees.
pub(crate) fn keep_visible(context: &FeatureContext<'_, '_>) -> Vec<bool> {
    let segmentation = context.segmentation;
    let mut visible: Vec<bool> = Vec::with_capacity(segmentation.containers.len());
    for (at, container) in segmentation.containers.iter().enumerate() {
        let around = at == 0 || visible[container.parent as usize];
        visible.push(around && container.hidden == HiddenBy::No);
    }
    segmentation.blocks.iter().map(|block| visible[block.container as usize]).collect()
}

/// What is known of a container from those around it.
#[derive(Debug, Clone, Copy)]
struct PartState {
    kept: bool,
    /// It is within `main`, `article` or a section, whose header belongs to the text.
    in_content: bool,
}

fn is_navigation(context: &FeatureContext<'_, '_>, at: usize) -> bool {
    let segmentation = context.segmentation;
    let container: &TextContainer = &segmentation.containers[at];
    let words = &segmentation.attributes;
    let named = [container.class, container.id, container.role, container.label];
    let families = named.iter().fold(0, |found, value| found | words.families(*value));
    let is_linked = context.container_stats[at].link_density() >= NAVIGATION_LINKS;
    container.element == Element::Nav
        || families & bit(AttributeFamily::Consent) != 0 && !is_page(container)
        || families & (bit(AttributeFamily::Navigation) | bit(AttributeFamily::Footer)) != 0
            && is_linked
            && !is_page(container)
}

/// Whether a container is the whole page, whose classes describe everything.
fn is_page(container: &TextContainer) -> bool {
    matches!(container.element, Element::Html | Element::Body | Element::Main)
}
