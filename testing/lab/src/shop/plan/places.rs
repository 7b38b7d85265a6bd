//! Where the facts stand, in percent of the pages: for the eye, and in the data.

use super::Facet::{
    self, Attributes, Brand, Category, Condition, Description, Features, Gtin, Mpn, Rating, Seller,
    Sku, Stock, Tax, Trail,
};

/// Rich data, and most of it for the eye as well.
pub(super) const RICH: &[(Facet, u8, u8)] = &[
    (Brand, 60, 85),
    (Sku, 65, 90),
    (Mpn, 15, 30),
    (Gtin, 20, 60),
    (Rating, 55, 30),
    (Condition, 0, 25),
    (Seller, 0, 30),
    (Description, 90, 85),
    (Attributes, 80, 0),
    (Features, 45, 0),
    (Trail, 90, 60),
    (Category, 0, 30),
    (Stock, 75, 90),
    (Tax, 60, 0),
];

/// Microdata: what is told is seen, but for a few.
pub(super) const MARKED: &[(Facet, u8, u8)] = &[
    (Brand, 70, 80),
    (Sku, 80, 90),
    (Mpn, 10, 25),
    (Gtin, 25, 55),
    (Rating, 50, 0),
    (Condition, 10, 30),
    (Description, 95, 90),
    (Attributes, 85, 0),
    (Features, 40, 0),
    (Trail, 95, 0),
    (Stock, 80, 85),
    (Tax, 50, 0),
];

/// For the eye alone.
pub(super) const SEEN: &[(Facet, u8, u8)] = &[
    (Brand, 75, 0),
    (Sku, 85, 0),
    (Mpn, 20, 0),
    (Gtin, 40, 0),
    (Rating, 45, 0),
    (Condition, 15, 0),
    (Description, 95, 0),
    (Attributes, 85, 0),
    (Features, 45, 0),
    (Trail, 90, 0),
    (Stock, 85, 0),
    (Tax, 70, 0),
];

/// The state of a headless shop: everything that there is.
pub(super) const STATE: &[(Facet, u8, u8)] = &[
    (Brand, 60, 90),
    (Sku, 50, 95),
    (Mpn, 10, 40),
    (Gtin, 15, 70),
    (Rating, 60, 70),
    (Description, 85, 90),
    (Attributes, 80, 0),
    (Features, 50, 0),
    (Trail, 85, 80),
    (Stock, 70, 90),
    (Tax, 40, 0),
];

/// A few names in the head.
pub(super) const META: &[(Facet, u8, u8)] = &[
    (Brand, 65, 60),
    (Sku, 75, 50),
    (Mpn, 20, 0),
    (Gtin, 40, 25),
    (Rating, 40, 0),
    (Condition, 10, 40),
    (Description, 100, 0),
    (Attributes, 85, 0),
    (Features, 45, 0),
    (Trail, 85, 0),
    (Stock, 75, 75),
    (Tax, 80, 0),
];

/// Nothing is told that cannot be seen.
pub(super) const DOUBTFUL: &[(Facet, u8, u8)] = &[
    (Brand, 80, 40),
    (Sku, 90, 60),
    (Gtin, 50, 70),
    (Rating, 40, 20),
    (Description, 100, 60),
    (Attributes, 80, 0),
    (Features, 40, 0),
    (Trail, 90, 0),
    (Stock, 90, 60),
    (Tax, 50, 0),
];

pub(super) const SELLERS: &[(Facet, u8, u8)] = &[
    (Brand, 75, 85),
    (Sku, 30, 80),
    (Mpn, 20, 30),
    (Gtin, 25, 60),
    (Rating, 70, 80),
    (Condition, 20, 0),
    (Seller, 100, 100),
    (Description, 90, 80),
    (Attributes, 85, 0),
    (Features, 60, 0),
    (Trail, 85, 50),
    (Stock, 85, 85),
    (Tax, 60, 0),
];
