//! Exports and comparison of `products` items.

use contract::{
    Availability, Condition, ExportColumn, ExportTable, GtinType, ItemComparison, ItemSchema,
    PriceType, export_columns,
};

/// The description of `products` items.
pub static PRODUCTS_SCHEMA: ItemSchema = ItemSchema {
    tables: TABLES,
    markdown_document: false,
    xml_sitemap: false,
    comparison: ItemComparison {
        key: "url",
        identity: Some("product_id"),
        ignored: &[
            "fetched_at",
            "provenance",
            "template_id",
            "confidence",
            "alternates",
            "content_hash",
        ],
        ignored_inside: &[],
        ordered_lists: true,
    },
};

const TABLES: &[ExportTable] = &[
    ExportTable::of_items("products", PRODUCTS),
    ExportTable::of_items("variants", VARIANTS).for_each_of("variants", PRODUCT_KEYS),
];

const PRODUCT_KEYS: &[ExportColumn] = export_columns!["url" 60, "product_id" 20, "name" 40];

const PRODUCTS: &[ExportColumn] = export_columns![
    "url" 60 brief filter,
    "name" 40 brief,
    "product_id" 20 filter,
    "canonical_url" 40 filter,
    "brand" 20 brief filter,
    "category" 30 filter,
    "description" 60,
    "breadcrumbs"."name" 40 list filter,
    "breadcrumbs"."url" 40 list,
    "features" 40 list,
    "attributes"."name" 30 list,
    "attributes"."value" 30 list,
    "sku" 16 filter,
    "mpn" 16 filter,
    "gtin"."type" 10 list one_of(GtinType::NAMES),
    "gtin"."value" 18 list filter,
    "price" 12 decimal brief filter,
    "regular_price" 13 decimal filter,
    "currency" 9 brief filter,
    "price_raw" 16,
    "price_type" 12 one_of(PriceType::NAMES),
    "tax_included" 12 truth filter,
    "availability" 14 brief one_of(Availability::NAMES),
    "availability_raw" 20,
    "condition" 12 one_of(Condition::NAMES),
    "seller"."name" 24 filter,
    "seller"."url" 40,
    "images"."url" 40 list,
    "images"."alt" 24 list,
    "rating"."value" 8 real filter,
    "rating"."best" 8 real,
    "rating"."count" 8 integer filter,
    "variants"."variant_id" 20 list,
    "variants"."sku" 16 list filter,
    "variants"."price" 12 list,
    "variants"."availability" 14 list one_of(Availability::NAMES),
    "language" 10 language,
    "alternates"."lang" 12 list,
    "alternates"."url" 40 list,
    "provenance" 40,
    "template_id" 16 filter,
    "confidence" 11 real filter,
    "fetched_at" 20 moment filter,
    "content_hash" 18 filter,
];

const VARIANTS: &[ExportColumn] = export_columns![
    "variant_id" 20,
    "options" 30,
    "sku" 16,
    "gtin"."type" 10 list,
    "gtin"."value" 18 list,
    "price" 12 decimal,
    "regular_price" 13 decimal,
    "currency" 9,
    "availability" 14,
    "url" 60,
    "images"."url" 40 list,
];
