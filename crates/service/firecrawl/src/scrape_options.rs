//! The options that all scrapes share.

use contract::{BodyFields, Credits};
use serde_json::{Map, Value};

use crate::scrape_format::{FormatUse, ScrapeFormat, read_formats};

/// The options of a page, or of all pages of a job.
#[derive(Debug, Clone)]
pub(crate) struct ScrapeOptions {
    pub formats: Vec<ScrapeFormat>,
    /// Whether the rate of the protected tier is accepted.
    accepts_protected: bool,
}

/// The values of `proxy`. All but the first use the protected tier if it is needed.
const PROXIES: &[&str] = &["basic", "auto", "stealth", "enhanced"];

impl ScrapeOptions {
    pub fn read(fields: &mut BodyFields<'_>, use_in: FormatUse) -> Self {
        let formats = read_formats(fields, use_in);
        let proxy = fields.one_of("proxy", PROXIES);
        Self { formats, accepts_protected: proxy.is_some_and(|proxy| proxy != PROXIES[0]) }
    }

    pub fn has(&self, format: ScrapeFormat) -> bool {
        self.formats.contains(&format)
    }

    /// Adds what happens at bot protection to a call.
    pub fn set_protection(&self, call: &mut Map<String, Value>, rate: Credits) {
        if self.accepts_protected {
            call.insert("on_protected".to_owned(), "auto".into());
            call.insert("max_credit_per_unit".to_owned(), rate.0.into());
        } else {
            call.insert("on_protected".to_owned(), "fail".into());
        }
    }
}

impl Default for ScrapeOptions {
    fn default() -> Self {
        Self { formats: vec![ScrapeFormat::Markdown], accepts_protected: false }
    }
}
