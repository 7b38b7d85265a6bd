//! Files of pages: HTML as received or as rendered, and pictures.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::string_enum::string_enum;

/// A file of a page, behind a signed link that needs no credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageFile {
    #[schema(format = "uri")]
    pub url: String,
    pub content_type: String,
    pub bytes: u64,
    /// The link works until then.
    pub expires_at: Millis,
}

string_enum! {
    /// A file that can be kept of a page.
    pub enum PageFileFormat {
        /// The page after rendering, without scripts and with absolute URLs.
        Html = "html",
        /// The response of the site as received, or the document as rendered.
        RawHtml = "raw_html",
        /// A picture of the page.
        Screenshot = "screenshot",
    }
}

/// The files that a run has kept of the page of an item, because its request has `formats`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct ItemFiles {
    /// The page after rendering, without scripts and with absolute URLs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub html: Option<PageFile>,
    /// The response of the site as received, or the document as rendered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_html: Option<PageFile>,
    /// A picture of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<PageFile>,
    /// Which files are missing and why, as messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What a run has kept of its pages, because its request has `formats`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct JobFiles {
    /// Bytes of all files as stored; at most `job_file_bytes` of the limits of the account.
    pub stored_bytes: u64,
    /// Number of files that are not kept because of this limit.
    pub not_kept: u64,
}
