//! Output formats of `trawl crawl` and `trawl export`.

use std::path::Path;

use clap::ValueEnum;
use contract::{ExportFormat, Mode};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// JSON Lines: one item per line
    Jsonl,
    /// JSON: one array of items
    Json,
    /// CSV: comma-separated table
    Csv,
    /// Markdown: one document, or a table
    Md,
    /// XML: a sitemap of the indexable pages
    Xml,
    /// Excel workbook with one sheet per table
    Xlsx,
    /// Apache Parquet: typed table for analysis tools
    Parquet,
    /// llms.txt: links to the pages (markdown only)
    LlmsTxt,
    /// llms-full.txt: the texts of the pages (markdown only)
    LlmsFullTxt,
}

impl OutputFormat {
    /// The requested format, or else the format of the file name.
    pub fn of(asked: Option<Self>, path: &str) -> Self {
        let by_name = || {
            match Path::new(path).file_name()?.to_str()? {
                "llms.txt" => return Some(Self::LlmsTxt),
                "llms-full.txt" => return Some(Self::LlmsFullTxt),
                _ => {}
            }
            let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
            Self::value_variants().iter().copied().find(|format| {
                format.to_possible_value().is_some_and(|value| value.get_name() == ending)
            })
        };
        asked.or_else(by_name).unwrap_or(Self::Jsonl)
    }
}

impl OutputFormat {
    /// Whether results of the mode can be written in this format.
    pub fn suits(self, mode: Mode) -> bool {
        match self {
            Self::LlmsTxt => ExportFormat::LlmsTxt.suits(mode),
            Self::LlmsFullTxt => ExportFormat::LlmsFullTxt.suits(mode),
            _ => true,
        }
    }
}

impl From<OutputFormat> for ExportFormat {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Jsonl => Self::Jsonl,
            OutputFormat::Json => Self::Json,
            OutputFormat::Csv => Self::Csv,
            OutputFormat::Md => Self::Md,
            OutputFormat::Xml => Self::Xml,
            OutputFormat::Xlsx => Self::Xlsx,
            OutputFormat::Parquet => Self::Parquet,
            OutputFormat::LlmsTxt => Self::LlmsTxt,
            OutputFormat::LlmsFullTxt => Self::LlmsFullTxt,
        }
    }
}
