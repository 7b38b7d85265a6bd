//! The fields of a product record. Their order is part of the stored format of templates.

/// A field of the product record that a source can state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ProductField {
    Name,
    Brand,
    Category,
    Description,
    Breadcrumb,
    Feature,
    /// A row of the specification: name, tab, value.
    Attribute,
    Sku,
    Mpn,
    Gtin,
    Price,
    RegularPrice,
    Currency,
    Availability,
    Condition,
    /// The name of the seller.
    Seller,
    Image,
    Rating,
    Variant,
}

impl ProductField {
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

    /// The key of the field in `provenance`.
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
