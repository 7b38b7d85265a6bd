//! The options of a job: one entry per option in `job_options!`.
//!
//! An entry declares name, default, check, modes and texts. The members of [`Scope`] and
//! [`Options`], the reader of request bodies, the OpenAPI schema, the schema of the MCP tool
//! `start_run`, the flags of `trawl crawl` and the forms of the console are made from it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::language_tag::language_tag_error;
use crate::{BodyFields, Mode};

/// An option of a job, for clients that offer it: flags, forms, tool schemas.
#[derive(Debug, Clone, Copy)]
pub struct JobOption {
    /// The member of the request: `scope.one_page`.
    pub path: &'static str,
    pub kind: OptionKind,
    /// The modes in which the option has an effect; it is accepted in all.
    pub modes: &'static [Mode],
    /// The description in the OpenAPI document. The other texts are the same unless they are given.
    pub description: &'static str,
    /// The label in a form of the console.
    pub label: &'static str,
    /// The hint beside the label.
    pub hint: &'static str,
    /// The help text of the flag of `trawl crawl`.
    pub flag: &'static str,
    /// The description for assistants, in the MCP tool `start_run`.
    pub tool: &'static str,
}

/// The values that an option takes.
#[derive(Debug, Clone, Copy)]
pub enum OptionKind {
    Switch {
        default: bool,
    },
    /// An integer from 1 up to `max`.
    Count {
        max: Option<u64>,
    },
    /// A text for which `error` returns nothing.
    Text {
        error: fn(&str) -> Option<String>,
        /// The name of the value in the help of a command.
        placeholder: &'static str,
    },
}

impl JobOption {
    const fn new(
        path: &'static str,
        kind: OptionKind,
        modes: &'static [Mode],
        description: &'static str,
        label: &'static str,
    ) -> Self {
        let (hint, flag, tool) = (description, description, description);
        Self { path, kind, modes, description, label, hint, flag, tool }
    }

    const fn hint(self, hint: &'static str) -> Self {
        Self { hint, ..self }
    }

    const fn flag(self, flag: &'static str) -> Self {
        Self { flag, ..self }
    }

    const fn tool(self, tool: &'static str) -> Self {
        Self { tool, ..self }
    }

    /// The options of `scope` and of `options`.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        Scope::FIELDS.iter().chain(Options::FIELDS)
    }

    /// The name within its object: `one_page`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.path.split_once('.').map_or(self.path, |(_, name)| name)
    }

    #[must_use]
    pub fn is_switch(&self) -> bool {
        matches!(self.kind, OptionKind::Switch { .. })
    }
}

/// The maximum of a count as an `Option`.
macro_rules! max {
    () => {
        None
    };
    ($max:tt) => {
        Some($max)
    };
}

/// Declares a group of options: texts with their check, switches with their default, and counts
/// from 1 up. An entry is the only place that an option needs besides its use. The modes are
/// followed by the label and by the texts that differ from the description.
macro_rules! job_options {
    (
        $(#[$($about:tt)*])*
        pub struct $name:ident in $group:literal {
            texts {$(
                $(#[doc = $text_doc:tt])+
                $text:ident($check:path, $placeholder:literal, schema($($schema:tt)*)),
                $text_modes:expr, $text_label:literal {
                    $($text_client:ident: $text_words:literal,)*
                }
            )*}
            switches {$(
                $(#[doc = $switch_doc:tt])+
                $switch:ident = $default:tt,
                $switch_modes:expr, $switch_label:literal {
                    $($switch_client:ident: $switch_words:literal,)*
                }
            )*}
            counts {$(
                $(#[doc = $count_doc:tt])+
                $count:ident $(<= $max:tt)?,
                $count_modes:expr, $count_label:literal {
                    $($count_client:ident: $count_words:literal,)*
                }
            )*}
        }
    ) => {
        $(#[$($about)*])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
        #[serde(default)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $(
                $(#[doc = $text_doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schema($($schema)*)]
                pub $text: Option<String>,
            )*
            $(
                $(#[doc = $switch_doc])+
                #[schema(value_type = Option<bool>, default = $default)]
                pub $switch: bool,
            )*
            $(
                $(#[doc = $count_doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schema(minimum = 1 $(, maximum = $max)?)]
                pub $count: Option<u64>,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($text: None,)* $($switch: $default,)* $($count: None,)* }
            }
        }

        impl $name {
            /// The options of this group, in the order of the members.
            pub const FIELDS: &'static [JobOption] = &[
                $(JobOption::new(
                    concat!($group, ".", stringify!($text)),
                    OptionKind::Text { error: $check, placeholder: $placeholder },
                    $text_modes,
                    concat!($($text_doc),+).trim_ascii(),
                    $text_label,
                )$(.$text_client($text_words))*,)*
                $(JobOption::new(
                    concat!($group, ".", stringify!($switch)),
                    OptionKind::Switch { default: $default },
                    $switch_modes,
                    concat!($($switch_doc),+).trim_ascii(),
                    $switch_label,
                )$(.$switch_client($switch_words))*,)*
                $(JobOption::new(
                    concat!($group, ".", stringify!($count)),
                    OptionKind::Count { max: max!($($max)?) },
                    $count_modes,
                    concat!($($count_doc),+).trim_ascii(),
                    $count_label,
                )$(.$count_client($count_words))*,)*
            ];

            /// Deserializes a stored group. Options that this release does not know are ignored,
            /// because a node of a newer release may have stored them.
            ///
            /// # Errors
            /// Those of serde.
            pub fn from_stored<'de, D: Deserializer<'de>>(stored: D) -> Result<Self, D::Error> {
                let mut members = Map::<String, Value>::deserialize(stored)?;
                Self::retain_known(&mut members);
                Self::deserialize(Value::Object(members)).map_err(serde::de::Error::custom)
            }

            /// Removes the members that are no options of this release.
            pub(crate) fn retain_known(members: &mut Map<String, Value>) {
                members.retain(|name, _| Self::FIELDS.iter().any(|option| option.name() == name));
            }

            pub(crate) fn read(fields: &mut BodyFields<'_>) -> Self {
                $(
                    let $text = fields.text(stringify!($text));
                    if let Some(error) = $text.and_then($check) {
                        fields.wrong(stringify!($text), error);
                    }
                )*
                $(let $count = fields.count(stringify!($count), max!($($max)?));)*
                $(let $switch = fields.flag(stringify!($switch)).unwrap_or($default);)*
                Self { $($text: $text.map(str::to_owned),)* $($switch,)* $($count,)* }
            }
        }
    };
}

job_options! {
    /// Which URLs belong to the run. All switches are off by default.
    #[derive(Copy)]
    pub struct Scope in "scope" {
        texts {}
        switches {
            /// Only the given URL, without the pages that it links to; redirects are followed.
            one_page = false,
            Mode::SITES, "This page only" {
                hint: "No linked pages.",
                flag: "Only the given URL, nothing linked from it",
                tool: "Only the given URL, nothing linked from it.",
            }
            /// Only URLs below the path of the start URL.
            specific_route = false,
            Mode::SITES, "Stay under this path" {
                hint: "With /docs: /docs and all paths below it.",
                flag: "Stay under the path of the start URL",
                tool: "Stay below the path of the URL: with https://example.com/docs only /docs \
                    and paths below it.",
            }
            /// Also the subdomains of the start host.
            include_subdomains = false,
            Mode::SITES, "Subdomains" {
                hint: "Also subdomains of this host.",
                flag: "Also crawl subdomains of the start host",
                tool: "Also hosts below this one, as blog.example.com.",
            }
            /// Deliver links that leave the site, with their status.
            include_external = false,
            &[Mode::Links], "External links" {
                hint: "List links to other sites with their status; free.",
                flag: "Also list external links with their status",
                tool: "List links that leave the site, with their status; they are not followed.",
            }
            /// Also deliver URLs with a status of 400 or more, or without a response.
            include_broken = false,
            &[Mode::Links], "Broken links" {
                hint: "List URLs that respond with 400 or higher, or fail; free.",
                flag: "Also deliver URLs that respond with 400 or higher, or fail",
                tool: "List URLs that respond with 400 or higher, or fail: for finding broken \
                    links.",
            }
            /// Also deliver pages that no page links to.
            include_orphan = false,
            &[Mode::Links, Mode::Sitemap], "Orphans" {
                hint: "Pages of the sitemap that no page links to.",
                flag: "Also deliver orphans: sitemap pages that no page links to",
                tool: "List orphans: pages of the sitemap that no page links to.",
            }
            /// Deliver the images of pages.
            include_images = false,
            &[Mode::Links], "Images" {
                hint: "Listed with their status.",
                flag: "Also list images with their status",
                tool: "List images.",
            }
            /// Deliver linked files such as PDF.
            include_files = false,
            &[Mode::Links], "Files" {
                hint: "Documents and downloads, listed.",
                flag: "Also list files with their status",
                tool: "List files such as PDFs.",
            }
            /// Also crawl the URLs of the sitemap.
            include_sitemap = false,
            &[Mode::Links, Mode::Products, Mode::Markdown], "Sitemap" {
                flag: "Add the URLs of the sitemap to the crawl",
            }
            /// `?a=1` variants are distinct URLs.
            include_query_strings = false,
            Mode::SITES, "Query strings" {
                hint: "Treat URLs with different queries as different pages.",
                flag: "Treat ?a=1 variants as distinct URLs",
                tool: "Treat ?a=1 variants as different URLs.",
            }
        }
        counts {}
    }
}

job_options! {
    /// How the run crawls and extracts.
    pub struct Options in "options" {
        texts {
            /// Deliver only pages in this language (BCP 47); detected when omitted.
            preferred_language(language_tag_error, "LANG", schema(max_length = 35, example = "en",
                pattern = "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")),
            Mode::SITES, "Language" {
                hint: "Only pages in this language, for example en or de-CH. Empty: detected.",
                flag: "Keep only pages in this language",
                tool: "Keep only pages in this language, as en or de-AT.",
            }
        }
        switches {
            /// `products`, `markdown`: deliver every language variant instead of one.
            all_languages = false,
            &[Mode::Products, Mode::Markdown], "All languages" {
                hint: "One record per language of a product or page.",
                flag: "Keep every language version",
                tool: "products, markdown: keep every language of a product or page instead of \
                    one.",
            }
            /// Distinguish regions of a language, as in `en-GB` and `en-US`.
            region_aware = false,
            Mode::SITES, "Regions" {
                hint: "Treat en-GB and en-US as two languages.",
                flag: "Compare region subtags of languages too",
                tool: "Treat regions as different languages, for example en-GB and en-US.",
            }
            /// Skip URLs without a language marker on sites that mark languages in URLs.
            strict_default_language = false,
            Mode::SITES, "Strict language" {
                hint: "A URL without a language marker is in the default language.",
                flag: "Treat URLs without a language marker as the default language",
            }
            /// Start with the URLs of the sitemap instead of following links.
            sitemap_first = false,
            Mode::SITES, "Sitemap first" {
                hint: "Only pages of the sitemap; follow links if there is none.",
                flag: "Seed from the sitemap instead of following links",
                tool: "Take the sitemap's URLs and do not follow links: quick for sites with a \
                    good sitemap.",
            }
            /// Follow the links of pages.
            discovery = true,
            Mode::SITES, "Follow links" {
                hint: "Off: links are listed and not followed.",
                flag: "Follow the links of the pages",
                tool: "Follow links; true unless set to false.",
            }
            /// `markdown`: only the main content; false delivers the whole page without navigation
            /// and footer.
            main_content = true,
            &[Mode::Markdown], "Main content only" {
                hint: "Off: the whole page without navigation and footer.",
                flag: "Keep only the main content of pages",
                tool: "markdown: only the main content; set to false for the whole page without \
                    navigation and footer.",
            }
            /// `products`: reuse the learned extraction template of the site.
            use_template_extraction = true,
            &[Mode::Products], "Use learned template" {
                hint: "Reuse the positions of fields from earlier runs.",
                flag: "Reuse a learned per-site template",
                tool: "products: reuse the template learned for the site before; true unless set \
                    to false.",
            }
            /// `products`: remove the seller's contact details from the description.
            suppress_contact = true,
            &[Mode::Products], "Remove contact details" {
                hint: "Of the seller, in descriptions.",
                flag: "Strip the seller's contact details from descriptions",
                tool: "products: remove the seller's contact details from descriptions; true \
                    unless set to false.",
            }
            /// `products`: deliver prices that the page hides behind a price on request.
            collect_hidden_prices = false,
            &[Mode::Products], "Hidden prices" {
                hint: "Prices in the page data that the shop shows only on request.",
                flag: "Keep prices hidden behind a price-on-request flow",
                tool: "products: keep prices that the page hides behind price on request.",
            }
        }
        counts {
            /// Stop after this many results, to try a site before paying for all of it.
            sample_size,
            Mode::ALL, "Stop after" {
                hint: "Number of results, to try a site. Empty: no limit.",
                flag: "Stop after this many results",
                tool: "Stop after this many results: for trying a site before paying for all of \
                    it.",
            }
            /// Stop after fetching this many pages of the site, delivered or not.
            max_pages <= 1_000_000,
            Mode::SITES, "Maximum pages" {
                hint: "Number of pages to fetch. Empty: no limit.",
                flag: "Stop after this many pages",
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn options_have_the_descriptions_and_defaults_of_the_schema() {
        let schema = |schema| serde_json::to_value(schema).expect("JSON");
        let schemas =
            json!({"scope": schema(Scope::schema()), "options": schema(Options::schema())});
        for option in JobOption::all() {
            let (group, name) = option.path.split_once('.').expect("a path");
            let member = &schemas[group]["properties"][name];
            let description = member["description"].as_str().expect("a description");
            assert_eq!(description.replace('\n', " "), option.description, "{name}");
            if let OptionKind::Switch { default } = option.kind {
                assert_eq!(member["default"], Value::Bool(default), "{name}");
            }
        }
    }

    #[test]
    fn specification_lists_every_option() {
        let page = include_str!("../../../../docs/spec/jobs.md");
        for option in JobOption::all() {
            assert!(page.contains(&format!("| `{}` |", option.name())), "{}", option.path);
        }
    }
}
