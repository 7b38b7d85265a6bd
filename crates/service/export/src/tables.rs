//! The tables and columns of each mode's items.

use contract::Mode;
use serde_json::Value;

use crate::cell::ExportCell;

/// Type of the values of a column that their JSON does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// The type of the JSON value.
    Plain,
    /// A date-time, text in JSON.
    Moment,
    /// A decimal number, text in JSON so that no digit is lost.
    Decimal,
}

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportColumn {
    /// The heading: the path of the value, with dots.
    pub name: &'static str,
    pub(crate) path: &'static [&'static str],
    pub(crate) kind: ColumnKind,
    /// Width in characters in a workbook.
    pub(crate) width: u8,
    /// Whether the column is part of the short Markdown table.
    pub(crate) brief: bool,
}

impl ExportColumn {
    const fn new(name: &'static str, path: &'static [&'static str], width: u8) -> Self {
        Self { name, path, kind: ColumnKind::Plain, width, brief: false }
    }

    const fn moment(self) -> Self {
        Self { kind: ColumnKind::Moment, width: 20, ..self }
    }

    const fn decimal(self) -> Self {
        Self { kind: ColumnKind::Decimal, ..self }
    }

    const fn brief(self) -> Self {
        Self { brief: true, ..self }
    }

    pub(crate) fn cell<'a>(&self, item: &'a Value) -> ExportCell<'a> {
        ExportCell::of(item, self.path)
    }
}

/// A table of a mode: one sheet of a workbook, one CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportTable {
    /// The name of the sheet and of the CSV table.
    pub name: &'static str,
    /// The columns of its rows.
    pub columns: &'static [ExportColumn],
    /// The member whose list gives the rows; `None` for one row per item.
    pub(crate) rows: Option<&'static str>,
    /// Columns of the item that precede those of each row.
    pub(crate) keys: &'static [ExportColumn],
}

impl ExportTable {
    const fn of_items(name: &'static str, columns: &'static [ExportColumn]) -> Self {
        Self { name, columns, rows: None, keys: &[] }
    }

    /// A table with one row per member of a list of the item.
    const fn for_each_of(self, list: &'static str, keys: &'static [ExportColumn]) -> Self {
        Self { rows: Some(list), keys, ..self }
    }

    /// The values of the rows: the item itself, or the members of its list.
    pub(crate) fn parts<'i>(&self, item: &'i Value) -> &'i [Value] {
        match self.rows {
            None => std::slice::from_ref(item),
            Some(member) => {
                item.get(member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
            }
        }
    }

    pub(crate) fn all_columns(&self) -> impl Iterator<Item = &'static ExportColumn> {
        self.keys.iter().chain(self.columns)
    }
}

/// The tables of a mode; the first has one row per item.
#[must_use]
pub fn tables(mode: Mode) -> &'static [ExportTable] {
    match mode {
        Mode::Links => const { &[ExportTable::of_items("links", LINKS)] },
        Mode::Sitemap => const { &[ExportTable::of_items("sitemap", SITEMAP)] },
        Mode::Markdown => const { &[ExportTable::of_items("pages", PAGES)] },
        Mode::Products => {
            const {
                let variants = ExportTable::of_items("variants", VARIANTS)
                    .for_each_of("variants", PRODUCT_KEYS);
                &[ExportTable::of_items("products", PRODUCTS), variants]
            }
        }
        Mode::Contacts => {
            const {
                let people =
                    ExportTable::of_items("people", PEOPLE).for_each_of("people", COMPANY_KEYS);
                &[ExportTable::of_items("companies", COMPANIES), people]
            }
        }
    }
}

/// Declares columns by path and width, with optional modifiers.
macro_rules! columns {
    ($($path:literal $(. $further:literal)* $width:literal $($also:ident)*),* $(,)?) => {
        &[$(ExportColumn::new(
            concat!($path $(, ".", $further)*),
            &[$path $(, $further)*],
            $width,
        )$(.$also())*),*]
    };
}

/// The columns of `links` items, followed by more.
macro_rules! links_and {
    ($($more:tt)*) => {
        columns![
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

const PAGES: &[ExportColumn] = columns![
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

const PRODUCT_KEYS: &[ExportColumn] = columns!["url" 60, "product_id" 20, "name" 40];

const PRODUCTS: &[ExportColumn] = columns![
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

const VARIANTS: &[ExportColumn] = columns![
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

const COMPANY_KEYS: &[ExportColumn] = columns!["domain" 30, "company"."name" 30];

const COMPANIES: &[ExportColumn] = columns![
    "domain" 30 brief,
    "status" 12 brief,
    "redirected_to" 30,
    "company"."name" 30 brief,
    "company"."legal_name" 30,
    "company"."legal_form" 12,
    "company"."description" 40,
    "company"."registration_number" 20,
    "company"."register" 20,
    "company"."vat_id" 16,
    "company"."founded" 10,
    "company"."logo_url" 40,
    "emails"."value" 30 brief,
    "emails"."type" 10,
    "emails"."label" 16,
    "phones"."e164" 18 brief,
    "phones"."raw" 20,
    "phones"."type" 10,
    "addresses"."raw" 40,
    "addresses"."street" 24,
    "addresses"."city" 16,
    "addresses"."region" 16,
    "addresses"."postal_code" 12,
    "addresses"."country" 10,
    "socials"."network" 16,
    "socials"."url" 40,
    "contact_page_url" 40,
    "people"."name" 30,
    "people"."title" 24,
    "pages_checked" 13,
    "language" 10,
    "fetched_at" 20 moment,
    "input" 30,
];

const PEOPLE: &[ExportColumn] = columns![
    "name" 30,
    "first_name" 16,
    "last_name" 16,
    "honorific" 10,
    "title" 24,
    "department" 20,
    "seniority" 12,
    "legal_representative" 20,
    "emails" 30,
    "phones" 20,
    "profiles"."network" 16,
    "profiles"."url" 40,
    "confidence" 11,
    "sources"."url" 40,
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use contract::{ContactItem, LinkItem, MarkdownItem, ProductItem, SitemapItem};
    use serde_json::json;

    use super::*;

    fn members(item: &Value) -> Vec<String> {
        item.as_object().expect("an object").keys().cloned().collect()
    }

    fn top_level_members(columns: &[ExportColumn]) -> Vec<String> {
        let mut steps: Vec<_> = columns.iter().map(|column| column.path[0].to_owned()).collect();
        steps.dedup();
        steps
    }

    /// A member without a column would be missing from every table.
    #[test]
    fn every_item_member_has_a_column() {
        let link = json!({
            "url": "u", "title": null, "type": "page", "status_code": null, "final_url": null,
            "redirects": [], "content_type": null, "size_bytes": null, "response_ms": null,
            "error": null, "depth": null, "inlinks": 0, "found_on": null, "anchor": null,
            "discovered_by": [], "external": false, "broken": false, "orphan": false,
            "in_sitemap": false, "indexable": null, "index_reason": null, "canonical_url": null,
            "duplicate_of": null, "language": null, "description": null, "h1": null,
            "word_count": null, "content_hash": null, "fetched_at": null, "nofollow": false,
            "robots": [], "lastmod": null, "changefreq": null, "priority": null, "images": [],
            "alternates": [], "sitemap_url": null,
        });
        let links: LinkItem = serde_json::from_value(link.clone()).expect("a links item");
        let sitemap: SitemapItem = serde_json::from_value(link).expect("a sitemap item");
        let page = json!({
            "url": "u", "title": null, "markdown": "", "final_url": null, "canonical_url": null,
            "description": null, "language": null, "author": null, "published_at": null,
            "modified_at": null, "depth": null, "status_code": 200, "word_count": 0,
            "token_estimate": 0, "headings": [], "links": [], "images": [], "content_hash": "",
            "extraction": {"method": "blocks", "kept_ratio": 1.0, "warnings": []},
            "rendered": false, "fetched_at": "2026-01-01T00:00:00Z",
        });
        let page: MarkdownItem = serde_json::from_value(page).expect("a markdown item");
        let variant = json!({
            "variant_id": "v", "options": {}, "sku": null, "gtin": [], "price": null,
            "regular_price": null, "currency": null, "availability": "unknown", "url": null,
            "images": [],
        });
        let product = json!({
            "url": "u", "name": "", "product_id": "", "canonical_url": null, "brand": null,
            "category": null, "description": null, "breadcrumbs": [], "features": [],
            "attributes": [], "sku": null, "mpn": null, "gtin": [], "price": null,
            "regular_price": null, "currency": null, "price_raw": null, "price_type": "none",
            "tax_included": null, "availability": "unknown", "availability_raw": null,
            "condition": null, "seller": null, "images": [], "rating": null,
            "variants": [variant], "language": null, "alternates": [], "provenance": {},
            "template_id": null, "confidence": 0.0, "fetched_at": "2026-01-01T00:00:00Z",
            "content_hash": "",
        });
        let product: ProductItem = serde_json::from_value(product).expect("a products item");
        let variant = serde_json::to_value(&product.variants[0]).expect("JSON");
        assert_eq!(members(&variant), top_level_members(VARIANTS), "variants");
        let person = json!({
            "name": "n", "first_name": null, "last_name": null, "honorific": null, "title": null,
            "department": null, "seniority": null, "legal_representative": false, "emails": [],
            "phones": [], "profiles": [], "confidence": 0.0, "sources": [],
        });
        let record = json!({
            "domain": "d", "status": "found", "redirected_to": null,
            "company": {
                "name": null, "legal_name": null, "legal_form": null, "description": null,
                "registration_number": null, "register": null, "vat_id": null, "founded": null,
                "logo_url": null, "sources": [],
            },
            "emails": [], "phones": [], "addresses": [], "socials": [], "contact_page_url": null,
            "people": [person], "pages_checked": 0, "language": null,
            "fetched_at": "2026-01-01T00:00:00Z", "input": null,
        });
        let record: ContactItem = serde_json::from_value(record).expect("a contacts item");
        let person = serde_json::to_value(&record.people[0]).expect("JSON");
        assert_eq!(members(&person), top_level_members(PEOPLE), "people");
        for (mode, item) in [
            (Mode::Contacts, serde_json::to_value(record)),
            (Mode::Products, serde_json::to_value(product)),
            (Mode::Links, serde_json::to_value(links)),
            (Mode::Sitemap, serde_json::to_value(sitemap)),
            (Mode::Markdown, serde_json::to_value(page)),
        ] {
            let item = item.expect("JSON");
            assert_eq!(top_level_members(tables(mode)[0].columns), members(&item), "{mode}");
        }
    }

    #[test]
    fn headings_are_unique_paths() {
        for mode in Mode::ALL {
            for table in tables(*mode) {
                let names: HashSet<_> = table.columns.iter().map(|column| column.name).collect();
                assert_eq!(names.len(), table.columns.len(), "{}", table.name);
                for column in table.columns {
                    assert_eq!(column.path.join("."), column.name);
                }
            }
        }
    }
}
