//! Exports and comparison of `markdown` items.

use contract::{ExportColumn, ExportTable, ItemComparison, ItemSchema, export_columns};

/// The description of `markdown` items.
pub static MARKDOWN_SCHEMA: ItemSchema = ItemSchema {
    tables: TABLES,
    markdown_document: true,
    xml_sitemap: false,
    comparison: ItemComparison {
        key: "url",
        identity: None,
        // Words, tokens, headings, links and images are derived from the text.
        ignored: &[
            "fetched_at",
            "depth",
            "word_count",
            "token_estimate",
            "headings",
            "links",
            "images",
            "content_hash",
            "extraction",
            "rendered",
        ],
        ignored_inside: &[],
        ordered_lists: true,
    },
};

const TABLES: &[ExportTable] = &[ExportTable::of_items("pages", PAGES)];

const PAGES: &[ExportColumn] = export_columns![
    "url" 60 brief,
    "title" 40 brief,
    "markdown" 80,
    "final_url" 40,
    "canonical_url" 40,
    "description" 40,
    "language" 10 brief,
    "author" 20,
    "published_at" 20 moment,
    "modified_at" 20 moment,
    "depth" 7,
    "status_code" 12,
    "word_count" 12 brief,
    "token_estimate" 14,
    "headings"."text" 40,
    "links"."url" 40,
    "images"."url" 40,
    "content_hash" 18,
    "extraction"."method" 16,
    "extraction"."kept_ratio" 11,
    "extraction"."warnings" 24,
    "rendered" 9,
    "fetched_at" 20 moment,
];
