//! The fields of a product record. Their order is part of the stored format of templates.

named_enum! {
    /// A field of the product record that a source can state, with its key in `provenance`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum ProductField {
        Name = "name",
        Brand = "brand",
        Category = "category",
        Description = "description",
        Breadcrumb = "breadcrumbs",
        Feature = "features",
        /// A row of the specification: name, tab, value.
        Attribute = "attributes",
        Sku = "sku",
        Mpn = "mpn",
        Gtin = "gtin",
        Price = "price",
        RegularPrice = "regular_price",
        Currency = "currency",
        Availability = "availability",
        Condition = "condition",
        /// The name of the seller.
        Seller = "seller",
        Image = "images",
        Rating = "rating",
        Variant = "variants",
    }
}
