//! The descriptions of the modes fit their items.

use std::collections::HashSet;

use contract::{ContactItem, ExportColumn, LinkItem, MarkdownItem, Mode, ProductItem, SitemapItem};
use registry::item_schema;
use serde_json::{Value, json};

fn table(mode: Mode, number: usize) -> &'static [ExportColumn] {
    item_schema(mode).tables[number].columns
}

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
    assert_eq!(members(&variant), top_level_members(table(Mode::Products, 1)), "variants");
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
    assert_eq!(members(&person), top_level_members(table(Mode::Contacts, 1)), "people");
    for (mode, item) in [
        (Mode::Contacts, serde_json::to_value(record)),
        (Mode::Products, serde_json::to_value(product)),
        (Mode::Links, serde_json::to_value(links)),
        (Mode::Sitemap, serde_json::to_value(sitemap)),
        (Mode::Markdown, serde_json::to_value(page)),
    ] {
        let item = item.expect("JSON");
        assert_eq!(top_level_members(table(mode, 0)), members(&item), "{mode}");
    }
}

#[test]
fn headings_are_unique_paths() {
    for mode in Mode::ALL {
        for table in item_schema(*mode).tables {
            let names: HashSet<_> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
            for column in table.columns {
                assert_eq!(column.path.join("."), column.name);
            }
        }
    }
}
