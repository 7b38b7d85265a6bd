//! Arguments of `trawl estimate`.

use clap::Args;

use super::CrawlFlags;

#[derive(Debug, Args)]
#[command(
    after_help = "Reads the sitemap and some pages, for ten seconds at most. Prints the price \
    of a run with the same scope and options on a server. No server, account or credits are \
    needed.\n\nExamples:\n  \
    trawl estimate https://example.com/ --mode links\n  \
    trawl estimate https://example.com/docs/ --mode markdown\n  \
    trawl estimate https://example.com/docs/ --mode markdown --whole-site\n  \
    trawl estimate https://shop.example.com/ --mode products --sample-size 50 --json"
)]
pub struct EstimateArgs {
    /// Start URL of the site to estimate
    #[arg(value_name = "URL")]
    pub url: String,
    /// Mode of the run: links, sitemap, markdown, products or contacts
    #[arg(long, value_name = "MODE")]
    pub mode: String,
    /// Print JSON for programs
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub flags: CrawlFlags,
}
