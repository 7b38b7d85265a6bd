//! `scope` and `options` of a crawl as command-line flags, named as in the API.

use clap::Args;
use contract::{Options, Scope};
use urls::{LanguageTag, LanguageTagError};

/// The members of `scope`, named as in the API.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = "Scope")]
pub struct ScopeFlags {
    /// Only the given URL, nothing linked from it
    #[arg(long, alias = "one_page")]
    one_page: bool,
    /// Stay under the path of the start URL
    #[arg(long, alias = "specific_route")]
    specific_route: bool,
    /// Also crawl subdomains of the start host
    #[arg(long, alias = "include_subdomains")]
    include_subdomains: bool,
    /// Also list external links with their status
    #[arg(long, alias = "include_external")]
    include_external: bool,
    /// Also deliver URLs that respond with 400 or higher, or fail
    #[arg(long, alias = "include_broken")]
    include_broken: bool,
    /// Also deliver orphans: sitemap pages that no page links to
    #[arg(long, alias = "include_orphan")]
    include_orphan: bool,
    /// Also list images with their status
    #[arg(long, alias = "include_images")]
    include_images: bool,
    /// Also list files with their status
    #[arg(long, alias = "include_files")]
    include_files: bool,
    /// Add the URLs of the sitemap to the crawl
    #[arg(long, alias = "include_sitemap")]
    include_sitemap: bool,
    /// Treat ?a=1 variants as distinct URLs
    #[arg(long, alias = "include_query_strings")]
    include_query_strings: bool,
}

impl From<ScopeFlags> for Scope {
    fn from(flags: ScopeFlags) -> Self {
        Self {
            one_page: flags.one_page,
            specific_route: flags.specific_route,
            include_subdomains: flags.include_subdomains,
            include_external: flags.include_external,
            include_broken: flags.include_broken,
            include_orphan: flags.include_orphan,
            include_images: flags.include_images,
            include_files: flags.include_files,
            include_sitemap: flags.include_sitemap,
            include_query_strings: flags.include_query_strings,
        }
    }
}

/// The members of `options`, named as in the API.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options")]
pub struct OptionFlags {
    /// Keep only pages in this language
    #[arg(long, alias = "preferred_language", value_name = "LANG", value_parser = language)]
    preferred_language: Option<String>,
    /// Keep every language version
    #[arg(long, alias = "all_languages")]
    all_languages: bool,
    /// Compare region subtags of languages too
    #[arg(long, alias = "region_aware")]
    region_aware: bool,
    /// Treat URLs without a language marker as the default language
    #[arg(long, alias = "strict_default_language")]
    strict_default_language: bool,
    /// Seed from the sitemap instead of following links
    #[arg(long, alias = "sitemap_first")]
    sitemap_first: bool,
    /// Follow the links of the pages
    #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set, default_value_t = true)]
    discovery: bool,
    /// Reuse a learned per-site template
    #[arg(long, alias = "use_template_extraction", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    use_template_extraction: bool,
    /// Strip the seller's contact details from descriptions
    #[arg(long, alias = "suppress_contact", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    suppress_contact: bool,
    /// Keep prices hidden behind a price-on-request flow
    #[arg(long, alias = "collect_hidden_prices")]
    collect_hidden_prices: bool,
    /// Stop after this many results
    #[arg(long, alias = "sample_size", value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..))]
    sample_size: Option<u64>,
}

fn language(text: &str) -> Result<String, LanguageTagError> {
    LanguageTag::parse(text).map(|tag| tag.to_string())
}

impl From<OptionFlags> for Options {
    fn from(flags: OptionFlags) -> Self {
        Self {
            preferred_language: flags.preferred_language,
            all_languages: flags.all_languages,
            region_aware: flags.region_aware,
            strict_default_language: flags.strict_default_language,
            sitemap_first: flags.sitemap_first,
            discovery: flags.discovery,
            use_template_extraction: flags.use_template_extraction,
            suppress_contact: flags.suppress_contact,
            collect_hidden_prices: flags.collect_hidden_prices,
            sample_size: flags.sample_size,
        }
    }
}
