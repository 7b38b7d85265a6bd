//! The fields of a product's record that a page is asked for, one name each.

/// A field of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Field {
    Name,
    Brand,
    Category,
    Description,
    /// A step of the trail.
    Breadcrumb,
    Feature,
    /// A row of the specification: its name, a tab, its value.
    Attribute,
    Sku,
    Mpn,
    Gtin,
    Price,
    RegularPrice,
    Currency,
    Availability,
    Condition,
    /// The name of who sells it.
    Seller,
    /// The address of an image.
    Image,
    Rating,
    Variant,
}

impl Field {
    /// Every field, in the order of the record.
    pub const ALL: [Self; 19] = [
        Self::Name,
        Self::Brand,
        Self::Category,
        Self::Description,
        Self::Breadcrumb,
        Self::Feature,
        Self::Attribute,
        Self::Sku,
        Self::Mpn,
        Self::Gtin,
        Self::Price,
        Self::RegularPrice,
        Self::Currency,
        Self::Availability,
        Self::Condition,
        Self::Seller,
        Self::Image,
        Self::Rating,
        Self::Variant,
    ];

    /// Its name in the record, where `provenance` tells of it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Brand => "brand",
            Self::Category => "category",
            Self::Description => "description",
            Self::Breadcrumb => "breadcrumbs",
            Self::Feature => "features",
            Self::Attribute => "attributes",
            Self::Sku => "sku",
            Self::Mpn => "mpn",
            Self::Gtin => "gtin",
            Self::Price => "price",
            Self::RegularPrice => "regular_price",
            Self::Currency => "currency",
            Self::Availability => "availability",
            Self::Condition => "condition",
            Self::Seller => "seller",
            Self::Image => "images",
            Self::Rating => "rating",
            Self::Variant => "variants",
        }
    }
}
