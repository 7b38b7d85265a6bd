//! The items of a `markdown` run.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::job::words;

words! {
    /// How the content of a page was told from the rest.
    pub enum ExtractionMethod {
        /// Block by block, by the trained model.
        Blocks = "blocks",
        /// The model kept too little: the part that holds most of the text.
        Densest = "densest",
        /// All that is visible, apart from what is plainly navigation.
        Visible = "visible",
        /// The page shows next to nothing: what it states about itself for machines.
        Stated = "stated",
        /// The page is plain text.
        PlainText = "plain_text",
    }
}

words! {
    /// What a reader of the text should know about how it came about.
    pub enum ExtractionWarning {
        /// Little was found on the page, or little of it was kept.
        LittleText = "little_text",
        /// The page outgrew a limit; what is beyond it was not read.
        Truncated = "truncated",
        /// A table was too large and was cut.
        TableTruncated = "table_truncated",
        /// Elements were nested too deeply and were flattened.
        TooDeep = "too_deep",
        /// The bytes do not suit the encoding that the page names.
        BadEncoding = "bad_encoding",
        /// The page shows nothing without JavaScript.
        NeedsJavascript = "needs_javascript",
    }
}

/// How the text was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Extraction {
    pub method: ExtractionMethod,
    /// The share of the page's visible words that was kept, from 0 to 1.
    pub kept_ratio: f64,
    pub warnings: Vec<ExtractionWarning>,
}

/// A heading of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Heading {
    /// From 1 to 6, as in the text.
    pub level: u8,
    pub text: String,
    /// The fragment that leads to it on the page.
    #[schema(required = true)]
    pub anchor: Option<String>,
}

/// A link of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextLink {
    pub url: String,
    pub text: String,
}

/// An image of the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextImage {
    pub url: String,
    #[schema(required = true)]
    pub alt: Option<String>,
}

/// A page of a `markdown` run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MarkdownItem {
    pub url: String,
    /// The page's own title, without the name of the site.
    #[schema(required = true)]
    pub title: Option<String>,
    /// Its main content: CommonMark with the tables of GitHub.
    pub markdown: String,
    /// Where it led, when it differs from `url`.
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
    /// A date, or a date and time, as in ISO 8601.
    #[schema(required = true)]
    pub published_at: Option<String>,
    /// The same of its last change.
    #[schema(required = true)]
    pub modified_at: Option<String>,
    /// Clicks from the start URL.
    #[schema(required = true)]
    pub depth: Option<u32>,
    pub status_code: u16,
    /// Words of the text.
    pub word_count: u64,
    /// About how many tokens a language model makes of it.
    pub token_estimate: u64,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// The text in 16 hexadecimal digits.
    pub content_hash: String,
    pub extraction: Extraction,
    /// It was read as a browser shows it.
    pub rendered: bool,
    pub fetched_at: Millis,
}
