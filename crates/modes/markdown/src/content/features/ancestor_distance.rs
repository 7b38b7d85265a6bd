//! Distances to the nearest ancestor with a landmark element or attribute family.

use html::dom::Element;

use super::super::attribute_words::{AttributeWords, FAMILIES};
use super::super::segmentation::{Segmentation, TextContainer};

/// Elements whose distance is a feature.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Landmark {
    Nav,
    Header,
    Footer,
    Aside,
    Main,
    Article,
    Table,
    List,
    Figure,
}

const LANDMARKS: usize = 9;

/// Distance if there is no such ancestor.
pub(crate) const FAR: u8 = 20;

/// Array length, a multiple of the vector width.
const ROOM: usize = 16;

/// The distances of one container in levels. Entries beyond the kinds are unused.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AncestorDistances {
    pub elements: [u8; ROOM],
    pub families: [u8; ROOM],
}

const _: () = assert!(LANDMARKS <= ROOM && FAMILIES <= ROOM, "room for every kind");

fn landmark(element: Element) -> Option<Landmark> {
    use Element as E;
    Some(match element {
        E::Nav => Landmark::Nav,
        E::Header => Landmark::Header,
        E::Footer => Landmark::Footer,
        E::Aside => Landmark::Aside,
        E::Main => Landmark::Main,
        E::Article => Landmark::Article,
        E::Table => Landmark::Table,
        E::Ul | E::Ol => Landmark::List,
        E::Figure => Landmark::Figure,
        _ => return None,
    })
}

impl AncestorDistances {
    const NONE: Self = Self { elements: [FAR; ROOM], families: [FAR; ROOM] };

    fn of(container: &TextContainer, above: &Self, words: &AttributeWords<'_>) -> Self {
        let farther = |distances: [u8; ROOM]| distances.map(|it| (it + 1).min(FAR));
        let mut own = Self { elements: farther(above.elements), families: farther(above.families) };
        if let Some(landmark) = landmark(container.element) {
            own.elements[landmark as usize] = 0;
        }
        let named = [container.class, container.id, container.role, container.label];
        let mut found = named.iter().fold(0, |found, value| found | words.families(*value));
        while found != 0 {
            own.families[found.trailing_zeros() as usize] = 0;
            found &= found - 1;
        }
        own
    }
}

/// The distances of all containers.
pub(crate) fn distances(segmentation: &Segmentation<'_>) -> Vec<AncestorDistances> {
    let mut distances: Vec<AncestorDistances> = Vec::with_capacity(segmentation.containers.len());
    for container in &segmentation.containers {
        let above =
            distances.get(container.parent as usize).copied().unwrap_or(AncestorDistances::NONE);
        distances.push(AncestorDistances::of(container, &above, &segmentation.attributes));
    }
    distances
}
