//! Exports and comparison of `links` and `sitemap` items.

use contract::{
    DiscoveredBy, ExportColumn, ExportTable, FetchFault, IndexReason, ItemComparison, ItemSchema,
    LinkType, RobotsDirective, export_columns,
};

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
            "url" 60 brief filter,
            "title" 40 brief,
            "type" 8 brief one_of(LinkType::NAMES),
            "status_code" 12 brief integer filter,
            "final_url" 40,
            "redirects"."url" 40 list,
            "redirects"."status" 10 list integer filter,
            "content_type" 24 filter,
            "size_bytes" 11 integer filter,
            "response_ms" 12 integer filter,
            "error" 12 one_of(FetchFault::NAMES),
            "depth" 7 brief integer filter,
            "inlinks" 8 brief integer filter,
            "found_on" 40 filter,
            "anchor" 24,
            "discovered_by" 16 list one_of(DiscoveredBy::NAMES),
            "external" 9 truth filter,
            "broken" 8 truth filter,
            "orphan" 8 truth filter,
            "in_sitemap" 11 truth filter,
            "indexable" 10 truth filter,
            "index_reason" 13 one_of(IndexReason::NAMES),
            "canonical_url" 40 filter,
            "duplicate_of" 40 filter,
            "language" 10 language,
            "description" 40,
            "h1" 30,
            "word_count" 12 integer filter,
            "content_hash" 18 filter,
            "fetched_at" 20 moment filter,
            "nofollow" 9 truth filter,
            "robots" 16 list one_of(RobotsDirective::NAMES),
            $($more)*
        ]
    };
}

const LINKS: &[ExportColumn] = links_and![];

const SITEMAP: &[ExportColumn] = links_and![
    "lastmod" 20 moment filter,
    "changefreq" 12 filter,
    "priority" 9 real filter,
    "images" 40 list,
    "alternates"."lang" 12 list language,
    "alternates"."url" 40 list,
    "sitemap_url" 40 filter,
];
