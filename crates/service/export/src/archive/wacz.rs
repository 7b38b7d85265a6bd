//! WACZ 1.1.1: a ZIP file with the WARC file of a run, its index, its list of pages, and a description
//! with the digest of each.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use contract::Millis;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use super::cdxj::CdxjIndex;
use super::warc::WarcWriter;
use super::{ArchiveSubject, ArchivedPage, SOFTWARE};
use crate::{ExportError, ExportFailure};

const VERSION: &str = "1.1.1";
const WARC: &str = "data.warc.gz";

/// Files that are listed in the description, in the order of the archive.
struct WaczFile<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
    resources: Vec<Value>,
}

impl<W: Write> WaczFile<W> {
    /// Adds a file, and describes it by its digest.
    fn add(
        &mut self,
        path: &str,
        options: SimpleFileOptions,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<String> {
        self.zip.start_file(path, options)?;
        let mut file = HashedWriter { out: &mut self.zip, hash: Sha256::new(), bytes: 0 };
        write(&mut file)?;
        let (hash, bytes) = (labelled(file.hash), file.bytes);
        let name = path.rsplit('/').next().unwrap_or(path);
        self.resources.push(json!({"name": name, "path": path, "hash": hash, "bytes": bytes}));
        Ok(hash)
    }
}

/// Writes the pages of a run.
pub(super) fn write<E>(
    pages: impl Iterator<Item = Result<ArchivedPage, E>>,
    subject: &ArchiveSubject,
    out: &mut impl Write,
) -> Result<(), ExportFailure<E>> {
    // Readers seek in the WARC file, so that it is not compressed again. Its size is unknown and may
    // exceed 4 GiB.
    let stored =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    let packed = SimpleFileOptions::default().large_file(true);
    let mut file = WaczFile { zip: ZipWriter::new_stream(out), resources: Vec::new() };
    let mut list = PageList::begin(subject.url.as_deref()).map_err(ExportError::from)?;
    let mut index = CdxjIndex::new(WARC);
    let mut unread = None;
    let written = file.add(&format!("archive/{WARC}"), stored, |out| {
        let mut warc = WarcWriter::begin(out, subject, WARC)?;
        for page in pages {
            let page = match page {
                Ok(page) => page,
                Err(error) => {
                    unread = Some(error);
                    return Err(io::ErrorKind::Other.into());
                }
            };
            let record = warc.write(&page)?;
            index.push(&page, &record)?;
            list.push(&page)?;
        }
        Ok(())
    });
    if let Some(error) = unread {
        return Err(ExportFailure::Read(error));
    }
    written.map_err(ExportError::from)?;
    finish(file, index, list, subject, packed).map_err(ExportError::from)?;
    Ok(())
}

fn finish<W: Write>(
    mut file: WaczFile<W>,
    index: CdxjIndex,
    list: PageList,
    subject: &ArchiveSubject,
    packed: SimpleFileOptions,
) -> io::Result<()> {
    file.add("indexes/index.cdxj", packed, |mut out| index.write_to(&mut out))?;
    let PageList { lines, main, .. } = list;
    let mut lines = lines.into_inner().map_err(io::IntoInnerError::into_error)?;
    lines.rewind()?;
    file.add("pages/pages.jsonl", packed, |mut out| io::copy(&mut lines, &mut out).map(drop))?;
    let mut package = json!({
        "profile": "data-package",
        "wacz_version": VERSION,
        "software": SOFTWARE,
        "created": subject.created_at,
        "title": title_of(subject),
    });
    if let Some((url, date)) = main {
        package["mainPageUrl"] = json!(url);
        package["mainPageDate"] = json!(date);
    }
    package["resources"] = Value::Array(std::mem::take(&mut file.resources));
    let package = serde_json::to_vec_pretty(&package)?;
    let path = "datapackage.json";
    let hash = file.add(path, packed, |out| out.write_all(&package))?;
    let digest = json!({"path": path, "hash": hash}).to_string();
    file.add("datapackage-digest.json", packed, |out| out.write_all(digest.as_bytes()))?;
    file.zip.finish()?;
    Ok(())
}

fn title_of(subject: &ArchiveSubject) -> String {
    match &subject.url {
        Some(url) => format!("{url} ({})", subject.mode),
        None => format!("{} ({})", subject.job, subject.mode),
    }
}

/// The list of pages, spooled until the WARC file is complete.
struct PageList {
    lines: BufWriter<File>,
    start: Option<String>,
    /// The page that readers open first: the start page, or else the first one.
    main: Option<(String, Millis)>,
}

impl PageList {
    fn begin(start: Option<&str>) -> io::Result<Self> {
        let mut lines = BufWriter::new(tempfile::tempfile()?);
        let head = json!({"format": "json-pages-1.0", "id": "pages", "title": "Pages"});
        writeln!(lines, "{head}")?;
        Ok(Self { lines, start: start.map(str::to_owned), main: None })
    }

    fn push(&mut self, page: &ArchivedPage) -> io::Result<()> {
        if !page.is_document() {
            return Ok(());
        }
        let id = format!("{}", page.item);
        let mut line = json!({"id": id, "url": page.url, "ts": page.fetched_at});
        if let Some(title) = &page.title {
            line["title"] = json!(title);
        }
        if self.main.is_none() || self.start.as_deref() == Some(&page.url) {
            self.main = Some((page.url.clone(), page.fetched_at));
        }
        writeln!(self.lines, "{line}")
    }
}

fn labelled(hash: Sha256) -> String {
    format!("sha256:{}", HEXLOWER.encode(hash.finalize().as_slice()))
}

/// Hashes and counts the bytes that are written.
struct HashedWriter<W> {
    out: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Write for HashedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
