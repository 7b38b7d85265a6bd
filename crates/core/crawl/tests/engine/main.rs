//! What the engine does, told by scripted sites.

mod checks;
mod contacts;
mod depth;
mod discovery;
mod duplicates;
mod endings;
mod goods;
mod items;
mod languages;
mod limits;
mod polyglots;
mod product_languages;
mod product_templates;
mod products;
mod redirects;
mod retries;
mod robots;
mod script;
mod sitemaps;
mod skipped;
mod stops;
mod texts;
