//! The formats of a document.

use contract::{BodyFields, FieldError};
use serde_json::Value;

/// A part of a document that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScrapeFormat {
    Markdown,
    Links,
    Images,
    Metadata,
    Html,
    RawHtml,
    /// What a visitor sees without scrolling.
    Screenshot,
    FullPageScreenshot,
}

/// A name that a request can have in `formats`.
#[derive(Debug)]
struct FormatName {
    name: &'static str,
    /// `None` if it is refused.
    format: Option<ScrapeFormat>,
    /// The content, or why it is refused.
    meaning: &'static str,
}

const fn offered(name: &'static str, format: ScrapeFormat, meaning: &'static str) -> FormatName {
    FormatName { name, format: Some(format), meaning }
}

const fn refused(name: &'static str, meaning: &'static str) -> FormatName {
    FormatName { name, format: None, meaning }
}

const MODEL: &str = "the service has no language model";

const FORMATS: &[FormatName] = &[
    offered("markdown", ScrapeFormat::Markdown, "the main content"),
    offered(
        "links",
        ScrapeFormat::Links,
        "`scrape`: all links that a visitor can follow; jobs: the links of the text",
    ),
    offered("images", ScrapeFormat::Images, "the images of the text"),
    offered("metadata", ScrapeFormat::Metadata, "always present"),
    offered("html", ScrapeFormat::Html, "the page after rendering, without scripts and styles"),
    offered("rawHtml", ScrapeFormat::RawHtml, "the response of the site, or the rendered document"),
    offered(
        "screenshot",
        ScrapeFormat::Screenshot,
        "a link to a PNG that works for 15 minutes; `fullPage: true` for the whole page; `quality` and \
         `viewport` have no effect",
    ),
    offered("screenshot@fullPage", ScrapeFormat::FullPageScreenshot, "the same of the whole page"),
    refused("json", MODEL),
    refused("extract", MODEL),
    refused("summary", MODEL),
    refused("question", MODEL),
    refused("query", MODEL),
    refused("highlights", MODEL),
    refused("changeTracking", "`GET /v1/jobs/{id}/changes` compares two runs"),
    refused("branding", "colours and fonts are not read"),
    refused("attributes", "content cannot be selected by CSS selectors"),
    refused("product", "start a job of mode `products`"),
    refused("menu", "menus are not read"),
    refused("audio", "only HTML pages are read"),
    refused("video", "only HTML pages are read"),
    refused("rawBase64", "only HTML pages are read"),
    refused("content", "use `markdown`"),
];

static NO_ENTRIES: Vec<Value> = Vec::new();

/// Reads `formats`: names, or objects with a `type`. Only Markdown if it is omitted.
pub(crate) fn read_formats(fields: &mut BodyFields<'_>) -> Vec<ScrapeFormat> {
    let mut formats = Vec::new();
    let entries = match fields.value("formats") {
        None => return vec![ScrapeFormat::Markdown],
        Some(Value::Array(entries)) => entries,
        // The form in which the n8n node stores it.
        Some(Value::Object(members)) if members.get("format").is_some_and(Value::is_array) => {
            members["format"].as_array().unwrap_or(&NO_ENTRIES)
        }
        Some(_) => {
            fields.wrong("formats", "must be an array");
            return formats;
        }
    };
    for (index, entry) in entries.iter().enumerate() {
        let name = entry.as_str().or_else(|| entry.get("type").and_then(Value::as_str));
        let name = match name {
            Some("screenshot") if entry["fullPage"] == true => Some("screenshot@fullPage"),
            name => name,
        };
        match find(name, &format!("formats[{index}]")) {
            Ok(format) if formats.contains(&format) => {}
            Ok(format) => formats.push(format),
            Err(error) => fields.wrong(&error.field, error.message),
        }
    }
    formats
}

fn find(name: Option<&str>, field: &str) -> Result<ScrapeFormat, FieldError> {
    let offered: Vec<_> =
        FORMATS.iter().filter(|known| known.format.is_some()).map(|known| known.name).collect();
    let offered = offered.join(", ");
    let known = name.and_then(|name| FORMATS.iter().find(|known| known.name == name));
    match known {
        Some(FormatName { format: Some(format), .. }) => Ok(*format),
        Some(FormatName { name, meaning, .. }) => {
            let message = format!("{name} is not supported: {meaning}; supported are {offered}");
            Err(FieldError::new(field, message))
        }
        None => Err(FieldError::new(field, format!("must be one of {offered}"))),
    }
}

impl ScrapeFormat {
    /// The name of a call for it, if it is a file of a page.
    pub fn file(self) -> Option<&'static str> {
        match self {
            Self::Html => Some("html"),
            Self::RawHtml => Some("raw_html"),
            Self::Screenshot | Self::FullPageScreenshot => Some("screenshot"),
            Self::Markdown | Self::Links | Self::Images | Self::Metadata => None,
        }
    }

    /// Its name, as jobs store it.
    pub fn name(self) -> &'static str {
        FORMATS.iter().find(|known| known.format == Some(self)).map_or("", |known| known.name)
    }

    /// The format with a stored name.
    pub fn of_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|known| known.name == name)?.format
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documentation_lists_all_formats() {
        let rows = FORMATS.iter().map(|FormatName { name, format, meaning }| {
            let treatment = if format.is_some() { "delivered" } else { "not delivered" };
            format!("| `{name}` | {treatment} | {meaning} |\n")
        });
        let table = format!("| format | | content |\n|---|---|---|\n{}", rows.collect::<String>());
        let documentation = include_str!("../../../../docs/firecrawl.md");
        assert!(documentation.contains(&table), "docs/firecrawl.md lacks:\n\n{table}");
    }

    #[test]
    fn formats_are_names_or_objects_and_refusals_name_the_entry() {
        let body = json!({"formats":
            ["links", {"type": "markdown"}, "links", {"type": "json"}, 3, "html"]});
        let mut fields = BodyFields::of(&body).expect("an object");
        let formats = read_formats(&mut fields);
        assert_eq!(formats, [ScrapeFormat::Links, ScrapeFormat::Markdown, ScrapeFormat::Html]);
        let errors = fields.finish();
        let named: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(named, ["formats[3]", "formats[4]"]);
        assert!(errors[0].message.starts_with("json is not supported"), "{errors:?}");
    }

    #[test]
    fn picture_of_the_whole_page_is_asked_for_in_two_ways() {
        let full = ScrapeFormat::FullPageScreenshot;
        for (entry, format) in [
            (json!("screenshot"), ScrapeFormat::Screenshot),
            (json!({"type": "screenshot", "quality": 80}), ScrapeFormat::Screenshot),
            (json!({"type": "screenshot", "fullPage": true}), full),
            (json!("screenshot@fullPage"), full),
        ] {
            let body = json!({"formats": [entry]});
            let mut fields = BodyFields::of(&body).expect("an object");
            assert_eq!(read_formats(&mut fields), [format]);
        }
    }

    #[test]
    fn format_is_found_by_its_stored_name() {
        for format in FORMATS.iter().filter_map(|known| known.format) {
            assert_eq!(ScrapeFormat::of_name(format.name()), Some(format));
        }
        assert_eq!(ScrapeFormat::of_name("json"), None);
    }
}
