//! Exports and comparison of `markdown` items.

use contract::{
    ExportColumn, ExportTable, ExtractionMethod, ExtractionWarning, ItemComparison, ItemSchema,
    export_columns,
};

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
    "url" 60 brief filter,
    "title" 40 brief,
    "markdown" 80,
    "final_url" 40,
    "canonical_url" 40 filter,
    "description" 40,
    "language" 10 brief language,
    "author" 20 filter,
    "published_at" 20 moment filter,
    "modified_at" 20 moment filter,
    "depth" 7 integer filter,
    "status_code" 12 integer filter,
    "word_count" 12 brief integer filter,
    "token_estimate" 14 integer filter,
    "headings"."text" 40 list,
    "links"."url" 40 list,
    "images"."url" 40 list,
    "content_hash" 18 filter,
    "extraction"."method" 16 one_of(ExtractionMethod::NAMES),
    "extraction"."kept_ratio" 11 real filter,
    "extraction"."warnings" 24 list one_of(ExtractionWarning::NAMES),
    "rendered" 9 truth filter,
    "fetched_at" 20 moment filter,
];
