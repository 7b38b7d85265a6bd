//! What can be switched about a run, and in which modes it matters.

use contract::Mode;

use Mode::{Links, Markdown, Products, Sitemap};

/// A switch of the interface, in a few words.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunSwitch {
    /// Its path in the request, which is its name in the form as well.
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// Where it matters.
    pub modes: &'static [Mode],
    /// What it is when nobody says anything.
    pub default: bool,
}

const fn scope(
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    modes: &'static [Mode],
) -> RunSwitch {
    RunSwitch { name, label, hint, modes, default: false }
}

const SITES: &[Mode] = &[Links, Sitemap, Products, Markdown];

/// What belongs to the run.
pub(super) const SCOPE: &[RunSwitch] = &[
    scope("scope.one_page", "This page only", "Nothing that it links to.", SITES),
    scope(
        "scope.specific_route",
        "Stay under this path",
        "With /docs: /docs and all below it.",
        SITES,
    ),
    scope("scope.include_subdomains", "Subdomains", "Also the hosts below this one.", SITES),
    scope(
        "scope.include_sitemap",
        "Sitemap",
        "What the site's sitemap lists joins the crawl.",
        &[Links, Products, Markdown],
    ),
    scope(
        "scope.include_query_strings",
        "Query strings",
        "Pages that differ by ?a=1 are pages of their own.",
        SITES,
    ),
    scope(
        "scope.include_external",
        "External links",
        "Links that leave the site, with their status; free.",
        &[Links],
    ),
    scope(
        "scope.include_broken",
        "Broken links",
        "What answers 400 and above, or not at all; free.",
        &[Links],
    ),
    scope(
        "scope.include_orphan",
        "Orphans",
        "Pages of the sitemap that no page links to.",
        &[Links, Sitemap],
    ),
    scope("scope.include_images", "Images", "Listed with their status.", &[Links]),
    scope("scope.include_files", "Files", "Documents and downloads, listed.", &[Links]),
];

/// How the run works.
pub(super) const OPTIONS: &[RunSwitch] = &[
    scope(
        "options.sitemap_first",
        "Begin with the sitemap",
        "Its pages and no links; links where there is none.",
        SITES,
    ),
    RunSwitch {
        name: "options.discovery",
        label: "Follow links",
        hint: "Off: links are noted and not followed.",
        modes: SITES,
        default: true,
    },
    scope(
        "options.region_aware",
        "Regions differ",
        "en-GB and en-US count as two languages.",
        SITES,
    ),
    scope(
        "options.strict_default_language",
        "Strict language",
        "An address without a language marker is in the default language.",
        SITES,
    ),
    scope(
        "options.all_languages",
        "All languages",
        "Each language of a product is a record of its own.",
        &[Products],
    ),
    RunSwitch {
        name: "options.use_template_extraction",
        label: "Use what was learned",
        hint: "Where this site's pages show what, from earlier runs.",
        modes: &[Products],
        default: true,
    },
    RunSwitch {
        name: "options.suppress_contact",
        label: "Leave out contact details",
        hint: "The seller's, in descriptions.",
        modes: &[Products],
        default: true,
    },
    scope(
        "options.collect_hidden_prices",
        "Hidden prices",
        "Prices in the page's data that the shop tells only on request.",
        &[Products],
    ),
];

/// Every switch.
pub(super) fn all() -> impl Iterator<Item = &'static RunSwitch> {
    SCOPE.iter().chain(OPTIONS)
}

#[cfg(test)]
mod tests {
    use contract::{Options, Scope};
    use serde_json::{Value, json};

    use super::*;

    /// The form knows every switch of the interface, with its default: one that is added there
    /// is missed here.
    #[test]
    fn every_switch_of_the_interface_is_here() {
        let whole = json!({"scope": Scope::default(), "options": Options::default()});
        for (part, members) in whole.as_object().expect("members") {
            for (name, default) in members.as_object().expect("members") {
                let name = format!("{part}.{name}");
                let known = all().find(|switch| switch.name == name);
                let known = known.unwrap_or_else(|| panic!("{name} is not in the form"));
                assert_eq!(*default, Value::Bool(known.default), "{name}");
            }
        }
    }
}
