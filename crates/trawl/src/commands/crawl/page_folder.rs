//! The folder with the files that a run keeps of its pages: `--formats` and `--files`.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use contract::PageFileFormat;
use crawl::KeptPage;
use serde_json::json;

/// Its list of pages, one line of JSON per item that has files or warnings.
const INDEX: &str = "index.jsonl";

pub struct PageFolder {
    folder: PathBuf,
    index: File,
}

impl PageFolder {
    pub fn create(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        let index = File::create(folder.join(INDEX))?;
        Ok(Self { folder, index })
    }

    /// Writes the files of the page of an item, which has this number from 0 in the output.
    pub fn write(
        &mut self,
        item: u64,
        page: &KeptPage,
        wanted: &[PageFileFormat],
    ) -> io::Result<()> {
        let mut line = json!({"item": item, "url": page.response.url});
        for file in page.files.iter().filter(|file| wanted.contains(&file.format)) {
            let ending = match file.format {
                PageFileFormat::Html => "html",
                PageFileFormat::RawHtml => "raw.html",
                PageFileFormat::Screenshot => "png",
            };
            let name = format!("{item:06}.{ending}");
            fs::write(self.folder.join(&name), &file.body)?;
            line[file.format.as_str()] = name.into();
        }
        if !page.warnings.is_empty() {
            line["warnings"] = json!(page.warnings);
        }
        writeln!(self.index, "{line}")
    }
}
