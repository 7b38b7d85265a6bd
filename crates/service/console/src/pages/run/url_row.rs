//! A URL of `links` or `sitemap`, as the tree and the charts show it.

use contract::LinkType;
use serde::Deserialize;

/// The members of a URL that the tree and the charts read.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct UrlRow {
    pub url: String,
    #[serde(rename = "type")]
    pub kind: LinkType,
    pub status_code: Option<u16>,
    pub depth: Option<u32>,
}

/// The class of a status, such as `2xx`; `none` without a response.
pub(super) fn status_class(status: Option<u16>) -> &'static str {
    match status {
        Some(200..300) => "2xx",
        Some(300..400) => "3xx",
        Some(400..500) => "4xx",
        Some(500..) => "5xx",
        Some(..200) | None => "none",
    }
}

/// The colour of a status class in the style sheet.
pub(super) fn tone(class: &str) -> &'static str {
    match class {
        "2xx" => "good",
        "3xx" => "",
        "4xx" | "5xx" => "bad",
        _ => "warn",
    }
}
