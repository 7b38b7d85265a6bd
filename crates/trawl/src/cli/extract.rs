//! Arguments of `trawl extract`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use contract::MarkdownLinks;

#[derive(Debug, Args)]
#[command(
    after_help = "The file may be compressed by gzip. With --batch, standard input has one line \
    {\"url\": …, \"file\": …} per page, and standard output gets one line per page in the same order: \
    the record, or {\"url\": …, \"error\": …}; the exit code is 1 if any page failed. In mode \
    products, a page without a single product gives {\"url\": …, \"product\": null}, which is \
    not a failure in a batch; without --batch the exit code is 1. In mode contacts, a page or vCard \
    file gives the record of that page alone.\n\n\
    Examples:\n  \
    trawl extract --mode markdown --url https://example.com/a page.html\n  \
    curl -s https://example.com/ | trawl extract --mode markdown --url https://example.com/\n  \
    trawl extract --mode markdown --batch < pages.jsonl > texts.jsonl\n  \
    trawl extract --mode products --url https://example.com/lamp lamp.html"
)]
pub struct ExtractArgs {
    /// Mode: markdown, links, products or contacts
    #[arg(long, value_name = "MODE", default_value = "markdown")]
    pub mode: String,
    /// URL of the page; its links are relative to it
    #[arg(long, value_name = "URL", conflicts_with = "batch")]
    pub url: Option<String>,
    /// Read the pages that standard input lists
    #[arg(long, conflicts_with = "file")]
    pub batch: bool,
    /// Print the whole record as JSON instead of its text
    #[arg(long)]
    pub json: bool,
    /// Markdown: keep only the main content; false keeps the whole page without navigation and footer
    #[arg(long, alias = "main_content", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    pub main_content: bool,
    /// Markdown: how links are written
    #[arg(long, value_name = "HOW", value_parser = PossibleValuesParser::new(MarkdownLinks::NAMES),
          default_value = MarkdownLinks::Inline.as_str())]
    pub links: String,
    /// Products: remove the seller's contact details from the description
    #[arg(long, alias = "suppress_contact", value_name = "BOOL",
          action = clap::ArgAction::Set, default_value_t = true)]
    pub suppress_contact: bool,
    /// Products: keep a price that the page hides behind a price request
    #[arg(long, alias = "collect_hidden_prices")]
    pub collect_hidden_prices: bool,
    /// Saved page; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: String,
}
