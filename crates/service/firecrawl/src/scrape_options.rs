//! The options that all scrapes share.

use contract::{BodyFields, Credits};
use serde_json::{Map, Value};

use crate::page_actions::read_actions;
use crate::scrape_format::{FormatUse, ScrapeFormat, read_formats};

/// The options of a page, or of all pages of a job.
#[derive(Debug, Clone)]
pub(crate) struct ScrapeOptions {
    pub formats: Vec<ScrapeFormat>,
    /// Whether the rate of the protected tier is accepted.
    accepts_protected: bool,
    /// `wait_for`, `headers` and `actions` of a call, as far as they are given.
    access: Map<String, Value>,
}

/// The values of `proxy`. All but the first use the protected tier if it is needed.
const PROXIES: &[&str] = &["basic", "auto", "stealth", "enhanced"];

impl ScrapeOptions {
    pub fn read(fields: &mut BodyFields<'_>, use_in: FormatUse) -> Self {
        let formats = read_formats(fields, use_in);
        let proxy = fields.one_of("proxy", PROXIES);
        let accepts_protected = proxy.is_some_and(|proxy| proxy != PROXIES[0]);
        Self { formats, accepts_protected, access: read_access(fields) }
    }

    pub fn has(&self, format: ScrapeFormat) -> bool {
        self.formats.contains(&format)
    }

    /// Adds how pages are requested to a call.
    pub fn set_access(&mut self, call: &mut Map<String, Value>) {
        call.extend(std::mem::take(&mut self.access));
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
        let formats = vec![ScrapeFormat::Markdown];
        Self { formats, accepts_protected: false, access: Map::new() }
    }
}

/// Reads `waitFor`, `headers` and `actions`.
fn read_access(fields: &mut BodyFields<'_>) -> Map<String, Value> {
    let mut access = Map::new();
    if let Some(ms) = fields.integer("waitFor", 0).filter(|ms| *ms > 0) {
        access.insert("wait_for".to_owned(), ms.into());
    }
    let headers = fields.value("headers");
    // Clients send an empty object if their user gives none.
    if let Some(headers) = headers.filter(|headers| !headers.as_object().is_some_and(Map::is_empty))
    {
        access.insert("headers".to_owned(), headers.clone());
    }
    let actions = read_actions(fields);
    if !actions.is_empty() {
        access.insert("actions".to_owned(), actions.into());
    }
    access
}
