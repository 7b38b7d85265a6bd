//! Uploaded lists of URLs. Specification: `docs/spec/jobs.md`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::{ListId, Millis};

/// Maximum lines with a URL of an uploaded list.
pub const MAX_LISTED_URLS: u32 = 1_000_000;

/// An uploaded list of URLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UploadedList {
    pub list_id: ListId,
    /// Number of URLs; equal ones after normalisation count once.
    #[schema(minimum = 1, maximum = 1000000)]
    pub url_count: u64,
    pub created_at: Millis,
    /// Until then, jobs can be started over the list.
    pub expires_at: Millis,
}

/// The format of an uploaded list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFormat {
    /// `application/x-ndjson`: each line is a JSON string, or an object with the member `url`.
    Ndjson,
    /// `text/plain`: each line is a URL; a line that begins with `#` is a comment.
    Text,
}

impl ListFormat {
    /// The URL of a line; none if the line is empty or a comment.
    ///
    /// # Errors
    /// The message for the client.
    pub fn url(self, line: &[u8]) -> Result<Option<Cow<'_, str>>, String> {
        let line = std::str::from_utf8(line).map_err(|_| "must be UTF-8".to_owned())?.trim();
        match self {
            _ if line.is_empty() => Ok(None),
            Self::Text if line.starts_with('#') => Ok(None),
            Self::Text => Ok(Some(Cow::Borrowed(line))),
            Self::Ndjson => ndjson(line).map(Some),
        }
    }
}

fn ndjson(line: &str) -> Result<Cow<'_, str>, String> {
    const EXPECTED: &str = "must be a JSON string, or an object with the member url alone";
    if line.starts_with('"') {
        let text = serde_json::from_str::<String>(line);
        return text.map(Cow::Owned).map_err(|error| format!("is not JSON: {error}"));
    }
    match serde_json::from_str(line) {
        Ok(Value::Object(mut members)) if members.len() == 1 => match members.remove("url") {
            Some(Value::String(url)) => Ok(Cow::Owned(url)),
            Some(_) | None => Err(EXPECTED.to_owned()),
        },
        Ok(_) => Err(EXPECTED.to_owned()),
        Err(error) => Err(format!("is not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_formats_are_read() {
        let read = |format: ListFormat, line: &str| {
            format.url(line.as_bytes()).map(|url| url.map(Cow::into_owned))
        };
        let url = Ok(Some("https://a.example/ü".to_owned()));
        assert_eq!(read(ListFormat::Text, " https://a.example/ü\r"), url);
        assert_eq!(read(ListFormat::Text, "# pages"), Ok(None));
        assert_eq!(read(ListFormat::Text, "  "), Ok(None));
        assert_eq!(read(ListFormat::Ndjson, r#""https://a.example/\u00fc""#), url);
        assert_eq!(read(ListFormat::Ndjson, r#" {"url": "https://a.example/ü"} "#), url);
        assert_eq!(read(ListFormat::Ndjson, ""), Ok(None));
        for line in ["# pages", "7", "[]", r#"{"url": 1}"#, r#"{"url": "a", "b": 1}"#, r#""a"#] {
            assert!(read(ListFormat::Ndjson, line).is_err(), "{line}");
        }
        assert!(ListFormat::Text.url(b"https://\xff").is_err());
    }
}
