//! How far above a block the next element or class word of each kind is.

use crate::dom::Element;

use super::super::attribute_words::FAMILIES;
use super::super::segmentation::{Container, Outline};

/// Kinds of elements whose distance is told.
pub(crate) const KINDS: usize = 16;

/// What stands for "none above".
pub(crate) const FAR: u8 = 20;

/// The distances of one container, in levels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distances {
    pub elements: [u8; KINDS],
    pub families: [u8; FAMILIES],
}

fn kind(element: Element) -> Option<usize> {
    use Element as E;
    Some(match element {
        E::Nav => 0,
        E::Header => 1,
        E::Footer => 2,
        E::Aside => 3,
        E::Form => 4,
        E::Main => 5,
        E::Article => 6,
        E::Section => 7,
        E::Table => 8,
        E::Ul | E::Ol => 9,
        E::Dl | E::Dt => 10,
        E::Figure => 11,
        E::Blockquote => 12,
        E::Li => 13,
        E::A => 14,
        E::Button => 15,
        _ => return None,
    })
}

impl Distances {
    const NONE: Self = Self { elements: [FAR; KINDS], families: [FAR; FAMILIES] };

    fn of(container: &Container, above: &Self) -> Self {
        let mut own = *above;
        for distance in own.elements.iter_mut().chain(&mut own.families) {
            *distance = (*distance + 1).min(FAR);
        }
        if let Some(kind) = kind(container.element) {
            own.elements[kind] = 0;
        }
        let named = [container.class, container.id, container.role, container.label];
        let mut found = named.iter().fold(0, |found, value| found | value.families);
        while found != 0 {
            own.families[found.trailing_zeros() as usize] = 0;
            found &= found - 1;
        }
        own
    }
}

/// The distances of all containers.
pub(crate) fn distances(outline: &Outline<'_>) -> Vec<Distances> {
    let mut distances: Vec<Distances> = Vec::with_capacity(outline.containers.len());
    for container in &outline.containers {
        let above = distances.get(container.parent as usize).copied().unwrap_or(Distances::NONE);
        distances.push(Distances::of(container, &above));
    }
    distances
}
