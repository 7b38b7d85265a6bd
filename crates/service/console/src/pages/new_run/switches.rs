//! Boolean options of a run and the modes that they apply to.

use contract::Mode;

use Mode::{Links, Markdown, Products, Sitemap};

/// A boolean option of the API with its label.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunSwitch {
    /// Its path in the request and its name in the form.
    pub name: &'static str,
    pub label: &'static str,
    pub hint: &'static str,
    /// The modes that it applies to.
    pub modes: &'static [Mode],
    /// The default value in the API.
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

/// Switches of `scope`: which URLs belong to the run.
pub(super) const SCOPE: &[RunSwitch] = &[
    scope("scope.one_page", "This page only", "No linked pages.", SITES),
    scope(
        "scope.specific_route",
        "Stay under this path",
        "With /docs: /docs and all paths below it.",
        SITES,
    ),
    scope("scope.include_subdomains", "Subdomains", "Also subdomains of this host.", SITES),
    scope(
        "scope.include_sitemap",
        "Sitemap",
        "Also crawl the URLs of the sitemap.",
        &[Links, Products, Markdown],
    ),
    scope(
        "scope.include_query_strings",
        "Query strings",
        "Treat URLs with different queries as different pages.",
        SITES,
    ),
    scope(
        "scope.include_external",
        "External links",
        "List links to other sites with their status; free.",
        &[Links],
    ),
    scope(
        "scope.include_broken",
        "Broken links",
        "List URLs that respond with 400 or higher, or fail; free.",
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

/// Switches of `options`.
pub(super) const OPTIONS: &[RunSwitch] = &[
    scope(
        "options.sitemap_first",
        "Sitemap first",
        "Only pages of the sitemap; follow links if there is none.",
        SITES,
    ),
    RunSwitch {
        name: "options.discovery",
        label: "Follow links",
        hint: "Off: links are listed and not followed.",
        modes: SITES,
        default: true,
    },
    scope("options.region_aware", "Regions", "Treat en-GB and en-US as two languages.", SITES),
    scope(
        "options.strict_default_language",
        "Strict language",
        "A URL without a language marker is in the default language.",
        SITES,
    ),
    scope(
        "options.all_languages",
        "All languages",
        "One record per language of a product.",
        &[Products],
    ),
    RunSwitch {
        name: "options.use_template_extraction",
        label: "Use learned template",
        hint: "Reuse the positions of fields from earlier runs.",
        modes: &[Products],
        default: true,
    },
    RunSwitch {
        name: "options.suppress_contact",
        label: "Remove contact details",
        hint: "Of the seller, in descriptions.",
        modes: &[Products],
        default: true,
    },
    scope(
        "options.collect_hidden_prices",
        "Hidden prices",
        "Prices in the page data that the shop shows only on request.",
        &[Products],
    ),
];

/// All switches of scope and options.
pub(super) fn all() -> impl Iterator<Item = &'static RunSwitch> {
    SCOPE.iter().chain(OPTIONS)
}

#[cfg(test)]
mod tests {
    use contract::{Options, Scope};
    use serde_json::{Value, json};

    use super::*;

    /// The form has every switch of the API with its default.
    #[test]
    fn form_has_every_switch_of_the_api() {
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
