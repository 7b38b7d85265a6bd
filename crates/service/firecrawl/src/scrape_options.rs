//! The options that all scrapes share.

use contract::{BodyFields, Credits};
use serde_json::{Map, Value};

use crate::page_actions::read_actions;
use crate::scrape_format::{ScrapeFormat, read_formats};

/// Highest age of a cached page, in seconds.
const MAX_AGE: i64 = 7 * 24 * 60 * 60;

/// Maximum selectors of a list, as in the API of the service.
const MAX_SELECTORS: usize = 50;

/// The header that the service sets itself.
const USER_AGENT: &str = "user-agent";

/// The options of a page, or of all pages of a job.
#[derive(Debug, Clone)]
pub(crate) struct ScrapeOptions {
    pub formats: Vec<ScrapeFormat>,
    /// What the client should know about its request.
    pub warnings: Vec<String>,
    /// Whether the rate of the protected tier is accepted.
    accepts_protected: bool,
    /// How pages are requested, as members of a call: `wait_for`, `headers` and others.
    access: Map<String, Value>,
    /// How pages are read, as members of `options` of a call.
    options: Map<String, Value>,
}

/// The values of `proxy`. All but the first use the protected tier if it is needed.
const PROXIES: &[&str] = &["basic", "auto", "stealth", "enhanced"];

impl ScrapeOptions {
    pub fn read(fields: &mut BodyFields<'_>) -> Self {
        let formats = read_formats(fields);
        let proxy = fields.one_of("proxy", PROXIES);
        let accepts_protected = proxy.is_some_and(|proxy| proxy != PROXIES[0]);
        let mut warnings = Vec::new();
        let access = read_access(fields, &mut warnings);
        Self { formats, warnings, accepts_protected, access, options: read_options(fields) }
    }

    pub fn has(&self, format: ScrapeFormat) -> bool {
        self.formats.contains(&format)
    }

    /// The warnings as one text.
    pub fn warning(&self) -> Option<String> {
        (!self.warnings.is_empty()).then(|| self.warnings.join("; "))
    }

    /// The names of the files of pages among the formats, each once.
    pub fn files(&self) -> Vec<&'static str> {
        let mut files: Vec<_> = self.formats.iter().filter_map(|format| format.file()).collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Adds how pages are requested to a call.
    pub fn set_access(&mut self, call: &mut Map<String, Value>) {
        call.extend(std::mem::take(&mut self.access));
        if self.files().contains(&"screenshot") {
            let is_full_page = self.has(ScrapeFormat::FullPageScreenshot);
            let area = if is_full_page { "full_page" } else { "viewport" };
            call.insert("screenshot_area".to_owned(), area.into());
        }
    }

    /// Whether only parts of pages are read.
    pub fn has_selectors(&self) -> bool {
        self.options.keys().any(|name| name.ends_with("_selectors"))
    }

    /// Adds how pages are read to the `options` of a call.
    pub fn set_options(&mut self, options: &mut Map<String, Value>) {
        options.extend(std::mem::take(&mut self.options));
    }

    /// Adds the files that a job keeps of its pages.
    pub fn set_files(&self, job: &mut Map<String, Value>) {
        let files = self.files();
        if !files.is_empty() {
            job.insert("formats".to_owned(), files.into());
        }
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
        Self {
            formats: vec![ScrapeFormat::Markdown],
            warnings: Vec::new(),
            accepts_protected: false,
            access: Map::new(),
            options: Map::new(),
        }
    }
}

/// The field of a request from which a field of its call was made, by a table of both.
pub(crate) fn renamed_by(table: &[(&str, &str)], field: &str) -> String {
    for (ours, theirs) in table {
        if let Some(rest) = field.strip_prefix(ours) {
            return format!("{theirs}{rest}");
        }
    }
    field.to_owned()
}

/// Reads `waitFor`, `headers`, `actions`, `maxAge` and `mobile`.
fn read_access(fields: &mut BodyFields<'_>, warnings: &mut Vec<String>) -> Map<String, Value> {
    let mut access = Map::new();
    if let Some(ms) = fields.integer("waitFor", 0).filter(|ms| *ms > 0) {
        access.insert("wait_for".to_owned(), ms.into());
    }
    match fields.value("headers") {
        Some(Value::Object(headers)) => {
            let mut headers = headers.clone();
            let given = headers.len();
            headers.retain(|name, _| !name.eq_ignore_ascii_case(USER_AGENT));
            if headers.len() < given {
                let warning = "headers.User-Agent is not sent: the service has its own";
                warnings.push(warning.to_owned());
            }
            // Clients send an empty object if their user gives none.
            if !headers.is_empty() {
                access.insert("headers".to_owned(), headers.into());
            }
        }
        Some(other) => {
            access.insert("headers".to_owned(), other.clone());
        }
        None => {}
    }
    let actions = read_actions(fields);
    if !actions.is_empty() {
        access.insert("actions".to_owned(), actions.into());
    }
    if let Some(seconds) = fields.integer("maxAge", 0).map(|ms| ms / 1000).filter(|age| *age > 0) {
        access.insert("max_age".to_owned(), seconds.min(MAX_AGE).into());
    }
    if fields.flag("mobile") == Some(true) {
        access.insert("device".to_owned(), "mobile".into());
    }
    access
}

/// Reads `onlyMainContent`, `includeTags` and `excludeTags`.
fn read_options(fields: &mut BodyFields<'_>) -> Map<String, Value> {
    let mut options = Map::new();
    if let Some(main_content) = fields.flag("onlyMainContent") {
        options.insert("main_content".to_owned(), main_content.into());
    }
    for (theirs, ours) in
        [("includeTags", "include_selectors"), ("excludeTags", "exclude_selectors")]
    {
        let given = fields.texts(theirs, MAX_SELECTORS).unwrap_or_default().into_iter();
        // n8n sends an empty text for a field that its user left empty.
        let selectors = given.map(|(_, text)| text.trim()).filter(|text| !text.is_empty());
        let selectors: Vec<Value> = selectors.map(Value::from).collect();
        if !selectors.is_empty() {
            options.insert(ours.to_owned(), selectors.into());
        }
    }
    options
}
