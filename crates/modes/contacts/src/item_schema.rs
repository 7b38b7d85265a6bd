//! Exports and comparison of `contacts` items.

use contract::{ExportColumn, ExportTable, ItemComparison, ItemSchema, export_columns};

/// The description of `contacts` items.
pub static CONTACTS_SCHEMA: ItemSchema = ItemSchema {
    tables: TABLES,
    markdown_document: false,
    xml_sitemap: false,
    comparison: ItemComparison {
        key: "domain",
        identity: None,
        ignored: &["fetched_at", "pages_checked", "input"],
        ignored_inside: &["sources", "confidence"],
        // The order of a company's phone numbers and people does not count.
        ordered_lists: false,
    },
};

const TABLES: &[ExportTable] = &[
    ExportTable::of_items("companies", COMPANIES),
    ExportTable::of_items("people", PEOPLE).for_each_of("people", COMPANY_KEYS),
];

const COMPANY_KEYS: &[ExportColumn] = export_columns!["domain" 30, "company"."name" 30];

const COMPANIES: &[ExportColumn] = export_columns![
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

const PEOPLE: &[ExportColumn] = export_columns![
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
