//! The scenes of the demo: for each mode a sample site, a sentence and a table.

use contract::{Mode, Scope};

use super::table::{self, DemoTable};

pub const SHOP: &str = "https://shop.lab.test/";
pub const DOCS: &str = "https://docs.lab.test/";

/// The sample site on which a mode is shown.
pub struct DemoScene {
    pub start: &'static str,
    pub title: &'static str,
    pub scope: Scope,
    pub table: DemoTable,
}

pub fn scene(mode: Mode) -> DemoScene {
    let (start, title, table) = match mode {
        Mode::Links => {
            (DOCS, "the URL inventory of the documentation, with its broken link", table::LINKS)
        }
        Mode::Sitemap => (
            DOCS,
            "the indexable pages of the documentation, with the data of its sitemap",
            table::SITEMAP,
        ),
        Mode::Markdown => (
            DOCS,
            "the text of each page of the documentation, without navigation",
            table::MARKDOWN,
        ),
        Mode::Products => {
            (SHOP, "the products of the shop, with prices and availability", table::PRODUCTS)
        }
        Mode::Contacts => {
            (SHOP, "one record for each of four domains, whatever its outcome", table::CONTACTS)
        }
    };
    let scope = Scope { include_broken: mode == Mode::Links, ..Scope::default() };
    DemoScene { start, title, scope, table }
}
