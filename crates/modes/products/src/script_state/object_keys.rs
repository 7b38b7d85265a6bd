//! The names that shop platforms use for the members of product objects, in `data/object_keys.tsv`.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

named_enum! {
    /// The meaning of a member of a product object.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum ObjectKey {
        Name = "name",
        Url = "url",
        Sku = "sku",
        Mpn = "mpn",
        Gtin = "gtin",
        Brand = "brand",
        Category = "category",
        Description = "description",
        ShortDescription = "short_description",
        Price = "price",
        RegularPrice = "regular_price",
        Currency = "currency",
        Availability = "availability",
        /// The number of items in stock.
        Quantity = "quantity",
        Images = "images",
        Breadcrumbs = "breadcrumbs",
        Attributes = "attributes",
        Features = "features",
        Rating = "rating",
        Variants = "variants",
        Options = "options",
        Condition = "condition",
    }
}

static KEYS: LazyLock<HashMap<&str, ObjectKey>> = LazyLock::new(|| {
    let mut keys = HashMap::new();
    for (meaning, names) in vocabulary::keyed(term_file!("object_keys.tsv")) {
        if let Some(key) = ObjectKey::ALL.into_iter().find(|key| key.as_str() == meaning) {
            keys.extend(names.split(' ').map(|name| (name, key)));
        }
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
        for (meaning, names) in vocabulary::keyed(term_file!("object_keys.tsv")) {
            assert!(ObjectKey::ALL.map(ObjectKey::as_str).contains(&meaning), "{meaning} {names}");
        }
        assert_eq!(key("compare_at_price"), Some(ObjectKey::RegularPrice));
        assert_eq!(key("unknown"), None);
    }
}
