//! Tests of the engine against scripted sites.

mod contacts;
mod depth;
mod discovery;
mod duplicates;
mod empty_mode;
mod endings;
mod filters;
mod harness;
mod head_checks;
mod items;
mod languages;
mod limits;
mod lists;
mod markdown;
mod product_languages;
mod product_templates;
mod products;
mod protection_and_shells;
mod redirects;
mod retries;
mod robots;
mod shop_pages;
mod sitemaps;
mod skipped;
mod text_languages;
mod url_states;
