//! Sets of elements, built at compile time.

use super::Element;

/// A set of elements, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ElementSet([u64; 4]);

impl ElementSet {
    pub const fn of(elements: &[Element]) -> Self {
        let mut bits = [0; 4];
        let mut at = 0;
        while at < elements.len() {
            let number = elements[at] as u8;
            bits[(number >> 6) as usize] |= 1 << (number & 63);
            at += 1;
        }
        Self(bits)
    }

    #[inline]
    pub const fn contains(&self, element: Element) -> bool {
        let number = element as u8;
        self.0[(number >> 6) as usize] >> (number & 63) & 1 == 1
    }
}

/// A set of elements by their names: `element_set!(P Li Td)`.
#[macro_export]
macro_rules! element_set {
    ($($element:ident)*) => {
        const { $crate::tokenizer::ElementSet::of(&[$($crate::tokenizer::Element::$element),*]) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_contains_the_elements_that_it_was_built_from() {
        let set = element_set!(A Table Other);
        assert!([Element::A, Element::Table, Element::Other].iter().all(|one| set.contains(*one)));
        assert!(![Element::Abbr, Element::Custom].iter().any(|one| set.contains(*one)));
    }
}
