//! Arguments of `trawl read`.

use std::path::PathBuf;

use clap::Args;

use super::{PageFlags, ProtectedChoice, ServerFlags, SiteFlags};

#[derive(Debug, Args)]
#[command(after_help = "Prints the page as Markdown; in other modes, the item as JSON. Loopback \
    addresses may be read. No server, account or credits are needed; with --url a server reads the \
    page and charges its account.\n\nExamples:\n  \
    trawl read example.com\n  \
    trawl read https://example.com/ --json | jq .metadata\n  \
    trawl read https://shop.example.com/lamp --mode products\n  \
    trawl read https://example.com/ --links none --main-content false\n  \
    trawl read https://example.com/ --screenshot page.png --html page.html")]
pub struct ReadArgs {
    /// URL of the page; https:// is added if it has no scheme
    #[arg(value_name = "URL")]
    pub url: String,
    /// Mode: markdown, links, products or contacts
    #[arg(long, value_name = "MODE", default_value = "markdown")]
    pub mode: String,
    /// Print the answer as JSON: the item, metadata and links
    #[arg(long)]
    pub json: bool,
    /// Write a picture of the page (PNG) to this file; needs Chromium
    #[arg(long, value_name = "FILE")]
    pub screenshot: Option<PathBuf>,
    /// Picture only what a visitor sees without scrolling
    #[arg(long, requires = "screenshot")]
    pub viewport: bool,
    /// Write the page without scripts and with absolute URLs to this file, or print it
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    pub html: Option<PathBuf>,
    /// Write the response as received, or as rendered, to this file, or print it
    #[arg(long, alias = "raw_html", value_name = "FILE", num_args = 0..=1)]
    #[arg(default_missing_value = "-")]
    pub raw_html: Option<PathBuf>,
    /// Contacts: confirm a lawful basis for processing personal data
    #[arg(long, alias = "accept_legal_basis")]
    pub accept_legal_basis: bool,
    /// Action when the site is behind bot protection
    #[arg(long, alias = "on_protected", value_enum, default_value_t = ProtectedChoice::Auto)]
    pub on_protected: ProtectedChoice,
    /// Maximum milliseconds until the answer
    #[arg(long, alias = "timeout_ms", value_name = "MS", default_value_t = 30_000)]
    #[arg(value_parser = clap::value_parser!(u64).range(1_000..=60_000))]
    pub timeout_ms: u64,
    /// On a server: maximum credits to pay for a page behind bot protection
    #[arg(long, alias = "max_credit_per_unit", value_name = "N")]
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    pub max_credit_per_unit: Option<i64>,
    /// On a server: a call with the key of an earlier one gets its answer and is not charged again
    #[arg(long, alias = "idempotency_key", value_name = "TEXT")]
    pub idempotency_key: Option<String>,
    /// On a server: take the page from its cache if it is at most this many seconds old
    #[arg(long, alias = "max_age", value_name = "SECONDS")]
    pub max_age: Option<u64>,
    #[command(flatten)]
    pub site: SiteFlags,
    #[command(flatten)]
    pub options: PageFlags,
    #[command(flatten)]
    pub server: ServerFlags,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::PageOptions;

    use crate::cli;

    /// The flags that set a member of the request, by their ids.
    fn flags_of(member: &str) -> Vec<&str> {
        match member {
            "formats" => vec!["json", "html", "raw_html", "screenshot"],
            "screenshot_area" => vec!["viewport"],
            "legal_basis_accepted" => vec!["accept_legal_basis"],
            "options" => PageOptions::FIELDS.iter().map(|option| option.name()).collect(),
            other => vec![other],
        }
    }

    #[test]
    fn every_member_of_the_api_request_has_a_flag() {
        let document = api::openapi(&api::ApiSettings::default());
        let members = &document["components"]["schemas"]["ReadPage"]["properties"];
        let members = members.as_object().expect("the schema of the request");
        assert!(members.len() > 15, "{members:?}");
        let mut command = cli::command();
        let read = command.find_subcommand_mut("read").expect("a command");
        let flags: BTreeSet<&str> = read.get_arguments().map(|arg| arg.get_id().as_str()).collect();
        for member in members.keys() {
            for flag in flags_of(member) {
                assert!(flags.contains(flag), "{member} has no flag {flag}: {flags:?}");
            }
        }
    }
}
