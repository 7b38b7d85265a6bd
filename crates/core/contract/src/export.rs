//! Exports of results as files. Specification: `docs/spec/results.md`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Millis, Mode};

string_enum! {
    /// The format of an export.
    pub enum ExportFormat {
        /// An Excel workbook (OOXML).
        Xlsx = "xlsx",
        /// A table with comma-separated values.
        Csv = "csv",
        /// A JSON array of the items.
        Json = "json",
        /// Markdown: a document, or a table.
        Md = "md",
        /// A sitemap for `links` and `sitemap`, otherwise XML elements per item.
        Xml = "xml",
        /// JSON Lines: one item per line.
        Jsonl = "jsonl",
        /// An Apache Parquet file: a typed table for analysis tools.
        Parquet = "parquet",
        /// `markdown` only: the file `llms.txt`, a list of links to the pages.
        LlmsTxt = "llms_txt",
        /// `markdown` only: the file `llms-full.txt` with the texts of all pages.
        LlmsFullTxt = "llms_full_txt",
        /// Runs with `formats: ["raw_html"]` only: a WARC 1.1 file of the raw pages, compressed by gzip.
        Warc = "warc",
        /// Runs with `formats: ["raw_html"]` only: a WACZ file: the WARC file with its index and a list of
        /// pages, for replay programs.
        Wacz = "wacz",
        /// Runs with `formats: ["raw_html"]` only: the CDXJ index of the `warc` file.
        Cdxj = "cdxj",
    }
}

impl ExportFormat {
    /// Whether results of the mode can be exported in this format.
    #[must_use]
    pub const fn suits(self, mode: Mode) -> bool {
        match self {
            Self::LlmsTxt | Self::LlmsFullTxt => matches!(mode, Mode::Markdown),
            _ => true,
        }
    }

    /// Whether a file has the raw pages of the run, which it must have kept, instead of its items.
    #[must_use]
    pub const fn needs_raw_pages(self) -> bool {
        matches!(self, Self::Warc | Self::Wacz | Self::Cdxj)
    }

    /// The formats of a run of this mode, which keeps its raw pages or not.
    pub fn offered(mode: Mode, keeps_raw_pages: bool) -> impl Iterator<Item = Self> {
        let offered = move |format: &Self| {
            format.suits(mode) && (keeps_raw_pages || !format.needs_raw_pages())
        };
        Self::ALL.iter().copied().filter(offered)
    }

    /// What a file of this format holds for a mode, in a sentence.
    #[must_use]
    pub const fn summary(self, mode: Mode) -> &'static str {
        match (self, mode) {
            (Self::Xlsx, Mode::Contacts) => "A workbook: companies and people.",
            (Self::Xlsx, Mode::Products) => "A workbook: products and variants.",
            (Self::Xlsx, _) => "A workbook with a row for each result.",
            (Self::Csv, _) => "Comma-separated, UTF-8.",
            (Self::Json, _) => "The results as the API returns them.",
            (Self::Md, Mode::Markdown) => "One document of all pages.",
            (Self::Md, _) => "A table in Markdown.",
            (Self::Xml, Mode::Links | Mode::Sitemap) => "A sitemap for search engines.",
            (Self::Xml, _) => "An element for each result.",
            (Self::Jsonl, _) => "A result as JSON on each line.",
            (Self::Parquet, _) => "A typed table for DuckDB, pandas and others.",
            (Self::LlmsTxt, _) => "llms.txt: links to the pages for language models.",
            (Self::LlmsFullTxt, _) => "llms-full.txt: the texts for language models.",
            (Self::Warc, _) => "A web archive of the raw pages.",
            (Self::Wacz, _) => "A web archive to open in ReplayWeb.page.",
            (Self::Cdxj, _) => "The index of the WARC file.",
        }
    }
}

/// The body that creates an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateExport {
    pub format: ExportFormat,
    /// `csv` and `parquet` only: which table the file holds. `contacts`: `companies` (default) or `people`, a
    /// row per person; `products`: `products` (default) or `variants`, a row per variant. An
    /// `xlsx` file holds all of them, each on its sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "people")]
    pub table: Option<String>,
    /// Only items that contain this text in one of their text columns, in upper or lower case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub q: Option<String>,
    /// Only items that meet conditions, as `filter` of the results: a member `status_code` or
    /// `price[lt]` with a value, or with a list of alternatives.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({}))]
    pub filter: Option<Map<String, Value>>,
}

/// A download link for one download.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Export {
    /// Signed URL for one download; it contains no API key, so that it can be passed on.
    pub url: String,
    pub format: ExportFormat,
    pub expires_at: Millis,
}

impl std::fmt::Debug for Export {
    // The URL is not logged: it permits a download without a credential.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("format", &self.format).finish_non_exhaustive()
    }
}
