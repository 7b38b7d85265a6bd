//! Files to take away. Specification: `docs/spec/results.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Millis;
use crate::job::words;

words! {
    /// What a file is.
    pub enum ExportFormat {
        /// A workbook.
        Xlsx = "xlsx",
        /// A table with commas.
        Csv = "csv",
        /// An array of the items.
        Json = "json",
        /// Markdown: a document, or a table.
        Md = "md",
        /// A sitemap for `links` and `sitemap`, else elements.
        Xml = "xml",
    }
}

/// The body that asks for a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateExport {
    pub format: ExportFormat,
    /// `csv` only: which table the file holds. `contacts`: `companies` (default) or `people`, a
    /// row per person; `products`: `products` (default) or `variants`, a row per variant. An
    /// `xlsx` file holds all of them, each on its sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "people")]
    pub table: Option<String>,
}

/// Where a file can be taken from, once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Export {
    /// Signed and for one download; it carries no API key, so it may be passed on.
    pub url: String,
    pub format: ExportFormat,
    pub expires_at: Millis,
}

impl std::fmt::Debug for Export {
    // Whoever reads the address in a log could take the file.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Export").field("format", &self.format).finish_non_exhaustive()
    }
}
