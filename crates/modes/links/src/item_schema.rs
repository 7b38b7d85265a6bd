//! Exports and comparison of `links` and `sitemap` items.

use contract::{ExportColumn, ExportTable, ItemComparison, ItemSchema, export_columns};

/// The description of `links` items.
pub static LINKS_SCHEMA: ItemSchema = ItemSchema {
    tables: LINKS_TABLES,
    markdown_document: false,
    xml_sitemap: true,
    comparison: COMPARISON,
};

/// The description of `sitemap` items.
pub static SITEMAP_SCHEMA: ItemSchema = ItemSchema {
    tables: SITEMAP_TABLES,
    markdown_document: false,
    xml_sitemap: true,
    comparison: COMPARISON,
};

const COMPARISON: ItemComparison = ItemComparison {
    key: "url",
    identity: None,
    // `word_count` is derived from the text, whose hash counts.
    ignored: &[
        "fetched_at",
        "word_count",
        "response_ms",
        "size_bytes",
        "depth",
        "inlinks",
        "found_on",
        "anchor",
        "nofollow",
        "discovered_by",
        "duplicate_of",
        "sitemap_url",
    ],
    ignored_inside: &[],
    ordered_lists: true,
};

const LINKS_TABLES: &[ExportTable] = &[ExportTable::of_items("links", LINKS)];

const SITEMAP_TABLES: &[ExportTable] = &[ExportTable::of_items("sitemap", SITEMAP)];

/// The columns of `links` items, followed by more.
macro_rules! links_and {
    ($($more:tt)*) => {
        export_columns![
            "url" 60 brief,
            "title" 40 brief,
            "type" 8 brief,
            "status_code" 12 brief,
            "final_url" 40,
            "redirects"."url" 40,
            "redirects"."status" 10,
            "content_type" 24,
            "size_bytes" 11,
            "response_ms" 12,
            "error" 12,
            "depth" 7 brief,
            "inlinks" 8 brief,
            "found_on" 40,
            "anchor" 24,
            "discovered_by" 16,
            "external" 9,
            "broken" 8,
            "orphan" 8,
            "in_sitemap" 11,
            "indexable" 10,
            "index_reason" 13,
            "canonical_url" 40,
            "duplicate_of" 40,
            "language" 10,
            "description" 40,
            "h1" 30,
            "word_count" 12,
            "content_hash" 18,
            "fetched_at" 20 moment,
            "nofollow" 9,
            "robots" 16,
            $($more)*
        ]
    };
}

const LINKS: &[ExportColumn] = links_and![];

const SITEMAP: &[ExportColumn] = links_and![
    "lastmod" 20,
    "changefreq" 12,
    "priority" 9,
    "images" 40,
    "alternates"."lang" 12,
    "alternates"."url" 40,
    "sitemap_url" 40,
];
