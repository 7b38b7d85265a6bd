//! The options of a job: one entry per option in `job_options!`.
//!
//! An entry declares name, default, check, modes and texts. The members of [`Scope`] and
//! [`Options`], the reader of request bodies, the OpenAPI schema, the schema of the MCP tool
//! `start_run`, the flags of `trawl crawl` and the forms of the console are made from it.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

pub use credit_limit_action::CreditLimitAction;
pub use job_option::{JobOption, OptionKind};
pub use page_options::PageOptions;

use crate::css_selector::{MAX_SELECTORS, selector_errors};
use crate::language_tag::language_tag_error;
use crate::path_pattern::{MAX_PATTERNS, path_pattern_errors};
use crate::{BodyFields, MarkdownLinks, Mode};
use job_option::read_list;

mod credit_limit_action;
mod job_option;

/// The maximum of a count as an `Option`.
macro_rules! max {
    () => {
        None
    };
    ($max:tt) => {
        Some($max)
    };
}

/// Declares a group of options: texts and lists of texts with their check, choices with their type and default,
/// switches with their default, and counts from 1 up. An entry is the only place that an option needs besides its use. The modes are
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
            $(lists {$(
                $(#[doc = $list_doc:tt])+
                $list:ident($list_check:path, $list_placeholder:literal, $list_max:path,
                    schema($($list_schema:tt)*)),
                $list_modes:expr, $list_label:literal {
                    $($list_client:ident: $list_words:literal,)*
                }
            )*})?
            choices {$(
                $(#[doc = $choice_doc:tt])+
                $choice:ident: $choice_type:ident = $choice_default:ident,
                $choice_modes:expr, $choice_label:literal {
                    $($choice_client:ident: $choice_words:literal,)*
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
            $($(
                $(#[doc = $list_doc])+
                #[serde(skip_serializing_if = "Vec::is_empty")]
                #[schema(value_type = Option<Vec<String>>, $($list_schema)*)]
                pub $list: Vec<String>,
            )*)?
            $(
                $(#[doc = $choice_doc])+
                #[schema(value_type = Option<$choice_type>,
                    default = json!($choice_type::$choice_default))]
                pub $choice: $choice_type,
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
                Self {
                    $($text: None,)*
                    $($($list: Vec::new(),)*)?
                    $($choice: $choice_type::$choice_default,)*
                    $($switch: $default,)*
                    $($count: None,)*
                }
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
                $($(JobOption::new(
                    concat!($group, ".", stringify!($list)),
                    OptionKind::List {
                        errors: $list_check,
                        max: $list_max,
                        placeholder: $list_placeholder,
                    },
                    $list_modes,
                    concat!($($list_doc),+).trim_ascii(),
                    $list_label,
                )$(.$list_client($list_words))*,)*)?
                $(JobOption::new(
                    concat!($group, ".", stringify!($choice)),
                    OptionKind::Choice {
                        values: $choice_type::NAMES,
                        default: $choice_type::$choice_default.as_str(),
                    },
                    $choice_modes,
                    concat!($($choice_doc),+).trim_ascii(),
                    $choice_label,
                )$(.$choice_client($choice_words))*,)*
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
                $($(let $list = read_list(fields, stringify!($list), $list_max, $list_check);)*)?
                $(
                    let $choice = fields.one_of(stringify!($choice), $choice_type::ALL);
                    let $choice = $choice.unwrap_or($choice_type::$choice_default);
                )*
                $(let $count = fields.count(stringify!($count), max!($($max)?));)*
                $(let $switch = fields.flag(stringify!($switch)).unwrap_or($default);)*
                Self {
                    $($text: $text.map(str::to_owned),)*
                    $($($list,)*)?
                    $($choice,)*
                    $($switch,)*
                    $($count,)*
                }
            }
        }
    };
}

// After the macro, which it uses.
mod page_options;

job_options! {
    /// Which URLs belong to the run. All switches are off by default.
    pub struct Scope in "scope" {
        texts {}
        lists {
            /// Only URLs of the site whose path matches one of these patterns: globs such as
            /// `/blog/**`, or regular expressions after `re:`. The start page is fetched for its
            /// links in any case.
            include_paths(path_pattern_errors, "PATTERN", MAX_PATTERNS,
                schema(max_items = 100, example = json!(["/blog/**"]))),
            Mode::SITES, "Only these paths" {
                hint: "One pattern per line, as /blog/** or re:/\\d{4}/. Empty: all paths.",
                flag: "Only paths that match, as '/blog/**' or 're:/[0-9]{4}/'; repeat for more",
                tool: "Only URLs whose path matches one of these globs, as /blog/**, or regular \
                    expressions, as re:/[0-9]{4}/. The start page is fetched for its links in any \
                    case.",
            }
            /// Without URLs of the site whose path matches one of these patterns, which take
            /// precedence over `include_paths`.
            exclude_paths(path_pattern_errors, "PATTERN", MAX_PATTERNS,
                schema(max_items = 100, example = json!(["/tag/**", "re:[?&]sort="]))),
            Mode::SITES, "Without these paths" {
                hint: "One pattern per line, as /tag/**.",
                flag: "Skip paths that match, as '/tag/**'; repeat for more",
                tool: "Without URLs whose path matches one of these globs or re: expressions.",
            }
        }
        choices {}
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
        lists {
            /// `markdown`: only the elements that one of these CSS selectors matches, instead of
            /// the main content.
            include_selectors(selector_errors, "SELECTOR", MAX_SELECTORS,
                schema(max_items = 50, example = json!(["article.post"]))),
            &[Mode::Markdown], "Only these elements" {
                hint: "One CSS selector per line, as article.post. Empty: the main content.",
                flag: "Only elements that match a CSS selector, as 'article.post'; repeat for more",
                tool: "markdown: only the elements that one of these CSS selectors matches, as \
                    article.post or #content > p, instead of the main content.",
            }
            /// `markdown`: without the elements that one of these CSS selectors matches, which are
            /// left out before the main content is chosen.
            exclude_selectors(selector_errors, "SELECTOR", MAX_SELECTORS,
                schema(max_items = 50, example = json!([".share", "[role=note]"]))),
            &[Mode::Markdown], "Without these elements" {
                hint: "One CSS selector per line, as .share or [role=note].",
                flag: "Skip elements that match a CSS selector, as '.share'; repeat for more",
                tool: "markdown: without the elements that one of these CSS selectors matches, as \
                    .share.",
            }
        }
        choices {
            /// What happens when `max_credits` is used up: `end` completes the run with its results,
            /// `pause` waits for a confirmation with a higher `max_credits`.
            on_max_credits: CreditLimitAction = End,
            Mode::ALL, "At the maximum of credits" {
                hint: "Complete the run, or wait for a confirmation.",
                flag: "At --max-credits; has no effect without a service",
                tool: "What happens at max_credits: end completes the run, pause waits for a \
                    confirmation.",
            }
            /// `markdown`: how links are written; they are listed in `links` in any case.
            links: MarkdownLinks = Inline,
            &[Mode::Markdown], "Links in the text" {
                hint: "Targets in the text, at its end, or left out.",
                flag: "How Markdown writes links",
                tool: "markdown: inline writes [text](url), reference writes [text][1] and each \
                    target once at the end of the page, none writes the text alone, which saves \
                    about a seventh of the bytes.",
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
                flag: "Stop after fetching this many pages, delivered or not",
            }
            /// Only pages at most this many clicks from the start page, and those of a sitemap.
            max_depth <= 10_000,
            Mode::SITES, "Maximum depth" {
                hint: "Clicks from the start page. Empty: no limit.",
                flag: "Fetch only pages at most this many clicks from the start page",
            }
            /// At most this many pages of each folder, in the order in which they are found.
            max_pages_per_folder <= 1_000_000,
            Mode::SITES, "Maximum pages per folder" {
                hint: "/blog/a and /blog/b are in one folder. Empty: no limit.",
                flag: "At most this many pages of each folder",
            }
            /// The budget of the job: it never costs more credits than this.
            max_credits <= 1_000_000_000,
            Mode::ALL, "Maximum credits" {
                hint: "The run costs at most this. Empty: no limit.",
                flag: "Budget of a job in credits; has no effect without a service",
                tool: "The budget of the run in credits, which it never exceeds.",
            }
            /// Milliseconds between the starts of two requests, in addition to the politeness of
            /// the service.
            delay_ms <= 60_000,
            Mode::SITES, "Delay" {
                hint: "Milliseconds between two requests. Empty: that of the service.",
                flag: "Milliseconds between the starts of two requests",
            }
            /// Requests at a time. A value above the limit of the service has no effect.
            concurrency <= 100,
            Mode::SITES, "Concurrency" {
                hint: "Requests at a time, at most. Empty: as many as the service permits.",
                flag: "At most this many requests at a time",
            }
        }
    }
}

#[cfg(test)]
mod tests;
