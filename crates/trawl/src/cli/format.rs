//! Output formats of `trawl crawl` and `trawl export`.

use std::path::Path;

use clap::ValueEnum;
use contract::{ExportFormat, Mode};
use thiserror::Error;

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
    /// WARC: web archive of the raw pages (jobs with formats raw_html)
    Warc,
    /// WACZ: web archive for ReplayWeb.page (jobs with formats raw_html)
    Wacz,
    /// CDXJ: index of the WARC file (jobs with formats raw_html)
    Cdxj,
}

/// The extension of an output file belongs to no format.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "the extension of {path:?} belongs to no format; the known ones are {known}, or choose a format \
     with --format",
    known = known_names()
)]
pub struct UnknownExtension {
    path: String,
}

/// The file names that select a format.
fn known_names() -> String {
    let names = OutputFormat::value_variants().iter().map(|format| match format {
        OutputFormat::LlmsTxt => "llms.txt".to_owned(),
        OutputFormat::LlmsFullTxt => "llms-full.txt".to_owned(),
        OutputFormat::Warc => ".warc.gz".to_owned(),
        format => {
            let value = format.to_possible_value();
            format!(".{}", value.as_ref().map_or("", |value| value.get_name()))
        }
    });
    names.collect::<Vec<_>>().join(", ")
}

impl OutputFormat {
    /// The requested format, or else the format of the file name. Standard output, devices and
    /// names without an extension get JSON Lines.
    ///
    /// # Errors
    /// [`UnknownExtension`] if the name has an extension of no format.
    pub fn of(asked: Option<Self>, path: &str) -> Result<Self, UnknownExtension> {
        if let Some(format) = asked {
            return Ok(format);
        }
        let file = Path::new(path);
        match file.file_name().and_then(|name| name.to_str()) {
            Some("llms.txt") => return Ok(Self::LlmsTxt),
            Some("llms-full.txt") => return Ok(Self::LlmsFullTxt),
            Some(name) if name.to_ascii_lowercase().ends_with(".warc.gz") => return Ok(Self::Warc),
            _ => {}
        }
        let Some(extension) = file.extension() else { return Ok(Self::Jsonl) };
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        match extension.as_str() {
            "jsonl" | "ndjson" => Ok(Self::Jsonl),
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            "md" | "markdown" => Ok(Self::Md),
            "xml" => Ok(Self::Xml),
            "xlsx" => Ok(Self::Xlsx),
            "parquet" => Ok(Self::Parquet),
            "wacz" => Ok(Self::Wacz),
            "cdxj" => Ok(Self::Cdxj),
            _ => Err(UnknownExtension { path: path.to_owned() }),
        }
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

    /// Whether a file has the raw pages of a job, which it must have kept.
    pub fn needs_raw_pages(self) -> bool {
        ExportFormat::from(self).needs_raw_pages()
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
            OutputFormat::Warc => Self::Warc,
            OutputFormat::Wacz => Self::Wacz,
            OutputFormat::Cdxj => Self::Cdxj,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_name_selects_the_format() {
        for (path, format) in [
            ("-", OutputFormat::Jsonl),
            ("results", OutputFormat::Jsonl),
            ("/dev/null", OutputFormat::Jsonl),
            ("a.NDJSON", OutputFormat::Jsonl),
            ("a.b/pages.Md", OutputFormat::Md),
            ("llms.txt", OutputFormat::LlmsTxt),
            ("x/llms-full.txt", OutputFormat::LlmsFullTxt),
            ("t.parquet", OutputFormat::Parquet),
            ("a.b.Warc.gz", OutputFormat::Warc),
            ("site.wacz", OutputFormat::Wacz),
        ] {
            assert_eq!(OutputFormat::of(None, path), Ok(format), "{path}");
        }
    }

    #[test]
    fn every_format_has_a_file_name() {
        for name in known_names().split(", ") {
            let path = if name.starts_with('.') { format!("a{name}") } else { name.to_owned() };
            assert!(OutputFormat::of(None, &path).is_ok(), "{path}");
        }
    }

    #[test]
    fn unknown_extension_is_an_error_unless_the_format_is_given() {
        let error = OutputFormat::of(None, "out.pdf").expect_err("no format").to_string();
        assert!(
            error.contains("out.pdf") && error.contains(".xlsx, .parquet, llms.txt"),
            "{error}"
        );
        assert!(error.contains("--format"), "{error}");
        assert!(OutputFormat::of(None, "notes.txt").is_err());
        assert!(OutputFormat::of(None, "notes.gz").is_err());
        assert_eq!(OutputFormat::of(Some(OutputFormat::Csv), "out.pdf"), Ok(OutputFormat::Csv));
    }
}
