//! What the engine does, told by scripted sites.

mod discovery;
mod endings;
mod items;
mod limits;
mod redirects;
mod retries;
mod robots;
mod script;
