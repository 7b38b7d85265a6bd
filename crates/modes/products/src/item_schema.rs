//! Exports and comparison of `products` items.

use contract::{ExportColumn, ExportTable, ItemComparison, ItemSchema, export_columns};

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
    "url" 60 brief,
    "name" 40 brief,
    "product_id" 20,
    "canonical_url" 40,
    "brand" 20 brief,
    "category" 30,
    "description" 60,
    "breadcrumbs"."name" 40,
    "breadcrumbs"."url" 40,
    "features" 40,
    "attributes"."name" 30,
    "attributes"."value" 30,
    "sku" 16,
    "mpn" 16,
    "gtin"."type" 10,
    "gtin"."value" 18,
    "price" 12 decimal brief,
    "regular_price" 13 decimal,
    "currency" 9 brief,
    "price_raw" 16,
    "price_type" 12,
    "tax_included" 12,
    "availability" 14 brief,
    "availability_raw" 20,
    "condition" 12,
    "seller"."name" 24,
    "seller"."url" 40,
    "images"."url" 40,
    "images"."alt" 24,
    "rating"."value" 8,
    "rating"."best" 8,
    "rating"."count" 8,
    "variants"."variant_id" 20,
    "variants"."sku" 16,
    "variants"."price" 12,
    "variants"."availability" 14,
    "language" 10,
    "alternates"."lang" 12,
    "alternates"."url" 40,
    "provenance" 40,
    "template_id" 16,
    "confidence" 11,
    "fetched_at" 20 moment,
    "content_hash" 18,
];

const VARIANTS: &[ExportColumn] = export_columns![
    "variant_id" 20,
    "options" 30,
    "sku" 16,
    "gtin"."type" 10,
    "gtin"."value" 18,
    "price" 12 decimal,
    "regular_price" 13 decimal,
    "currency" 9,
    "availability" 14,
    "url" 60,
    "images"."url" 40,
];
