//! What the engine does, told by scripted sites.

mod checks;
mod depth;
mod discovery;
mod duplicates;
mod endings;
mod items;
mod languages;
mod limits;
mod polyglots;
mod redirects;
mod retries;
mod robots;
mod script;
mod sitemaps;
mod skipped;
mod stops;
mod texts;
