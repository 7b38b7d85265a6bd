//! The formats that items are written in.

use std::path::Path;

use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One item a line
    Jsonl,
    /// One array
    Json,
    /// A table with commas
    Csv,
    /// A Markdown document, or a table in one
    Md,
    /// A sitemap of the pages that can be indexed
    Xml,
    /// A workbook
    Xlsx,
}

impl Format {
    /// The format that was asked for, or that the name of a file tells.
    pub fn of(asked: Option<Self>, path: &str) -> Self {
        let by_name = || {
            let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
            Self::value_variants().iter().copied().find(|format| {
                format.to_possible_value().is_some_and(|value| value.get_name() == ending)
            })
        };
        asked.or_else(by_name).unwrap_or(Self::Jsonl)
    }
}

impl From<Format> for export::Format {
    fn from(format: Format) -> Self {
        match format {
            Format::Jsonl => Self::Jsonl,
            Format::Json => Self::Json,
            Format::Csv => Self::Csv,
            Format::Md => Self::Markdown,
            Format::Xml => Self::Xml,
            Format::Xlsx => Self::Xlsx,
        }
    }
}
