//! The names that shop platforms use for the members of product objects, in `data/object_keys.tsv`.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

/// The meaning of a member of a product object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKey {
    Name,
    Url,
    Sku,
    Mpn,
    Gtin,
    Brand,
    Category,
    Description,
    ShortDescription,
    Price,
    RegularPrice,
    Currency,
    Availability,
    /// The number of items in stock.
    Quantity,
    Images,
    Breadcrumbs,
    Attributes,
    Features,
    Rating,
    Variants,
    Options,
    Condition,
}

const MEANINGS: &[(&str, ObjectKey)] = &[
    ("name", ObjectKey::Name),
    ("url", ObjectKey::Url),
    ("sku", ObjectKey::Sku),
    ("mpn", ObjectKey::Mpn),
    ("gtin", ObjectKey::Gtin),
    ("brand", ObjectKey::Brand),
    ("category", ObjectKey::Category),
    ("description", ObjectKey::Description),
    ("short_description", ObjectKey::ShortDescription),
    ("price", ObjectKey::Price),
    ("regular_price", ObjectKey::RegularPrice),
    ("currency", ObjectKey::Currency),
    ("availability", ObjectKey::Availability),
    ("quantity", ObjectKey::Quantity),
    ("images", ObjectKey::Images),
    ("breadcrumbs", ObjectKey::Breadcrumbs),
    ("attributes", ObjectKey::Attributes),
    ("features", ObjectKey::Features),
    ("rating", ObjectKey::Rating),
    ("variants", ObjectKey::Variants),
    ("options", ObjectKey::Options),
    ("condition", ObjectKey::Condition),
];

static KEYS: LazyLock<HashMap<&str, ObjectKey>> = LazyLock::new(|| {
    let mut keys = HashMap::new();
    for (meaning, names) in vocabulary::keyed(include_str!("../../data/object_keys.tsv")) {
        let key = MEANINGS.iter().find(|(known, _)| *known == meaning);
        keys.extend(key.into_iter().flat_map(|(_, key)| names.split(' ').map(|name| (name, *key))));
    }
    keys
});

/// The meaning of a member name; letter case and punctuation do not count.
pub(super) fn key(name: &str) -> Option<ObjectKey> {
    if name.len() > 40 {
        return None;
    }
    KEYS.get(squeezed(name).as_str()).copied()
}

/// The first 40 ASCII letters and digits of a name, in lower case.
pub(super) fn squeezed(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_ascii_alphanumeric());
    letters.map(|letter| letter.to_ascii_lowercase()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_of_the_vocabulary_is_known() {
        for (meaning, names) in vocabulary::keyed(include_str!("../../data/object_keys.tsv")) {
            assert!(MEANINGS.iter().any(|(known, _)| *known == meaning), "{meaning} {names}");
        }
        assert_eq!(key("compare_at_price"), Some(ObjectKey::RegularPrice));
        assert_eq!(key("unknown"), None);
    }
}
