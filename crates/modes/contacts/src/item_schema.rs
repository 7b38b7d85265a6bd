//! Exports and comparison of `contacts` items.

use contract::{
    ContactStatus, ExportColumn, ExportTable, ItemComparison, ItemSchema, MailboxType, PhoneType,
    export_columns,
};

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
    "domain" 30 brief filter,
    "status" 12 brief one_of(ContactStatus::NAMES),
    "redirected_to" 30 filter,
    "company"."name" 30 brief filter,
    "company"."legal_name" 30 filter,
    "company"."legal_form" 12 filter,
    "company"."description" 40,
    "company"."registration_number" 20,
    "company"."register" 20,
    "company"."vat_id" 16 filter,
    "company"."founded" 10,
    "company"."logo_url" 40,
    "emails"."value" 30 brief list filter,
    "emails"."type" 10 list one_of(MailboxType::NAMES),
    "emails"."label" 16 list,
    "phones"."e164" 18 brief list filter,
    "phones"."raw" 20 list,
    "phones"."type" 10 list one_of(PhoneType::NAMES),
    "addresses"."raw" 40 list,
    "addresses"."street" 24 list,
    "addresses"."city" 16 list filter,
    "addresses"."region" 16 list filter,
    "addresses"."postal_code" 12 list filter,
    "addresses"."country" 10 list filter,
    "socials"."network" 16 list filter,
    "socials"."url" 40 list,
    "contact_page_url" 40,
    "people"."name" 30 list,
    "people"."title" 24 list,
    "pages_checked" 13 integer filter,
    "language" 10 language,
    "fetched_at" 20 moment filter,
    "input" 30 filter,
];

const PEOPLE: &[ExportColumn] = export_columns![
    "name" 30,
    "first_name" 16,
    "last_name" 16,
    "honorific" 10,
    "title" 24,
    "department" 20,
    "seniority" 12,
    "legal_representative" 20 truth,
    "emails" 30 list,
    "phones" 20 list,
    "profiles"."network" 16 list,
    "profiles"."url" 40 list,
    "confidence" 11 real,
    "sources"."url" 40 list,
];
