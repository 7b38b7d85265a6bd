//! Flags about the access to a site: headers, credentials, rendering. `trawl read` and `trawl crawl`
//! have the same.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use contract::PageDevice;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Access to the site")]
pub struct SiteFlags {
    /// Whether a browser renders pages: auto, always or never
    #[arg(long, value_name = "WHEN", num_args = 0..=1)]
    #[arg(default_value = "auto", default_missing_value = "always")]
    pub render: String,
    /// Screen on which a browser renders pages: desktop or mobile; mobile needs Chromium
    #[arg(long, value_name = "DEVICE")]
    #[arg(value_parser = PossibleValuesParser::new(PageDevice::NAMES))]
    pub device: Option<String>,
    /// Wait for a CSS selector or a number of milliseconds in each page; needs Chromium
    #[arg(long, alias = "wait_for", value_name = "SELECTOR|MS")]
    pub wait_for: Option<String>,
    /// JSON file with a list of actions in each page before it is read, as in the API; needs Chromium
    #[arg(long, value_name = "FILE")]
    pub actions: Option<PathBuf>,
    /// Header for the site of the URL, as 'Name: value'; repeat for more
    #[arg(long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// Cookie for the site of the URL, as 'name=value'; repeat for more
    #[arg(long = "cookie", value_name = "COOKIE")]
    pub cookies: Vec<String>,
    /// Basic authentication for the site of the URL, as 'user:password'
    #[arg(long, alias = "basic_auth", value_name = "USER:PASSWORD")]
    pub basic_auth: Option<String>,
    /// Bearer token for the site of the URL
    #[arg(long, value_name = "TOKEN")]
    pub bearer: Option<String>,
}
