//! Previews: what a mode makes of one page, for free and shortened. Specification:
//! `docs/spec/account.md`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::job_target::read_url;
use crate::{BodyFields, FieldError, Mode, PageMetadata, RequestPolicy};

/// Maximum characters of a text in a preview.
const MAX_TEXT_CHARS: usize = 3_000;

/// Maximum entries of a list in a preview.
const MAX_ENTRIES: usize = 12;

/// The body of a preview request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePreview {
    /// The page, as an absolute URL.
    #[schema(max_length = 2048, format = "uri", example = "https://example.com/")]
    pub url: String,
    /// `markdown`, `links` or `products`.
    pub mode: Mode,
}

impl CreatePreview {
    /// Modes with a preview: those without personal data that give an item per page.
    pub const MODES: &'static [Mode] = &[Mode::Markdown, Mode::Links, Mode::Products];

    /// Reads and validates a body; returns the request with its parsed URL.
    ///
    /// # Errors
    /// The errors of all members.
    pub fn from_json<P: RequestPolicy>(
        body: &Value,
        policy: &P,
    ) -> Result<(Self, P::Url), Vec<FieldError>> {
        let mut fields = BodyFields::of(body).map_err(|error| vec![error])?;
        let mode = fields.one_of("mode", Self::MODES);
        fields.require("mode");
        let url = read_url(&mut fields, policy);
        fields.require("url");
        let errors = fields.finish();
        match (mode, url) {
            (Some(mode), Some((url, parsed))) if errors.is_empty() => {
                Ok((Self { url, mode }, parsed))
            }
            (Some(_) | None, _) => Err(errors),
        }
    }
}

/// What a mode makes of one page, shortened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PagePreview {
    pub url: String,
    pub mode: Mode,
    /// The item of a run, with long texts and lists cut.
    #[schema(value_type = Object)]
    pub item: Value,
    /// Whether something of the item was cut.
    pub shortened: bool,
    #[schema(required = true)]
    pub metadata: Option<PageMetadata>,
}

impl PagePreview {
    /// Cuts long texts and lists of an item. Returns whether it had any.
    pub fn shorten(item: &mut Value) -> bool {
        match item {
            Value::String(text) => {
                let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARS) else { return false };
                text.truncate(end);
                text.push('…');
                true
            }
            Value::Array(entries) => {
                let is_long = entries.len() > MAX_ENTRIES;
                entries.truncate(MAX_ENTRIES);
                let shortened =
                    entries.iter_mut().filter_map(|one| Self::shorten(one).then_some(()));
                shortened.count() > 0 || is_long
            }
            Value::Object(members) => {
                let shortened =
                    members.values_mut().filter_map(|one| Self::shorten(one).then_some(()));
                shortened.count() > 0
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_texts_and_lists_are_cut() {
        let mut item = json!({"text": "ü".repeat(4_000), "list": [1, 2], "many": vec!["a"; 40]});
        assert!(PagePreview::shorten(&mut item));
        assert_eq!(item["text"].as_str().map(|text| text.chars().count()), Some(3_001));
        assert_eq!(item["many"].as_array().map(Vec::len), Some(12));
        let cut = item.clone();
        item["text"] = json!("short");
        assert!(!PagePreview::shorten(&mut item));
        assert_eq!(item["list"], cut["list"]);
    }
}
