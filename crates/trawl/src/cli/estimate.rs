//! Arguments of `trawl estimate` and `trawl map`.

use clap::Args;

use super::{CrawlFlags, ServerFlags};

#[derive(Debug, Args)]
#[command(
    after_help = "Reads the sitemap and some pages, for ten seconds at most. Prints the price \
    of a run with the same scope and options on a server. No server, account or credits are \
    needed; with --url, a server makes the estimate, and its account is not charged.\n\nExamples:\n  \
    trawl estimate https://example.com/ --mode links\n  \
    trawl estimate https://example.com/docs/\n  \
    trawl estimate https://example.com/docs/ --whole-site\n  \
    trawl estimate https://shop.example.com/ --mode products --sample-size 50 --json"
)]
pub struct EstimateArgs {
    /// Start URL of the site to estimate
    #[arg(value_name = "URL")]
    pub url: String,
    /// Mode of the run: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE", default_value = "markdown")]
    pub mode: String,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub server: ServerFlags,
    #[command(flatten)]
    pub flags: CrawlFlags,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Runs on this machine, or with --url on a server, whose account is not charged."
)]
pub struct MapArgs {
    /// A page of the site, usually its home page
    #[arg(value_name = "URL")]
    pub url: String,
    /// Only URLs with these words in the URL or the title
    #[arg(long, value_name = "WORDS")]
    pub search: Option<String>,
    /// Maximum number of URLs
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=contract::CreateMap::MAX_URLS))]
    pub limit: Option<u64>,
    /// Include pages of subdomains
    #[arg(long)]
    pub include_subdomains: bool,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub server: ServerFlags,
}
