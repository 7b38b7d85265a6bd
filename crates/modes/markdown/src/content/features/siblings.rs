//! Groups of similar siblings: cards of a list, rows of a table.

use hashbrown::HashMap;

use super::super::segmentation::Segmentation;
use super::container_stats::ContainerStats;

/// The position of a container in its group of siblings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sibling {
    /// Size of the group, itself included.
    pub count: f32,
    /// Words of the group as a share of the page.
    pub share: f32,
    pub link_density: f32,
}

impl Sibling {
    const ALONE: Self = Self { count: 1.0, share: 0.0, link_density: 0.0 };
}

/// Signature of a container: element name and class words.
pub(crate) fn signatures(segmentation: &Segmentation<'_>) -> Vec<u32> {
    let own = |at: usize| {
        let container = &segmentation.containers[at];
        (container.element as u32 + 1).wrapping_mul(0x9e37_79b1)
            ^ segmentation.attributes.signature(container.class)
    };
    (0..segmentation.containers.len()).map(own).collect()
}

/// Signature of a container, its two ancestors, and the name of the next.
pub(crate) fn path_signature(segmentation: &Segmentation<'_>, signatures: &[u32], at: u32) -> u64 {
    let mut signature = 0_u64;
    for (above, level) in segmentation.upwards(at).take(4).zip(0..) {
        let own = match level {
            3 => segmentation.container(above).element as u32,
            _ => signatures[above as usize],
        };
        signature =
            (signature ^ u64::from(own)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    signature
}

#[derive(Debug, Clone, Copy, Default)]
struct SiblingGroup {
    count: f32,
    words: f32,
    link_words: f32,
}

/// The sibling group of every container.
pub(crate) fn siblings(
    segmentation: &Segmentation<'_>,
    signatures: &[u32],
    container_stats: &[ContainerStats],
) -> Vec<Sibling> {
    let total = container_stats.first().map_or(1.0, |body| body.words.max(1.0));
    let mut groups: Vec<SiblingGroup> = Vec::new();
    let mut known: HashMap<(u32, u32), u32> = HashMap::new();
    let mut member = vec![u32::MAX; container_stats.len()];
    let mut siblings = vec![Sibling::ALONE; container_stats.len()];
    for at in 1..container_stats.len() {
        let stats = &container_stats[at];
        if stats.words == 0.0 {
            continue;
        }
        let next = u32::try_from(groups.len()).unwrap_or(u32::MAX);
        let group =
            *known.entry((segmentation.containers[at].parent, signatures[at])).or_insert(next);
        if group == next {
            groups.push(SiblingGroup::default());
        }
        let sums = &mut groups[group as usize];
        sums.count += 1.0;
        sums.words += stats.words;
        sums.link_words += stats.link_words;
        member[at] = group;
    }
    for (sibling, group) in siblings.iter_mut().zip(member) {
        let Some(group) = groups.get(group as usize).filter(|group| group.count > 1.0) else {
            continue;
        };
        sibling.count = group.count;
        sibling.share = group.words / total;
        sibling.link_density = group.link_words / group.words;
    }
    siblings
}
