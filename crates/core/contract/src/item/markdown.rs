//! The items of a `markdown` run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{ItemFiles, Millis};

string_enum! {
    /// How Markdown writes the links of a page.
    pub enum MarkdownLinks {
        /// The target after the text of each link: `[text](url)`.
        Inline = "inline",
        /// A number after the text, and each target once at the end of the page: `[text][1]`.
        Reference = "reference",
        /// The text of links without their targets.
        None = "none",
    }
}

string_enum! {
    /// How the main content of a page was found.
    pub enum ExtractionMethod {
        /// Classification of blocks by the trained model.
        Blocks = "blocks",
        /// The part with most of the text, because the model kept too little.
        Densest = "densest",
        /// All visible text except navigation.
        Visible = "visible",
        /// Structured data and metadata, because the page shows almost no text.
        Stated = "stated",
        /// The page is plain text.
        PlainText = "plain_text",
    }
}

string_enum! {
    /// A limitation of the extracted text.
    pub enum ExtractionWarning {
        /// Little was found on the page, or little of it was kept.
        LittleText = "little_text",
        /// The part of the page with the main content has further text that was not kept.
        ContentDropped = "content_dropped",
        /// The page exceeded a limit; the rest was not read.
        Truncated = "truncated",
        /// A table was too large and was truncated.
        TableTruncated = "table_truncated",
        /// Elements were nested too deeply and were flattened.
        TooDeep = "too_deep",
        /// The bytes are not valid in the declared encoding.
        BadEncoding = "bad_encoding",
        /// The page has no content without JavaScript.
        NeedsJavascript = "needs_javascript",
    }
}

/// How the text was extracted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Extraction {
    pub method: ExtractionMethod,
    /// Ratio of kept to visible words, from 0 to 1.
    pub kept_ratio: f64,
    pub warnings: Vec<ExtractionWarning>,
}

/// A heading of the extracted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Heading {
    /// From 1 to 6, as in the text.
    pub level: u8,
    pub text: String,
    /// The URL fragment of the heading on the page.
    #[schema(required = true)]
    pub anchor: Option<String>,
}

/// A link in the extracted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextLink {
    pub url: String,
    pub text: String,
}

/// An image in the extracted text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextImage {
    pub url: String,
    #[schema(required = true)]
    pub alt: Option<String>,
}

/// An item of a `markdown` run: one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MarkdownItem {
    pub url: String,
    /// The title of the page without the name of the site.
    #[schema(required = true)]
    pub title: Option<String>,
    /// The main content in CommonMark with GitHub tables.
    pub markdown: String,
    /// The URL after redirects, if it differs from `url`.
    #[schema(required = true)]
    pub final_url: Option<String>,
    #[schema(required = true)]
    pub canonical_url: Option<String>,
    #[schema(required = true)]
    pub description: Option<String>,
    #[schema(required = true)]
    pub language: Option<String>,
    #[schema(required = true)]
    pub author: Option<String>,
    /// Date, or date and time, of publication, as in ISO 8601.
    #[schema(required = true)]
    pub published_at: Option<String>,
    /// Date, or date and time, of the last change, as in ISO 8601.
    #[schema(required = true)]
    pub modified_at: Option<String>,
    /// Number of links from the start URL.
    #[schema(required = true)]
    pub depth: Option<u32>,
    pub status_code: u16,
    /// Number of words of the text.
    pub word_count: u64,
    /// Estimated number of tokens for a language model.
    pub token_estimate: u64,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// Hash of the text, 16 hexadecimal digits.
    pub content_hash: String,
    pub extraction: Extraction,
    /// Whether the page was rendered by a browser.
    pub rendered: bool,
    pub fetched_at: Millis,
    /// The files that are kept of the page; only in results of a job with `formats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Box<ItemFiles>>,
}
